"""Square roots W of V = W^T W: the coordinates in which the confidence ellipsoid is a ball.

The paper writes V^(1/2), the symmetric root; its proofs use ||W x||_2 = ||x||_V only, so that any root serves.  The
default is the transposed Cholesky factor, which costs nothing more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from replibandit.arithmetic import apply, cholesky, solve, solve_upper, symmetric_root
from replibandit.arrays import FloatArray


class Root(Protocol):
    """A square root W of V = W^T W."""

    def whiten(self, theta: FloatArray) -> FloatArray:
        """Return W theta."""

    def unwhiten(self, z: FloatArray) -> FloatArray:
        """Return W^-1 z."""


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


def cholesky_root(gram: FloatArray, factor: FloatArray) -> Root:
    """Return the root L^T of V, from V and its Cholesky factor L."""
    return CholeskyRoot(factor)


def symmetric(gram: FloatArray, factor: FloatArray) -> Root:
    """Return the symmetric root of V."""
    root = symmetric_root(gram)
    return SymmetricRoot(root, cholesky(root))


WHITENINGS: dict[str, Callable[[FloatArray, FloatArray], Root]] = {"cholesky": cholesky_root, "symmetric": symmetric}
