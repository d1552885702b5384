"""RepUCB: the replicable upper confidence bound for K arms (Alg. 1, Thm. `thm:repubc-main`).

Guarantee: P(two runs with one seed choose the same arm in every round) >= 1 - rho, and with gaps Delta_a
    E[regret] <= sum_a Delta_a + 18 C_ME log(1/delta_1) / (rho_1 - delta_1)^2 sum_a 1/Delta_a + 1/2.

Departures
* C_ME is explicit (`calibration.mean_constant`), for sigma-sub-Gaussian rewards; [0, 1] is sigma = 1/2.
* delta_1 <= rho_1/4 is required, T >= 2/rho: the paper's delta_1 <= rho_1/2 does not give the oracle rho_1 > 2 delta_1.
* After the last round nothing is estimated: no decision follows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from replibandit import checks
from replibandit.actions import Finite
from replibandit.arithmetic import add, log, to_float
from replibandit.arithmetic.wide import LIMBS
from replibandit.arrays import FloatArray, IntArray
from replibandit.calibration import CALIBRATIONS, mean_constant
from replibandit.errors import InvalidInput
from replibandit.grid import cell_of, midpoint
from replibandit.key import Key, uniforms
from replibandit.policies.base import Pull, Rounding, best
from replibandit.rewards import REWARD_BITS, reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RepUCBState:
    """Counts, exact sums and indices of each lane and arm; `rounds` played so far; `first` is tau(1).

    `last` is the arm of each lane that was estimated last, -1 before the first.
    """

    first: float
    keys: tuple[Key, ...]
    rounds: IntArray
    pulls: IntArray
    sums: IntArray
    index: FloatArray
    last: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class RepUCB:
    """Play the arm with the largest index for as many rounds as it has been played already.

    `noise` is the sub-Gaussian parameter of the rewards: 1/2 for rewards in [0, 1].
    """

    horizon: int
    rho: float
    noise: float = 0.5
    calibration: str = "paper"

    def __post_init__(self) -> None:
        object.__setattr__(self, "horizon", checks.horizon(self.horizon))
        object.__setattr__(self, "rho", checks.probability("rho", self.rho))
        object.__setattr__(self, "noise", checks.positive("noise", self.noise))
        checks.one_of("calibration", self.calibration, CALIBRATIONS)
        if self.horizon * self.rho < 2:
            raise InvalidInput(
                f"horizon is {self.horizon} and rho is {self.rho}; RepUCB needs horizon >= 2/rho = "
                f"{2 / self.rho:.6g}. Raise the horizon or rho."
            )

    def calls(self, arms: int) -> int:
        """Return M, the number of RepMean calls that the budget is shared among."""
        # M = K (1 + ceil(log2 T))
        return arms * (1 + (self.horizon - 1).bit_length())

    def budgets(self, arms: int) -> tuple[float, float]:
        """Return (rho_1, delta_1), the budgets of one call."""
        # rho_1 = rho / M, delta_1 = 1 / (2 M T)
        calls = self.calls(arms)
        return self.rho / calls, 1.0 / (2.0 * calls * self.horizon)

    def radius(self, pulls: IntArray, arms: int) -> FloatArray:
        """Return tau(n) = sqrt(C_ME log(1/delta_1) / (n (rho_1 - delta_1)^2)) = tau(1) / sqrt(n)."""
        return np.asarray(self._first(arms) / np.sqrt(pulls))

    def _first(self, arms: int) -> float:
        rho, delta = self.budgets(arms)
        constant = mean_constant(rho=rho, delta=delta, noise=self.noise)
        return math.sqrt(constant * log(1.0 / delta)) / (rho - delta)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def init(self, actions: int | Finite, keys: Sequence[Key]) -> RepUCBState:
        """Start with no pulls; `actions` is the number of arms."""
        arms = len(actions.vectors) if isinstance(actions, Finite) else checks.positive_integer("arms", actions)
        if arms > self.horizon:
            raise InvalidInput(f"horizon is {self.horizon} with {arms} arms; RepUCB plays each arm at least once.")
        shape = (len(keys), arms)
        return RepUCBState(
            first=self._first(arms),
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
        # line 10: B = min(N_a, T - t + 1)
        times = np.minimum(np.maximum(pulls, 1), self.horizon - state.rounds)
        return Pull(arms=np.where(times > 0, arms, -1), times=times, vectors=np.zeros((len(arms), 0)))

    def update(self, state: RepUCBState, pull: Pull, totals: IntArray) -> RepUCBState:
        """Estimate the mean of the arm that was played (lines 15 to 18)."""
        lanes = np.flatnonzero(pull.times > 0)
        arms = pull.arms[lanes]
        pulls, sums, index, last = state.pulls.copy(), state.sums.copy(), state.index.copy(), state.last.copy()
        pulls[lanes, arms] += pull.times[lanes]
        sums[:, lanes, arms] = add(sums[:, lanes, arms], totals[:, lanes])
        last[lanes] = arms
        state = replace(state, rounds=state.rounds + pull.times, pulls=pulls, sums=sums, last=last)
        index[lanes, arms] = self._index(state, lanes)
        return replace(state, index=index)

    def rounding(self, state: RepUCBState) -> Rounding:
        """Return the rounding of the mean that each lane has estimated last."""
        lanes = np.arange(len(state.keys))
        mean, pulls, names = self._estimated(state, lanes)
        estimated = state.last >= 0
        width = np.where(estimated, self._width(state, pulls), 0.0)
        return Rounding(names=names, z=np.where(estimated, mean, 0.0)[:, None], width=width)

    def _index(self, state: RepUCBState, lanes: IntArray) -> FloatArray:
        """Return U_a = RepMean + 2 tau(N_a) of the arms estimated last."""
        mean, pulls, names = self._estimated(state, lanes)
        width = self._width(state, pulls)
        draws = uniforms([state.keys[lane] for lane in lanes], names, 1)[:, 0]
        shift = width * draws
        rep_mean = midpoint(cell_of(mean, width=width, shift=shift), width=width, shift=shift)
        return np.asarray(rep_mean + 2.0 * state.first / np.sqrt(pulls))

    def _width(self, state: RepUCBState, pulls: IntArray) -> FloatArray:
        """Return the width of the random-offset query: prior work of the paper."""
        rho, delta = self.budgets(state.pulls.shape[1])
        # width = 2 tau / (1 + rho_1 - 2 delta_1)
        return np.asarray(2.0 * (state.first / np.sqrt(pulls)) / (1.0 + rho - 2.0 * delta))

    def _estimated(
        self, state: RepUCBState, lanes: IntArray
    ) -> tuple[FloatArray, IntArray, tuple[tuple[str | int, ...], ...]]:
        """Return the mean and the pulls of the arm that each lane has estimated last, and the name of its shift."""
        arms = state.last[lanes]
        pulls = np.maximum(state.pulls[lanes, arms], 1)
        mean = to_float(state.sums[:, lanes, arms], self.reward_exponent() - REWARD_BITS) / pulls
        names = tuple(("arm", arm, "pulls", n) for arm, n in zip(arms.tolist(), pulls.tolist(), strict=True))
        return mean, pulls, names
