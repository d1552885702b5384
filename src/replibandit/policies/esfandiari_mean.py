"""EsfandiariMean: batched elimination with replicable means (Esfandiari, Kalavasis, Karbasi, Krause, Mirrokni and
Velegkas, "Replicable Bandits", 2023; their Algorithm 1, Theorem 3).

Guarantee: P(two runs with one seed choose the same arm in every round) >= 1 - rho, and with a universal constant C
    E[regret] <= C K^2 log^2(T)/rho^2 sum_a (Delta_a + log(K T log T)/Delta_a).
In batch i each arm left is pulled floor(q^i) times, q = T^(1/B); the means of all pulls so far are estimated by RepMean
with rho' = rho/(K B) and delta = 1/(2 K T B), and an arm is dropped if its estimate is below the largest by more than
2 tau_i.  When a batch does not fit, the arm of the largest estimate is played to the end.

What the source leaves open, and departures
* B = ceil(log T); its text has B = log T, which is no whole number.
* RepMean is the statistical query with its explicit constant (`estimators.mean`), for sigma-sub-Gaussian rewards.
* tau_i is what RepMean promises for the c_i pulls there are, hence of order 1/rho'.  The printed tau_i = min(1,
  sqrt(log(2 K T B)/c_i)) does not contain rho', and c_i pulls do not give it.  The cap at 1 changes nothing for rewards
  in [0, 1] where it holds, and would drop arms by the shift of the grid where it does not.
* T >= 2/rho is required, so that rho' > 2 delta.

Randomness, by name (public, see key.py): Key(seed).child("phase", i).uniform(K) are the shifts of the K means after
batch i = 1, 2, ..., over the width.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from replibandit.actions import Finite
from replibandit.arrays import FloatArray, IntArray
from replibandit.calibration import grid_width, inflated
from replibandit.grid import cell_of, midpoint
from replibandit.key import Key, uniforms
from replibandit.policies import geometric, phases
from replibandit.policies.base import Pull, Rounding
from replibandit.policies.elimination import best_left, equal_pulls, orders, per_phase
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.radius import hoeffding
from replibandit.rewards import reward_exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class EsfandiariMean:
    """Drop arms whose replicable mean trails by two tolerances; `noise` is 1/2 for rewards in [0, 1]."""

    horizon: int
    rho: float
    noise: float = 0.5

    def __post_init__(self) -> None:
        geometric.check_settings(self)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def prepare(self, vectors: FloatArray) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the width of the grid and the tolerance tau after each batch."""
        calls = len(vectors) * geometric.batch_count(self.horizon)
        rho, delta = self.rho / calls, 1.0 / (2.0 * calls * self.horizon)  # rho' = rho/(K B), delta = 1/(2 K T B)
        counts = geometric.totals(geometric.batch_lengths(self.horizon))
        radii = [hoeffding(n, noise=self.noise, delta=delta) for n in counts]
        widths = [float(grid_width(radius, dim=1, rho=rho, delta=delta)) for radius in radii]
        # tau_i = tau' + width/2
        tolerances = [float(inflated(r, width=w, dim=1)) for r, w in zip(radii, widths, strict=True)]
        return tuple(widths), tuple(tolerances)

    def init(self, actions: int | Finite, keys: Sequence[Key]) -> PhasedState:
        """Begin with all arms; `actions` is their number."""
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        """Play the next arm of the batch."""
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in the rewards; at the end of a batch, estimate and drop arms."""
        return phases.update(self, state, pull, totals)

    def rounding(self, state: PhasedState) -> Rounding:
        """Return the rounding of the means when the running batch began."""
        return phases.rounding(state)

    def decide(self, evidence: Evidence) -> Orders:
        """Drop the arms whose replicable mean is below the largest by more than 2 tau."""
        widths, tolerances = evidence.prepared
        lengths, active = geometric.batch_lengths(self.horizon), evidence.active
        z = np.where(active, evidence.means(self.reward_exponent()), 0.0)
        estimated, width = z, np.zeros((len(z), 1))
        if evidence.phase.any():
            width = per_phase(widths, evidence)
            shift = width * uniforms(evidence.keys, [("phase", i) for i in evidence.phase.tolist()], z.shape[1])
            estimated = midpoint(cell_of(z, width=width, shift=shift), width=width, shift=shift)
            largest = np.where(active, estimated, -np.inf).max(axis=1, keepdims=True)
            active = active & ~(estimated < largest - 2.0 * per_phase(tolerances, evidence))
        times = equal_pulls(lengths, active, evidence, self.horizon)
        rest = best_left(active, estimated, self.horizon)
        chosen = orders(evidence, self.horizon, active=active, times=times, rest=rest)
        return replace(chosen, z=z, width=width[:, 0])
