"""`Moments`: correctly rounded views of exact sums, errors before any work, values that never change."""

import sys
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from replibandit.arithmetic import FEATURE_BITS, RESPONSE_BITS, Moments, Scale, cells, moments, no_moments, scale_of
from replibandit.arithmetic.moments import largest_sizes
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput, OutOfRange

RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=(300, 3)) * [1.0, 1e30, 1e-30], RNG.normal(size=300) * 1e10
SCALE = scale_of(X, Y)


def fractions(values: FloatArray, exponents: tuple[int, ...], bits: int) -> list[list[Fraction]]:
    """Return the values on their grids, row by row."""
    columns = values.reshape(len(values), -1)
    grid = cells(columns, np.array(exponents), bits).tolist()
    return [
        [Fraction(cell) * Fraction(2) ** (e - bits) for cell, e in zip(row, exponents, strict=True)] for row in grid
    ]


@pytest.mark.parametrize("counts", [None, RNG.integers(0, 10**14, 300)])
def test_gram_and_cross_are_the_doubles_nearest_to_the_exact_sums(counts: IntArray | None) -> None:
    sums = moments(X, Y, scale=SCALE, counts=counts)
    rows = fractions(X, SCALE.features, FEATURE_BITS)
    responses = [row[0] for row in fractions(Y, (SCALE.response,), RESPONSE_BITS)]
    times = [1] * 300 if counts is None else counts.tolist()
    for j in range(3):
        column = [n * row[j] for n, row in zip(times, rows, strict=True)]
        for k in range(3):
            exact = sum(a * row[k] for a, row in zip(column, rows, strict=True))
            assert sums.gram[j, k] == sums.gram[k, j] == float(exact)
        assert sums.cross[j] == float(sum(row[j] * y for row, y in zip(rows, responses, strict=True)))
    assert sums.rows == sum(times)


def test_the_grids_are_fine_enough() -> None:
    sums, sizes = moments(X, Y, scale=SCALE), abs(X).max(axis=0)
    assert (abs(sums.gram - X.T @ X) <= 300 * 2.0**-34 * np.outer(sizes, sizes)).all()
    assert (abs(sums.cross - X.T @ Y) <= 300 * 2.0**-35 * sizes * abs(Y).max()).all()


def test_scale_of_holds_the_data_and_no_more() -> None:
    scale = scale_of(np.array([[1.0, -3.0, 0.0], [0.2, 2.0, 0.0]]), np.array([-0.25, 0.1]))
    assert scale == Scale(features=(1, 2, 0), response=-1)
    assert scale_of(np.empty((0, 2)), np.empty(0)) == Scale(features=(0, 0), response=0)


def test_declared_scale_holds_its_bounds() -> None:
    scale = Scale.declared(2, feature_bound=1.0, response_bound=5.0)
    assert scale == Scale(features=(1, 1), response=3, bounds=(1.0, 5.0))
    edge = moments(np.array([[1.0, -1.0]]), np.array([5.0]), scale=scale)
    assert (edge.gram.tolist(), edge.cross.tolist()) == ([[1, -1], [-1, 1]], [5, -5])


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (1.0, -1.0), (np.inf, 1.0), (1.0, np.nan), ("a", 1.0)])
def test_declared_scale_refuses_bounds(bounds: tuple[Any, Any]) -> None:
    with pytest.raises(InvalidInput, match="_bound is"):
        Scale.declared(2, feature_bound=bounds[0], response_bound=bounds[1])


@pytest.mark.parametrize("bound", [1e300, 1e-300])
def test_declared_scale_refuses_sizes_beyond_the_range(bound: float) -> None:
    with pytest.raises(InvalidInput, match=r"2\*\*-400 and 2\*\*400"):
        Scale.declared(2, feature_bound=bound, response_bound=1.0)


