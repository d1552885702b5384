"""UCB1 (Auer, Cesa-Bianchi and Fischer, Machine Learning 47, 2002): the upper confidence bound for K arms.

A reference that is NOT replicable: two runs with independent rewards part within a few rounds, almost always.  It is
the negative control of audits, and what RepUCB is compared with.

Guarantee, for rewards in [0, 1] with noise = 1/2 (their Theorem 1), with gaps Delta_a:
    E[regret] <= sum_{a: Delta_a > 0} 8 log(T) / Delta_a + (1 + pi^2/3) sum_a Delta_a.

Departure
* sigma sqrt(8 log t / n) for sigma-sub-Gaussian rewards; with sigma = 1/2 it is the original sqrt(2 log t / n).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.actions import Finite, arm_count
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.policies.base import Pull
from replibandit.policies.every_round import log_round, no_round, one_round, plus
from replibandit.rewards import reward_exponent, total_values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UCB1State:
    """Pulls and sums of rewards of each lane and arm; `rounds` played so far, the same in every lane."""

    rounds: int
    pulls: FloatArray
    sums: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class UCB1:
    """Play the arm with the largest mean + sigma sqrt(8 log t / n), the lowest of those that tie.

    `noise` is the sub-Gaussian parameter of the rewards: 1/2 for rewards in [0, 1].
    """

    horizon: int
    noise: float = 0.5

    def __post_init__(self) -> None:
        checks.positive_integer("horizon", self.horizon)
        checks.positive("noise", self.noise)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def init(self, actions: int | Finite, keys: Sequence[Key]) -> UCB1State:
        """Start with no pulls; `actions` is the number of arms, and the keys are not used."""
        arms = arm_count(actions)
        if arms > self.horizon:
            raise InvalidInput(f"horizon is {self.horizon} with {arms} arms; UCB1 plays each arm at least once.")
        return UCB1State(rounds=0, pulls=np.zeros((len(keys), arms)), sums=np.zeros((len(keys), arms)))

    def choose(self, state: UCB1State) -> Pull:
        """Play every arm once, then the arm with the largest index."""
        (lanes, count), t = state.pulls.shape, state.rounds
        if t >= self.horizon:
            return no_round(lanes)
        if t < count:
            return one_round(np.full(lanes, t, dtype=np.int64))
        # mean + sigma sqrt(8 log t / n), t the number of rounds played.  log t is transcendental, so two indices are
        # equal only if both means and both n are: then their bits are, too, and no rounding of the index is needed.
        index = state.sums / state.pulls + self.noise * np.sqrt(8.0 * log_round(t) / state.pulls)
        return one_round(np.argmax(index, axis=-1))

    def update(self, state: UCB1State, pull: Pull, totals: IntArray) -> UCB1State:
        """Take in one reward of each lane."""
        if state.rounds >= self.horizon:
            return state
        rewards = total_values(totals, self.reward_exponent())
        return UCB1State(
            rounds=state.rounds + 1, pulls=plus(state.pulls, pull.arms, 1.0), sums=plus(state.sums, pull.arms, rewards)
        )
