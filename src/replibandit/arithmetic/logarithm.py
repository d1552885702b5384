"""The correctly rounded logarithm of many numbers at once: the bits of `elementary.log`, far faster for long arrays.

With c near 1/m, a number of 9 bits, log(m 2^e) = e log 2 - log c + log(1 + r) where r = m c - 1 is known exactly as a
sum of two doubles and |r| < 2^-6.  The terms are added in double-double arithmetic to about 70 bits.  Where that does
not settle the rounding, about once in a hundred, the scalar logarithm decides.
"""

from decimal import Decimal
from functools import cache

import numpy as np

from replibandit.arithmetic.elementary import _context, log
from replibandit.arrays import FloatArray, IntArray

_INTERVALS = 128  # m lies within 1/256 of k/128
_ERROR = 2.0**-62
_FEW = 4
_EXACT = 2**20  # exponents below this times the upper 32 bits of log 2 are exact
_SERIES = tuple((-1.0) ** (k + 1) / k for k in range(3, 14))


def logs(mantissa: FloatArray, exponent: IntArray) -> FloatArray:
    """Return the correctly rounded natural logarithms of mantissa * 2**exponent, for positive normal doubles."""
    if mantissa.size < _FEW or (abs(exponent) >= _EXACT // 2).any():
        return _one_by_one(mantissa, exponent)
    m, shift = np.frexp(mantissa)
    e = (exponent + shift).astype(np.float64)
    small = m < 0.703125  # 90/128: bring m to [0.703, 1.407), so that the terms do not cancel
    m, e = np.where(small, 2.0 * m, m), np.where(small, e - 1.0, e)
    index = np.rint(m * _INTERVALS).astype(np.int64)
    c, table_high, table_low, two_high, two_low = (part[index] if part.ndim else part for part in _table())
    # r = m c - 1 exactly: m = m1 + m2 with 26 + 27 bits, and c has 9
    m1 = np.rint(m * 2.0**26) * 2.0**-26
    r, r_low = _two_sum(m1 * c - 1.0, (m - m1) * c)
    # log(1 + r) = r - r^2/2 + tail, with r^2 in two doubles
    r1 = np.rint(r * 2.0**32) * 2.0**-32
    r2 = r - r1
    square = r1 * r1
    square_low = 2.0 * r1 * r2 + r2 * r2 + 2.0 * r * r_low
    tail = np.zeros_like(r)
    for coefficient in reversed(_SERIES):
        tail = tail * r + coefficient
    tail = tail * (r * r * r)
    low = e * two_low + table_low + r_low - 0.5 * square_low + tail
    total = e * two_high
    for term in (table_high, r, -0.5 * square):
        total, rest = _two_sum(total, term)
        low = low + rest
    total, low = _two_sum(total, low)
    slack = _ERROR * abs(total)
    result = total + (low + slack)
    doubt = ~(result == total + (low - slack))
    result[doubt] = _one_by_one(mantissa[doubt], exponent[doubt])
    return np.asarray(result)


def _one_by_one(mantissa: FloatArray, exponent: IntArray) -> FloatArray:
    values = [log(float(m), int(e)) for m, e in zip(mantissa.ravel(), exponent.ravel(), strict=True)]
    return np.reshape(np.array(values, dtype=np.float64), mantissa.shape)


def _two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded sum and its rounding error, exactly."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@cache
def _table() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return c near 128/k, -log c in two doubles, and log 2 in two doubles, the first of 32 bits."""
    context = _context(60)
    k = np.arange(2 * _INTERVALS)
    c = np.rint(256.0 * _INTERVALS / np.maximum(k, 1)) / 256.0
    exact = [context.minus(context.ln(Decimal(float(value)))) for value in c]
    high = np.array([float(value) for value in exact])
    low = np.array([float(context.subtract(value, Decimal(float(h)))) for value, h in zip(exact, high, strict=True)])
    two = context.ln(Decimal(2))
    two_high = float(np.rint(float(two) * 2.0**32) * 2.0**-32)
    two_low = float(context.subtract(two, Decimal(two_high)))
    return c, high, low, np.array(two_high), np.array(two_low)
