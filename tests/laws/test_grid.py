"""Laws of the shifted grid: a rounded estimate lies at most half a cell away, and rounding again changes nothing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replibandit.arrays import FloatArray
from replibandit.grid import cell_of, midpoint, residual

UNIT = 2.0**-53

widths = st.floats(1e-100, 1e100)
shares = st.floats(0.0, 1.0 - UNIT)  # the shift over the width
places = st.floats(-(2.0**48), 2.0**48)  # the estimate over the width
cells = st.integers(-(2**49), 2**49)


def one(value: float) -> FloatArray:
    return np.array([value])


@given(widths, shares, places)
def test_moves_by_at_most_half_a_width(width: float, share: float, place: float) -> None:
    """|Q(z) - z| <= width/2, plus a few roundings of numbers of the size of z."""
    z, shift = one(place * width), one(share * width)
    rounding = 4 * UNIT * (abs(z) + 2 * width)
    assert abs(residual(z, width=width, shift=shift)) <= 0.5 * width + rounding


@given(widths, shares, places)
def test_rounding_is_idempotent(width: float, share: float, place: float) -> None:
    shift = one(share * width)
    cell = cell_of(one(place * width), width=width, shift=shift)
    middle = midpoint(cell, width=width, shift=shift)
    assert cell_of(middle, width=width, shift=shift) == cell
    assert midpoint(cell_of(middle, width=width, shift=shift), width=width, shift=shift) == middle


@given(widths, shares, cells)
def test_cell_of_a_middle_is_the_cell(width: float, share: float, cell: int) -> None:
    shift = one(share * width)
    assert cell_of(midpoint(np.array([cell]), width=width, shift=shift), width=width, shift=shift) == cell


@given(widths, shares, places, places)
def test_cells_keep_the_order(width: float, share: float, place: float, other: float) -> None:
    shift, z = one(share * width), np.array([[min(place, other)], [max(place, other)]]) * width
    low, high = cell_of(z, width=width, shift=shift)
    assert low <= high


@given(st.integers(-20, 20), shares, st.integers(-(2**20), 2**20), st.integers(0, 2**20))
def test_a_whole_number_of_widths_moves_the_cell_by_that_number(
    power: int, share: float, place: int, steps: int
) -> None:
    """Exactly so on dyadic widths, where nothing is rounded."""
    width = 2.0**power
    shift, z = one(round(share * 2**20) * 2.0**-20 * width), one(place * 2.0**-10 * width)
    moved = cell_of(z + steps * width, width=width, shift=shift)
    assert moved == cell_of(z, width=width, shift=shift) + steps


@given(st.integers(-300, 300), widths.filter(lambda w: 1e-5 < w < 1e5), shares, places)
def test_scales_exactly_with_powers_of_two(power: int, width: float, share: float, place: float) -> None:
    z, shift, factor = one(place * width), one(share * width), 2.0**power
    cell = cell_of(z, width=width, shift=shift)
    assert cell_of(factor * z, width=factor * width, shift=factor * shift) == cell
    middle = midpoint(cell, width=width, shift=shift)
    assert midpoint(cell, width=factor * width, shift=factor * shift) == factor * middle
