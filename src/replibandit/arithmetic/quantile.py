"""Normal variates from uniforms: one uniform, one variate, no rejection, the same bits on every machine.

The quantile is a table of cubic polynomials, 128 for each power of two below 1/2: Taylor's, around the middle of the
piece, with an absolute error below 2**-35.  A uniform is a multiple of 2**-53; half of that is added, so that no
variate is infinite.
"""

from functools import cache

import numpy as np

from replibandit.arithmetic.elementary import normal_cdf, normal_pdf
from replibandit.arrays import FloatArray

_PIECE_BITS = 7
_OCTAVES = 53  # p from 2**-54 to 1/2
_BISECTIONS = 60
_FRACTION = (1 << 52) - 1
_ONE = 1023 << 52


def normals(uniforms: FloatArray) -> FloatArray:
    """Return the standard normal quantiles of uniforms, multiples of 2**-53 in [0, 1)."""
    upper = uniforms >= 0.5
    # the quantile at u >= 1/2 is minus that at u - 1/2: both halves have one law, and p < 1/2 keeps its bits
    p = (uniforms - 0.5 * upper) + 2.0**-54
    bits = p.view(np.int64)
    # p = 2**e (1 + f): the piece is e with the first 7 bits of f, the place in it the rest of f, in [-1/2, 1/2)
    piece = (bits >> (52 - _PIECE_BITS)) - ((1023 - _OCTAVES - 1) << _PIECE_BITS)
    place = (((bits << _PIECE_BITS) & _FRACTION) | _ONE).view(np.float64) - 1.5
    value, first, second, third = (column[piece] for column in _table())
    z = value + place * (first + place * (second + place * third))
    return np.asarray(np.where(upper, -z, z))


@cache
def _table() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return Taylor's coefficients of the lower quantile q in the middle of each piece, in units of its length."""
    octave, part = np.divmod(np.arange(_OCTAVES << _PIECE_BITS), 1 << _PIECE_BITS)
    length = np.ldexp(1.0, octave - (_OCTAVES + 1 + _PIECE_BITS))
    middle = ((1 << _PIECE_BITS) + part + 0.5) * length
    low, high = np.full(len(middle), -9.0), np.zeros(len(middle))
    for _ in range(_BISECTIONS):
        q = 0.5 * (low + high)
        below = normal_cdf(q) < middle
        low, high = np.where(below, q, low), np.where(below, high, q)
    # q' = 1/phi(q), q'' = q q'^2, q''' = (1 + 2 q^2) q'^3
    slope = length / normal_pdf(high)
    return high, slope, high * slope * slope / 2.0, (1.0 + 2.0 * high * high) * slope * slope * slope / 6.0
