"""The elementary functions against mpmath, at the edges of double precision, and in every memory layout."""

import decimal
import math
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp, mpf

from replibandit.arithmetic import elementary
from replibandit.arithmetic.elementary import exp, log, normal_cdf, normal_pdf, softplus
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from tools.normal_coefficients import constants

Function = Callable[[FloatArray], FloatArray]
Reference = Callable[[mpf], mpf]

LN2 = math.log(2)
SMALLEST_NORMAL = 2.0**-1022
RNG = np.random.default_rng(20_240_817)

# points of exp: dense, random, subnormal results, and both sides of the multiples of ln2/2 and of ln2/256
MULTIPLES = np.concatenate([np.arange(-2_044, 2_048) * (LN2 / 2), RNG.integers(-181_000, 181_000, 4_000) * (LN2 / 256)])
EXP_POINTS = np.concatenate(
    [
        np.linspace(-708.3, 709.78, 4_000),
        RNG.normal(size=2_000),
        RNG.choice([-1.0, 1.0], 1_000) * 10.0 ** RNG.uniform(-300, 0, 1_000),
        np.nextafter(MULTIPLES, -np.inf),
        MULTIPLES,
    ]
)
SUBNORMAL_POINTS = np.linspace(-745.1, -708.4, 1_000)
SOFTPLUS_POINTS = np.concatenate([np.linspace(-708.3, 740, 1_000), RNG.normal(size=3_000) * 3])
NORMAL_POINTS = np.concatenate([np.linspace(-37.5, 37.5, 1_500), RNG.uniform(-8, 8, 2_000), RNG.normal(size=500) * 0.1])

REFERENCES: dict[Function, Reference] = {
    exp: mp.exp,
    softplus: lambda x: mp.log1p(mp.exp(x)),
    normal_pdf: mp.npdf,
    normal_cdf: lambda x: mp.erfc(-x / mp.sqrt(2)) / 2,
}
FUNCTIONS = pytest.mark.parametrize("function", REFERENCES, ids=lambda f: f.__name__)


def worst_error(function: Function, points: FloatArray, reference: Reference) -> float:
    """Return the largest error in units of the last place of the exact result."""
    worst = mpf(0)
    with mp.workdps(40):
        for x, y in zip(points.tolist(), function(points).tolist(), strict=True):
            exact = reference(mpf(x))
            worst = max(worst, abs(y - exact) / math.ulp(float(exact)))
    return float(worst)


@pytest.mark.parametrize(
    ("function", "points", "bound"),
    [
        (exp, EXP_POINTS, 0.6),
        (exp, SUBNORMAL_POINTS, 0.8),
        (softplus, SOFTPLUS_POINTS, 3.0),
        (softplus, SUBNORMAL_POINTS, 3.0),
        (normal_pdf, NORMAL_POINTS, 2.0),
        (normal_cdf, NORMAL_POINTS, 5.0),
    ],
    ids=["exp", "exp-subnormal", "softplus", "softplus-subnormal", "normal_pdf", "normal_cdf"],
)
def test_error_in_ulp(function: Function, points: FloatArray, bound: float) -> None:
    assert worst_error(function, points, REFERENCES[function]) < bound


def test_the_yardstick_sees_one_ulp() -> None:
    assert worst_error(lambda x: np.nextafter(exp(x), np.inf), np.linspace(-5.0, 5.0, 50), mp.exp) > 0.8


def test_normal_tail_has_relative_error_below_1e_15() -> None:
    points = np.linspace(-37.5, 0.0, 1_000)
    values = normal_cdf(points)
    assert values.min() > SMALLEST_NORMAL
    with mp.workdps(40):
        exact = [REFERENCES[normal_cdf](mpf(x)) for x in points.tolist()]
        assert max(abs(y / e - 1) for y, e in zip(values.tolist(), exact, strict=True)) < 1e-15


def test_more_than_ten_thousand_points_of_exp() -> None:
    assert np.unique(EXP_POINTS).size > 10_000


def same(values: FloatArray, expected: Iterable[float]) -> bool:
    return values.tobytes() == np.array(list(expected)).tobytes()


def test_values_at_the_edges() -> None:
    edges = np.array([-np.inf, -1e308, -0.0, 0.0, 1e308, np.inf, np.nan])
    ln2, density = float.fromhex("0x1.62e42fefa39efp-1"), 1 / math.sqrt(2 * math.pi)
    assert same(exp(edges), [0.0, 0.0, 1.0, 1.0, np.inf, np.inf, np.nan])
    assert same(softplus(edges), [0.0, 0.0, ln2, ln2, 1e308, np.inf, np.nan])
    assert same(normal_cdf(edges), [0.0, 0.0, 0.5, 0.5, 1.0, 1.0, np.nan])
    assert same(normal_pdf(edges), [0.0, 0.0, density, density, 0.0, 0.0, np.nan])


