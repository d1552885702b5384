"""Factors, solves, determinants and square roots against NumPy and mpmath, one at a time and in lanes."""

import math

import numpy as np
import pytest
from mpmath import mp

from replibandit.arithmetic.elementary import log
from replibandit.arithmetic.triangular import (
    _determinant,
    apply,
    cholesky,
    log_det_ratio,
    multiply,
    solve,
    solve_lower,
    solve_upper,
    squared_norm,
    symmetric_root,
    try_cholesky,
)
from replibandit.arrays import FloatArray
from replibandit.errors import NotPositiveDefinite

RNG = np.random.default_rng(20_240_817)
UNIT = 2.0**-53
DIMS = [1, 2, 5, 20]


def spread(dim: int, condition: float, *, gap: bool = False) -> FloatArray:
    """Return a positive definite matrix; its eigenvalues are spread evenly, or in two groups with a gap."""
    rotation = np.linalg.qr(RNG.normal(size=(dim, dim)))[0]
    steps = np.arange(dim) >= max(1, dim // 2) if gap else np.linspace(0, 1, dim)
    matrix = (rotation * condition**steps) @ rotation.T
    return np.asarray(0.5 * (matrix + matrix.T))


def many(lanes: tuple[int, ...], dim: int) -> FloatArray:
    A = RNG.normal(size=(*lanes, dim, 2 * dim)) * 10.0 ** RNG.integers(-9, 9, size=(*lanes, 1, 1))
    return np.asarray(A @ np.swapaxes(A, -1, -2))


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("condition", [1.0, 1e6, 1e12])
def test_factor_multiplies_back(dim: int, condition: float) -> None:
    matrix = spread(dim, condition)
    factor = cholesky(matrix)
    assert (np.triu(factor, 1) == 0).all()
    assert (np.diag(factor) > 0).all()
    # |L L^T - A|_ij <= (d + 1) u sum_k |l_ik| |l_jk|, componentwise (Higham 2002, Thm. 10.3), in exact products
    with mp.workdps(60):
        back = mp.matrix(factor.tolist()) * mp.matrix(factor.T.tolist())
        error = np.array([[float(abs(back[i, j] - matrix[i, j])) for j in range(dim)] for i in range(dim)])
    assert (error <= (dim + 2) * UNIT * (abs(factor) @ abs(factor).T)).all()


@pytest.mark.parametrize("dim", DIMS)
def test_factor_is_that_of_lapack(dim: int) -> None:
    matrix = spread(dim, 1e3)
    assert np.allclose(cholesky(matrix), np.linalg.cholesky(matrix), rtol=0, atol=1e-11 * abs(matrix).max())


def test_factor_by_hand() -> None:
    assert cholesky(np.array([[9.0]])).tolist() == [[3.0]]
    assert cholesky(np.array([[4.0, 2.0], [2.0, 17.0]])).tolist() == [[2.0, 0.0], [1.0, 4.0]]
    assert cholesky(np.diag([1e200, 1.0, 1e-200])).diagonal().tolist() == [1e100, 1.0, 1e-100]


@pytest.mark.parametrize(
    ("matrix", "pivot"),
    [
        ([[0.0]], "0"),
        ([[-1.0]], "-1"),
        ([[1.0, 2.0], [2.0, 4.0]], "0"),
        ([[1.0, 2.0], [2.0, 1.0]], "-3"),
        ([[np.nan, 0.0], [0.0, 1.0]], "nan"),
        ([[1.0, np.nan], [np.nan, 1.0]], "nan"),
        ([[-1.0, 1e200], [1e200, 1.0]], "-1"),
        ([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "0"),
    ],
)
def test_other_matrices_are_refused(matrix: list[list[float]], pivot: str) -> None:
    d = len(matrix)
    with pytest.raises(
        NotPositiveDefinite, match=f"pivot.* of a {d} x {d} matrix is {pivot};.*raise the penalty or drop"
    ):
        cholesky(np.array(matrix))
    assert not try_cholesky(np.array(matrix))[1] > 0


def test_a_bad_lane_is_found_and_disturbs_no_other() -> None:
    matrices = many((5,), 3)
    matrices[1, 2, 2], matrices[3, 0, 0] = -7.0, np.nan
    with pytest.raises(NotPositiveDefinite, match=r"of a 3 x 3 matrix is"):
        cholesky(matrices)
    factors, pivots = try_cholesky(matrices)
    assert (pivots > 0).tolist() == [True, False, True, False, True]
    for lane in (0, 2, 4):
        assert (factors[lane] == cholesky(matrices[lane])).all()
        assert pivots[lane] == pytest.approx(float(factors[lane].diagonal().min()) ** 2, rel=1e-15)


def test_nearly_collinear_columns_need_a_penalty() -> None:
    x = RNG.normal(size=(100, 1))
    X = np.hstack([x, x + 1e-9 * RNG.normal(size=(100, 1)), RNG.normal(size=(100, 1))])
    with pytest.raises(NotPositiveDefinite, match="collinear to double precision"):
        cholesky(X[:, [0, 1, 0]].T @ X[:, [0, 1, 0]] - 1e-12 * np.eye(3))
    assert np.isfinite(cholesky(X.T @ X + 1e-6 * np.eye(3))).all()


@pytest.mark.parametrize("dim", DIMS)
def test_solves_have_small_backward_errors(dim: int) -> None:
    factor, right = cholesky(spread(dim, 1e8)), RNG.normal(size=(dim, 3))
    # |L x - b| <= d u |L| |x|, componentwise (Higham 2002, Thm. 8.5)
    with mp.workdps(60):
        for solution, triangle in ((solve_lower(factor, right), factor), (solve_upper(factor, right), factor.T)):
            back = mp.matrix(triangle.tolist()) * mp.matrix(solution.tolist())
            error = np.array([[float(abs(back[i, k] - right[i, k])) for k in range(3)] for i in range(dim)])
            assert (error <= (dim + 1) * UNIT * (abs(triangle) @ abs(solution))).all()


@pytest.mark.parametrize("dim", DIMS)
def test_solve_agrees_with_mpmath(dim: int) -> None:
    matrix, right = spread(dim, 1e4), RNG.normal(size=dim)
    with mp.workdps(50):
        exact = mp.lu_solve(mp.matrix(matrix.tolist()), mp.matrix(right.tolist()))
    expected = np.array([float(value) for value in exact])
    assert np.allclose(solve(cholesky(matrix), right), expected, rtol=0, atol=1e-11 * abs(expected).max())


@pytest.mark.parametrize("dim", DIMS)
def test_lanes_are_the_single_results_to_the_bit(dim: int) -> None:
    matrices, right = many((2, 3), dim), RNG.normal(size=(2, 3, dim, 4))
    factors = cholesky(matrices)
    lower, upper = solve_lower(factors, right), solve_upper(factors, right)
    both, logs, roots = solve(factors, right[..., 0]), log_det_ratio(factors, 0.7), symmetric_root(matrices)
    for lane in np.ndindex(2, 3):
        factor = cholesky(matrices[lane].copy())
        assert (factors[lane] == factor).all()
        assert (lower[lane] == solve_lower(factor, right[lane].copy())).all()
        assert (upper[lane] == solve_upper(factor, right[lane].copy())).all()
        assert (both[lane] == solve(factor, right[lane][:, 0].copy())).all()
        assert logs[lane] == log_det_ratio(factor, 0.7)
        assert (roots[lane] == symmetric_root(matrices[lane].copy())).all()


def test_one_factor_serves_many_right_sides() -> None:
    factor, right = cholesky(many((), 4)), RNG.normal(size=(5, 4))
    assert (solve(factor, right) == np.stack([solve(factor, row) for row in right])).all()
    factors = cholesky(many((5,), 4))
    assert (solve(factors, right[0]) == np.stack([solve(each, right[0]) for each in factors])).all()


def test_arguments_are_left_alone_and_results_are_contiguous() -> None:
    matrix, right = many((3,), 4), RNG.normal(size=(3, 4, 2))
    copies = matrix.copy(), right.copy()
    factor = cholesky(matrix)
    results = [factor, solve_lower(factor, right), solve_upper(factor, right), symmetric_root(matrix)]
    assert (matrix == copies[0]).all()
    assert (right == copies[1]).all()
    assert all(result.flags["C_CONTIGUOUS"] for result in results)


def test_products_are_summed_from_the_first_term() -> None:
    left, right, vector = RNG.normal(size=(2, 3, 7)), RNG.normal(size=(2, 7, 4)), RNG.normal(size=(2, 7))
    product, applied, norms = multiply(left, right), apply(left, vector), squared_norm(vector)
    for lane in range(2):
        for i in range(3):
            assert applied[lane, i] == sum_in_order(left[lane, i] * vector[lane])
            for j in range(4):
                assert product[lane, i, j] == sum_in_order(left[lane, i] * right[lane, :, j])
        assert norms[lane] == sum_in_order(vector[lane] * vector[lane])


def sum_in_order(terms: FloatArray) -> float:
    total, *rest = terms.tolist()
    for term in rest:
        total += term
    return float(total)


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("penalty", [1.0, 0.3, 1e-9, 1e12])
def test_log_det_ratio(dim: int, penalty: float) -> None:
    factor = cholesky(many((), dim) + penalty * np.eye(dim))
    mantissa, exponent = _determinant(factor, penalty)
    found = float(log_det_ratio(factor, penalty))
    assert found == log(float(mantissa), int(exponent))
    with mp.workdps(50):
        exact = sum(2 * mp.log(mp.mpf(pivot)) for pivot in factor.diagonal().tolist()) - dim * mp.log(mp.mpf(penalty))
        # three roundings for each pivot move the determinant by 3 d units, the logarithm by one half of its own
        assert abs(found - exact) <= 3.01 * dim * UNIT + 0.5 * math.ulp(found)


def test_log_det_ratio_has_no_limit() -> None:
    factor = np.eye(50) * 1e150
    assert log_det_ratio(factor, 1.0) == pytest.approx(15_000 * math.log(10), rel=1e-13)
    assert log_det_ratio(np.eye(3), 1.0) == 0.0


@pytest.mark.parametrize("dim", DIMS)
@pytest.mark.parametrize("gap", [False, True])
@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4, 1e6, 1e8, 1e10])
def test_symmetric_root_squares_back(dim: int, gap: bool, condition: float) -> None:
    for scale in (1.0, 7e-30, 3e50):
        matrix = scale * spread(dim, condition, gap=gap)
        root = symmetric_root(matrix)
        assert (root == root.T).all()
        assert abs(root @ root - matrix).max() <= 1e-10 * abs(matrix).max()
        cholesky(root)  # positive definite


