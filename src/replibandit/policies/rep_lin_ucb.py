"""RepLinUCB: the replicable batched linear UCB (Alg. 3, Thm. `thm:replinucb_main`).

Guarantee: P(two runs with one seed and the same action sets choose the same action in every round) >= 1 - rho, and with
probability at least 1 - delta, with beta~ the largest inflated radius and D_T = log(det V_{T+1} / det(lambda I)),
    regret <= max(1, 2 beta~) sqrt(q) sqrt(2 T D_T).
With calibration="sharp" both hold with the widths of R2 in docs/theory.md: any delta, and a finite set of rank r < d is
played in r coordinates.

Departures
* The whitening root is the Cholesky factor (estimators/whitening.py).
* Actions and rewards lie on dyadic grids, and V and sum x r are exact (docs/numerics.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replibandit.actions import ActionSet
from replibandit.arithmetic import solve
from replibandit.arrays import FloatArray, IntArray
from replibandit.key import Key
from replibandit.policies import batched
from replibandit.policies.base import Pull, Rounding
from replibandit.policies.batched import BatchedState, Data, Rule
from replibandit.policies.estimate import batch_grid, rounded_rule
from replibandit.policies.plan import Plan, check_settings, plan_of
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class RepLinUCB:
    """Play the maximiser of <a, theta~_b> + beta~_b ||a||_{V^-1}, estimated replicably at the start of each batch."""

    horizon: int
    rho: float
    delta: float
    noise: float
    penalty: float = 1.0
    norm_bound: float = 1.0
    action_bound: float = 1.0
    calibration: str = "paper"
    batches: int | None = None
    growth: float | None = None
    budgets: tuple[float, ...] | str | None = None
    delta_budgets: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def needs_rows(self) -> bool:
        """Say that V and sum x r are all that an estimate needs."""
        return False

    def plan(self, dim: int) -> Plan:
        """Return the batches and budgets for actions that span `dim` dimensions."""
        return plan_of(self, dim)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise, self.norm_bound * self.action_bound)

    def init(self, actions: ActionSet | FloatArray, keys: Sequence[Key]) -> BatchedState:
        """Begin the first batch (lines 1 to 8)."""
        return batched.init(self, actions, keys, own_dimension=self.calibration == "sharp")

    def choose(self, state: BatchedState) -> Pull:
        """Play the action of the batch to its end (line 9)."""
        return batched.choose(self, state)

    def update(self, state: BatchedState, pull: Pull, totals: IntArray) -> BatchedState:
        """Take in the rewards and begin the next batch (lines 10 to 12)."""
        return batched.update(self, state, pull, totals)

    def rounding(self, state: BatchedState) -> Rounding:
        """Return the rounding of the estimate that the batch began with."""
        return batched.rounding(state)

    def rule(self, data: Data, batch: int, plan: Plan, keys: Sequence[Key]) -> Rule:
        """Estimate by RepRidge at a batch start (lines 5 to 7)."""
        raw = solve(data.factor, data.cross)
        return rounded_rule(data, raw, batch_grid(self, data, batch, plan), batch, keys)

    def score(self, rule: Rule, eta: FloatArray, norm: FloatArray) -> FloatArray:
        """Return <a, theta~> + beta~ ||a||_{V^-1} (line 9), where eta = <a, theta~> and norm = ||a||_{V^-1}."""
        return np.asarray(eta + rule.radius[:, None] * norm)

    def lipschitz(self) -> float:
        """Return how much the score can grow with eta."""
        return 1.0
