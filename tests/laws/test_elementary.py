"""Laws of the elementary functions, for any double."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replibandit.arithmetic.elementary import exp, log, normal_cdf, normal_pdf, softplus

positive = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
moderate = st.floats(-700, 700)
anything = st.floats()


@given(positive, positive)
def test_log_is_monotone(x: float, y: float) -> None:
    low, high = sorted((x, y))
    assert log(low) <= log(high)


@given(st.floats(2.0**-500, 2.0**500), st.integers(-500, 500))
def test_log_takes_the_exponent_apart_or_not(x: float, exponent: int) -> None:
    assert log(x, exponent) == log(math.ldexp(x, exponent))


@given(st.integers(-(10**20), 10**20))
def test_log_of_powers_of_two_is_odd(exponent: int) -> None:
    assert log(1.0, -exponent) == -log(1.0, exponent)


@given(st.floats(-700, 700))
def test_log_undoes_exp(x: float) -> None:
    assert math.isclose(log(float(exp(np.array(x)))), x, rel_tol=2e-16, abs_tol=2e-16)


@given(moderate)
def test_exp_of_the_opposite_is_the_reciprocal(x: float) -> None:
    there, back = exp(np.array([x, -x]))
    assert math.isclose(there * back, 1.0, rel_tol=5e-16)


@given(moderate)
def test_softplus_differs_by_x_between_the_sides(x: float) -> None:
    right, left = softplus(np.array([x, -x]))
    assert math.isclose(right - left, x, rel_tol=1e-15, abs_tol=1e-15)
    assert right >= max(x, 0.0)


@given(anything)
def test_normal_distribution_is_symmetric(x: float) -> None:
    pair = np.array([x, -x])
    density = normal_pdf(pair)
    assert np.array_equal(density[:1], density[1:], equal_nan=True)
    assert math.isnan(x) or normal_cdf(pair).sum() == 1.0


@given(st.lists(anything, min_size=1, max_size=20), st.data())
def test_an_element_stands_for_itself(values: list[float], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(values))))
    x = np.array(values)
    for function in (exp, softplus, normal_pdf, normal_cdf):
        assert function(x)[order].tobytes() == function(x[order]).tobytes()
