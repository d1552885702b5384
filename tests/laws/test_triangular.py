"""Laws of the factors: they multiply back, scale exactly with powers of two, and no lane knows its neighbours."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replibandit.arithmetic.triangular import apply, cholesky, log_det_ratio, solve, squared_norm, symmetric_root
from replibandit.arrays import FloatArray, IntArray

UNIT = 2.0**-53
entries = st.integers(-99, 99)
dims = st.shared(st.integers(1, 6), key="d")
powers = st.integers(-150, 150)


def square(d: int) -> st.SearchStrategy[FloatArray]:
    return st.lists(entries, min_size=d * d, max_size=d * d).map(lambda v: np.array(v, dtype=np.float64).reshape(d, d))


# A A^T + I: positive definite, integers, with eigenvalues from 1 to some 10**5
matrices = dims.flatmap(square).map(lambda A: np.asarray(A @ A.T + np.eye(len(A))))
vectors = dims.flatmap(lambda d: st.lists(entries, min_size=d, max_size=d).map(lambda v: np.array(v, dtype=np.float64)))


@given(matrices)
def test_factor_multiplies_back(matrix: FloatArray) -> None:
    factor = cholesky(matrix)
    assert (abs(factor @ factor.T - matrix) <= (2 * len(matrix) + 4) * UNIT * (abs(factor) @ abs(factor).T)).all()
    assert (np.triu(factor, 1) == 0).all()


@given(matrices, vectors)
def test_solve_undoes_the_product(matrix: FloatArray, vector: FloatArray) -> None:
    back = solve(cholesky(matrix), apply(matrix, vector))
    assert np.allclose(back, vector, rtol=0, atol=1e-13 * np.linalg.cond(matrix) * max(1.0, abs(vector).max()))


@given(matrices, vectors, powers)
def test_powers_of_four_scale_factors_exactly(matrix: FloatArray, vector: FloatArray, power: int) -> None:
    factor, scaled = cholesky(matrix), cholesky(matrix * 4.0**power)
    assert (scaled == factor * 2.0**power).all()
    assert (solve(scaled, vector) == solve(factor, vector) * 4.0**-power).all()
    assert log_det_ratio(scaled, 4.0**power) == log_det_ratio(factor, 1.0)


@given(matrices)
def test_log_det_is_that_of_lapack(matrix: FloatArray) -> None:
    expected = np.linalg.slogdet(matrix)[1]
    assert abs(log_det_ratio(cholesky(matrix), 1.0) - expected) <= 1e-13 * np.linalg.cond(matrix) * len(matrix)


@given(matrices)
def test_root_is_symmetric_and_squares_back(matrix: FloatArray) -> None:
    root = symmetric_root(matrix)
    assert (root == root.T).all()
    assert abs(root @ root - matrix).max() <= 1e-10 * abs(matrix).max()
    assert (np.linalg.eigvalsh(root) > 0).all()


@given(matrices, powers)
def test_powers_of_four_scale_roots_exactly(matrix: FloatArray, power: int) -> None:
    assert (symmetric_root(matrix * 4.0**power) == symmetric_root(matrix) * 2.0**power).all()


@given(matrices, st.data())
def test_roots_of_permuted_matrices_are_permuted_roots(matrix: FloatArray, data: st.DataObject) -> None:
    """Up to rounding; the Cholesky factor has no such law."""
    order: IntArray = np.array(data.draw(st.permutations(range(len(matrix)))), dtype=np.int64)
    places = np.ix_(order, order)
    assert np.allclose(symmetric_root(matrix[places]), symmetric_root(matrix)[places], atol=1e-9 * abs(matrix).max())


@given(st.lists(matrices, min_size=1, max_size=4), vectors, st.data())
def test_lanes_do_not_know_their_neighbours(some: list[FloatArray], vector: FloatArray, data: st.DataObject) -> None:
    lanes = np.stack(some)
    order = np.array(data.draw(st.permutations(range(len(some)))), dtype=np.int64)
    for function in (cholesky, symmetric_root):
        together = function(lanes)
        assert (function(lanes[order]) == together[order]).all()
        assert all((function(lanes[k]) == together[k]).all() for k in range(len(some)))
    factors, right = cholesky(lanes), np.broadcast_to(vector, lanes.shape[:-1])
    assert all((solve(factors, right)[k] == solve(factors[k], vector)).all() for k in range(len(some)))


@given(vectors, vectors)
def test_squared_norm_obeys_the_triangle_inequality(a: FloatArray, b: FloatArray) -> None:
    assert np.sqrt(squared_norm(a + b)) <= (np.sqrt(squared_norm(a)) + np.sqrt(squared_norm(b))) * (1 + 1e-15)
