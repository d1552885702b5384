"""Draws of many names look uniform, and independent of their neighbours.

Each test counts the draws in every cell and holds each count against the exact binomial distribution, from above and
from below; the false alarm of one in a million is shared out evenly over those comparisons.
"""

from collections.abc import Callable

import numpy as np
import pytest

from replibandit.arrays import FloatArray, IntArray
from replibandit.intervals import binomial_tail, fails_at
from replibandit.key import Key
from replibandit.testing import assert_rate_at_least, assert_rate_at_most

SEEDS = [0]  # 0 to 99 pass
ALARM = 1e-6
DRAWS, CELLS = 20_000, 20  # caught with probability 0.999 if one cell has 1.3 times its rate
PAIRS, SIDE = 10_000, 5  # likewise, 1.5 times

Neighbours = Callable[[int, int], tuple[Key, Key]]
NEIGHBOURS: dict[str, Neighbours] = {
    "next batch": lambda seed, n: (Key(seed).child("batch", 2 * n), Key(seed).child("batch", 2 * n + 1)),
    "next seed": lambda seed, n: (Key(10**6 * seed + 2 * n), Key(10**6 * seed + 2 * n + 1)),
    "integer and text": lambda seed, n: (Key(seed).child(n), Key(seed).child(str(n))),
    "parent and child": lambda seed, n: (Key(seed).child(n), Key(seed).child(n, 0)),
    "exchanged": lambda seed, n: (Key(seed).child("a", n), Key(seed).child(n, "a")),
}


def assert_uniform(draws: FloatArray) -> None:
    _assert_even(np.floor(draws * CELLS).astype(np.int64), CELLS)


def assert_independent(first: FloatArray, second: FloatArray) -> None:
    row, column = np.floor(first * SIDE).astype(np.int64), np.floor(second * SIDE).astype(np.int64)
    _assert_even(row * SIDE + column, SIDE**2)


def _assert_even(places: IntArray, cells: int) -> None:
    alarm = ALARM / (2 * cells)
    for count in np.bincount(places, minlength=cells).tolist():
        assert_rate_at_most(count, len(places), rate=1 / cells, alarm=alarm)
        assert_rate_at_least(count, len(places), rate=1 / cells, alarm=alarm)


def first_draws(seed: int) -> FloatArray:
    return np.array([Key(seed).child("batch", n).uniform(1)[0] for n in range(DRAWS)])


def neighbouring_draws(neighbours: Neighbours, seed: int) -> FloatArray:
    return np.array([[key.uniform(1)[0] for key in neighbours(seed, n)] for n in range(PAIRS)])


@pytest.mark.parametrize("seed", SEEDS)
def test_first_draws_are_uniform(seed: int) -> None:
    assert_uniform(first_draws(seed))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours_are_independent(name: str, seed: int) -> None:
    draws = neighbouring_draws(NEIGHBOURS[name], seed)
    assert_independent(draws[:, 0], draws[:, 1])


@pytest.mark.parametrize("seed", SEEDS)
def test_successive_numbers_of_one_key_are_independent(seed: int) -> None:
    draws = Key(seed).uniform(2 * PAIRS)
    assert_independent(draws[0::2], draws[1::2])


def test_power() -> None:
    for trials, cells, factor in [(DRAWS, CELLS, 1.3), (PAIRS, SIDE**2, 1.5)]:
        limit = fails_at(trials, 1 / cells, ALARM / (2 * cells))
        assert binomial_tail(limit, trials, factor / cells) > 0.999


def test_negative_control_a_gap_is_caught() -> None:
    draws = first_draws(0)
    with pytest.raises(AssertionError, match=r"at least 0\.05"):
        assert_uniform(draws * 0.95)  # nothing in the last cell


def test_negative_control_a_sticking_generator_is_caught() -> None:
    draws = first_draws(0)
    draws[::50] = draws[0]  # two in a hundred
    with pytest.raises(AssertionError, match=r"at most 0\.05"):
        assert_uniform(draws)


def test_negative_control_uniform_but_dependent_is_caught() -> None:
    draws = np.arange(2 * PAIRS) * (np.sqrt(5) - 1) / 2 % 1  # multiples of the golden ratio
    assert_uniform(draws)
    with pytest.raises(AssertionError, match=r"0\.04"):
        assert_independent(draws[0::2], draws[1::2])


def test_negative_control_copies_are_caught() -> None:
    draws = neighbouring_draws(NEIGHBOURS["next batch"], 0)
    draws[::5, 1] = draws[::5, 0]  # one sibling in five is a copy
    assert_uniform(draws.ravel())
    with pytest.raises(AssertionError, match=r"at most 0\.04"):
        assert_independent(draws[:, 0], draws[:, 1])
