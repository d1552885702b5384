"""Square roots W of V = W^T W: the coordinates in which the confidence ellipsoid is a ball.

The paper writes V^(1/2), the symmetric root; its proofs use ||W x||_2 = ||x||_V only, so that any root serves.  The
default is the transposed Cholesky factor, which costs nothing more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from replibandit.arithmetic import (
    apply,
    cholesky,
    multiply,
    solve,
    solve_lower,
    solve_upper,
    squared_norm,
    symmetric_root,
)
from replibandit.arrays import FloatArray


class Root(Protocol):
    """A square root W of V = W^T W."""

    def whiten(self, theta: FloatArray) -> FloatArray:
        """Return W theta."""

    def unwhiten(self, z: FloatArray) -> FloatArray:
        """Return W^-1 z."""

    def leverages(self, gram: FloatArray) -> FloatArray:
        """Return h_j = [W^-T G W^-1]_jj, the variance of z_j over sigma^2, where V = lambda I + G."""


@dataclass(frozen=True, slots=True)
class CholeskyRoot:
    """W = L^T, where V = L L^T."""

    factor: FloatArray

    def whiten(self, theta: FloatArray) -> FloatArray:
        """Return L^T theta."""
        return apply(self.factor.swapaxes(-1, -2), theta)

    def unwhiten(self, z: FloatArray) -> FloatArray:
        """Return L^-T z."""
        return solve_upper(self.factor, z[..., None])[..., 0]

    def leverages(self, gram: FloatArray) -> FloatArray:
        """Return the diagonal of L^-1 G L^-T."""
        half = solve_lower(self.factor, gram)
        return _diagonal(solve_lower(self.factor, np.swapaxes(half, -1, -2)), self.factor)


@dataclass(frozen=True, slots=True)
class SymmetricRoot:
    """W = V^(1/2), symmetric, with its own Cholesky factor for the way back."""

    root: FloatArray
    factor: FloatArray

    def whiten(self, theta: FloatArray) -> FloatArray:
        """Return V^(1/2) theta."""
        return apply(self.root, theta)

    def unwhiten(self, z: FloatArray) -> FloatArray:
        """Return V^(-1/2) z."""
        return solve(self.factor, z)

    def leverages(self, gram: FloatArray) -> FloatArray:
        """Return the diagonal of R^-1 G R^-1."""
        inverse = solve_upper(
            self.factor, solve_lower(self.factor, np.broadcast_to(np.eye(gram.shape[-1]), gram.shape))
        )
        return _diagonal(multiply(multiply(inverse, gram), inverse), self.root)


def _diagonal(product: FloatArray, root: FloatArray) -> FloatArray:
    """Return the diagonal of W^-T G W^-1, rounded up by more than its rounding errors, to numbers in [0, 1].

    The errors are of the order of d^2 2^-53 times the condition number of W.
    """
    d = product.shape[-1]
    pivots = np.diagonal(root, axis1=-2, axis2=-1)
    condition = np.sqrt(squared_norm(root.reshape(*root.shape[:-2], d * d))) / pivots.min(axis=-1)
    h = np.diagonal(product, axis1=-2, axis2=-1) + 2.0**-48 * d * d * condition[..., None]
    return np.asarray(np.clip(h, 0.0, 1.0))


def cholesky_root(gram: FloatArray, factor: FloatArray) -> Root:
    """Return the root L^T of V, from V and its Cholesky factor L."""
    return CholeskyRoot(factor)


def symmetric(gram: FloatArray, factor: FloatArray) -> Root:
    """Return the symmetric root of V."""
    root = symmetric_root(gram)
    return SymmetricRoot(root, cholesky(root))


WHITENINGS: dict[str, Callable[[FloatArray, FloatArray], Root]] = {"cholesky": cholesky_root, "symmetric": symmetric}
