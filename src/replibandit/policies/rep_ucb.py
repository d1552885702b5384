"""RepUCB: the replicable upper confidence bound for K arms (Alg. 1, Thm. `thm:repubc-main`).

Guarantee: P(two runs with one seed choose the same arm in every round) >= 1 - rho, and with gaps Delta_a
    E[regret] <= sum_a Delta_a + 18 C_ME log(1/delta_1) / (rho_1 - delta_1)^2 sum_a 1/Delta_a + 1/2.
With calibration="sharp" it is R3 of docs/theory.md: other counts, widths and radii (`schedule.py`), the same algorithm.

Departures
* C_ME is explicit (`calibration.mean_constant`), for sigma-sub-Gaussian rewards; [0, 1] is sigma = 1/2.
* delta_1 <= rho_1/4 is required, T >= 2/rho: the paper's delta_1 <= rho_1/2 does not give the oracle rho_1 > 2 delta_1.
* After the last round nothing is estimated: no decision follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from replibandit.actions import Finite, arm_count
from replibandit.arithmetic import add, to_float
from replibandit.arithmetic.wide import LIMBS
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.grid import cell_of, midpoint
from replibandit.key import Key, uniforms
from replibandit.policies.base import Pull, Rounding, best
from replibandit.policies.schedule import Schedule, check_settings, schedule_of
from replibandit.rewards import REWARD_BITS, reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RepUCBState:
    """Counts, exact sums and indices of each lane and arm; `rounds` played so far.

    `last` is the arm of each lane that was estimated last, -1 before the first.
    """

    schedule: Schedule
    keys: tuple[Key, ...]
    rounds: IntArray
    pulls: IntArray
    sums: IntArray
    index: FloatArray
    last: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class RepUCB:
    """Play the arm with the largest index for as many rounds as it has been played already.

    `noise` is the sub-Gaussian parameter of the rewards: 1/2 for rewards in [0, 1].  In a sharp calibration counts grow
    by `growth` (8), `budgets` share rho among them ("uniform", "geometric", "mixed", or numbers), and nothing is
    estimated before it can tell apart means that differ by `spread` (2 noise: 1 for rewards in [0, 1]).
    """

    horizon: int
    rho: float
    noise: float = 0.5
    calibration: str = "paper"
    growth: float | None = None
    budgets: tuple[float, ...] | str | None = None
    spread: float | None = None

    def __post_init__(self) -> None:
        check_settings(self)

    def schedule(self, arms: int) -> Schedule:
        """Return at which counts an arm is estimated, and how."""
        return schedule_of(self, arms)

    def calls(self, arms: int) -> int:
        """Return M, the number of estimates that the budget is shared among."""
        return self.schedule(arms).calls

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def init(self, actions: int | Finite, keys: Sequence[Key]) -> RepUCBState:
        """Start with no pulls; `actions` is the number of arms."""
        arms = arm_count(actions)
        if arms > self.horizon:
            raise InvalidInput(f"horizon is {self.horizon} with {arms} arms; RepUCB plays each arm at least once.")
        shape = (len(keys), arms)
        return RepUCBState(
            schedule=self.schedule(arms),
            keys=tuple(keys),
            rounds=np.zeros(len(keys), dtype=np.int64),
            pulls=np.zeros(shape, dtype=np.int64),
            sums=np.zeros((LIMBS, *shape), dtype=np.int64),
            index=np.full(shape, np.inf),
            last=np.full(len(keys), -1),
        )

    def choose(self, state: RepUCBState) -> Pull:
        """Play every arm once, then the arm with the largest index for as long as it has been played."""
        arms = best(state.index)  # line 9; an arm not yet played has index infinity: lines 2 to 7
        pulls = np.take_along_axis(state.pulls, arms[:, None], axis=1)[:, 0]
        # line 10: B = min(N_a, T - t + 1), that is, up to the next count of the schedule
        counts = np.array([*state.schedule.pulls, self.horizon + 1])
        times = np.minimum(counts[np.searchsorted(counts, pulls, side="right")] - pulls, self.horizon - state.rounds)
        return Pull(arms=np.where(times > 0, arms, -1), times=times, vectors=np.zeros((len(arms), 0)))

    def update(self, state: RepUCBState, pull: Pull, totals: IntArray) -> RepUCBState:
        """Estimate the mean of the arm that was played (lines 15 to 18)."""
        lanes = np.flatnonzero(pull.times > 0)
        arms = pull.arms[lanes]
        pulls, sums, index, last = state.pulls.copy(), state.sums.copy(), state.index.copy(), state.last.copy()
        pulls[lanes, arms] += pull.times[lanes]
        sums[:, lanes, arms] = add(sums[:, lanes, arms], totals[:, lanes])
        rounds = state.rounds + pull.times
        going = rounds[lanes] < self.horizon  # departure: after the last round nothing is estimated
        lanes, arms = lanes[going], arms[going]
        last[lanes] = arms
        state = replace(state, rounds=rounds, pulls=pulls, sums=sums, last=last)
        index[lanes, arms] = self._index(state, lanes)
        return replace(state, index=index)

    def rounding(self, state: RepUCBState) -> Rounding:
        """Return the rounding of the mean that each lane has estimated last."""
        lanes = np.arange(len(state.keys))
        mean, place, names = self._estimated(state, lanes)
        estimated = state.last >= 0
        width = np.where(estimated, np.array(state.schedule.widths)[place], 0.0)
        rho = np.where(estimated, np.array(state.schedule.rho)[place], 0.0)
        return Rounding(names=names, z=np.where(estimated, mean, 0.0)[:, None], width=width, rho=rho)

    def _index(self, state: RepUCBState, lanes: IntArray) -> FloatArray:
        """Return U_a, the replicable mean and its bonus, of the arms estimated last."""
        mean, place, names = self._estimated(state, lanes)
        width, bonus = np.array(state.schedule.widths)[place], np.array(state.schedule.bonuses)[place]
        if not width.all():
            return mean  # every arm is played equally often, and no decision follows
        draws = uniforms([state.keys[lane] for lane in lanes], names, 1)[:, 0]
        shift = width * draws
        rep_mean = midpoint(cell_of(mean, width=width, shift=shift), width=width, shift=shift)
        return np.asarray(rep_mean + bonus)

    def _estimated(
        self, state: RepUCBState, lanes: IntArray
    ) -> tuple[FloatArray, IntArray, tuple[tuple[str | int, ...], ...]]:
        """Return the mean of the arm that each lane has estimated last, its place in the schedule, and its name."""
        arms = state.last[lanes]
        pulls = np.maximum(state.pulls[lanes, arms], 1)
        mean = to_float(state.sums[:, lanes, arms], self.reward_exponent() - REWARD_BITS) / pulls
        place = np.searchsorted(np.array(state.schedule.pulls), pulls, side="right") - 1
        names = tuple(("arm", arm, "pulls", n) for arm, n in zip(arms.tolist(), pulls.tolist(), strict=True))
        return mean, np.maximum(place, 0), names
