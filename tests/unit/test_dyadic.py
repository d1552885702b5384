"""Dyadic grids: the exponent above a bound, and the nearest integers, against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from replibandit.arithmetic.dyadic import EXPONENTS, cells, exponent_above, power_of_two
from replibandit.errors import InvalidInput

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("exponent", [-400, -30, -1, 0, 1, 53, 399])
def test_exponent_above_is_the_smallest(exponent: int) -> None:
    power = 2.0**exponent
    bounds = np.array([np.nextafter(power, 0.0), power / 2, 0.75 * power])
    assert (exponent_above(bounds) == exponent).all()
    assert exponent_above(np.array(power)) == exponent + 1


def test_exponent_above_nothing_is_zero() -> None:
    assert exponent_above(np.zeros(3)).tolist() == [0, 0, 0]
    assert exponent_above(np.array([])).shape == (0,)


@pytest.mark.parametrize("bound", [2.0**EXPONENTS, 1e200, 2.0 ** (-EXPONENTS - 2), 5e-324])
def test_sizes_beyond_the_range_are_refused(bound: float) -> None:
    with pytest.raises(InvalidInput, match=r"between 2\*\*-400 and 2\*\*400\. Rescale"):
        exponent_above(np.array([1.0, bound]))


def test_powers_of_two_are_exact() -> None:
    exponents = np.arange(-1022, 1024)
    assert power_of_two(exponents).tolist() == [2.0**e for e in exponents.tolist()]


@pytest.mark.parametrize("exponent", [-400, -3, 0, 5, 400])
@pytest.mark.parametrize("bits", [36, 52])
def test_cells_are_the_nearest_integers(exponent: int, bits: int) -> None:
    unit = 2.0 ** (exponent - bits)
    halves = (RNG.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), 200) + 0.5) * unit  # ties, to even
    values = np.concatenate([RNG.uniform(-1, 1, 500) * 2.0**exponent, halves, [0.0, 2.0**exponent, -(2.0**exponent)]])
    found = cells(values, np.array(exponent), bits)
    exact = [round(Fraction(value) / Fraction(2) ** (exponent - bits)) for value in values.tolist()]
    assert found.tolist() == exact
    assert abs(found).max() == 2.0**bits


def test_cells_take_an_exponent_for_each_column_and_a_place_to_write() -> None:
    values, exponents = np.array([[0.5, 3.0], [-0.25, 1.0]]), np.array([0, 2])
    out = np.empty((2, 2))
    found = cells(values, exponents, 36, out=out)
    assert found is out
    assert out.tolist() == [[2.0**35, 3 * 2.0**34], [-(2.0**34), 2.0**34]]
    assert values.tolist() == [[0.5, 3.0], [-0.25, 1.0]]
