"""RepCommit: explore by a fixed design, and commit to the leader when its lead is clear (ours; explore then commit).

Guarantee, for finitely many actions and rewards that are independent and sigma-sub-Gaussian given the key:
    P(two runs with one seed choose the same action in every round) >= 1 - rho,
    P(a run commits to an action that is not a best one) <= 1/T.
Until it commits, a run knows its schedule beforehand; only one decision has to agree, and not every estimate.  So the
price of replicability is a constant over rho^2 for each action, without log T and without the number of batches.

After phase p every action has been pulled n_0 g^p times (vectors: as often as a design says), and with the level of
`levels.py`, drawn once for the whole run, the run commits to the leader as soon as
    min over a of (m(lead) - m(a)) / (sigma ||lead - a||) >= level,    ||.|| in the norm of V_p^-1.
If the horizon comes first, exploration goes on to it.  Two best actions are never told apart by noise.

Calibrations: "sharp" is proved for every sub-Gaussian noise; "gaussian" for normal rewards only, with a level that does
not depend on the number of actions.  Statements and proofs: docs/theory-decisions.md.

Randomness, by name (public, see key.py): Key(seed).child("level").uniform(2) are U and V of the level.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.actions import Finite
from replibandit.arrays import FloatArray, IntArray
from replibandit.key import Key, uniforms
from replibandit.levels import certified_level, commitment, levels
from replibandit.policies import phases
from replibandit.policies.base import Pull, best
from replibandit.policies.exploration import Exploration, estimates, exploration, leads
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.rewards import reward_exponent

CALIBRATIONS = ("sharp", "gaussian")


def check_settings(spec: Any) -> None:
    """Check the settings of `RepCommit` or `RepEliminate` at the door, and keep them as plain numbers."""
    object.__setattr__(spec, "horizon", checks.horizon(spec.horizon))
    object.__setattr__(spec, "rho", checks.probability("rho", spec.rho))
    object.__setattr__(spec, "noise", checks.positive("noise", spec.noise))
    object.__setattr__(spec, "growth", checks.factor("growth", spec.growth))
    checks.one_of("calibration", spec.calibration, CALIBRATIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepCommit:
    """Pull all actions by a fixed design until one leads clearly, then that one to the end.

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

    def prepare(self, vectors: FloatArray) -> tuple[Exploration, float]:
        """Return the design, and the least level."""
        plan = exploration(vectors)
        return plan, self.least_level(plan)

    def least_level(self, plan: Exploration) -> float:
        """Return a: levels are between a and sqrt(g) s a (`levels.py`)."""
        return certified_level(
            commitment(max(2, plan.distinct), self.calibration, variance=max(1.0, plan.variance)),
            growth=self.growth,
            rho=self.rho,
            decisions=max(1, plan.decisions(self.growth, self.horizon)),
            miss=1.0 / self.horizon,
        )

    def init(self, actions: int | Finite | FloatArray, keys: Sequence[Key]) -> PhasedState:
        """Begin to explore; `actions` is the number of arms, or vectors."""
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        """Play the next action of the schedule."""
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in the rewards; at the end of a phase, commit or explore on."""
        return phases.update(self, state, pull, totals)

    def ahead(self, state: PhasedState) -> bool:
        """Say whether the next decision is known before the rewards of the standing one."""
        return phases.ahead(self, state)

    def decide(self, evidence: Evidence) -> Orders:
        """Commit to the leader if its lead reaches the level, else pull each action g - 1 times as often again."""
        plan, least = evidence.prepared
        estimated = estimates(plan, evidence.means(self.reward_exponent()))
        leader = best(estimated)
        # G_p = min_a (m(lead) - m(a)) / (sigma ||lead - a||), where V_p = g^p V_0
        multiple = np.max(evidence.pulls // np.maximum(plan.base, 1), axis=1, initial=1)
        root = np.sqrt(multiple.astype(np.float64))
        lead = root * (leads(plan, estimated, leader).min(axis=1) / self.noise)
        draws = uniforms(evidence.keys, [("level",)] * len(evidence.keys), 2)
        commit = (evidence.phase > 0) & (lead >= levels(least, self.growth, draws))
        alone = np.arange(len(plan.base)) == leader[:, None]
        more = np.where(evidence.phase[:, None] > 0, (self.growth - 1) * evidence.pulls, plan.base)
        return Orders(
            times=np.where(commit[:, None], alone * self.horizon, more),
            active=np.where(commit[:, None], alone, evidence.active),
        )
