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
    for j in range(len(A)):
        least = np.where(least > 0, np.minimum(least, A[j, j]), least)
        pivot = np.where(least > 0, A[j, j], 1.0)
        root = np.sqrt(pivot)
        column = A[j + 1 :, j] / root
        A[j, j] = root
        A[j, j + 1 :] = 0.0
        A[j + 1 :, j] = column
        A[j + 1 :, j + 1 :] -= column[:, None] * column[None, :]
    return _lanes_first(A), least


def solve_lower(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Return x with L x = right, for the columns of right: shapes (..., d, d) and (..., d, m)."""
    L, x = _lanes_last(factor), np.array(_lanes_last(_spread(right, factor)), order="C")
    for j in range(len(x)):
        x[j] /= L[j, j]
        x[j + 1 :] -= L[j + 1 :, j, None] * x[j]
    return _lanes_first(x)


def solve_upper(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Return x with L^T x = right, for the columns of right, where `factor` is L."""
    L, x = _lanes_last(factor), np.array(_lanes_last(_spread(right, factor)), order="C")
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
    for j in range(factor.shape[-1]):
        mantissa, shift = np.frexp(mantissa * (factor[..., j, j] * factor[..., j, j] / penalty))
        exponent = exponent + shift
    return np.asarray(mantissa), exponent


def symmetric_root(matrix: FloatArray) -> FloatArray:
    """Return the symmetric positive definite R with R R = matrix.

    Denman and Beavers' iteration in its product form: X <- X (I + M^-1)/2, M <- (2 I + M + M^-1)/4 from X = M = matrix
    keeps X^2 = M matrix, and M tends to I.  Scaled by a power of two, so that the eigenvalues lie around 1.
    """
    d = matrix.shape[-1]
    identity = np.broadcast_to(np.eye(d), matrix.shape)
    trace = matrix[..., 0, 0]
    for j in range(1, d):
        trace = trace + matrix[..., j, j]
    half = np.frexp(trace / d)[1] // 2
    M = np.ldexp(matrix, (-2 * half)[..., None, None])
    X = M
    for _ in range(_ITERATIONS):
        distance = abs(M - identity).max(axis=(-1, -2))
        going: BoolArray = ~(distance <= _CONVERGED)
        if not going.any():
            return np.asarray(np.ldexp(0.5 * (X + np.swapaxes(X, -1, -2)), half[..., None, None]))
        factor = cholesky(0.5 * (M + np.swapaxes(M, -1, -2)))
        inverse = solve_upper(factor, solve_lower(factor, identity))
        move = going[..., None, None]
        X = np.where(move, 0.5 * (X + multiply(X, inverse)), X)
        M = np.where(move, 0.25 * (2.0 * identity + M + inverse), M)
    raise NotConverged(f"the symmetric square root did not converge in {_ITERATIONS} steps; use whitening='cholesky'.")


def _spread(right: FloatArray, factor: FloatArray) -> FloatArray:
    """Give `right` the leading axes of both."""
    lanes = np.broadcast_shapes(right.shape[:-2], factor.shape[:-2])
    return np.broadcast_to(right, (*lanes, *right.shape[-2:]))


def _lanes_last(matrix: FloatArray) -> FloatArray:
    return np.moveaxis(matrix, (-2, -1), (0, 1))


def _lanes_first(matrix: FloatArray) -> FloatArray:
    return np.ascontiguousarray(np.moveaxis(matrix, (0, 1), (-2, -1)))