@pytest.fixture
def no_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test if anything is summed."""
    for name in ("exact_gram", "exact_cross"):
        monkeypatch.setattr(sys.modules["replibandit.arithmetic.moments"], name, lambda *_: pytest.fail("summed"))


@pytest.mark.parametrize(
    ("row", "response", "text"),
    [
        ([0.0, 9.0], 0.0, r"X reaches 9 in size; the declared bound is 1\. Declare a larger bound"),
        ([-9.0, 0.0], 0.0, r"X reaches 9 in size; .* Declare a larger bound"),
        ([0.0, 0.0], -9.0, r"y reaches 9 in size; .* Declare a larger bound"),
        ([0.0, np.nan], 0.0, r"X\[7, 1\] = nan; every entry must be a finite number"),
        ([-np.inf, 0.0], 0.0, r"X\[7, 0\] = -inf; every entry must be a finite number"),
        ([0.0, 0.0], np.nan, r"y\[7\] = nan; every entry must be a finite number"),
        ([0.0, 0.0], np.inf, r"y\[7\] = inf; every entry must be a finite number"),
        ([0.0, 0.0, 0.0], 0.0, r"X has 3 columns; the moments have 2\. Pass the same columns"),
    ],
)
@pytest.mark.usefixtures("no_sums")
def test_what_does_not_fit_is_refused_before_anything_is_summed(row: list[float], response: float, text: str) -> None:
    rows, responses = np.zeros((20, len(row))), np.zeros(20)
    rows[7], responses[7] = row, response
    with pytest.raises(InvalidInput, match=text):
        moments(rows, responses, scale=Scale.declared(2, feature_bound=1.0, response_bound=1.0))


def test_values_beyond_the_bound_of_their_own_column_are_refused() -> None:
    with pytest.raises(InvalidInput, match="X reaches 4 in size; the declared bound is 2"):
        moments(np.array([[500.0, 4.0]]), np.array([0.0]), scale=Scale(features=(10, 1), response=0))


def test_merging_other_grids_is_refused() -> None:
    one, other = (no_moments(Scale.declared(2, feature_bound=b, response_bound=1.0)) for b in (1.0, 9.0))
    with pytest.raises(InvalidInput, match=r"grids .*\(1, 1\).* and .*\(4, 4\).* cannot be merged\. Declare the same"):
        one + other


def test_sums_beyond_the_range_are_refused() -> None:
    scale, most = Scale(features=(0,), response=0), np.full(1, 2**53 - 1)
    sums = moments(np.ones((1, 1)), np.ones(1), scale=scale, counts=most)
    for _ in range(56):
        sums = sums + sums
    with pytest.raises(OutOfRange, match="exceeds 180 bits"):
        sums + sums
    assert sums.rows == 2**56 * (2**53 - 1)


def test_merging_changes_neither_part() -> None:
    one, other = moments(X[:9], Y[:9], scale=SCALE), moments(X[9:], Y[9:], scale=SCALE)
    copies = [replace(part, gram_cells=part.gram_cells.copy()) for part in (one, other)]
    both = one + other
    assert both == moments(X, Y, scale=SCALE)
    assert [one, other] == copies
    assert both.gram_cells is not one.gram_cells


def test_is_frozen() -> None:
    sums = moments(X, Y, scale=SCALE)
    with pytest.raises(FrozenInstanceError):
        sums.rows = 5  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        sums.scale.response = 5  # type: ignore[misc]
    sums.gram[:], sums.cross[:] = 0.0, 0.0  # copies
    assert sums == moments(X, Y, scale=SCALE)


def test_equality_is_of_all_parts() -> None:
    sums = moments(X, Y, scale=SCALE)
    others: list[object] = [
        moments(X, -Y, scale=SCALE),
        moments(X[:, ::-1], Y, scale=scale_of(X[:, ::-1], Y)),
        replace(sums, rows=299),
        replace(sums, scale=replace(SCALE, response=0)),
        None,
        0,
    ]
    assert sums == moments(X, Y, scale=SCALE)
    assert all(sums != other for other in others)
    with pytest.raises(TypeError, match="unhashable"):
        hash(sums)


def test_design_identifies_the_design_alone() -> None:
    one, other = moments(X, Y, scale=SCALE), moments(X, 3 * Y, scale=scale_of(X, 3 * Y))
    assert all((a == b).all() for a, b in zip(one.design, other.design, strict=True))
    assert all(part.dtype == np.int64 for part in one.design)


def test_more_rows_than_int64_counts() -> None:
    counts = np.full(3000, 2**53 - 1)
    sums = moments(np.ones((3000, 1)), np.ones(3000), scale=Scale(features=(0,), response=0), counts=counts)
    assert sums.rows == 3000 * (2**53 - 1) > 2**63
    assert sums.gram.tolist() == [[float(sums.rows)]]


def test_largest_sizes() -> None:
    values = RNG.normal(size=(10_000, 3))
    values[9_999] = [50.0, -60.0, 0.0]
    assert (largest_sizes("X", values) == abs(values).max(axis=0)).all()
    assert largest_sizes("y", values[:, 1]) == 60.0
    assert largest_sizes("X", np.empty((0, 2))).tolist() == [0.0, 0.0]


def test_no_moments_is_the_sum_over_no_rows() -> None:
    nothing: Moments = no_moments(SCALE)
    assert nothing == moments(X[:0], Y[:0], scale=SCALE)
    assert nothing.rows == 0
    assert not nothing.gram.any()
