"""The rewards' grid: its range, its rounding, and sums that are exact."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from replibandit.arithmetic.wide import LIMBS
from replibandit.arrays import IntArray
from replibandit.errors import InvalidInput
from replibandit.rewards import REWARD_BITS, REWARD_ROOM, on_grid, reward_cell, reward_exponent, total_cells

RNG = np.random.default_rng(5)


def integers(limbs: IntArray) -> list[int]:
    return [sum(int(limb) << 30 * i for i, limb in enumerate(column)) for column in limbs.T.tolist()]


@pytest.mark.parametrize(("sizes", "exponent"), [((0.5,), 0), ((1.0,), 1), ((0.49, 0.1), -1), ((0.1, 3.0), 2)])
def test_the_exponent_is_the_first_power_above(sizes: tuple[float, ...], exponent: int) -> None:
    assert reward_exponent(*sizes) == exponent


@pytest.mark.parametrize("exponent", [-20, 0, 3])
def test_a_cell_is_the_nearest_point_of_the_grid(exponent: int) -> None:
    unit = Fraction(2) ** (exponent - REWARD_BITS)
    for reward in (RNG.uniform(-1, 1, 200) * 2.0 ** (exponent + 3)).tolist():
        cell = reward_cell(reward, exponent)
        assert abs(cell * unit - Fraction(reward)) <= unit / 2
        assert float(on_grid(np.array(reward), exponent)) == float(cell * unit)
    halves = [float((n + Fraction(1, 2)) * unit) for n in (0, 1, 2, -1, -2)]
    assert [reward_cell(half, exponent) for half in halves] == [0, 2, 2, 0, -2]  # ties to even, as on_grid
    assert (on_grid(np.array(halves), exponent) / float(unit)).tolist() == [0, 2, 2, 0, -2]


@pytest.mark.parametrize("exponent", [-20, 0, 3])
def test_the_range_ends_where_the_message_says(exponent: int) -> None:
    limit = 2.0 ** (exponent + REWARD_ROOM)
    inside = float(np.nextafter(limit, 0.0))
    for reward in (inside, -inside):
        assert abs(reward_cell(reward, exponent)) <= 2**52
    for reward in (limit, -limit, np.inf, np.nan):
        with pytest.raises(InvalidInput, match=f"it must be a finite number below {limit:.6g} in"):
            reward_cell(reward, exponent)


def test_whole_numbers_and_numpy_numbers_are_rewards() -> None:
    one = 1 << REWARD_BITS
    ones: list[Any] = [1, 1.0, np.int64(1), np.float32(1.0), np.float64(1.0)]
    assert [reward_cell(x, 0) for x in ones] == [one] * 5


@pytest.mark.parametrize("size", [1.0, 1e6, 1e14, 2.0**70])
def test_totals_are_exact_in_units_of_the_grid(size: float) -> None:
    totals = on_grid(RNG.uniform(-size, size, 300), 1)
    unit = Fraction(2) ** (1 - REWARD_BITS)
    limbs = total_cells(totals, 1)
    assert limbs.shape == (LIMBS, 300)
    assert integers(limbs) == [int(Fraction(total) / unit) for total in totals.tolist()]


def test_rewards_one_by_one_and_in_one_sum_are_the_same() -> None:
    """Told in a session, or drawn as one total: rewards that are points of the grid have one sum."""
    rewards = on_grid(RNG.normal(size=4000), 0)
    assert integers(total_cells(np.array([rewards.sum()]), 0)) == [sum(reward_cell(x, 0) for x in rewards.tolist())]


@pytest.mark.parametrize("total", [np.nan, np.inf, -np.inf])
def test_totals_that_are_none(total: float) -> None:
    with pytest.raises(InvalidInput, match="a total reward is"):
        total_cells(np.array([1.0, total]), 0)
