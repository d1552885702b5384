"""Exploration by a design that is fixed beforehand, in phases whose counts are the base counts times 1, g, g^2, ...

K arms are pulled equally often.  Vectors are pulled as often as a nearly G-optimal design on few of them says, and the
means of all are estimated by least squares.  Since the counts of all phases are proportional, so are the errors:
sigma ||a - b|| in the norm of V_p^-1 falls by exactly sqrt(g) a phase.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from replibandit.arithmetic import apply, cholesky, multiply, solve_lower, squared_norm
from replibandit.arrays import FloatArray, IntArray
from replibandit.estimators.design import Design, g_optimal, span_coordinates

_APPROXIMATION = 1.1
_SLACK = 1.0 + 2.0**-30
_MANY = 256
_FINENESS = 4  # pulls of phase 0, times the actions in the design


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Exploration:
    """How often each action is pulled up to the end of phase 0, and the actions in whitened coordinates.

    ||points[a] - points[b]|| = ||a - b|| in the norm of V_0^-1.  The points of arms have no entries.
    """

    base: IntArray
    points: FloatArray

    @property
    def variance(self) -> float:
        """Return a bound of the variance of the least standardised lead, by the inequality of Efron and Stein.

        The lead over an action a is a sum of c_i times the mean of pulled action i in units of its standard error, and
        sum_i c_i^2 = 1; so the variance is at most sum_i max_a c_i^2.  Rounded up to a multiple of 1/16; infinite for
        more than 256 vectors, where it would not help.
        """
        if self.points.shape[1] == 0:
            return 0.5 * len(self.base)
        if len(self.points) > _MANY:
            return math.inf
        return math.ceil(16.0 * max(self._spread(best) for best in range(len(self.points)))) / 16.0

    def _spread(self, best: int) -> float:
        """Return sum_i max_a c_i^2 for one best action."""
        pulled = np.flatnonzero(self.base)
        steps = self.points[best] - self.points
        squared = squared_norm(steps)
        apart = squared > 0
        # c_i = <a* - a, a_i> sqrt(n_i) / ||a* - a||, in whitened coordinates
        along = multiply(steps[apart], self.points[pulled].T)
        largest = np.max(along * along / squared[apart, None], axis=0, initial=0.0) * self.base[pulled]
        return float(sum(largest.tolist()))

    @property
    def distinct(self) -> int:
        """Return the number of different actions."""
        return len(np.unique(self.points, axis=0)) if self.points.shape[1] else len(self.base)

    def decisions(self, growth: int, horizon: int) -> int:
        """Return the number of phases that end before the horizon."""
        return phases_before(int(self.base.sum()), growth, horizon)


def phases_before(first: int, growth: int, horizon: int) -> int:
    """Return how many of the numbers of rounds first, first * g, first * g^2, ... are below the horizon."""
    rounds, count = first, 0
    while rounds < horizon:
        rounds, count = growth * rounds, count + 1
    return count


def exploration(vectors: FloatArray) -> Exploration:
    """Return the design for K arms, (K, 0), or for the rows of `vectors`."""
    if vectors.shape[1] == 0:
        return Exploration(base=np.ones(len(vectors), dtype=np.int64), points=vectors)
    design = g_optimal(vectors, approximation=_APPROXIMATION)
    return pulled(vectors, design, _FINENESS * len(design.indices))


def unit_exploration(vectors: FloatArray) -> Exploration:
    """Return a design after whose phase 0 ||a - b|| in the norm of V_0^-1 is at most 1 for all rows of `vectors`."""
    if vectors.shape[1] == 0:
        return Exploration(base=np.full(len(vectors), 2), points=vectors)
    design = g_optimal(vectors, approximation=_APPROXIMATION)
    # ||a - b|| <= 2 max_a ||a|| <= 2 sqrt(g(pi)/N)
    return pulled(vectors, design, math.ceil(4.0 * design.certificate * _SLACK))


def pulled(vectors: FloatArray, design: Design, scale: int) -> Exploration:
    """Return what n_a = ceil(N pi(a)) pulls make known."""
    points, base = span_coordinates(vectors), np.zeros(len(vectors), dtype=np.int64)
    base[design.indices] = [math.ceil(scale * Fraction(weight)) for weight in design.weights.tolist()]
    # V_0 = sum_a n_a a a^T, in the coordinates of the span
    core = points[design.indices]
    factor = cholesky(multiply(core.T * base[design.indices], core))
    return Exploration(base=base, points=np.ascontiguousarray(solve_lower(factor, points.T).T))


def estimates(plan: Exploration, means: FloatArray) -> FloatArray:
    """Return the estimated mean of every action, given the `means` of those that were pulled: (lanes, K)."""
    if plan.points.shape[1] == 0:
        return means
    # theta = V^-1 sum_a n_a mean_a a, in whitened coordinates; counts that grow together leave it the same
    pulled = np.flatnonzero(plan.base)
    weighted = plan.base[pulled, None] * plan.points[pulled]
    return apply(plan.points, apply(weighted.T, means[:, pulled]))


def leads(plan: Exploration, estimated: FloatArray, leader: IntArray) -> FloatArray:
    """Return (m(lead) - m(a)) / ||lead - a|| in the norm of V_0^-1; infinite where the actions are the same."""
    best = np.take_along_axis(estimated, leader[:, None], axis=1)
    if plan.points.shape[1] == 0:
        squared = np.where(np.arange(len(plan.base)) == leader[:, None], 0.0, 2.0)
    else:
        squared = np.zeros(estimated.shape)
        for column in plan.points.T:
            step = column - column[leader][:, None]
            squared = squared + step * step
    apart = np.sqrt(np.where(squared > 0, squared, 1.0))
    return np.where(squared > 0, (best - estimated) / apart, np.inf)
