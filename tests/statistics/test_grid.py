"""The rounding residual is uniform and independent of the estimate, and two estimates part as often as they should.

Counts in cells are held against the exact binomial distribution from both sides; the false alarm of one in a million is
shared out over the comparisons.
"""

from collections.abc import Callable

import numpy as np
import pytest

from replibandit.arrays import FloatArray, IntArray
from replibandit.grid import cell_of, residual
from replibandit.intervals import binomial_tail, fails_at
from replibandit.key import Key
from replibandit.testing import assert_rate_at_least, assert_rate_at_most

SEEDS = [0]  # 0 to 99 pass
ALARM = 1e-6
DRAWS, CELLS = 20_000, 20  # caught with probability 0.999 if one cell has 1.3 times its rate
SIDE = 5  # of the table of residual against estimate; there, 1.3 times
PAIRS, RATE = 4_000, 0.1  # caught with probability 0.999 if the rate is 1.5 times as large
WIDTH = 0.7

Estimates = Callable[[np.random.Generator], FloatArray]
ESTIMATES: dict[str, Estimates] = {
    "normal": lambda rng: rng.normal(size=DRAWS),
    "far and narrow": lambda rng: 1e6 + 1e-3 * rng.normal(size=DRAWS),
    "skewed": lambda rng: rng.exponential(size=DRAWS) ** 2,
    "on a grid": lambda rng: np.asarray(WIDTH * rng.integers(-9, 9, size=DRAWS), dtype=np.float64),
}


def shifts(seed: int) -> FloatArray:
    return WIDTH * Key(seed).child("grid").uniform(DRAWS)


def assert_even(places: IntArray, cells: int) -> None:
    alarm = ALARM / (2 * cells)
    for count in np.bincount(places, minlength=cells).tolist():
        assert_rate_at_most(count, len(places), rate=1 / cells, alarm=alarm)
        assert_rate_at_least(count, len(places), rate=1 / cells, alarm=alarm)


def places_of(residuals: FloatArray, cells: int) -> IntArray:
    """Return which of `cells` equal parts of [-width/2, width/2] holds each residual."""
    return np.clip(np.floor((residuals / WIDTH + 0.5) * cells), 0, cells - 1).astype(np.int64)


def assert_uniform(residuals: FloatArray) -> None:
    assert_even(places_of(residuals, CELLS), CELLS)


def assert_independent(residuals: FloatArray, estimates: FloatArray) -> None:
    """Cut the estimates, which are in random order, into parts of equal size, and count within each."""
    part = SIDE * np.argsort(np.argsort(estimates, kind="stable"), kind="stable") // DRAWS
    for k in range(SIDE):
        inside = places_of(residuals[part == k], SIDE)
        alarm = ALARM / (2 * SIDE * SIDE)
        for count in np.bincount(inside, minlength=SIDE).tolist():
            assert_rate_at_most(count, len(inside), rate=1 / SIDE, alarm=alarm)
            assert_rate_at_least(count, len(inside), rate=1 / SIDE, alarm=alarm)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ESTIMATES)
def test_residual_is_uniform_and_independent_of_the_estimate(name: str, seed: int) -> None:
    z = ESTIMATES[name](np.random.default_rng(seed))
    e = residual(z, width=WIDTH, shift=shifts(seed))
    assert_uniform(e)
    assert_independent(e, z)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cell", [0, 10**6])
def test_two_estimates_part_as_often_as_their_distance_over_the_width(seed: int, cell: int) -> None:
    """P(different cells) = |z1 - z2| / width, wherever they lie."""
    z = np.array([[0.31], [0.31 + RATE * WIDTH]]) + cell * WIDTH
    first, second = cell_of(z, width=WIDTH, shift=shifts(seed)[:PAIRS])
    apart = int((first != second).sum())
    assert_rate_at_most(apart, PAIRS, rate=RATE)
    assert_rate_at_least(apart, PAIRS, rate=RATE)


def test_power() -> None:
    for trials, rate, factor, alarm in [
        (DRAWS, 1 / CELLS, 1.3, ALARM / (2 * CELLS)),
        (DRAWS // SIDE, 1 / SIDE, 1.3, ALARM / (2 * SIDE * SIDE)),
        (PAIRS, RATE, 1.5, ALARM),
    ]:
        assert binomial_tail(fails_at(trials, rate, alarm), trials, factor * rate) > 0.999


def test_negative_control_a_grid_that_does_not_move_is_caught() -> None:
    z = np.random.default_rng(0).normal(size=DRAWS)
    e = residual(z, width=WIDTH, shift=np.full(DRAWS, 0.2 * WIDTH))
    with pytest.raises(AssertionError, match="rate is claimed"):
        assert_independent(e, np.asarray(abs(z)))
    with pytest.raises(AssertionError, match="rate is claimed"):
        assert_uniform(residual(np.full(DRAWS, 0.3), width=WIDTH, shift=np.full(DRAWS, 0.2 * WIDTH)))


def test_negative_control_a_shift_over_half_the_width_is_caught() -> None:
    z = np.random.default_rng(0).normal(size=DRAWS)
    e = residual(z, width=WIDTH, shift=0.5 * shifts(0))
    with pytest.raises(AssertionError, match="rate is claimed"):
        assert_independent(e, z)


def test_negative_control_a_shift_that_knows_the_estimate_is_caught() -> None:
    z = np.random.default_rng(0).normal(size=DRAWS)
    e = residual(z, width=WIDTH, shift=np.where(z > 0.5, (z - 0.8 * shifts(0)) % WIDTH, shifts(0)))
    with pytest.raises(AssertionError, match="rate is claimed"):
        assert_independent(e, z)


def test_negative_control_a_grid_twice_as_narrow_is_caught() -> None:
    z = np.array([[0.31], [0.31 + RATE * WIDTH]])
    first, second = cell_of(z, width=0.5 * WIDTH, shift=0.5 * shifts(0)[:PAIRS])
    with pytest.raises(AssertionError, match=r"at most 0\.1"):
        assert_rate_at_most(int((first != second).sum()), PAIRS, rate=RATE)
