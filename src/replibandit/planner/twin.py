"""What replicability is compared with: the same optimism without it, estimated anew whenever an arm, or V, has grown.

UCB1 and LinUCB decide in every round, which takes too long at the horizons of a plan.  Their twins here stay with a
decision until the pulls of the arm, or the determinant, have grown by a tenth: as good, and as little replicable.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit.actions import Finite
from replibandit.arithmetic import log
from replibandit.arrays import FloatArray, IntArray
from replibandit.key import Key
from replibandit.planner.question import Question
from replibandit.policies import phases
from replibandit.policies.base import Pull, best
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.policies.plan import Plan
from replibandit.rewards import reward_exponent

_GROWTH = 1.1
_DELTA = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyUCB:
    """Play the arm with the largest mean + sigma sqrt(2 log T / n) until its pulls have grown by a tenth."""

    horizon: int
    noise: float

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def prepare(self, vectors: FloatArray) -> float:
        """Return 2 log T."""
        return 2.0 * log(float(self.horizon)) if self.horizon > 1 else 0.0

    def decide(self, evidence: Evidence) -> Orders:
        """Choose an arm, and how long to play it."""
        pulls = np.maximum(evidence.pulls, 1)
        index = evidence.means(self.reward_exponent()) + self.noise * np.sqrt(evidence.prepared / pulls)
        arms = best(np.where(evidence.pulls > 0, index, np.inf))
        chosen = np.arange(pulls.shape[1]) == arms[:, None]
        return Orders(times=chosen * np.maximum(1, pulls // 10), active=evidence.active)

    def init(self, actions: Any, keys: Sequence[Key]) -> PhasedState:
        """Start with no pulls."""
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        """Play the arm chosen last."""
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in its rewards and choose again."""
        return phases.update(self, state, pull, totals)


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyLinUCB(LinUCB):
    """LinUCB whose batches end when the determinant has grown by a tenth."""

    def plan(self, dim: int) -> Plan:
        """Return as many batches as there are rounds."""
        return Plan(batches=self.horizon, growth=_GROWTH, rho=(), delta=())


def twin(asked: Question) -> Any:
    """Return the policy that is not replicable."""
    if not isinstance(asked.actions, Finite):
        return LazyUCB(horizon=asked.horizon, noise=asked.noise)
    size = float(np.sqrt((asked.actions.vectors**2).sum(axis=1).max()))
    return LazyLinUCB(
        horizon=asked.horizon,
        delta=_DELTA,
        noise=asked.noise,
        norm_bound=asked.norm_bound,
        action_bound=size * (1.0 + 2.0**-30),
    )
