"""EsfandiariThreshold: batched elimination at random thresholds (Esfandiari et al., "Replicable Bandits", 2023; their
Algorithm 2, Theorem 4).

Guarantee: P(two runs with one seed choose the same arm in every round) >= 1 - rho, and with a universal constant C
    E[regret] <= C K^2/rho^2 sum_a (Delta_a + log(K T log T)/Delta_a).
In batch i each arm left is pulled beta floor(q^i) times, q = T^(1/B), so that c~_i = beta c_i pulls have been made of
it, c_i = floor(q) + ... + floor(q^i).  With U~_i = sqrt(2 log(2 K T B)/c~_i), U_i = sqrt(2 log(2 K T B)/c_i) and Ubar_i
uniform on [U_i/2, U_i], an arm is dropped if
    mean_a + U~_i < max mean - Ubar_i.
When a batch does not fit, the first arm left is played to the end.

What the source leaves open, and departures
* B = ceil(log T); its text has B = log T, which is no whole number.
* U_i and U~_i are for rewards in [0, 1], and multiplied by 2 sigma for sigma-sub-Gaussian ones.
* beta = floor(max(K^2/rho^2, 2304)) where it can be shown to give rho, else more (`geometric.ratio`, with the proof).
* In the last batch the first arm left is played.  The record has the one of the largest mean, which is not replicable:
  where two best arms tie neither is dropped, and the larger mean is another one in half of all pairs of runs.
* T >= 2/rho is required.

Randomness, by name (public, see key.py): Key(seed).child("phase", i).uniform(1) is (Ubar_i - U_i/2)/(U_i/2), after
batch i = 1, 2, ...
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from replibandit.actions import Finite
from replibandit.arithmetic import log
from replibandit.arrays import FloatArray, IntArray
from replibandit.key import Key
from replibandit.policies import geometric, phases
from replibandit.policies.base import Pull
from replibandit.policies.elimination import equal_pulls, first_left, left_by_threshold, orders
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class EsfandiariThreshold:
    """Drop arms that trail by more than a random threshold; `noise` is 1/2 for rewards in [0, 1]."""

    horizon: int
    rho: float
    noise: float = 0.5

    def __post_init__(self) -> None:
        geometric.check_settings(self)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def ratio(self, arms: int) -> int:
        """Return beta."""
        # E|gap - gap'| <= sqrt(2) sigma (1 + sqrt(2 log(2K)))/sqrt(c~_i), over U_i/2 = sigma sqrt(2 log(2 K T B)/c_i)
        spread = 1.0 / math.sqrt(self._tail(arms))
        counts = geometric.totals(geometric.batch_lengths(self.horizon))
        # |mean - mu| > U~_i with probability at most 2 (2 K T B)^-4: for all, in two runs, T^-4 at most
        return geometric.ratio(self, arms=arms, counts=counts, spread=spread, reserve=float(self.horizon) ** -4)

    def prepare(self, vectors: FloatArray) -> tuple[int, tuple[float, ...], tuple[float, ...]]:
        """Return beta, and U~_i and U_i for each batch."""
        beta, tail = self.ratio(len(vectors)), self._tail(len(vectors))
        counts = geometric.totals(geometric.batch_lengths(self.horizon))
        # 2 sigma sqrt(2 log(2 K T B)/c)
        narrow = tuple(2.0 * self.noise * math.sqrt(2.0 * tail / (beta * c)) for c in counts)
        wide = tuple(2.0 * self.noise * math.sqrt(2.0 * tail / c) for c in counts)
        return beta, narrow, wide

    def _tail(self, arms: int) -> float:
        return log(2.0 * arms * self.horizon * geometric.batch_count(self.horizon))

    def init(self, actions: int | Finite, keys: Sequence[Key]) -> PhasedState:
        """Begin with all arms; `actions` is their number."""
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        """Play the next arm of the batch."""
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in the rewards; at the end of a batch, drop arms."""
        return phases.update(self, state, pull, totals)

    def decide(self, evidence: Evidence) -> Orders:
        """Drop the arms whose mean trails by more than the threshold."""
        beta, narrow, wide = evidence.prepared
        means = evidence.means(self.reward_exponent())
        # Ubar_i ~ Unif([U_i/2, U_i])
        active = left_by_threshold(evidence, means, narrow=narrow, wide=wide)
        lengths = [beta * n for n in geometric.batch_lengths(self.horizon)]
        times = equal_pulls(lengths, active, evidence, self.horizon)
        # departure: the first one left
        rest = first_left(active, self.horizon)
        return orders(evidence, self.horizon, active=active, times=times, rest=rest)
