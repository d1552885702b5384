"""The set Theta in which a GLM's parameter is sought: a ball, a box, or all of R^d.

Each knows the least slope c_mu of the link over it, and how to maximise the quasi-likelihood inside it.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from replibandit import checks
from replibandit.arithmetic import apply, squared_norm
from replibandit.arithmetic.sums import spans
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.likelihood import Likelihood
from replibandit.estimators.newton import Solution, solve_ball, solve_box, solve_free
from replibandit.links import Link

_ROWS = 1 << 12

Bounds = tuple[FloatArray, FloatArray]


class Domain(Protocol):
    """A closed convex set Theta."""

    def min_slope(self, link: Link, X: FloatArray) -> float:
        """Return c_mu: the infimum of mu'(x^T theta) over theta in Theta and the rows x of X."""

    def maximise(self, data: Likelihood, penalty: FloatArray, unit: FloatArray) -> Solution:
        """Return the maximiser of the penalised quasi-likelihood over Theta."""

    @property
    def identity(self) -> tuple[str, IntArray]:
        """Return what a fingerprint takes in: the kind of set, and the bits of what defines it beside norm_bound."""


@dataclass(frozen=True, slots=True)
class InBall:
    """||theta||_2 <= radius."""

    radius: float

    def min_slope(self, link: Link, X: FloatArray) -> float:
        """Return the infimum of mu' over |eta| <= S max_i ||x_i||_2."""
        reach = self.radius * float(np.sqrt(np.max(squared_norm(X), initial=0.0)))
        return link.min_slope(-reach, reach)

    def maximise(self, data: Likelihood, penalty: FloatArray, unit: FloatArray) -> Solution:
        """Return the maximiser in the ball."""
        return solve_ball(data, penalty, unit, self.radius)

    @property
    def identity(self) -> tuple[str, IntArray]:
        """Return the kind; the radius is norm_bound."""
        return "ball", np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class InBox:
    """low <= theta <= high, coordinate by coordinate."""

    low: FloatArray
    high: FloatArray

    def min_slope(self, link: Link, X: FloatArray) -> float:
        """Return the infimum of mu' between the least and the largest x_i^T theta over the box."""
        least = most = 0.0
        for rows in spans(len(X), _ROWS):
            positive, negative = np.maximum(X[rows], 0.0), np.minimum(X[rows], 0.0)
            least = min(least, float(np.min(apply(positive, self.low) + apply(negative, self.high))))
            most = max(most, float(np.max(apply(positive, self.high) + apply(negative, self.low))))
        return link.min_slope(least, most)

    def maximise(self, data: Likelihood, penalty: FloatArray, unit: FloatArray) -> Solution:
        """Return the maximiser in the box."""
        return solve_box(data, penalty, unit, self.low, self.high)

    @property
    def identity(self) -> tuple[str, IntArray]:
        """Return the kind and the bits of both corners (0.0 and -0.0 alike)."""
        return "box", (np.stack([self.low, self.high]) + 0.0).view(np.int64)


@dataclass(frozen=True, slots=True)
class Everywhere:
    """All of R^d, where mu' has no positive infimum in general: the user vouches for one."""

    slope: float

    def min_slope(self, link: Link, X: FloatArray) -> float:
        """Return the bound that the user vouches for."""
        return self.slope

    def maximise(self, data: Likelihood, penalty: FloatArray, unit: FloatArray) -> Solution:
        """Return the maximiser over all of R^d."""
        return solve_free(data, penalty, unit)

    @property
    def identity(self) -> tuple[str, IntArray]:
        """Return the kind; c_mu is among the settings."""
        return "everywhere", np.zeros(0, dtype=np.int64)


def domain_of(dim: int, norm_bound: float, box: Bounds | None, min_slope: float | None) -> Domain:
    """Return the domain that the arguments of `rep_glm` describe."""
    if box is not None and min_slope is not None:
        raise InvalidInput(
            "box and min_slope are both given; give box for a box, min_slope for all of R^d, or neither."
        )
    if min_slope is not None:
        return Everywhere(checks.positive("min_slope", min_slope))
    if box is None:
        return InBall(checks.positive("norm_bound", norm_bound))
    if not isinstance(box, tuple | list) or len(box) != 2:
        raise InvalidInput(f"box is {box!r}; it must be a pair (low, high) of numbers or of vectors.")
    low, high = (_end(end, dim) for end in box)
    if not (low < high).all():
        raise InvalidInput(f"box has low = {low} and high = {high}; low must lie below high in every coordinate.")
    return InBox(low, high)


def _end(end: Any, dim: int) -> FloatArray:
    """Return one end of a box as a vector."""
    values = np.full(dim, checks.number("box", end)) if isinstance(end, str) or np.ndim(end) == 0 else np.asarray(end)
    if values.shape != (dim,):
        raise InvalidInput(f"an end of box has shape {values.shape}; it must be a number or have {dim} entries.")
    if values.dtype.kind in "biuf" and not np.isfinite(values).all():
        raise InvalidInput(
            f"an end of box is {values}; every entry must be a finite number. Give min_slope for all of R^d."
        )
    return checks.vector("box", values)
