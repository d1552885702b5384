"""Exact Gram and cross moments against products of Python integers, on every path and at the worst magnitudes."""

import numpy as np
import pytest

from replibandit.arithmetic.dyadic import cells, exponent_above
from replibandit.arithmetic.sums import (
    _BLOCKS,
    _CHUNK,
    _ROWS,
    _WEIGHTED_ROWS,
    FEATURE_BITS,
    RESPONSE_BITS,
    _digits,
    _feature_limbs,
    _response_limbs,
    exact_cross,
    exact_gram,
    spans,
)
from replibandit.arrays import FloatArray, IntArray
from tests.unit.test_wide import integers

RNG = np.random.default_rng(20_240_817)
ONE = np.array(0)  # the exponent of a column whose cells are x 2**36
BLOCK_EDGES = [1, 2, _CHUNK - 1, _CHUNK, _CHUNK + 1, _ROWS - 1, _ROWS, _ROWS + 1, _ROWS + _CHUNK + 1]
COUNT_LIMITS = [1, 2, 63, 64, 65, 2**15, 10**6, 10**14, 2**53]

# high limb, low limb and their sum as large as they can be, up and down
WORST_CELLS = [2**36, 2**36 - 1, 2**36 - 2**17, 2**36 - 2**17 - 1, 2**36 - 3 * 2**17 - 1, 2**36 - 2**18 - 2**17]
WORST_RESPONSES = [2**52, 2**52 - 1, 2**52 - 2**35, 2**52 - 2**35 - 1, 2**52 - 2**35 - 2**17, 2**35 + 2**17, 2**17]


def objects(array: FloatArray | IntArray) -> np.ndarray[tuple[int, ...], np.dtype[np.object_]]:
    return array.astype(np.int64).astype(object)


def slow_gram(X: FloatArray, exponents: IntArray, counts: IntArray | None = None) -> list[int]:
    K = objects(cells(X, exponents, FEATURE_BITS))
    weights = np.ones(len(X), dtype=object) if counts is None else objects(counts)
    return list(((K * weights[:, None]).T @ K).ravel())


def slow_cross(
    X: FloatArray, exponents: IntArray, y: FloatArray, exponent: IntArray, counts: IntArray | None = None
) -> list[int]:
    K, C = objects(cells(X, exponents, FEATURE_BITS)), objects(cells(y, exponent, RESPONSE_BITS))
    return list(K.T @ (C if counts is None else C * objects(counts)))


def data(n: int, d: int) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
    X, y = RNG.normal(size=(n, d)) * 10.0 ** np.arange(d), RNG.standard_t(2, size=n)
    return X, exponent_above(abs(X).max(axis=0)), y, exponent_above(abs(y).max(axis=0))


def assert_exact(
    X: FloatArray, exponents: IntArray, y: FloatArray, exponent: IntArray, counts: IntArray | None
) -> None:
    assert integers(exact_gram(X, exponents, counts)) == slow_gram(X, exponents, counts)
    assert integers(exact_cross(X, exponents, y, exponent, counts)) == slow_cross(X, exponents, y, exponent, counts)


@pytest.mark.parametrize("n", BLOCK_EDGES)
def test_every_length_of_block(n: int) -> None:
    assert_exact(*data(n, 2), None)


@pytest.mark.parametrize("limit", COUNT_LIMITS)
@pytest.mark.parametrize("n", [1, 7, _WEIGHTED_ROWS - 1, _WEIGHTED_ROWS, _WEIGHTED_ROWS + 1, 1500])
def test_every_length_of_block_with_counts(n: int, limit: int) -> None:
    counts = RNG.integers(0, limit, n)
    counts[0] = limit - 1
    assert_exact(*data(n, 2), counts)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 1), (40, 30), (700, 12)])
def test_every_shape(n: int, d: int) -> None:
    case = data(n, d)
    assert_exact(*case, None)
    assert_exact(*case, RNG.integers(0, 10**9, n))


def test_counts_of_nothing_and_of_one() -> None:
    X, e, y, f = data(600, 3)
    assert not exact_gram(X, e, np.zeros(600, dtype=np.int64)).any()
    assert not exact_cross(X, e, y, f, np.zeros(600, dtype=np.int64)).any()
    ones = np.ones(600, dtype=np.int64)
    assert (exact_gram(X, e, ones) == exact_gram(X, e)).all()
    assert (exact_cross(X, e, y, f, ones) == exact_cross(X, e, y, f)).all()


def test_no_rows() -> None:
    X, e, none = np.empty((0, 3)), np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int64)
    for counts in (None, none):
        assert exact_gram(X, e, counts).shape == (6, 3, 3)
        assert not exact_gram(X, e, counts).any()
        assert not exact_cross(X, e, np.empty(0), ONE, counts).any()


@pytest.mark.parametrize("cell", WORST_CELLS)
@pytest.mark.parametrize("sign", [-1, 1])
def test_worst_features_in_full_blocks(cell: int, sign: int) -> None:
    for n, count in [(2 * _ROWS, None), (_WEIGHTED_ROWS, 2**53 - 1), (1, 2**53 - 1)]:
        X = np.full((n, 2), cell * 2.0**-FEATURE_BITS)
        X[:, 1] *= sign
        counts = None if count is None else np.full(n, count)
        total = n * (count or 1) * cell * cell
        assert integers(exact_gram(X, ONE, counts)) == [total, sign * total, sign * total, total]