def test_exp_overflows_and_underflows_where_it_must() -> None:
    largest, smallest = 709.782712893384, -745.1332191019411  # the log of the largest double, and of half the smallest
    assert np.isfinite(exp(np.array(largest)))
    assert exp(np.array(math.nextafter(largest, np.inf))) == np.inf
    assert exp(np.array(smallest)) == 2.0**-1074
    assert exp(np.array(math.nextafter(smallest, -np.inf))) == 0.0


@FUNCTIONS
def test_no_warning_and_no_floating_point_error(function: Function) -> None:
    edges = np.array([-np.inf, -1e308, -746.0, -710.0, -39.0, 5e-324, 39.0, 710.0, 1e308, np.inf, np.nan])
    with np.errstate(all="raise"):
        before = np.geterr()
        function(edges)
        assert np.geterr() == before


@FUNCTIONS
def test_bits_do_not_depend_on_neighbours_length_or_layout(function: Function) -> None:
    x = np.concatenate([NORMAL_POINTS, SUBNORMAL_POINTS, [np.nan, np.inf, -np.inf], EXP_POINTS])
    bits = function(x).view(np.uint64)
    one_by_one = np.array([function(np.array(value)) for value in x[::40]])
    spread = np.zeros((x.size, 3))
    spread[:, 1] = x
    half = x[: x.size // 2 * 2]
    assert (one_by_one.view(np.uint64) == bits[::40]).all()
    assert (function(x[::-1]).view(np.uint64) == bits[::-1]).all()
    assert (function(x[5::7]).view(np.uint64) == bits[5::7]).all()
    assert (function(spread[:, 1]).view(np.uint64) == bits).all()
    assert (function(x.astype(">f8")).view(np.uint64) == bits).all()
    assert (function(half.reshape(2, -1).T).view(np.uint64) == bits[: half.size].reshape(2, -1).T).all()


@FUNCTIONS
def test_shapes(function: Function) -> None:
    for shape in [(), (0,), (1,), (2, 0, 3), (4_097,), (3, 4, 5)]:
        x = np.ones(shape)
        result = function(x)
        assert isinstance(result, np.ndarray)
        assert result.shape == shape
        assert result.dtype == np.float64
        assert (x == 1.0).all()


def test_coefficients_are_what_the_generator_prints() -> None:
    assert constants() in Path(elementary.__file__).read_text(encoding="utf-8")


def test_log_is_correctly_rounded() -> None:
    near_one = 1.0 + np.arange(-200, 200) * 2.0**-53
    points = np.concatenate(
        [near_one, RNG.uniform(0, 10, 500), 10.0 ** RNG.uniform(-323, 308, 500), [5e-324, 2.0**1023]]
    )
    with mp.workdps(60):
        for x in points.tolist():
            assert log(x) == float(mp.log(mpf(x))), x


@pytest.mark.parametrize("exponent", [-(10**18), -1_000_001, -1, 1, 1_000_001, 10**18])
def test_log_takes_exponents_beyond_the_range_of_doubles(exponent: int) -> None:
    with mp.workdps(60):
        for x in [1e-300, 0.7, 1.0, 1.9, 1e300]:
            assert log(x, exponent) == float(mp.log(mpf(x)) + exponent * mp.ln2)


def test_log_decides_near_ties() -> None:
    # log(1 - e) = -(e + e²/2 + e³/3 + ...): for e = 2^-52 and 12 2^-53 the second term ends in half an ulp, and the
    # third decides, after more than 25 digits.
    assert log(1 - 2.0**-52) == -(2.0**-52 + 2.0**-104)
    e = 12 * 2.0**-53
    assert log(1 - e) == -(e + 5 * math.ulp(e))


def test_log_of_one_is_zero() -> None:
    assert log(1.0) == log(0.25, 2) == log(2.0**1000, -1000) == 0.0


def test_log_ignores_the_callers_decimal_context() -> None:
    expected = log(3.7, 5)
    with decimal.localcontext(decimal.Context(prec=3, rounding=decimal.ROUND_UP, Emax=9, Emin=-9)) as context:
        for signal in context.traps:
            context.traps[signal] = True
        assert log(3.7, 5) == expected
        assert not any(context.flags.values())


@pytest.mark.parametrize("x", [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf])
def test_log_needs_a_finite_number_above_0(x: float) -> None:
    with pytest.raises(InvalidInput, match=r"x is .*it must be a finite number above 0"):
        log(x)
