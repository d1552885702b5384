"""Exact integers of 180 bits, many at once.

A *wide* array is an int64 array whose first axis runs over the limbs of one number in base 2**30,
    value = sum_i limb[i] 2**(30 i),
where every limb but the last lies in [0, 2**30) and the last carries the sign.  Addition is exact, so sums do not
depend on the order of their terms, and a result that would not fit raises `OutOfRange`; nothing wraps around.
"""

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import OutOfRange

LIMBS = 6
_BASE = 30
_MASK = (1 << _BASE) - 1
_TOP = 1 << 31  # the last limb stays below this in size, so sums of a few never overflow int64


def wide(values: IntArray, shift: int = 0) -> IntArray:
    """Return values * 2**shift as a wide array; |values| must stay below 2**62."""
    limb, bits = divmod(shift, _BASE)
    if not 0 <= limb < LIMBS - 1:
        raise OutOfRange(f"a shift of {shift} bits does not fit {LIMBS} limbs of {_BASE} bits.")
    result = np.zeros((LIMBS, *np.shape(values)), dtype=np.int64)
    result[limb] = (values & _MASK) << bits
    result[limb + 1] = (values >> _BASE) << bits
    return carry(result)


def carry(limbs: IntArray) -> IntArray:
    """Bring limbs of any size below 2**62 into their range."""
    result = limbs.copy()
    for i in range(LIMBS - 1):
        result[i + 1] += result[i] >> _BASE
        result[i] &= _MASK
    if (abs(result[-1]) >= _TOP).any():
        raise OutOfRange("an exact sum exceeds 180 bits. Rescale the data or lower the counts.")
    return result


def add(*terms: IntArray) -> IntArray:
    """Add wide arrays exactly."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return carry(total)


def to_float(limbs: IntArray, exponent: IntArray | int = 0) -> FloatArray:
    """Return the doubles nearest to value * 2**exponent (ties to even).

    The result is a function of the exact value alone: it does not matter how the value is split into a wide integer
    and an exponent.
    """
    negative = limbs[-1] < 0
    magnitude = carry(np.where(negative, -limbs, limbs))
    # The three limbs from the leading one down hold at least 61 bits: keep 62, and let bit 0 remember the rest, so
    # that the conversion to double below, which rounds once, sees on which side of a tie the number lies.
    nonzero = magnitude != 0
    lead = LIMBS - 1 - np.argmax(nonzero[::-1], axis=0)
    first, second, third = (_limb(magnitude, lead - i) for i in range(3))
    width = np.frexp(first.astype(np.float64))[1].astype(np.int64)  # bits in the leading limb, up to 31
    window = (first << 62 - width) | (second << 32 - width)
    down, up = np.maximum(width - 2, 0), np.maximum(2 - width, 0)
    window |= (third >> down) << up
    below = np.cumsum(nonzero, axis=0) - nonzero  # how many limbs under this one are not zero
    rest = (third & ((1 << down) - 1)) != 0
    rest |= np.where(lead >= 3, _limb(below, lead - 2), 0) > 0
    window |= rest
    rounded = np.where(negative, -window, window).astype(np.float64)
    scale = np.asarray(exponent) + _BASE * lead + width - 62
    return np.asarray(np.ldexp(rounded, scale.astype(np.int32)))


def _limb(limbs: IntArray, index: IntArray) -> IntArray:
    """Return the limb at `index` of each number, 0 below the lowest."""
    picked = np.take_along_axis(limbs, np.maximum(index, 0)[None], axis=0)[0]
    return np.where(index >= 0, picked, 0)
