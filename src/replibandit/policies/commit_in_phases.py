"""CommitInPhases: explore, then commit at a random threshold, in the manner of Komiyama, Ito, Yoshida and Koshino
("Replicability is Asymptotically Free in Multi-armed Bandits", 2024), whose full text was not at hand.

Not their REC: its constants are not public knowledge, and those here are ours.  It differs from `EliminateInPhases` in
that a phase has one decision, and not one for each arm: the thresholds lack the factor K, and no arm is dropped.

Guarantee, for independent sigma-sub-Gaussian rewards:
    P(two runs with one seed choose the same arm in every round) >= 1 - rho.
After phase p = 1, 2, ... each arm has been pulled N_p = 4^(p-1) times, and with
    s_p = 2 sigma sqrt(2 log(2 K P T)/N_p),    P phases at most,
    B_p = 6 sqrt(2) sigma sqrt(2 log(2K))/((rho - 2/T) sqrt(N_p)),    A_p = max(2 s_p, B_p),
a run commits to the leader if it leads by more than A_p + U_p B_p, U_p being uniform on (0, 1) and shared.  When a
phase does not fit, all arms are played equally often to the end.

Proof: as for `EliminateInPhases`, with the lead in the place of a gap.  It is within s_p of the lead of the true means,
and when it exceeds 2 s_p the leader is the best arm; it is in doubt in 3 phases at most; in two runs it differs by at
most twice the largest difference of a mean, 2 sqrt(2) sigma sqrt(2 log(2K))/sqrt(N_p) in expectation.

Randomness, by name (public, see key.py): Key(seed).child("phase", p).uniform(1) is U_p.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replibandit.actions import Finite
from replibandit.arithmetic import log
from replibandit.arrays import FloatArray, IntArray
from replibandit.key import Key
from replibandit.policies import geometric, phases
from replibandit.policies.base import Pull, best
from replibandit.policies.eliminate_in_phases import DOUBTS, drawn, phase_counts, thresholds
from replibandit.policies.elimination import all_left, equal_pulls, orders
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitInPhases:
    """Pull all arms equally often until one leads by more than a random threshold, then play it to the end.

    `noise` is the sub-Gaussian parameter of the rewards: 1/2 for rewards in [0, 1].
    """

    horizon: int
    rho: float
    noise: float = 0.5

    def __post_init__(self) -> None:
        geometric.check_settings(self, least=4)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def prepare(self, vectors: FloatArray) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return A_p and B_p."""
        K, counts = len(vectors), phase_counts(self.horizon)
        # B_p = 6 sqrt(2) sigma sqrt(2 log(2K)) / ((rho - 2/T) sqrt(N_p))
        size = 2.0 * DOUBTS * math.sqrt(2.0) * self.noise * math.sqrt(2.0 * log(2.0 * K))
        widths = tuple(size / ((self.rho - 2.0 / self.horizon) * math.sqrt(n)) for n in counts)
        return thresholds(self, K, counts, widths), widths

    def init(self, actions: int | Finite, keys: Sequence[Key]) -> PhasedState:
        """Begin to explore; `actions` is the number of arms."""
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        """Play the next arm of the phase."""
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in the rewards; at the end of a phase, commit or explore on."""
        return phases.update(self, state, pull, totals)

    def decide(self, evidence: Evidence) -> Orders:
        """Commit to the leader if it leads by more than A_p + U_p B_p."""
        counts, means, active = phase_counts(self.horizon), evidence.means(self.reward_exponent()), evidence.active
        if evidence.phase.any():
            leads = np.arange(means.shape[1]) == best(means)[:, None]
            second = np.where(leads, -np.inf, means).max(axis=1, keepdims=True)
            clear = means.max(axis=1, keepdims=True) - second > drawn(evidence, *evidence.prepared)
            active = np.where(clear, leads, active)
        pulls = (1, *(3 * n for n in counts[:-1]))
        times = equal_pulls(pulls, active, evidence, self.horizon)
        rest = all_left(evidence, active, self.horizon)
        return orders(evidence, self.horizon, active=active, times=times, rest=rest)
