"""RepGLMUCB: the replicable batched UCB for generalised linear rewards (Alg. 5, Thm. `thm:repglmucb_main`).

Guarantee: P(two runs with one seed and the same action sets choose the same action in every round) >= 1 - rho, and with
probability at least 1 - delta, with beta~ the largest inflated radius and D_T = log(det V_{T+1} / det(lambda I)),
    regret <= max(1, 2 beta~) sqrt(q) sqrt(2 T D_T).
With calibration="sharp" both hold with the widths of R4 in docs/theory.md: any delta, and a finite set of rank r < d is
played in r coordinates.

Departures
* The whitening root is the Cholesky factor; actions and rewards lie on dyadic grids (docs/numerics.md).
* The parameter is sought in the ball of radius `norm_bound`, to the tolerance of estimators/newton.py.
* The paper asks for a globally Lipschitz link.  For the log link, <a, theta~> is first brought into [-L S, L S], where
  <a, theta*> lies: the error can only shrink, and k_mu = exp(L S) serves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.actions import ActionSet, Ball
from replibandit.arithmetic import Scale, exponent_above
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.likelihood import Likelihood
from replibandit.estimators.newton import solve_ball
from replibandit.key import Key
from replibandit.links import LINKS, Link
from replibandit.policies import batched
from replibandit.policies.base import Pull, Rounding
from replibandit.policies.batched import BatchedState, Data, Rule
from replibandit.policies.estimate import batch_grid, rounded_rule
from replibandit.policies.plan import Plan, check_settings, plan_of
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class RepGLMUCB:
    """Play the maximiser of mu(<a, theta~_b>) + beta~_b ||a||_{V^-1}, estimated at each batch start."""

    horizon: int
    rho: float
    delta: float
    noise: float
    link: str
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
        checks.one_of("link", self.link, LINKS)
        if not self.min_slope() > 0:
            raise InvalidInput(
                f"c_mu, the least slope of the {self.link} link for |<a, theta>| <= action_bound * norm_bound = "
                f"{self.reach():.6g}, is 0. Lower norm_bound or action_bound."
            )

    def mu(self) -> Link:
        """Return the link."""
        return LINKS[self.link]

    def reach(self) -> float:
        """Return the bound L S on |<a, theta*>|."""
        return self.action_bound * self.norm_bound

    def min_slope(self) -> float:
        """Return c_mu = inf of mu' over |eta| <= L S."""
        return self.mu().min_slope(-self.reach(), self.reach())

    def lipschitz(self) -> float:
        """Return k_mu = sup of mu' over |eta| <= L S."""
        return self.mu().lipschitz(-self.reach(), self.reach())

    @property
    def needs_rows(self) -> bool:
        """Say that an estimate needs every action played, since a GLM has no smaller sufficient statistic."""
        return True

    def plan(self, dim: int) -> Plan:
        """Return the batches and budgets for actions that span `dim` dimensions."""
        return plan_of(self, dim)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise, float(abs(self.mu().mean(np.array([-self.reach(), self.reach()]))).max()))

    def init(self, actions: ActionSet | FloatArray, keys: Sequence[Key]) -> BatchedState:
        """Begin the first batch (lines 1 to 9)."""
        if isinstance(actions, Ball):
            raise InvalidInput("a ball of actions is for RepLinUCB only; give RepGLMUCB a finite set or contexts.")
        return batched.init(self, actions, keys, own_dimension=self.calibration == "sharp")

    def choose(self, state: BatchedState) -> Pull:
        """Play the action of the batch to its end (line 10)."""
        return batched.choose(self, state)

    def update(self, state: BatchedState, pull: Pull, totals: IntArray) -> BatchedState:
        """Take in the rewards and begin the next batch (lines 11 to 13)."""
        return batched.update(self, state, pull, totals)

    def rounding(self, state: BatchedState) -> Rounding:
        """Return the rounding of the estimate that the batch began with."""
        return batched.rounding(state)

    def rule(self, data: Data, batch: int, plan: Plan, keys: Sequence[Key]) -> Rule:
        """Estimate by RepGLM at a batch start (lines 6 to 8)."""
        # beta_b = (sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta_b))) + sqrt(lambda) S) / min(1, c_mu)
        grid = batch_grid(self, data, batch, plan, slope=min(1.0, self.min_slope()))
        exponent = int(exponent_above(np.array(self.action_bound)))
        scale = Scale(features=(exponent,) * data.V.shape[-1], response=0)
        likelihood = Likelihood(
            X=data.vectors, scale=scale, counts=data.counts, target=data.cross, factor=data.factor, link=self.mu()
        )
        raw = solve_ball(likelihood, np.full(len(keys), self.penalty), grid.unit, self.norm_bound).theta
        # beta~_b = k_mu beta_b (1 + d / (rho_b - 2 delta_b))
        return rounded_rule(data, raw, grid, batch, keys, lipschitz=self.lipschitz())

    def score(self, rule: Rule, eta: FloatArray, norm: FloatArray) -> FloatArray:
        """Return mu(<a, theta~>) + beta~ ||a||_{V^-1} (line 10), where eta = <a, theta~> and norm = ||a||_{V^-1}."""
        if np.isinf(self.mu().peak):  # departure: mu is not Lipschitz on the whole line
            eta = np.clip(eta, -self.reach(), self.reach())
        return np.asarray(self.mu().mean(eta) + rule.radius[:, None] * norm)
