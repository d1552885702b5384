"""Elementary functions whose bits are the same on every machine.

`np.exp` and `np.log` come in several versions, chosen by the CPU at run time, and their last bits differ.  Here only
IEEE + - * /, rint, comparisons and integer operations are used, element by element in a fixed order, and Python's
`decimal` for scalars.  So an element's result depends on nothing but the element: not on its neighbours, the array's
length, its memory layout or the machine.

    log           scalars   correctly rounded
    exp           arrays    error below 0.6 ulp; where the result is subnormal, below 0.8
    softplus      arrays    log(1 + e^x); error below 3 ulp
    normal_pdf    arrays    error below 2 ulp, in the tails too
    normal_cdf    arrays    error below 5 ulp, and below 1e-15 of the result while that is normal (x > -37.5)

NaN gives NaN; overflow gives inf and underflow a subnormal number or 0, both without a warning.
"""

import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import cache, wraps

import numpy as np

from replibandit import checks
from replibandit.arrays import FloatArray, IntArray

_BLOCK = 4096  # elements worked on at a time, so that the intermediate arrays stay in the cache


def _context(precision: int) -> Context:
    """Return a decimal context that owes nothing to the caller's."""
    return Context(precision, ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, capitals=1, clamp=0, flags=[], traps=[])


def _decimal(x: float) -> Decimal:
    """Convert exactly; x in [2^-8, 2) has at most 60 digits."""
    return _context(60).create_decimal_from_float(x)


@cache
def _ln2(precision: int) -> Decimal:
    return _context(precision).ln(Decimal(2))


# --- log, for scalars ---


def log(x: float, exponent: int = 0) -> float:
    """Return the natural logarithm of x * 2**exponent, correctly rounded.

    `exponent` may be as large as a determinant needs.

    >>> log(1.0), log(0.5, exponent=1), log(1.5, exponent=1_000_000)
    (0.0, 0.0, 693147.5860250534)
    """
    m, power = math.frexp(checks.positive("x", x))
    if m < math.sqrt(0.5):
        m, power = 2 * m, power - 1
    power += operator.index(exponent)
    if m == 1 and power == 0:
        return 0.0
    # Ziv's loop.  It ends: the logarithm of a rational number other than 1 is irrational, hence never a tie.
    precision, low, high = 25, 0.0, 1.0
    while low != high:
        low, high = _log_bounds(m, power, precision)
        precision *= 2
    return low


def _log_bounds(m: float, power: int, precision: int) -> tuple[float, float]:
    """Round both ends of an interval that holds log(m 2^power) to doubles, for m in [√½, √2)."""
    context = _context(precision)
    # Nothing cancels: power = 0, or |power ln 2| >= 2 |ln m|, hence |power ln 2| <= 2 |value| and |ln m| <= |value|.
    # Rounding moves these two and their sum by 5e-precision of their size each, in all by a fifth of the margin.
    value = context.fma(Decimal(power), _ln2(precision), context.ln(_decimal(m)))
    margin = context.scaleb(value.copy_abs(), 2 - precision)
    return float(context.subtract(value, margin)), float(context.add(value, margin))


# --- arrays ---


def elementwise(function: Callable[[FloatArray], FloatArray]) -> Callable[[FloatArray], FloatArray]:
    """Let a function of one-dimensional blocks take arrays of any shape, NaN included, and keep NumPy's warnings in."""

    @wraps(function)
    def over_blocks(x: FloatArray) -> FloatArray:
        values = np.asarray(x, dtype=np.float64)
        result = np.empty(values.shape)
        source, target = values.reshape(-1), result.reshape(-1)
        with np.errstate(all="ignore"):
            for start in range(0, source.size, _BLOCK):
                block = source[start : start + _BLOCK]
                known = block == block
                target[start : start + _BLOCK] = np.where(known, function(np.where(known, block, 0.0)), np.nan)
        return result

    return over_blocks


# --- exp ---

# e^x = 2^k 2^(j/128) e^r with x = (128 k + j) ln2/128 + r.  2^(j/128) is held as the sum of two doubles; so is ln2/128,
# the first with 34 bits: n times it is exact for |n| < 2^19.
_ROOTS = 128


def _split(exact: Decimal, high: float) -> tuple[float, float]:
    """Return `high` and the double nearest to what it leaves of `exact`."""
    return high, float(_context(50).subtract(exact, _decimal(high)))


def _powers_of_two() -> tuple[FloatArray, FloatArray]:
    """Return 2^(j/128) for j = 0, ..., 127, as high and low parts."""
    context = _context(50)
    exact = [context.exp(context.multiply(_STEP, j)) for j in range(_ROOTS)]
    pairs = np.array([_split(power, float(power)) for power in exact])
    return pairs[:, 0].copy(), pairs[:, 1].copy()


_STEP = _context(50).divide(_ln2(50), _ROOTS)
_STEP_HIGH, _STEP_LOW = _split(_STEP, math.floor(math.ldexp(float(_STEP), 41)) * 2.0**-41)
_STEPS_PER_UNIT = float(_context(50).divide(1, _STEP))
_POWER_HIGH, _POWER_LOW = _powers_of_two()


