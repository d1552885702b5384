"""Cholesky factors, triangular solves, determinants and square roots in a fixed order of elementwise operations.

No LAPACK and no BLAS: their order of summation depends on the machine.  Every function broadcasts over leading axes
("lanes"), and a lane's result does not depend on its neighbours.  Inside, the lanes are the last axis, so that each
elementwise operation runs over contiguous memory.
"""

import numpy as np

from replibandit.arithmetic.logarithm import logs
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.errors import NotConverged, NotPositiveDefinite

_ITERATIONS = 60
_CONVERGED = 2.0**-44
_ORTHOGONAL = 2.0**-20


def cholesky(matrix: FloatArray) -> FloatArray:
    """Return the lower triangular L with L L^T = matrix."""
    factor, pivots = try_cholesky(matrix)
    if not (pivots > 0).all():
        d = matrix.shape[-1]
        raise NotPositiveDefinite(
            f"a pivot of a {d} x {d} matrix is {float(np.min(pivots)):.3g}; all must be above 0. The columns are "
            "collinear to double precision: raise the penalty or drop a column."
        )
    return factor


def try_cholesky(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return L and the least pivot of each lane; L is meaningless in lanes where that is not above 0."""
    A = np.array(_lanes_last(matrix), order="C")
    least = np.full(matrix.shape[:-2], np.inf)
    with np.errstate(over="ignore", invalid="ignore"):  # in lanes without a factor
        for j in range(len(A)):
            least = np.where(least > 0, np.minimum(least, A[j, j]), least)
            root = np.sqrt(np.where(least > 0, A[j, j], 1.0))
            column = A[j + 1 :, j] / root
            A[j, j] = root
            A[j, j + 1 :] = 0.0
            A[j + 1 :, j] = column
            A[j + 1 :, j + 1 :] -= column[:, None] * column[None, :]
    return _lanes_first(A), least


def solve_lower(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Return x with L x = right, for the columns of right: shapes (..., d, d) and (..., d, m)."""
    L, x = _side_by_side(factor, right)
    for j in range(len(x)):
        x[j] /= L[j, j]
        x[j + 1 :] -= L[j + 1 :, j, None] * x[j]
    return _lanes_first(x)


def solve_upper(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Return x with L^T x = right, for the columns of right, where `factor` is L."""
    L, x = _side_by_side(factor, right)
    for j in reversed(range(len(x))):
        x[j] /= L[j, j]
        x[:j] -= L[j, :j, None] * x[j]
    return _lanes_first(x)


def solve(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Return x with L L^T x = right, for vectors right of shape (..., d)."""
    return solve_upper(factor, solve_lower(factor, right[..., None]))[..., 0]


def multiply(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the matrix product left right, summed from the first term to the last."""
    total = left[..., :, 0, None] * right[..., 0, None, :]
    for k in range(1, left.shape[-1]):
        total = total + left[..., :, k, None] * right[..., k, None, :]
    return np.asarray(total)


def apply(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    """Return matrix vector, summed from the first term to the last, for vectors of shape (..., d)."""
    total = matrix[..., 0] * vector[..., 0, None]
    for k in range(1, matrix.shape[-1]):
        total = total + matrix[..., k] * vector[..., k, None]
    return np.asarray(total)


def squared_norm(vector: FloatArray) -> FloatArray:
    """Return the squared Euclidean norm over the last axis, summed from the first term to the last."""
    total = vector[..., 0] * vector[..., 0]
    for k in range(1, vector.shape[-1]):
        total = total + vector[..., k] * vector[..., k]
    return np.asarray(total)


def log_det_ratio(factor: FloatArray, penalty: float) -> FloatArray:
    """Return log(det(L L^T) / penalty**d), the logarithm correctly rounded."""
    mantissa, exponent = _determinant(factor, penalty)
    return logs(mantissa, exponent)


def _determinant(factor: FloatArray, penalty: float) -> tuple[FloatArray, IntArray]:
    """Return det(L L^T) / penalty**d as mantissa * 2**exponent, the product taken from the first pivot to the last."""
    mantissa = np.ones(factor.shape[:-2])
    exponent = np.zeros(factor.shape[:-2], dtype=np.int64)
    unit, size = np.frexp(penalty)
    for j in range(factor.shape[-1]):
        pivot, first = np.frexp(factor[..., j, j] * factor[..., j, j])
        mantissa, second = np.frexp(mantissa * (pivot / unit))
        exponent = exponent + first + second - size
    return np.asarray(mantissa), exponent


def symmetric_root(matrix: FloatArray) -> FloatArray:
    """Return the symmetric positive definite R with R R = matrix.

    With matrix = L L^T, L^T = U R where U is orthogonal: the limit of Halley's iteration
    X <- X/3 + (8/3) X (I + 3 X^T X)^-1 from X = L^T, scaled by a power of two to singular values below 1.  Every system
    solved has a condition number below 4, and L^-1 R must come out orthogonal.
    """
    factor, identity = cholesky(matrix), np.broadcast_to(np.eye(matrix.shape[-1]), matrix.shape)
    size = np.frexp(np.sqrt(_frobenius(factor)))[1]
    X = np.ldexp(np.swapaxes(factor, -1, -2), -size[..., None, None])
    for _ in range(_ITERATIONS):
        square = multiply(np.swapaxes(X, -1, -2), X)
        going: BoolArray = ~(abs(square - identity).max(axis=(-1, -2)) <= _CONVERGED)
        if not going.any():
            root = multiply(np.swapaxes(X, -1, -2), np.swapaxes(factor, -1, -2))
            return _checked_root(0.5 * (root + np.swapaxes(root, -1, -2)), factor, identity)
        step = cholesky(identity + 3.0 * square)
        inverse = solve_upper(step, solve_lower(step, identity))
        X = np.where(going[..., None, None], X / 3.0 + (8.0 / 3.0) * multiply(X, inverse), X)
    raise _no_root()


def _checked_root(root: FloatArray, factor: FloatArray, identity: FloatArray) -> FloatArray:
    """Return the root if it is one in the norm of the matrix: ||L^-1 R x|| = ||x|| for every x."""
    turn = solve_lower(factor, root)
    if not (abs(multiply(turn, np.swapaxes(turn, -1, -2)) - identity) <= _ORTHOGONAL).all():
        raise _no_root()
    return root


def _no_root() -> NotConverged:
    return NotConverged(
        "the matrix is too ill-conditioned for a symmetric square root in double precision. Use whitening='cholesky', "
        "raise the penalty, or bring the columns to one scale."
    )


def _frobenius(matrix: FloatArray) -> FloatArray:
    """Return the sum of the squared entries, summed from the first to the last."""
    return squared_norm(matrix.reshape(*matrix.shape[:-2], -1))


def _side_by_side(factor: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both with the lanes of either last, the second as a copy."""
    lanes = np.broadcast_shapes(factor.shape[:-2], right.shape[:-2])
    left, copy = (np.broadcast_to(matrix, (*lanes, *matrix.shape[-2:])) for matrix in (factor, right))
    return _lanes_last(left), np.array(_lanes_last(copy), order="C")


def _lanes_last(matrix: FloatArray) -> FloatArray:
    return np.moveaxis(matrix, (-2, -1), (0, 1))


def _lanes_first(matrix: FloatArray) -> FloatArray:
    return np.ascontiguousarray(np.moveaxis(matrix, (0, 1), (-2, -1)))
