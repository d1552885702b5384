"""The shifted grid at its edges: cell boundaries, lanes, and estimates too far away."""

import numpy as np
import pytest

from replibandit.errors import OutOfRange
from replibandit.grid import cell_of, midpoint, residual

SHIFT = np.array([0.25, 0.0])


def test_cells_by_hand() -> None:
    z = np.array([[0.25, 0.0], [0.24, -0.01], [1.24, 0.99], [1.25, 1.0], [-3.0, 7.5]])
    assert cell_of(z, width=1.0, shift=SHIFT).tolist() == [[0, 0], [-1, -1], [0, 0], [1, 1], [-4, 7]]
    assert midpoint(np.array([[0, 0], [-4, 7]]), width=1.0, shift=SHIFT).tolist() == [[0.75, 0.5], [-3.25, 7.5]]
    assert residual(np.array([0.25, 0.75]), width=1.0, shift=SHIFT).tolist() == [0.5, -0.25]


def test_types_and_shapes() -> None:
    z = np.zeros((4, 2))
    cell = cell_of(z, width=1.0, shift=SHIFT)
    assert (cell.dtype, cell.shape) == (np.dtype(np.int64), (4, 2))
    assert midpoint(cell, width=1.0, shift=SHIFT).dtype == np.float64


def test_a_width_for_each_lane() -> None:
    z, width, shift = (
        np.array([[3.3, -7.1], [0.4, 12.9]]),
        np.array([[2.0], [0.5]]),
        np.array([[0.5, 1.5], [0.0, 0.25]]),
    )
    cell = cell_of(z, width=width, shift=shift)
    middle = midpoint(cell, width=width, shift=shift)
    for lane, alpha in enumerate([2.0, 0.5]):
        assert (cell[lane] == cell_of(z[lane], width=alpha, shift=shift[lane])).all()
        assert (middle[lane] == midpoint(cell[lane], width=alpha, shift=shift[lane])).all()


@pytest.mark.parametrize("far", [2.0**53, -(2.0**53), 1e300, np.inf, -np.inf, np.nan])
def test_cells_too_far_away_raise(far: float) -> None:
    with pytest.raises(OutOfRange, match=r"an estimate of size .* grid cells of width 1 from the origin"):
        cell_of(np.array([0.0, far]), width=1.0, shift=SHIFT)


@pytest.mark.parametrize("near", [2.0**49, -(2.0**49)])
def test_far_cells_within_reach_are_exact(near: float) -> None:
    assert cell_of(np.array([near, near]), width=1.0, shift=np.array([0.5, 0.0])).tolist() == [near - 1, near]


@pytest.mark.parametrize("bits", range(48, 54))
@pytest.mark.parametrize("sign", [-1, 1])
def test_cell_and_middle_agree_as_far_as_cells_go(bits: int, sign: int) -> None:
    """Either the cell of a far estimate raises, or the middle of that cell lies in it."""
    rng = np.random.default_rng(bits)
    width = rng.uniform(1, 2, size=3_000)
    shift, places = width * rng.random(3_000), sign * rng.integers(2 ** (bits - 1), 2**bits, size=3_000)
    checked = 0
    for w, u, z in zip(width.tolist(), shift.tolist(), (places * width).tolist(), strict=True):
        try:
            cell = cell_of(np.array([z]), width=w, shift=np.array([u]))
        except OutOfRange:
            continue
        checked += 1
        assert cell_of(midpoint(cell, width=w, shift=np.array([u])), width=w, shift=np.array([u])) == cell
    assert checked == 3_000 or bits > 50


def test_arguments_are_left_alone() -> None:
    z, shift = np.array([1.0, 2.0]), SHIFT.copy()
    residual(z, width=0.3, shift=shift)
    assert z.tolist() == [1.0, 2.0]
    assert shift.tolist() == SHIFT.tolist()