@pytest.mark.parametrize("response", WORST_RESPONSES)
@pytest.mark.parametrize("sign", [-1, 1])
def test_worst_responses_in_full_blocks(response: int, sign: int) -> None:
    for n, count in [(2 * _ROWS, None), (_WEIGHTED_ROWS, 2**53 - 1), (1, 2**53 - 1)]:
        X = np.array(WORST_CELLS) * np.full((n, 1), 2.0**-FEATURE_BITS)
        y = np.full(n, sign * response * 2.0**-RESPONSE_BITS)
        counts = None if count is None else np.full(n, count)
        total = n * (count or 1) * sign * response
        assert integers(exact_cross(X, ONE, y, ONE, counts)) == [total * cell for cell in WORST_CELLS]


def test_more_blocks_than_one_int64_holds() -> None:
    cell = 2**36 - 2**18 - 2**17 - 1
    for n, count in [(_ROWS * _BLOCKS + 3, None), (_WEIGHTED_ROWS * _BLOCKS + 3, 2**6 - 1)]:
        X = np.broadcast_to(cell * 2.0**-FEATURE_BITS, (n, 1))
        counts = None if count is None else np.broadcast_to(np.int64(count), n)
        assert integers(exact_gram(X, ONE, counts)) == [n * (count or 1) * cell * cell]


def test_no_sum_of_products_reaches_the_limits() -> None:
    """The largest limbs, times the largest digit of a count, times the rows of a block, in the worst of all cells."""
    features = np.array([sign * cell for cell in WORST_CELLS for sign in (-1, 1)]) * 2.0**-FEATURE_BITS
    responses = np.array([sign * cell for cell in WORST_RESPONSES for sign in (-1, 1)]) * 2.0**-RESPONSE_BITS
    high, both, low = (int(abs(limb).max()) for limb in _feature_limbs(features[:, None], ONE))
    assert (high, both, low) == (2**18, 3 * 2**17 - 2, 2**17)
    response = int(abs(_response_limbs(responses, ONE, None)).max())
    assert response == 2**17
    paths = [(_ROWS, 1)]
    for n in range(1, 2 * _WEIGHTED_ROWS):
        digits = list(_digits(np.full(n, 2**53 - 1), n))
        assert sum(int(weights[0]) << shift for shift, weights, _ in digits if weights is not None) == 2**53 - 1
        paths += [(rows, int(weights.max())) for _, weights, rows in digits if weights is not None]
    largest = max(rows * weight for rows, weight in paths)
    assert largest * both * both < 2**53
    assert largest * high * response < 2**53
    assert _BLOCKS * largest * both * both < 2**62


@pytest.mark.parametrize("counted", [False, True])
def test_lanes_are_the_single_sums(counted: bool) -> None:
    X, y = RNG.normal(size=(2, 3, 600, 4)), RNG.normal(size=(2, 3, 600))
    counts = RNG.integers(0, 10**12, size=(2, 3, 600)) if counted else None
    e, f = exponent_above(abs(X).max(axis=-2)), exponent_above(abs(y).max(axis=-1))
    gram, cross = exact_gram(X, e[..., None, :], counts), exact_cross(X, e[..., None, :], y, f[..., None], counts)
    assert (gram.shape, cross.shape) == ((6, 2, 3, 4, 4), (6, 2, 3, 4))
    for lane in np.ndindex(2, 3):
        repeats = None if counts is None else counts[lane]
        assert (gram[:, *lane] == exact_gram(X[lane], e[lane], repeats)).all()
        assert (cross[:, *lane] == exact_cross(X[lane], e[lane], y[lane], f[lane], repeats)).all()


@pytest.mark.parametrize("counted", [False, True])
def test_lanes_of_responses_share_one_design(counted: bool) -> None:
    X, e, _, _ = data(600, 3)
    y = RNG.normal(size=(5, 600))
    f, counts = exponent_above(abs(y).max(axis=-1)), RNG.integers(0, 10**12, size=(5, 600)) if counted else None
    cross = exact_cross(X, e, y, f[:, None], counts)
    for lane in range(5):
        repeats = None if counts is None else counts[lane]
        assert (cross[:, lane] == exact_cross(X, e, y[lane], f[lane], repeats)).all()


def test_memory_layout_does_not_matter() -> None:
    X, e, y, f = data(1100, 4)
    counts, gram, cross = RNG.integers(0, 99, 1100), exact_gram(X, e), exact_cross(X, e, y, f)
    weighted = exact_gram(X, e, counts)
    for other in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1].copy()[::-1], np.hstack([X, X])[:, :4]):
        assert (exact_gram(other, e) == gram).all()
        assert (exact_gram(other, e, counts) == weighted).all()
        assert (exact_cross(other, e, np.repeat(y, 3)[1::3], f) == cross).all()


def test_arguments_are_left_alone() -> None:
    X, e, y, f = data(700, 3)
    counts = RNG.integers(0, 99, 700)
    copies = [array.copy() for array in (X, e, y, f, counts)]
    exact_gram(X, e, counts)
    exact_cross(X, e, y, f, counts)
    assert all((array == copy).all() for array, copy in zip((X, e, y, f, counts), copies, strict=True))


@pytest.mark.parametrize(("n", "step"), [(0, 3), (1, 3), (3, 3), (4, 3), (10, 1)])
def test_spans_cover_the_rows_once(n: int, step: int) -> None:
    rows = [list(range(n))[span] for span in spans(n, step)]
    assert [row for block in rows for row in block] == list(range(n))
    assert all(1 <= len(block) <= step for block in rows)
