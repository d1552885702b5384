"""Exact integers of 180 bits, many at once.

A *wide* array is an int64 array whose first axis runs over the limbs of one number in base 2**30,
    value = sum_i limb[i] 2**(30 i),
where every limb but the last lies in [0, 2**30) and the last carries the sign.  Addition is exact, so sums do not
depend on the order of their terms, and a result that would not fit raises `OutOfRange`; nothing wraps around.
"""

from collections.abc import Sequence

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


def from_integers(values: Sequence[int]) -> IntArray:
    """Return Python integers as a wide array of one axis."""
    if any(abs(value).bit_length() > _BASE * LIMBS for value in values):
        raise OutOfRange(f"an exact sum exceeds {_BASE * LIMBS} bits. Rescale the data or lower the counts.")
    low = [[(value >> _BASE * i) & _MASK for value in values] for i in range(LIMBS - 1)]
    return np.array([*low, [value >> _BASE * (LIMBS - 1) for value in values]], dtype=np.int64)


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


def scale(limbs: IntArray, factor: IntArray) -> IntArray:
    """Return value * factor exactly, for int64 factors below 2**60 in size."""
    negative = (limbs[-1] < 0) ^ (factor < 0)
    magnitude, factor = carry(np.where(limbs[-1] < 0, -limbs, limbs)), abs(factor)
    if (factor >> 2 * _BASE).any():
        raise OutOfRange("a factor of 2**60 or more does not fit the exact arithmetic.")
    digits = (factor & _MASK, factor >> _BASE)
    product = np.zeros((LIMBS + 2, *np.broadcast_shapes(limbs.shape[1:], factor.shape)), dtype=np.int64)
    for i, limb in enumerate(magnitude):
        if limb.any():
            for j, digit in enumerate(digits):
                product[i + j] += limb * digit
    for i in range(LIMBS + 1):
        product[i + 1] += product[i] >> _BASE
        product[i] &= _MASK
    if (product[LIMBS:] != 0).any() or (product[LIMBS - 1] >= _TOP).any():
        raise OutOfRange("an exact product exceeds 180 bits. Rescale the data or lower the counts.")
    return carry(np.where(negative, -product[:LIMBS], product[:LIMBS]))


def to_float(limbs: IntArray, exponent: IntArray | int = 0) -> FloatArray:
    """Return the doubles nearest to value * 2**exponent (ties to even).

    The result is a function of the exact value alone: it does not matter how the value is split into a wide integer
    and an exponent.  It must be a normal double (or 0); a subnormal one would be rounded twice.
    """
    negative = limbs[-1] < 0
    magnitude = carry(np.where(negative, -limbs, limbs))
    # Three digits in base 2**60.  A window of 62 bits starts at the leading digit; its bit 0 remembers whether anything
    # was cut off, so that the conversion to double, which rounds once, sees on which side of a tie the number lies.
    low, middle, high = (magnitude[i] + (magnitude[i + 1] << _BASE) for i in (0, 2, 4))
    place = np.where(high > 0, 2, np.where(middle > 0, 1, 0))
    first = np.where(high > 0, high, np.where(middle > 0, middle, low))
    second = np.where(high > 0, middle, np.where(middle > 0, low, 0))
    spare = np.minimum(62 - np.frexp(first.astype(np.float64))[1], 2 * _BASE).astype(np.int64)
    cut = 2 * _BASE - spare
    window = (first << spare) | (second >> cut)
    window |= (second != (second >> cut) << cut) | ((high > 0) & (low > 0))
    rounded = np.where(negative, -window, window).astype(np.float64)
    scale = np.asarray(exponent) + 2 * _BASE * place - spare
    return np.asarray(np.ldexp(rounded, scale.astype(np.int32)))
