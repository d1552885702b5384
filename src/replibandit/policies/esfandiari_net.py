"""EsfandiariNet: batched elimination on a net, for infinitely many actions (Esfandiari et al., "Replicable Bandits",
2023; their Algorithm 4, Theorem 10).

Guarantee, for mean rewards <a, theta*>, ||theta*|| <= 1, and independent sigma-sub-Gaussian noise:
    P(two runs with one seed choose the same action in every round) >= 1 - rho,
    regret of order d^4/rho^2 sqrt(T) up to logarithms.
A net A' of the action set is played: every action has one of the net within 1/T.  In batch i the mean rewards of the
net points left are estimated to within tau_i = min(eps_i, 1), eps_i = sigma d sqrt(log T/q^i), q = T^(1/B), by Lemma 9
(`estimators.least_squares`) with rho/B and delta = 1/(2 |A'| T^2), and a point is dropped if
    <a, theta~> < max <a, theta~> - 2 eps_i.
When a batch does not fit, the point of the largest estimate is played to the end.

A 1/T-net of a ball in R^d has of the order of T^d points: beyond 8192 points a spec is refused, with the number.  With
`resolution` the net is coarser: the runs are as replicable, and lose up to `resolution` a round more.

What the source leaves open, and departures
* eps_i has an unnamed c, here 1; B = ceil(log T), and floor(q^i) takes the place of q^i.
* A core action is pulled as often as Lemma 9 needs it, with explicit constants, for tau_i; the printed M_i = q^i d^3
  log(d) (loglog d)^2 logloglog(d) log^2(T)/rho^2 is 0 or undefined in few dimensions.
* The source's sigma is 1: eps_i is multiplied by sigma.  Each core action has rho/(B |C|) where it has rho/(d B).
* The net of a ball is the grid of spacing 2 resolution/sqrt(d), its points outside brought back to the sphere.  A
  finite set is its own net.
* T >= 2/rho is required.

Randomness, by name (public, see key.py): Key(seed).child("phase", i).uniform(|A'|) has the shift of the mean of each
net point, over the width, after batch i = 1, 2, ...; only those of core actions are used.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.actions import Ball, Finite, as_actions
from replibandit.arithmetic import apply, log
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.calibration import grid_width
from replibandit.estimators.design import g_optimal, span_coordinates
from replibandit.estimators.least_squares import combined, core_pulls, core_shares
from replibandit.grid import cell_of, midpoint
from replibandit.key import Key, uniforms
from replibandit.policies import geometric, phases
from replibandit.policies.base import Pull, Rounding
from replibandit.policies.elimination import alike, best_left, orders, per_phase
from replibandit.policies.net import net_of_ball
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.radius import hoeffding
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Core:
    """A core set of the points left, in coordinates of their span: how often each is pulled, and the grid's width."""

    points: FloatArray
    indices: IntArray
    weights: FloatArray
    pulls: int
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EsfandiariNet:
    """Drop points of a net whose replicable estimate trails; `resolution` is 1/horizon unless given."""

    horizon: int
    rho: float
    noise: float
    resolution: float | None = None

    def __post_init__(self) -> None:
        geometric.check_settings(self)
        if self.resolution is not None:
            object.__setattr__(self, "resolution", checks.positive("resolution", self.resolution))

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def prepare(self, vectors: FloatArray) -> tuple[float, ...]:
        """Return eps_i for each batch."""
        # eps_i = sigma d sqrt(log T/q^i)
        size = self.noise * vectors.shape[1]
        return tuple(size * math.sqrt(log(float(self.horizon)) / n) for n in geometric.batch_lengths(self.horizon))

    def init(self, actions: Ball | Finite | FloatArray, keys: Sequence[Key]) -> PhasedState:
        """Begin with all points of the net."""
        as_actions(actions)  # refuses a number of arms
        if not isinstance(actions, Ball):
            return phases.init(self, actions, keys)
        state = phases.init(self, Finite(net_of_ball(actions, self.resolution or 1.0 / self.horizon)), keys)
        return replace(state, prepared=("ball", *state.prepared))

    def choose(self, state: PhasedState) -> Pull:
        """Play the next point of the batch."""
        pull = phases.choose(self, state)
        return replace(pull, arms=np.full(len(pull.arms), -1)) if _in_a_ball(state.prepared) else pull

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in the rewards; at the end of a batch, estimate and drop points."""
        return phases.update(self, state, replace(pull, arms=phases.choose(self, state).arms), totals)

    def rounding(self, state: PhasedState) -> Rounding:
        """Return the rounding of the means of the core set when the running batch began."""
        return phases.rounding(state)

    def decide(self, evidence: Evidence) -> Orders:
        """Drop the points whose estimate is below the largest by more than 2 eps."""
        eps = evidence.prepared[1:] if _in_a_ball(evidence.prepared) else evidence.prepared
        active, (estimated, z, width) = evidence.active, self._estimates(evidence, eps)
        if evidence.phase.any():
            largest = np.where(active, estimated, -np.inf).max(axis=1, keepdims=True)
            active = active & ~(estimated < largest - 2.0 * per_phase(eps, evidence))
        times = self._times(evidence, active, eps)
        rest = best_left(active, estimated, self.horizon)
        chosen = orders(evidence, self.horizon, active=active, times=times, rest=rest)
        return replace(chosen, z=z, width=width)

    def _estimates(self, evidence: Evidence, eps: Sequence[float]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the estimates of the points left, the means of the core set before rounding, and the width."""
        estimated, z, width = (
            np.zeros(evidence.active.shape),
            np.zeros(evidence.active.shape),
            np.zeros(len(evidence.keys)),
        )
        if not evidence.phase.any():
            return estimated, z, width
        means = evidence.fresh_means(self.reward_exponent())
        draws = uniforms(evidence.keys, [("phase", i) for i in evidence.phase.tolist()], means.shape[1])
        for phase, lanes, left in alike(evidence.active, evidence.phase):
            core = self._core(evidence, left, eps[phase - 1])
            here = np.ix_(lanes, left[core.indices])
            z[here], width[lanes] = means[here], core.width
            shift = core.width * draws[here]
            rounded = midpoint(cell_of(z[here], width=core.width, shift=shift), width=core.width, shift=shift)
            theta = combined(core.points[core.indices], core.weights, rounded)
            estimated[np.ix_(lanes, left)] = apply(core.points, theta)
        return estimated, z, width

    def _times(self, evidence: Evidence, active: BoolArray, eps: Sequence[float]) -> IntArray:
        """Return the pulls of the core sets of the points left, none after the last batch."""
        times = np.zeros(active.shape, dtype=np.int64)
        for phase, lanes, left in alike(active, evidence.phase):
            if phase < len(eps) and len(left) > 1 and evidence.vectors[left].any():
                core = self._core(evidence, left, eps[phase])
                times[np.ix_(lanes, left[core.indices])] = min(core.pulls, self.horizon)
        return times

    def _core(self, evidence: Evidence, left: IntArray, eps: float) -> _Core:
        """Return the core set of the points left, pulled as Lemma 9 says for tau = min(eps, 1)."""
        rows, (points, _) = np.ascontiguousarray(evidence.vectors[left]), evidence.vectors.shape
        shares: dict[str, Any] = {
            "rho": self.rho / geometric.batch_count(self.horizon),
            "delta": 1.0 / (2.0 * points * self.horizon * self.horizon),
            "noise": self.noise,
        }
        return _core_of(rows.tobytes(), *rows.shape, min(eps, 1.0), **shares)


def _in_a_ball(prepared: tuple[Any, ...]) -> bool:
    return prepared[:1] == ("ball",)


@lru_cache(maxsize=64)
def _core_of(data: bytes, rows: int, dim: int, tau: float, *, rho: float, delta: float, noise: float) -> _Core:
    vectors = np.frombuffer(data).reshape(rows, dim)
    design = g_optimal(vectors)
    size = len(design.indices)
    pulls = core_pulls(tau, design.certificate, size, rho=rho, delta=delta, noise=noise)
    share = core_shares(size, rho=rho, delta=delta)
    radius = hoeffding(pulls, noise=noise, delta=share[1])
    return _Core(
        points=span_coordinates(vectors),
        indices=design.indices,
        weights=design.weights,
        pulls=pulls,
        width=float(grid_width(radius, dim=1, rho=share[0], delta=share[1])),
    )
