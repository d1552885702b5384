"""LinUCB: optimism in the face of uncertainty for linear rewards (OFUL: Abbasi-Yadkori, Pal and Szepesvari, NIPS 2011).

A reference that is NOT replicable: two runs with independent rewards part within a few rounds, almost always.  It is
the negative control of audits, and what RepLinUCB is compared with: the same engine, no rounding, an estimate in every
round.

Guarantee: with probability at least 1 - delta, with beta the largest radius and D_T = log(det V_{T+1} / det(lambda I)),
    regret <= 2 max(L S, beta) sqrt(2 T D_T).

Departures
* Actions and rewards lie on dyadic grids, and V and sum x r are exact (docs/numerics.md).
* An action so short that it leaves the determinant as it was to double precision, such as 0, may stand for several
  rounds, or for ever: nothing is learned from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.actions import ActionSet
from replibandit.arithmetic import log_det_ratio, solve
from replibandit.arrays import FloatArray, IntArray
from replibandit.key import Key
from replibandit.policies import batched
from replibandit.policies.base import Pull
from replibandit.policies.batched import BatchedState, Data, Rule
from replibandit.policies.every_round import as_batched, every_round_plan
from replibandit.policies.plan import Plan
from replibandit.radius import self_normalized
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class LinUCB:
    """Play the maximiser of <a, theta> + beta ||a||_{V^-1}, with theta the ridge estimate of all rounds so far."""

    horizon: int
    delta: float
    noise: float
    penalty: float = 1.0
    norm_bound: float = 1.0
    action_bound: float = 1.0

    def __post_init__(self) -> None:
        checks.positive_integer("horizon", self.horizon)
        checks.probability("delta", self.delta)
        for name in ("noise", "penalty", "norm_bound", "action_bound"):
            checks.positive(name, getattr(self, name))

    @property
    def needs_rows(self) -> bool:
        """Say that V and sum x r are all that an estimate needs."""
        return False

    def plan(self, dim: int) -> Plan:
        """Return batches of one round."""
        return every_round_plan(self.horizon)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise, self.norm_bound * self.action_bound)

    def init(self, actions: ActionSet | FloatArray, keys: Sequence[Key]) -> BatchedState:
        """Estimate on no data; the keys are not used."""
        return batched.init(as_batched(self), actions, keys)

    def choose(self, state: BatchedState) -> Pull:
        """Play the action with the largest score."""
        return batched.choose(as_batched(self), state)

    def update(self, state: BatchedState, pull: Pull, totals: IntArray) -> BatchedState:
        """Take in the reward and estimate again."""
        return batched.update(as_batched(self), state, pull, totals)

    def rule(self, data: Data, batch: int, plan: Plan, keys: Sequence[Key]) -> Rule:
        """Return the ridge estimate V^-1 sum x r and the self-normalised radius."""
        # beta = sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta))) + sqrt(lambda) S
        log_det = log_det_ratio(data.factor, self.penalty)
        beta = self_normalized(
            log_det, noise=self.noise, delta=self.delta, penalty=self.penalty, norm_bound=self.norm_bound
        )
        return Rule(theta=solve(data.factor, data.cross), radius=beta, V=data.V, factor=data.factor)

    def score(self, rule: Rule, eta: FloatArray, norm: FloatArray) -> FloatArray:
        """Return <a, theta> + beta ||a||_{V^-1}, where eta = <a, theta> and norm = ||a||_{V^-1}."""
        return np.asarray(eta + rule.radius[:, None] * norm)

    def lipschitz(self) -> float:
        """Return how much the score can grow with eta."""
        return 1.0
