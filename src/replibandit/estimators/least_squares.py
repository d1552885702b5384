"""Replicable least squares by replicable means of a core set (Esfandiari et al., "Replicable Bandits", 2023; Lemma 9).

Guarantee, for independent sigma-sub-Gaussian noise, pulling every core action n times:
    P(theta~(1) = theta~(2)) >= 1 - rho    and    max_a |<a, theta~ - theta*>| <= epsilon over all actions
with probability at least 1 - delta.

With core set C and weights pi of g(pi) <= 4 d, each v(a) is RepMean of the n rewards of a in C with rho/|C| and
delta/|C|, and theta~ = V(pi)^-1 sum_a pi(a) a v(a).  If all v(a) are within tau of <a, theta*>, then for every action x
    |<x, theta~ - theta*>| <= tau sum_a pi(a) |<x, V(pi)^-1 a>| <= tau ||x||_{V(pi)^-1} <= tau sqrt(g(pi))
by the inequality of Cauchy and Schwarz, so that tau = epsilon/sqrt(g(pi)) is enough.

What the source leaves open, and departures
* It states Omega(d^4 log(d/delta) polyloglog(d)/(epsilon^2 rho^2)) pulls of each core action, d^5 in all.  Here n is
  the smallest count for which RepMean has the tolerance tau: of order |C|^2 g(pi) log(|C|/delta)/(epsilon^2 rho^2),
  which is d^3 for each core action and d^4 in all, but for log log d.  The last inequality above makes the difference.
* The core set is that of `design.g_optimal`, RepMean the statistical query with its explicit constant.
* delta/|C| is lowered to rho/(4 |C|) where it is larger: RepMean needs rho > 2 delta.
"""

import math
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arithmetic import apply, cholesky, moments, multiply, solve, solve_lower
from replibandit.arrays import FloatArray, IntArray
from replibandit.estimators.design import g_optimal
from replibandit.estimators.mean import MeanFit, mean_sample_size, rep_mean_of
from replibandit.estimators.span import span_of
from replibandit.key import Key, as_key

_APPROXIMATION = 4.0
_SLACK = 1.0 + 2.0**-30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeastSquaresPlan:
    """What to pull: every one of `actions`, rows `indices` of all actions, `pulls` times; `rounds` times in all.

    `tolerance` is tau, and `certificate` is max_a ||a||^2_{V(pi)^-1} over all the actions.
    """

    actions: FloatArray
    indices: IntArray
    weights: FloatArray
    pulls: int
    rounds: int
    tolerance: float
    certificate: float
    epsilon: float
    rho: float
    delta: float
    noise: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeastSquaresFit:
    """An estimate `theta`, from the replicable `means` of the core actions."""

    theta: FloatArray
    means: tuple[MeanFit, ...]


def least_squares_plan(
    actions: FloatArray, *, epsilon: float, rho: float, delta: float, noise: float = 1.0
) -> LeastSquaresPlan:
    """Plan the pulls that estimate the mean reward of every action to within `epsilon`, replicably, by Lemma 9.

    >>> plan = least_squares_plan(np.eye(2), epsilon=0.1, rho=0.2, delta=0.05)
    >>> plan.pulls, plan.rounds
    (772990, 1545980)
    """
    epsilon, noise = checks.positive("epsilon", epsilon), checks.positive("noise", noise)
    rho, delta = checks.probability("rho", rho), checks.probability("delta", delta)
    design = g_optimal(actions, approximation=_APPROXIMATION)
    size = len(design.indices)
    pulls = core_pulls(epsilon, design.certificate, size, rho=rho, delta=delta, noise=noise)
    return LeastSquaresPlan(
        actions=checks.matrix("actions", actions)[design.indices],
        indices=design.indices,
        weights=design.weights,
        pulls=pulls,
        rounds=size * pulls,
        tolerance=_tolerance(epsilon, design.certificate),
        certificate=design.certificate,
        epsilon=epsilon,
        rho=rho,
        delta=delta,
        noise=noise,
    )


def core_pulls(epsilon: float, certificate: float, size: int, *, rho: float, delta: float, noise: float) -> int:
    """Return n, the pulls of each of `size` core actions for an error of `epsilon`."""
    shares = core_shares(size, rho=rho, delta=delta)
    return mean_sample_size(_tolerance(epsilon, certificate), rho=shares[0], delta=shares[1], noise=noise)


def _tolerance(epsilon: float, certificate: float) -> float:
    # tau = epsilon / sqrt(g(pi))
    return epsilon / math.sqrt(certificate * _SLACK)


def core_shares(size: int, *, rho: float, delta: float) -> tuple[float, float]:
    """Return rho/|C| and min(delta, rho/4)/|C|."""
    return rho / size, min(delta, rho / 4.0) / size


def rep_least_squares(plan: LeastSquaresPlan, sums: FloatArray, *, seed: Key | str | int) -> LeastSquaresFit:
    """Fit least squares to replicable means, `sums[i]` being the sum of the rewards of `plan.actions[i]`.

    The mean of the core action of index a is rounded with the shift of `Key(seed).child("arm", a)`.

    >>> plan = least_squares_plan(np.eye(2), epsilon=0.1, rho=0.2, delta=0.05)
    >>> rngs, n = [np.random.default_rng(k) for k in (1, 2)], plan.pulls
    >>> lab = [n * np.array([0.5, -0.2]) + rng.normal(size=2) * n**0.5 for rng in rngs]
    >>> a, b = (rep_least_squares(plan, sums, seed="lab-7").theta for sums in lab)
    >>> bool((a == b).all()), bool((abs(a - [0.5, -0.2]) <= 0.1).all())
    (True, True)
    """
    key, totals = as_key(seed), checks.vector("sums", sums, length=len(plan.actions))
    rho, delta = core_shares(len(plan.actions), rho=plan.rho, delta=plan.delta)
    one, count = np.ones((1, 1)), np.array([plan.pulls])
    means = tuple(
        rep_mean_of(
            moments(one, totals[i : i + 1], counts=count),
            rho=rho,
            delta=delta,
            noise=plan.noise,
            seed=key.child("arm", int(action)),
        )
        for i, action in enumerate(plan.indices)
    )
    span = span_of(plan.actions)
    inside = combined(span.coordinates, plan.weights, np.array([mean.theta for mean in means]))
    # the coordinates of a are <a, b_j>/||b_j||^2, so theta = sum_j inside_j b_j/||b_j||^2
    basis = solve_lower(span.coordinates[span.pivots], plan.actions[span.pivots])
    return LeastSquaresFit(theta=apply(basis.T, inside / (span.lengths * span.lengths)), means=means)


def combined(points: FloatArray, weights: FloatArray, means: FloatArray) -> FloatArray:
    """Return V(pi)^-1 sum_a pi(a) a v(a) for core actions with the coordinates `points`; `means` are (..., |C|)."""
    weighted = points.T * weights
    return solve(cholesky(multiply(weighted, points)), apply(weighted, means))
