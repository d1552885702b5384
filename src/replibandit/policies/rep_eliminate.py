"""RepEliminate: successive elimination with random levels, and RepCommit among the actions that are left (ours).

Guarantee, for finitely many actions and rewards that are independent and sigma-sub-Gaussian given the key:
    P(two runs with one seed choose the same action in every round) >= 1 - rho,
    P(a run drops every best action) <= 1/T.
Every decision has a share of rho of its own: the commitment 1/2, and the K - 1 eliminations the rest, in equal parts.
So the levels of eliminations are K - 1 times higher than that of the commitment: elimination pays where gaps differ by
more than such a factor, and else RepCommit with all of rho is cheaper.

After phase p the difference of any two actions left is known up to s_p = sigma g^(-p/2), its standard error at most:
each arm has been pulled 2 g^p times in all; vectors are estimated from phase p alone, by the design for those left,
with so many pulls that ||a - b|| <= g^(-p/2) in the norm of V_p^-1.  With a level for the commitment and one for each
action, drawn once for the whole run,
    commit to the leader if min over the others of (m(lead) - m(a))/s_p >= level, and else
    drop every action with (m(lead) - m(a))/s_p >= level_a.

Calibrations as for RepCommit; arms must have rewards whose law does not change.  Statements and proofs:
docs/theory-decisions.md.

Randomness, by name (public, see key.py): Key(seed).child("level").uniform(2) are U and V of the commitment's level, and
Key(seed).child("level", "action").uniform(2 K), an array (K, 2), those of the levels of the actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from replibandit.actions import Finite
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.key import Key, uniforms
from replibandit.levels import certified_level, commitment, elimination, levels
from replibandit.policies import phases
from replibandit.policies.base import Pull, best
from replibandit.policies.elimination import alike
from replibandit.policies.exploration import Exploration, estimates, phases_before, unit_exploration
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.policies.rep_commit import check_settings
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class RepEliminate:
    """Drop actions that trail clearly, each at a level of its own, and commit to a leader whose lead is clear.

    `noise` is the sub-Gaussian parameter of the rewards: 1/2 for rewards in [0, 1].  `growth` is the factor g between
    the counts of two phases.
    """

    horizon: int
    rho: float
    noise: float = 0.5
    growth: int = 4
    calibration: str = "sharp"

    def __post_init__(self) -> None:
        check_settings(self)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def prepare(self, vectors: FloatArray) -> tuple[BoolArray, float, float]:
        """Return which actions are no copies of others, and the least levels of commitment and elimination."""
        arms = vectors.shape[1] == 0
        first = np.ones(len(vectors), dtype=np.bool_) if arms else _first_ones(vectors)
        return first, *self.least_levels(int(first.sum()), arms)

    def least_levels(self, actions: int, arms: bool) -> tuple[float, float]:
        """Return the least levels: of the commitment, and of the elimination of each action (infinite for two)."""
        alone, count = actions <= 2, max(2, actions)
        share = self.rho if alone else self.rho / 2.0
        rest: dict[str, Any] = {"growth": self.growth, "decisions": self.decisions(), "miss": 0.5 / self.horizon}
        variance = 0.5 * count if arms else np.inf
        shape = commitment(count, self.calibration, variance=variance, proportional=arms)
        commit = certified_level(shape, rho=share, **rest)
        if alone:
            return commit, np.inf
        shape = elimination(count, self.calibration, variance=variance)
        return commit, certified_level(shape, rho=share / (count - 1), **rest)

    def decisions(self) -> int:
        """Return how many phases can end before the horizon, at most."""
        return max(1, phases_before(1, self.growth, self.horizon))  # phase p has g^p rounds or more

    def init(self, actions: int | Finite | FloatArray, keys: Sequence[Key]) -> PhasedState:
        """Begin with all actions; `actions` is the number of arms, or vectors."""
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        """Play the next action of the schedule."""
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in the rewards; at the end of a phase, drop actions or commit."""
        return phases.update(self, state, pull, totals)

    def ahead(self, state: PhasedState) -> bool:
        """Say whether the next decision is known before the rewards of the standing one."""
        return phases.ahead(self, state)

    def decide(self, evidence: Evidence) -> Orders:
        """Commit if the lead over all actions left is clear, else drop those that trail clearly."""
        first, least_commit, least_drop = evidence.prepared
        if not evidence.phase.any():
            active = np.tile(first, (len(evidence.keys), 1))
            return Orders(times=self._times(evidence, active), active=active)
        estimated = self._estimates(evidence)
        leader = best(estimated)
        leads = np.arange(len(first)) == leader[:, None]
        # s_p = sigma g^(-p/2), p being the phase that has ended
        error = self.noise / np.sqrt((self.growth ** (evidence.phase - 1)).astype(np.float64))
        behind = (np.take_along_axis(estimated, leader[:, None], axis=1) - estimated) / error[:, None]
        level, own = self._levels(evidence.keys, len(first), least_commit, least_drop)
        commit = np.where(leads, np.inf, behind).min(axis=1) >= level
        active = np.where(commit[:, None], leads, evidence.active & (leads | ~(behind >= own)))
        return Orders(times=self._times(evidence, active), active=active)

    def _levels(self, keys: Sequence[Key], arms: int, commit: float, drop: float) -> tuple[FloatArray, FloatArray]:
        """Return the levels of commitment and of elimination of each lane."""
        level = levels(commit, self.growth, uniforms(keys, [("level",)] * len(keys), 2))
        draws = uniforms(keys, [("level", "action")] * len(keys), 2 * arms).reshape(len(keys), arms, 2)
        return level, levels(drop, self.growth, draws)

    def _estimates(self, evidence: Evidence) -> FloatArray:
        """Return the estimated means of the actions left, and -infinity for the others."""
        if evidence.vectors.shape[1] == 0:
            return np.where(evidence.active, evidence.means(self.reward_exponent()), -np.inf)
        means, result = evidence.fresh_means(self.reward_exponent()), np.full(evidence.active.shape, -np.inf)
        for _, lanes, left in alike(evidence.active, evidence.phase):
            plan = _design(evidence.vectors, left)
            result[np.ix_(lanes, left)] = estimates(plan, means[np.ix_(lanes, left)])
        return result

    def _times(self, evidence: Evidence, active: BoolArray) -> IntArray:
        """Return the pulls of the phase that begins."""
        # arms: 2 g^p pulls in all; vectors: those of the phase
        pulled = evidence.pulls if evidence.vectors.shape[1] == 0 else np.zeros_like(evidence.pulls)
        times, power = np.zeros(active.shape, dtype=np.int64), self.growth**evidence.phase
        for _, lanes, left in alike(active, evidence.phase):
            here = np.ix_(lanes, left)
            pulls = _design(evidence.vectors, left).base * power[lanes, None] - pulled[here]
            times[here] = pulls if len(left) > 1 else self.horizon
        return times


def _design(vectors: FloatArray, left: IntArray) -> Exploration:
    rows = np.ascontiguousarray(vectors[left])
    return _design_of(rows.tobytes(), *rows.shape)


@lru_cache(maxsize=256)
def _design_of(data: bytes, rows: int, dim: int) -> Exploration:
    return unit_exploration(np.frombuffer(data).reshape(rows, dim))


def _first_ones(vectors: FloatArray) -> BoolArray:
    """Return which rows have no copy before them."""
    first = np.zeros(len(vectors), dtype=np.bool_)
    first[np.unique(vectors, axis=0, return_index=True)[1]] = True
    return first