def _exp_parts(x: FloatArray, tail: FloatArray | float = 0.0) -> tuple[FloatArray, IntArray]:
    """Return y in (0.99, 2.01) and k with e^(x + tail) = y 2^k, for |x| <= 800 and |tail| < 1e-4."""
    steps = np.rint(x * _STEPS_PER_UNIT)
    n = steps.astype(np.int64)
    # x - n (ln2/128), the first difference exact; |r| < 0.0029
    r = (x - steps * _STEP_HIGH) - (steps * _STEP_LOW - tail)
    # e^r - 1 = r + r^2 (1/2 + r/6 + r^2/24 + r^3/120) + r^6/720 + ..., where the rest is below 2^-60
    rest = r + r * r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))))
    j = n & (_ROOTS - 1)
    high = _POWER_HIGH[j]
    return high + (_POWER_LOW[j] + high * rest), n >> 7


def _scaled(y: FloatArray, k: IntArray) -> FloatArray:
    """Return y 2^k, rounded once: the first factor leaves y's bits alone, the second may overflow or underflow."""
    half = k >> 1
    return y * _power_of_two(half) * _power_of_two(k - half)


def _power_of_two(k: IntArray) -> FloatArray:
    # the bits of a double: sign, 11 bits of exponent + 1023, 52 bits of fraction
    return ((k + 1023) << 52).view(np.float64)


@elementwise
def exp(x: FloatArray) -> FloatArray:
    """Return e^x.

    >>> exp(np.array([0.0, -np.inf, 710.0])).tolist()
    [1.0, 0.0, inf]
    """
    return _scaled(*_exp_parts(np.minimum(np.maximum(x, -800.0), 800.0)))


# --- softplus ---

_ODD_RECIPROCALS = tuple(1 / (2 * k + 1) for k in range(1, 17))


@elementwise
def softplus(x: FloatArray) -> FloatArray:
    """Return log(1 + e^x)."""
    # log(1 + e^x) = max(x, 0) + log(1 + t) with t = e^-|x| in [0, 1]
    t = _scaled(*_exp_parts(np.maximum(-np.abs(x), -800.0)))
    # log(1 + t) = 2 atanh(u) = 2u (1 + z/3 + z^2/5 + ...) with u = t/(2 + t) <= 1/3, v = 2u, z = u^2 <= 1/9.
    # The terms from z^17/35 on add less than 9^-17/35 * 9/8 < 2^-58.
    v = t / (1 + 0.5 * t)
    z = 0.25 * v * v
    return np.where(x > 0, x, 0.0) + (v + v * (z * _polynomial(_ODD_RECIPROCALS, z)))


def _polynomial(coefficients: tuple[float, ...], x: FloatArray) -> FloatArray:
    """Return c_0 + c_1 x + c_2 x^2 + ... by Horner's rule, from the last coefficient."""
    total = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total *= x
        total += coefficient
    return total


# --- the normal distribution ---

# printed by tools/normal_coefficients.py, which says what they are
_DENSITY_AT_ZERO = 0.3989422804014327
_SCALED_TAIL = (
    0.7552851304157515,
    -0.6078966419718921,
    0.3871374007422149,
    -0.18652185795965484,
    0.060396574890917876,
    -0.00754018896682524,
    -0.0034796923670479736,
    0.001630818459394586,
    0.00013334430941183256,
    -0.00023109495324019437,
    -1.908246351414571e-06,
    3.514479478753355e-05,
    7.166587641195121e-07,
    -5.920586519556891e-06,
    -6.298367338492369e-07,
    1.0225604158296038e-06,
    2.7246296951145873e-07,
    -1.5650236461993106e-07,
    -8.686647015997893e-08,
    1.4630727405651175e-08,
    2.1427603843452355e-08,
    1.4329918401088613e-09,
    -3.73064508186837e-09,
    -8.546521899880147e-10,
    3.403312308649495e-10,
    1.175478991480774e-10,
)


@elementwise
def normal_pdf(x: FloatArray) -> FloatArray:
    """Return the standard normal density e^(-x²/2) / √(2π)."""
    y, k = _gauss_parts(np.minimum(np.abs(x), 40.0))
    return _scaled(y * _DENSITY_AT_ZERO, k)


@elementwise
def normal_cdf(x: FloatArray) -> FloatArray:
    """Return the standard normal distribution function; for small upper tails take `normal_cdf(-x)`."""
    t = np.minimum(np.abs(x), 40.0)
    # Q(t) = e^(-t²/2) g(s) / (t + 4), s = (t - 4) / (t + 4)
    y, k = _gauss_parts(t)
    tail = _scaled(y * (_polynomial(_SCALED_TAIL, (t - 4) / (t + 4)) / (t + 4)), k)
    return np.where(x > 0, 1 - tail, tail)


def _gauss_parts(t: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return y and k with e^(-t²/2) = y 2^k, for 0 <= t <= 40."""
    # t² = h² + (t - h)(t + h), where h holds the first 26 bits of t: h² is exact, and the second part small.
    h = (t.view(np.int64) & ~0x7FF_FFFF).view(np.float64)
    return _exp_parts(-0.5 * (h * h), -0.5 * ((t - h) * (t + h)))
