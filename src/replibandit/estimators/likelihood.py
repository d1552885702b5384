"""The penalised quasi-likelihood of a GLM and its maximisers, in strict arithmetic (Alg. 4, line 2).

Maximising sum_i (y_i x_i^T theta - b(x_i^T theta)) - (lambda/2) ||theta||^2 is solving g(theta) = sum_i y_i x_i, where
    g(theta) = lambda theta + sum_i mu(x_i^T theta) x_i
is strongly monotone: ||theta - theta^||_V <= ||g(theta) - g(theta^)||_{V^-1} / min(1, c_mu).  So the size of the score,
||g(theta) - sum_i y_i x_i||_{V^-1}, certifies how far a point is from the solution; it is what Newton's steps reduce.

The sums over rows are exact (`arithmetic.sums`), so the solution depends on no order of the rows and on no grouping.
Everything runs in lanes: one design, and for each lane its own counts, responses and penalty.
"""

from dataclasses import dataclass

import numpy as np

from replibandit.arithmetic import (
    FEATURE_BITS,
    RESPONSE_BITS,
    Moments,
    Scale,
    add,
    cells,
    cholesky,
    exact_cross,
    exact_gram,
    solve,
    solve_lower,
    squared_norm,
    to_float,
)
from replibandit.arithmetic.dyadic import EXPONENTS, power_of_two
from replibandit.arithmetic.wide import LIMBS
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.links import Link

_ROWS = 1 << 13
_HUGE = 2.0**300  # a mean beyond this is taken as infinite: the step that led there is halved


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Likelihood:
    """The data of m lanes: X (n, d), counts (m, n), sum_i y_i x_i (m, d), V's Cholesky factor (m, d, d)."""

    X: FloatArray
    scale: Scale
    counts: IntArray | None
    target: FloatArray
    factor: FloatArray
    link: Link

    @classmethod
    def of(cls, X: FloatArray, sums: Moments, counts: IntArray | None, factor: FloatArray, link: Link) -> "Likelihood":
        """Return the data of one lane."""
        repeats = None if counts is None else counts[None]
        return cls(X=X, scale=sums.scale, counts=repeats, target=sums.cross[None], factor=factor[None], link=link)

    def take(self, lanes: IntArray) -> "Likelihood":
        """Return the data of some lanes."""
        counts = None if self.counts is None else self.counts[lanes]
        X, scale, link = self.X, self.scale, self.link
        return Likelihood(
            X=X, scale=scale, counts=counts, target=self.target[lanes], factor=self.factor[lanes], link=link
        )

    def score(self, theta: FloatArray, penalty: FloatArray) -> FloatArray:
        """Return g(theta) - sum_i y_i x_i for each lane, infinite where a mean is."""
        means = self.link.mean(self._predictors(theta))
        far: BoolArray = abs(means).max(axis=-1, initial=0.0) >= _HUGE
        means[far] = 0.0
        exponent = _exponent(abs(means).max(axis=-1, initial=0.0))[:, None]
        sums = exact_cross(self.X, self._exponents, means, exponent, self.counts)
        fitted = to_float(sums, self._exponents + exponent - FEATURE_BITS - RESPONSE_BITS)
        score = penalty[:, None] * theta + (fitted - self.target)
        score[far] = np.inf
        return np.asarray(score)

    def hessian(self, theta: FloatArray, penalty: FloatArray) -> FloatArray:
        """Return lambda I + sum_i mu'(x_i^T theta) x_i x_i^T for each lane."""
        roots = np.sqrt(self.link.slope(self._predictors(theta)))
        exponents = self._exponents + _exponent(roots.max(axis=-1, initial=0.0))[:, None]
        d = self.X.shape[1]
        total = np.zeros((LIMBS, len(theta), d, d), dtype=np.int64)
        for start in range(0, len(self.X), _ROWS):
            rows = slice(start, start + _ROWS)
            counts = None if self.counts is None else self.counts[:, rows]
            weighted = self.X[rows] * roots[:, rows, None]
            total = add(total, exact_gram(weighted, exponents[:, None, :], counts))
        curvature = to_float(total, exponents[:, :, None] + exponents[:, None, :] - 2 * FEATURE_BITS)
        return np.asarray(curvature + penalty[:, None, None] * np.eye(d))

    def size(self, score: FloatArray) -> FloatArray:
        """Return ||score||_{V^-1} for each lane."""
        finite = np.asarray(np.isfinite(score).all(axis=-1))
        whitened = solve_lower(self.factor, np.where(finite[:, None], score, 0.0)[..., None])[..., 0]
        return np.where(finite, np.sqrt(squared_norm(whitened)), np.inf)

    @property
    def _exponents(self) -> IntArray:
        return np.array(self.scale.features, dtype=np.int64)

    def _predictors(self, theta: FloatArray) -> FloatArray:
        """Return x_i^T theta for each lane and row, summed from the first column to the last."""
        eta = np.empty((len(theta), len(self.X)))
        for start in range(0, len(self.X), _ROWS):
            # the rows on their grid, as in the sums
            rows = cells(self.X[start : start + _ROWS], self._exponents, FEATURE_BITS)
            block = np.ascontiguousarray((rows * power_of_two(self._exponents - FEATURE_BITS)).T)
            total = block[0] * theta[:, 0, None]
            for column, coefficient in zip(block[1:], theta.T[1:], strict=True):
                total += column * coefficient[:, None]
            eta[:, start : start + _ROWS] = total
        return eta


def _exponent(sizes: FloatArray) -> IntArray:
    """Return e with sizes < 2**e, not below the least exponent of a grid: what is smaller counts as 0."""
    return np.maximum(np.frexp(sizes)[1].astype(np.int64), -EXPONENTS)


def newton_step(
    data: Likelihood, theta: FloatArray, score: FloatArray, penalty: FloatArray, free: BoolArray
) -> FloatArray:
    """Return -H^-1 score over the free coordinates, 0 in the others."""
    both = free[:, :, None] & free[:, None, :]
    H = np.where(both, data.hessian(theta, penalty), np.eye(theta.shape[1]))
    return np.where(free, -solve(cholesky(H), np.where(free, score, 0.0)), 0.0)
