"""EliminateInPhases: successive elimination at random thresholds, in the manner of Komiyama, Ito, Yoshida and Koshino
("Replicability is Asymptotically Free in Multi-armed Bandits", 2024), whose full text was not at hand.

Not their RSE or RLSE: their constants are not public knowledge, and those here are ours.  What it has from them are
phases, shared random thresholds whose width falls with the phase, and a price of replicability that is paid beside
log T and not times log T.

Guarantee, for independent sigma-sub-Gaussian rewards:
    P(two runs with one seed choose the same action in every round) >= 1 - rho.
After phase p = 1, 2, ... the mean of each action left is known as from N_p = 4^(p-1) pulls, and with
    s_p = 2 sigma sqrt(2 log(2 K P T)/N_p),    P phases at most,
    B_p = 3 sqrt(2) K sigma (1 + sqrt(2 log(2K)))/(rho sqrt(N_p)),    A_p = max(2 s_p, B_p),
an action is dropped if it trails by more than A_p + U_p B_p, U_p being uniform on (0, 1) and shared.  When a phase does
not fit, the actions left are played equally often to the end.

Proof.  All means are within s_p/2 of the truth but with probability 1/T in a run; then the best action stays, and an
action whose gap Delta is not in [A_p - s_p, A_p + B_p + s_p] is judged alike by both runs.  The ends of this interval
have a ratio of 5 at most and fall by 2 in a phase, so that an action is in doubt in 3 phases at most.  There the chance
of U_p between the two runs' values is at most
    E|gap - gap'|/B_p <= sqrt(2) sigma (1 + sqrt(2 log(2K)))/(B_p sqrt(N_p)) = rho/(3 K).
The sum over K - 1 actions is at most rho (K - 1)/K, and 2/T <= rho/K is left for the rest: T >= 2K/rho is required.

Arms are estimated from all of their pulls.  Vectors are estimated by least squares from the phase alone: a nearly
G-optimal design for those left has so many pulls that ||a||^2 <= 1/N_p in the norm of V_p^-1.

Randomness, by name (public, see key.py): Key(seed).child("phase", p).uniform(1) is U_p.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.actions import Finite
from replibandit.arithmetic import log
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.key import Key, uniforms
from replibandit.policies import phases
from replibandit.policies.base import Pull
from replibandit.policies.elimination import (
    APPROXIMATION,
    all_left,
    design_estimates,
    design_pulls,
    equal_pulls,
    orders,
    per_phase,
)
from replibandit.policies.geometric import Settings
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.rewards import reward_exponent

DOUBTS = 3  # phases in which an action may be in doubt


@dataclass(frozen=True, slots=True, kw_only=True)
class EliminateInPhases:
    """Drop the actions that trail by more than a random threshold; `noise` is 1/2 for rewards in [0, 1]."""

    horizon: int
    rho: float
    noise: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "horizon", checks.horizon(self.horizon))
        object.__setattr__(self, "rho", checks.probability("rho", self.rho))
        object.__setattr__(self, "noise", checks.positive("noise", self.noise))

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def prepare(self, vectors: FloatArray) -> tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]:
        """Return the pulls of each phase (of each arm, or the N of the designs), A_p and B_p."""
        K, dim = vectors.shape
        if self.horizon * self.rho < 2 * K:
            raise InvalidInput(
                f"horizon is {self.horizon} and rho is {self.rho} with {K} actions; EliminateInPhases needs "
                f"horizon >= 2K/rho = {2 * K / self.rho:.6g}. Raise the horizon or rho."
            )
        counts = phase_counts(self.horizon)
        spread = 1.0 + math.sqrt(2.0 * log(2.0 * K))
        # B_p = 3 sqrt(2) K sigma (1 + sqrt(2 log(2K))) / (rho sqrt(N_p))
        widths = tuple(DOUBTS * math.sqrt(2.0) * K * self.noise * spread / (self.rho * math.sqrt(n)) for n in counts)
        least = thresholds(self, K, counts, widths)
        if dim == 0:
            return (1, *(3 * n for n in counts[:-1])), least, widths
        # ||a||^2 <= g(pi)/N
        return tuple(math.ceil(APPROXIMATION * dim * n) for n in counts), least, widths

    def init(self, actions: int | Finite | FloatArray, keys: Sequence[Key]) -> PhasedState:
        """Begin with all actions; `actions` is the number of arms, or vectors."""
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        """Play the next action of the phase."""
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in the rewards; at the end of a phase, drop actions."""
        return phases.update(self, state, pull, totals)

    def decide(self, evidence: Evidence) -> Orders:
        """Drop the actions that trail by more than A_p + U_p B_p."""
        pulls, least, widths = evidence.prepared
        arms, active = evidence.vectors.shape[1] == 0, evidence.active
        exponent = self.reward_exponent()
        estimated = evidence.means(exponent) if arms else design_estimates(pulls, evidence, exponent)
        if evidence.phase.any():
            threshold = drawn(evidence, least, widths)
            largest = np.where(active, estimated, -np.inf).max(axis=1, keepdims=True)
            active = active & ~(largest - estimated > threshold)
        times = equal_pulls(pulls, active, evidence, self.horizon) if arms else design_pulls(pulls, active, evidence)
        rest = all_left(evidence, active, self.horizon)
        return orders(evidence, self.horizon, active=active, times=times, rest=rest)


def phase_counts(horizon: int) -> tuple[int, ...]:
    """Return N_p = 4^(p-1) for the phases that can end before the horizon."""
    return tuple(4**p for p in range(horizon.bit_length()) if 4**p < horizon)


def thresholds(spec: Settings, actions: int, counts: Sequence[int], widths: Sequence[float]) -> tuple[float, ...]:
    """Return A_p = max(2 s_p, B_p)."""
    # s_p = 2 sigma sqrt(2 log(2 K P T)/N_p)
    tail = log(2.0 * actions * len(counts) * spec.horizon) if counts else 0.0
    errors = [2.0 * spec.noise * math.sqrt(2.0 * tail / n) for n in counts]
    return tuple(max(2.0 * s, B) for s, B in zip(errors, widths, strict=True))


def drawn(evidence: Evidence, least: Sequence[float], widths: Sequence[float]) -> FloatArray:
    """Return A_p + U_p B_p for the phase that has ended, as a column."""
    draws = uniforms(evidence.keys, [("phase", p) for p in evidence.phase.tolist()], 1)
    return np.asarray(per_phase(least, evidence) + draws * per_phase(widths, evidence))
