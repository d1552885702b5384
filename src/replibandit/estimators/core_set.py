"""RepRidge on a core set: one uniform error for all actions (Prop. 4.1 and its proof in the appendix).

Guarantee, for independent sigma-sub-Gaussian noise and ||theta*|| <= S, pulling core action a n_a times:
    P(theta~(1) = theta~(2)) >= 1 - rho    and    max_a |<a, theta~ - theta*>| <= epsilon over all actions
with probability at least 1 - delta.

The proof, with sigma, S and L = max_a ||a|| written out.  Let V = I + sum_a n_a a a^T and delta_0 = min(delta, rho/4).
* n_a >= N pi(a) gives max_a ||a||^2_{V^-1} <= g(pi)/N <= 4 d/N.
* Thm. 4.1 with penalty 1: ||theta~ - theta*||_V <= beta (1 + d/(rho - 2 delta_0)) <= 3 d beta/rho.
* beta = sigma sqrt(log det V + 2 log(1/delta_0)) + S, so beta^2 <= 2 (sigma^2 B_N + S^2), where
  log det V <= d log(1 + tr(sum_a n_a a a^T)/d) and tr(sum_a n_a a a^T) <= M L^2 <= (N + |C|) L^2.
* The squared error is at most (4 d/N) (9 d^2/rho^2) 2 (sigma^2 B_N + S^2), which is epsilon^2 or less as soon as
      N >= 72 d^3 (sigma^2 B_N + S^2) / (rho^2 epsilon^2),    B_N = d log(1 + L^2 (N + |C|)/d) + 2 log(1/delta_0).
With sigma = S = L = 1 this is the paper's inequality.
With calibration="sharp" (docs/theory.md, R1) the middle line reads, r being the rank and c that of the dither lemma,
    |<a, theta~ - theta*>| <= ||a||_{V^-1} (sigma sqrt(B_N) + S + c (2/sqrt 3) sigma sqrt(d r)/rho)
for all of K actions, so that N >= (4 r/epsilon^2) times its square is enough: d^3 log K where the paper has d^4 log N.

Departures
* |C| is the size of the core set at hand; the paper has c d log log d with an unnamed constant c.
* L is the largest norm among the actions; the paper assumes L = 1.
* Actions may span a subspace only (`design`): all of the above holds there, the rank being at most d.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from replibandit import checks
from replibandit.arithmetic import cholesky, log_det_ratio, moments, scale_of, solve_lower, squared_norm
from replibandit.arrays import FloatArray, IntArray
from replibandit.calibration import CALIBRATIONS, dither
from replibandit.errors import OutOfRange
from replibandit.estimators.core_set_size import paper_enough, sharp_enough, smallest
from replibandit.estimators.design import g_optimal
from replibandit.estimators.ridge import RidgeFit, rep_ridge
from replibandit.key import Key
from replibandit.radius import self_normalized

_APPROXIMATION = 4.0
_MOST_PULLS = 2**53  # of one action, for the exact sums


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoreSet:
    """What to pull: `actions[i]`, row `indices[i]` of all actions, `pulls[i]` times; `rounds` times in all.

    `weights` is the design pi and `scale` is N.  Over all the actions (`candidates` in number), `certificate` is
    max_a ||a||^2_{V(pi)^-1} and `reach` is max_a ||a||_{V^-1}, where V = I + sum_a n_a a a^T for the pulls n_a.
    """

    actions: FloatArray
    indices: IntArray
    weights: FloatArray
    pulls: IntArray
    rounds: int
    scale: int
    certificate: float
    reach: float
    candidates: int
    epsilon: float
    rho: float
    delta: float
    noise: float
    norm_bound: float
    calibration: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoreSetFit:
    """A ridge fit, and the uniform error of its `theta`.

    |<a, ridge.theta - theta*>| <= error for all actions at once, with probability at least 1 - delta.
    """

    ridge: RidgeFit
    error: float


def core_set(
    actions: FloatArray,
    *,
    epsilon: float,
    rho: float,
    delta: float,
    noise: float = 1.0,
    norm_bound: float = 1.0,
    calibration: str = "paper",
) -> CoreSet:
    """Plan the pulls that estimate the mean reward of every action to within `epsilon`, replicably.

    `scale` is the smallest N that the proposition allows, and `pulls` are the n_a = ceil(N pi(a)).

    >>> core = core_set(np.eye(2), epsilon=0.1, rho=0.2, delta=0.05)
    >>> core.scale, core.pulls.tolist(), core.rounds
    (59634217, [29817109, 29817109], 59634218)
    >>> core_set(np.eye(2), epsilon=0.1, rho=0.2, delta=0.05, calibration="sharp").rounds
    168666
    """
    checks.one_of("calibration", calibration, CALIBRATIONS)
    given = {"epsilon": epsilon, "noise": noise, "norm_bound": norm_bound}
    positive = {name: checks.positive(name, value) for name, value in given.items()}
    rho, delta = checks.probability("rho", rho), checks.probability("delta", delta)
    design = g_optimal(actions, approximation=_APPROXIMATION)
    A = checks.matrix("actions", actions)
    longest = float(squared_norm(A).max())  # L^2
    if calibration == "sharp":
        enough = sharp_enough(A.shape, design, longest, rho=rho, delta=delta, **positive)
    else:
        enough = paper_enough(A.shape[1], design, longest, rho=rho, delta=_delta(rho, delta), **positive)
    N = smallest(enough)
    pulls = _pulls(N, design.weights)
    core = A[design.indices]
    return CoreSet(
        actions=core,
        indices=design.indices,
        weights=design.weights,
        pulls=pulls,
        rounds=sum(map(int, pulls)),
        scale=N,
        certificate=design.certificate,
        reach=_reach(A, core, pulls),
        candidates=len(A),
        rho=rho,
        delta=delta,
        calibration=calibration,
        **positive,
    )


def rep_core_set(core: CoreSet, sums: FloatArray, *, seed: Key | str | int, whitening: str = "cholesky") -> CoreSetFit:
    """Fit RepRidge to the pulls of a core set, `sums[i]` being the sum of the rewards of `core.actions[i]`.

    The `error` depends on the pulls only, and is at most `core.epsilon`.

    >>> core = core_set(np.eye(2), epsilon=0.1, rho=0.2, delta=0.05)
    >>> lab = [core.pulls * [0.5, -0.2] + np.random.default_rng(k).normal(size=2) * core.pulls**0.5 for k in (1, 2)]
    >>> a, b = (rep_core_set(core, sums, seed="lab-7") for sums in lab)
    >>> bool((a.ridge.theta == b.ridge.theta).all()), a.error <= 0.1
    (True, True)
    """
    ridge = rep_ridge(
        core.actions,
        checks.vector("sums", sums, length=len(core.pulls)),
        counts=core.pulls,
        penalty=1.0,
        rho=core.rho,
        delta=core.delta if core.calibration == "sharp" else _delta(core.rho, core.delta),
        noise=core.noise,
        norm_bound=core.norm_bound,
        seed=seed,
        whitening=whitening,
        calibration=core.calibration,
    )
    # |<a, theta~ - theta*>| <= ||a||_{V^-1} ||theta~ - theta*||_V
    radius = _sharp_radius(core, ridge) if core.calibration == "sharp" else ridge.inflated_radius
    return CoreSetFit(ridge=ridge, error=core.reach * radius)


def _sharp_radius(core: CoreSet, ridge: RidgeFit) -> float:
    """Return beta + c alpha, where c is that of as many directions as there are actions."""
    reach, rest = dither(len(ridge.theta), delta=core.delta, candidates=core.candidates)
    log_det = log_det_ratio(cholesky(ridge.gram), 1.0)
    beta = self_normalized(log_det, noise=core.noise, delta=rest, penalty=1.0, norm_bound=core.norm_bound)
    return float(beta) + reach * ridge.width


def _delta(rho: float, delta: float) -> float:
    return min(delta, rho / 4.0)  # delta_0


def _pulls(N: int, weights: FloatArray) -> IntArray:
    """Return n_a = ceil(N pi(a)), exactly."""
    pulls = [math.ceil(N * Fraction(weight)) for weight in weights.tolist()]
    if max(pulls) >= _MOST_PULLS:
        raise OutOfRange(
            f"the proposition asks for {Decimal(max(pulls)):.3g} pulls of one action; at most 2**53 - 1 can be summed. "
            "Raise epsilon or rho, or lower the noise."
        )
    return np.array(pulls, dtype=np.int64)


def _reach(actions: FloatArray, core: FloatArray, pulls: IntArray) -> float:
    """Return max_a ||a||_{V^-1} over all actions, where V = I + sum_a n_a a a^T."""
    nothing = np.zeros(len(core))
    V = np.eye(core.shape[1]) + moments(core, nothing, scale=scale_of(core, nothing), counts=pulls).gram
    return float(np.sqrt(squared_norm(solve_lower(cholesky(V), actions.T).T).max()))
