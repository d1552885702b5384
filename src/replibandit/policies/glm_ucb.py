"""GLMUCB: optimism for generalised linear rewards (GLM-UCB: Filippi, Cappe, Garivier and Szepesvari, NIPS 2010).

A reference that is NOT replicable: two runs with independent rewards part within a few rounds, almost always.  It is
the negative control of audits, and what RepGLMUCB is compared with: the same engine, no rounding, an estimate in every
round.  Newton's iteration in every round is slow: milliseconds a round.

Guarantee: with probability at least 1 - delta, with beta the largest radius and D_T = log(det V_{T+1} / det(lambda I)),
    regret <= 2 max(k_mu L S, beta) sqrt(2 T D_T).

Departures
* The estimate is the penalised maximiser of the quasi-likelihood in the ball of radius `norm_bound`; the original
  takes no penalty, begins with d given actions, and projects onto the ball in the norm of the score.
* The radius is the self-normalised one (Abbasi-Yadkori, Pal and Szepesvari 2011) times k_mu/min(1, c_mu), as in
  RepGLMUCB; the original grows like sqrt(d log t log(d T/delta)) with larger constants.
* For the log link, <a, theta> is first brought into [-L S, L S], as in RepGLMUCB.
* Actions and rewards lie on dyadic grids (docs/numerics.md).
* An action so short that it leaves the determinant as it was to double precision, such as 0, may stand for several
  rounds, or for ever: nothing is learned from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.actions import ActionSet, Ball
from replibandit.arithmetic import Scale, exponent_above, log_det_ratio
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.likelihood import Likelihood
from replibandit.estimators.newton import solve_ball
from replibandit.key import Key
from replibandit.links import LINKS, Link
from replibandit.policies import batched
from replibandit.policies.base import Pull
from replibandit.policies.batched import BatchedState, Data, Rule
from replibandit.policies.every_round import as_batched, every_round_plan
from replibandit.policies.plan import Plan
from replibandit.radius import self_normalized
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class GLMUCB:
    """Play the maximiser of mu(<a, theta>) + beta ||a||_{V^-1}, with theta the estimate of all rounds so far."""

    horizon: int
    delta: float
    noise: float
    link: str
    penalty: float = 1.0
    norm_bound: float = 1.0
    action_bound: float = 1.0

    def __post_init__(self) -> None:
        checks.positive_integer("horizon", self.horizon)
        checks.probability("delta", self.delta)
        for name in ("noise", "penalty", "norm_bound", "action_bound"):
            checks.positive(name, getattr(self, name))
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
        """Return batches of one round."""
        return every_round_plan(self.horizon)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise, float(abs(self.mu().mean(np.array([-self.reach(), self.reach()]))).max()))

    def init(self, actions: ActionSet | FloatArray, keys: Sequence[Key]) -> BatchedState:
        """Estimate on no data; the keys are not used."""
        if isinstance(actions, Ball):
            raise InvalidInput("a ball of actions is for LinUCB only; give GLMUCB a finite set or contexts.")
        return batched.init(as_batched(self), actions, keys)

    def choose(self, state: BatchedState) -> Pull:
        """Play the action with the largest score."""
        return batched.choose(as_batched(self), state)

    def update(self, state: BatchedState, pull: Pull, totals: IntArray) -> BatchedState:
        """Take in the reward and estimate again."""
        return batched.update(as_batched(self), state, pull, totals)

    def rule(self, data: Data, batch: int, plan: Plan, keys: Sequence[Key]) -> Rule:
        """Return the maximiser of the quasi-likelihood and its radius."""
        log_det = log_det_ratio(data.factor, self.penalty)
        unit = self_normalized(
            log_det, noise=self.noise, delta=self.delta, penalty=self.penalty, norm_bound=self.norm_bound
        )
        exponent = int(exponent_above(np.array(self.action_bound)))
        scale = Scale(features=(exponent,) * data.V.shape[-1], response=0)
        likelihood = Likelihood(
            X=data.vectors, scale=scale, counts=data.counts, target=data.cross, factor=data.factor, link=self.mu()
        )
        theta = solve_ball(likelihood, np.full(len(keys), self.penalty), unit, self.norm_bound).theta
        # k_mu (sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta))) + sqrt(lambda) S) / min(1, c_mu)
        beta = self.lipschitz() * unit / min(1.0, self.min_slope())
        return Rule(theta=theta, radius=beta, V=data.V, factor=data.factor)

    def score(self, rule: Rule, eta: FloatArray, norm: FloatArray) -> FloatArray:
        """Return mu(<a, theta>) + beta ||a||_{V^-1}, where eta = <a, theta> and norm = ||a||_{V^-1}."""
        if np.isinf(self.mu().peak):  # departure: mu is not Lipschitz on the whole line
            eta = np.clip(eta, -self.reach(), self.reach())
        return np.asarray(self.mu().mean(eta) + rule.radius[:, None] * norm)
