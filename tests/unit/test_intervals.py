"""Exact binomial tails and intervals, against exact fractions."""

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import pytest

from replibandit.errors import InvalidInput
from replibandit.intervals import binomial_tail, clopper_pearson, fails_at

RATES = [1e-6, 0.01, 0.1, 0.5, 0.9, 0.999]


def exact_tail(k: int, n: int, rate: float) -> Fraction:
    """P(X >= k), in integers: the binary value of `rate` is yes / all."""
    yes, whole = Fraction(rate).numerator, Fraction(rate).denominator
    return Fraction(sum(comb(n, j) * yes**j * (whole - yes) ** (n - j) for j in range(k, n + 1)), whole**n)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_tail_is_exact(n: int, rate: float) -> None:
    for k in range(n + 1):
        exact = exact_tail(k, n, rate)
        assert binomial_tail(k, n, rate) == pytest.approx(float(exact), rel=1e-10, abs=1e-100)


@pytest.mark.parametrize("k", [60, 72, 90, 120])
def test_tail_is_exact_far_out(k: int) -> None:
    exact = exact_tail(k, 400, 0.1)
    assert binomial_tail(k, 400, 0.1) == pytest.approx(float(exact), rel=1e-10, abs=0)
    assert exact < 1e-2


def test_tail_at_the_ends() -> None:
    assert binomial_tail(0, 10, 0.3) == 1
    assert binomial_tail(11, 10, 0.3) == 0
    assert [binomial_tail(k, 3, 0.0) for k in range(5)] == [1, 0, 0, 0, 0]
    assert [binomial_tail(k, 3, 1.0) for k in range(5)] == [1, 1, 1, 1, 0]


@pytest.mark.parametrize("level", [0.5, 0.95, 1 - 1e-6, 1 - 2e-12])
@pytest.mark.parametrize("n", [1, 8, 40])
def test_interval_ends_have_the_stated_tails(n: int, level: float) -> None:
    miss = (1 - level) / 2
    for k in range(n + 1):
        low, high = clopper_pearson(k, n, level)
        assert 0 <= low <= k / n <= high <= 1
        if k > 0:
            assert float(exact_tail(k, n, low)) == pytest.approx(miss, rel=1e-8)
        if k < n:
            assert float(1 - exact_tail(k + 1, n, high)) == pytest.approx(miss, rel=1e-8)


def test_interval_at_the_ends() -> None:
    low, high = clopper_pearson(0, 20)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 20), rel=1e-12)
    low, high = clopper_pearson(20, 20)
    assert low == pytest.approx(0.025 ** (1 / 20), rel=1e-12)
    assert high == 1


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.8])
def test_interval_covers(rate: float) -> None:
    n, level = 30, 0.95
    hit = [k for k in range(n + 1) if clopper_pearson(k, n, level)[0] <= rate <= clopper_pearson(k, n, level)[1]]
    assert sum(exact_tail(k, n, rate) - exact_tail(k + 1, n, rate) for k in hit) >= level


@pytest.mark.parametrize(
    ("trials", "limit", "powers"),
    [(200, 44, [0.005, 0.26, 0.996]), (400, 72, [0.06, 0.86, 1]), (1000, 149, [0.55, 1, 1])],
)
def test_power_table(trials: int, limit: int, powers: list[float]) -> None:
    assert fails_at(trials, 0.1) == limit
    assert exact_tail(limit, trials, 0.1) <= Fraction(1e-6) < exact_tail(limit - 1, trials, 0.1)
    caught = [binomial_tail(limit, trials, truth) for truth in (0.15, 0.2, 0.3)]
    assert caught == [pytest.approx(power, abs=0.005) for power in powers]


@pytest.mark.parametrize("alarm", [0.5, 1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("rate", RATES)
def test_fails_at_is_the_smallest_rejection(rate: float, alarm: float) -> None:
    n = 50
    smallest = next(k for k in range(n + 2) if exact_tail(k, n, rate) <= Fraction(alarm))
    assert fails_at(n, rate, alarm) == smallest


def test_fails_at_the_ends() -> None:
    assert fails_at(10, 0.0) == 1  # one event contradicts "never"
    assert fails_at(10, 1.0) == 11  # nothing contradicts "at most always"
    assert (fails_at(19, 0.5), fails_at(20, 0.5)) == (20, 20)  # 2**-19 > 1e-6 > 2**-20


def test_large_numbers_of_trials() -> None:
    n, rate = 10**12, 0.1
    excess = (fails_at(n, rate) - n * rate) / (n * rate * (1 - rate)) ** 0.5
    assert excess == pytest.approx(4.7534, abs=1e-3)  # the normal quantile of one in a million


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: binomial_tail(-1, 10, 0.1), "successes is -1; it must be a whole number from 0 to 11"),
        (lambda: binomial_tail(12, 10, 0.1), "successes is 12; it must be a whole number from 0 to 11"),
        (lambda: binomial_tail(1, 10, 1.1), "rate is 1.1; it must lie between 0 and 1"),
        (lambda: binomial_tail(1, 10, float("nan")), "rate is nan"),
        (lambda: clopper_pearson(11, 10), "successes is 11; it must be a whole number from 0 to 10"),
        (lambda: clopper_pearson(True, 10), "successes is True"),
        (lambda: clopper_pearson(0.5, 10), "successes is 0.5"),  # type: ignore[arg-type]
        (lambda: clopper_pearson(0, 0), "trials is 0"),
        (lambda: clopper_pearson(1, 10, level=1.0), "level is 1.0"),
        (lambda: fails_at(10, -0.1), "rate is -0.1"),
        (lambda: fails_at(10, 0.1, alarm=0.0), "alarm is 0.0"),
    ],
)
def test_refuses(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()