@pytest.mark.parametrize("gap", [False, True])
@pytest.mark.parametrize("condition", [1e2, 1e6, 1e8])
def test_symmetric_root_keeps_the_norm_in_every_direction(gap: bool, condition: float) -> None:
    """||R x||_2 = ||x||_V for the weakest x too: the eigenvalues of V^-1/2 R R V^-1/2 are 1."""
    matrix = spread(5, condition, gap=gap)
    root = symmetric_root(matrix)
    with mp.workdps(60):
        square = mp.matrix(root.tolist()) * mp.matrix(root.tolist())
        inverse = mp.cholesky(mp.matrix(matrix.tolist())) ** -1
        eigenvalues = mp.eigsy(inverse * square * inverse.T, eigvals_only=True)
        assert max(abs(value - 1) for value in eigenvalues) <= 100 * UNIT * condition


def test_symmetric_root_by_hand() -> None:
    assert symmetric_root(np.eye(3)).tolist() == np.eye(3).tolist()
    assert symmetric_root(np.array([[4.0]])).tolist() == [[2.0]]
    assert np.allclose(symmetric_root(np.array([[5.0, 4.0], [4.0, 5.0]])), [[2.0, 1.0], [1.0, 2.0]], atol=1e-15)


def test_symmetric_root_of_other_matrices_is_refused() -> None:
    for matrix in (np.zeros((1, 1)), np.array([[1.0, 2.0], [2.0, 1.0]])):
        with pytest.raises(NotPositiveDefinite):
            symmetric_root(matrix)
