"""Wide integers against Python's own, which have no limit: sums, shifts, the range, conversion to doubles."""

import random
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest

from replibandit.arithmetic.wide import LIMBS, add, carry, scale, to_float, wide
from replibandit.arrays import IntArray
from replibandit.errors import OutOfRange

EDGES = [0, 1, 2**29, 2**30 - 1, 2**30, 2**30 + 1, 2**53 + 1, 2**60, 2**61 + 3, 2**62 - 1]
VALUES = np.array(EDGES + [-value for value in EDGES])
LARGEST = (2**31 - 1) * 2**150
RNG = random.Random(20_240_817)


def integers(limbs: IntArray) -> list[int]:
    """Return the numbers of a wide array as Python integers, flattened."""
    flat = limbs.reshape(LIMBS, -1).tolist()
    return [sum(limb << 30 * i for i, limb in enumerate(number)) for number in zip(*flat, strict=True)]


def from_integers(numbers: Iterable[int]) -> IntArray:
    """Return a wide array of the numbers."""
    split = [[number >> 30 * i & 2**30 - 1 for i in range(LIMBS - 1)] + [number >> 150] for number in numbers]
    return np.array(split, dtype=np.int64).reshape(-1, LIMBS).T


def near_ties(count: int) -> list[int]:
    """Return integers of up to 180 bits, most of them within one unit of the middle between two doubles."""
    numbers = []
    for _ in range(count):
        bits = RNG.randint(55, 180)
        half = RNG.getrandbits(54) | 1 << 53 | 1  # 54 bits, the last of them a tie
        numbers.append(RNG.choice([-1, 1]) * ((half << bits - 54) + RNG.choice([-1, 0, 0, 1])))
    return numbers


@pytest.mark.parametrize("shift", [0, 1, 29, 30, 31, 53, 60, 89, 90, 118])
def test_wide_is_the_value_times_a_power_of_two(shift: int) -> None:
    limbs = wide(VALUES, shift)
    assert integers(limbs) == [value << shift for value in VALUES.tolist()]
    assert ((limbs[:-1] >= 0) & (limbs[:-1] < 2**30)).all()


def test_wide_keeps_the_shape() -> None:
    assert wide(VALUES.reshape(4, 5), 7).shape == (LIMBS, 4, 5)
    assert wide(np.array(3)).shape == (LIMBS,)


@pytest.mark.parametrize("shift", [-1, -30, 150, 1000])
def test_wide_refuses_shifts(shift: int) -> None:
    with pytest.raises(OutOfRange, match=f"shift of {shift} bits"):
        wide(np.array([1]), shift)


def test_add_is_exact() -> None:
    numbers = [[RNG.choice([-1, 1]) * RNG.getrandbits(RNG.randint(0, 178)) for _ in range(500)] for _ in range(7)]
    total = add(*map(from_integers, numbers))
    assert integers(total) == [sum(column) for column in zip(*numbers, strict=True)]


def test_add_leaves_its_terms_alone() -> None:
    terms = [from_integers([2**30 - 1, -1]), from_integers([1, 1])]
    copies = [term.copy() for term in terms]
    add(*terms)
    add(terms[0])[:] = 7
    assert all((term == copy).all() for term, copy in zip(terms, copies, strict=True))


def test_one_number_has_one_form() -> None:
    carried = carry(np.array([[-1], [2**40], [-(2**61)], [2**31], [0], [5]]))
    assert (carried == from_integers(integers(carried))).all()
    assert (add(from_integers([-5]), from_integers([5])) == 0).all()


@pytest.mark.parametrize("sign", [-1, 1])
def test_sums_up_to_the_limit_are_exact_and_sums_beyond_it_raise(sign: int) -> None:
    almost = from_integers([sign * (LARGEST - 1)])
    assert integers(add(almost, from_integers([sign]))) == [sign * LARGEST]
    for term in (2**151, LARGEST - 1):
        with pytest.raises(OutOfRange, match=r"exceeds 180 bits\. Rescale the data or lower the counts"):
            add(almost, from_integers([sign * term]))


@pytest.mark.parametrize("value", [2**32, -(2**32), 2**62 - 1, 1 - 2**62])
def test_a_shift_beyond_the_limit_raises(value: int) -> None:
    with pytest.raises(OutOfRange, match="exceeds 180 bits"):
        wide(np.array([0, value]), 149)


def test_scale_is_exact() -> None:
    numbers = [0, 1, -1, 2**30 - 1, 2**120 - 1, 1 - 2**120, *(RNG.randint(-(2**119), 2**119) for _ in range(300))]
    factors = [0, 1, -1, 2**30, 2**60 - 1, 1 - 2**60, *(RNG.randint(-(2**60) + 1, 2**60 - 1) for _ in range(300))]
    table = scale(from_integers(numbers)[:, :, None], np.array(factors))
    assert integers(table) == [number * factor for number in numbers for factor in factors]
    assert (table == from_integers(integers(table)).reshape(table.shape)).all()


@pytest.mark.parametrize("factor", [2**60, -(2**60), 2**63 - 1, -(2**63)])
def test_scale_refuses_factors(factor: int) -> None:
    with pytest.raises(OutOfRange, match=r"a factor of 2\*\*60 or more"):
        scale(from_integers([1, 1]), np.array([1, factor]))


@pytest.mark.parametrize("sign", [-1, 1])
def test_products_beyond_the_limit_raise(sign: int) -> None:
    assert integers(scale(from_integers([2**180 - 1]), np.array(sign))) == [sign * (2**180 - 1)]
    assert integers(scale(from_integers([2**120 + 1]), np.array(sign * 2**59))) == [sign * (2**179 + 2**59)]
    for number, factor in [(LARGEST, 2), (2**122, 2**60 - 1), (2**150, 2**31), (2**180, 2**59)]:
        with pytest.raises(OutOfRange, match="exceeds 180 bits"):
            scale(from_integers([0, number]), np.array(sign * factor))


def test_to_float_of_edges() -> None:
    numbers = [0, 1, -1, 2**53 - 1, 2**53 + 1, -(2**53) - 1, 2**54 + 2, 2**54 + 6, LARGEST, -LARGEST]
    assert to_float(from_integers(numbers)).tolist() == [float(number) for number in numbers]


@pytest.mark.parametrize("exponent", [0, -60, 700, -900])
def test_to_float_is_correctly_rounded_near_ties(exponent: int) -> None:
    numbers = near_ties(3_000) + [number << RNG.randint(0, 100) for number in range(-70, 70)]
    expected = [float(Fraction(number) * Fraction(2) ** exponent) for number in numbers]
    assert to_float(from_integers(numbers), exponent).tolist() == expected


def test_to_float_does_not_depend_on_how_the_value_is_split() -> None:
    values = np.array([RNG.choice([-1, 1]) * RNG.getrandbits(62) for _ in range(300)] + [0, 1, -1, 2**62 - 1])
    whole = to_float(wide(values), 40)
    for shift in range(118):
        assert (to_float(wide(values, shift), 40 - shift) == whole).all()


def test_to_float_takes_an_exponent_for_each_entry() -> None:
    limbs = from_integers(range(-3, 3)).reshape(LIMBS, 2, 3)
    assert to_float(limbs, np.array([[0], [4]])).tolist() == [[-3, -2, -1], [0, 16, 32]]
    assert to_float(limbs, np.array([0, 1, 2])).tolist() == [[-3, -4, -4], [0, 2, 8]]
