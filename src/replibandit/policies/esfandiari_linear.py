"""EsfandiariLinear: batched elimination by a design, for finitely many vectors (Esfandiari et al., "Replicable
Bandits", 2023; their Algorithm 3, Theorem 6).

Guarantee, for mean rewards <a, theta*>, K vectors a in R^d and conditionally sigma-sub-Gaussian noise:
    P(two runs with one seed choose the same action in every round) >= 1 - rho,
    regret of order K^2/rho^2 sqrt(d T) up to logarithms.
In batch i the actions left are pulled about 10 beta q^i times by a G-optimal design for them, and estimated by least
squares from that batch alone.  With eps_i = sqrt(d log(K T^2)/q^i), eps~_i = sqrt(d log(K T^2)/(beta q^i)) and epsbar_i
uniform on [eps_i/2, eps_i], an action is dropped if
    <a, theta^> + eps~_i < max <a, theta^> - epsbar_i.
When a batch does not fit, the first action left is played to the end.

What the source leaves open, and departures
* q = (T/c)^(1/B) with an unnamed c: here c = 1 and B = ceil(log T), and floor(q^i) takes the place of q^i.
* The pulls of batch i are 10 d log(K T^2)/eps~_i^2; the printed eps_i in the place of eps~_i lacks the factor beta.
* The source's sigma is 1: eps_i and eps~_i are multiplied by sigma.
* The design is within 1.1 of the best one, and n_a = ceil(N pi(a)).
* beta = floor(max(K^2/rho^2, 2304)) where it can be shown to give rho, else more (`geometric.ratio`, with the proof).
* In the last batch the first action left is played.  The record has the one of the largest mean, which is not
  replicable: where two best ones tie neither is dropped, and in half of all pairs of runs another one has that mean.
* T >= 2/rho is required.

Randomness, by name (public, see key.py): Key(seed).child("phase", i).uniform(1) is (epsbar_i - eps_i/2)/(eps_i/2),
after batch i = 1, 2, ...
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from replibandit.actions import Finite
from replibandit.arithmetic import log
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.policies import geometric, phases
from replibandit.policies.base import Pull
from replibandit.policies.elimination import design_estimates, design_pulls, first_left, left_by_threshold, orders
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.rewards import reward_exponent

_PULLS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class EsfandiariLinear:
    """Drop vectors whose estimate trails by more than a random threshold; `noise` is the sub-Gaussian parameter."""

    horizon: int
    rho: float
    noise: float

    def __post_init__(self) -> None:
        geometric.check_settings(self)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(self.noise)

    def ratio(self, actions: int) -> int:
        """Return beta."""
        # E|gap - gap'| <= sqrt(2) sigma sqrt(1.1 d/(10 beta q^i)) (1 + sqrt(2 log(2K))), over eps_i/2
        spread = math.sqrt(0.88 / self._tail(actions))
        # |<a, theta^ - theta*>| > eps~_i with probability at most 2 (K T^2)^-4.5: for all, in two runs, T^-4 at most
        lengths = geometric.batch_lengths(self.horizon)
        return geometric.ratio(self, arms=actions, counts=lengths, spread=spread, reserve=float(self.horizon) ** -4)

    def prepare(self, vectors: FloatArray) -> tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...]]:
        """Return the pulls of each batch, eps~_i and eps_i."""
        actions, d = vectors.shape
        if d == 0:
            raise InvalidInput(f"actions is {actions}, a number of arms; np.eye({actions}) makes vectors of them.")
        beta, lengths = self.ratio(actions), geometric.batch_lengths(self.horizon)
        wide = tuple(self.noise * math.sqrt(d * self._tail(actions) / n) for n in lengths)
        # 10 d log(K T^2)/eps~_i^2 = 10 beta q^i; more than T never fit
        pulls = tuple(min(_PULLS * beta * n, 2 * self.horizon) for n in lengths)
        return pulls, tuple(eps / math.sqrt(beta) for eps in wide), wide

    def _tail(self, actions: int) -> float:
        return log(float(actions) * self.horizon * self.horizon)

    def init(self, actions: Finite | FloatArray, keys: Sequence[Key]) -> PhasedState:
        """Begin with all actions, which are vectors."""
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        """Play the next action of the batch."""
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        """Take in the rewards; at the end of a batch, estimate and drop actions."""
        return phases.update(self, state, pull, totals)

    def decide(self, evidence: Evidence) -> Orders:
        """Drop the actions whose estimate trails by more than the threshold."""
        pulls, narrow, wide = evidence.prepared
        estimated = design_estimates(pulls, evidence, self.reward_exponent())
        # epsbar_i ~ Unif([eps_i/2, eps_i])
        active = left_by_threshold(evidence, estimated, narrow=narrow, wide=wide)
        times = design_pulls(pulls, active, evidence)
        # departure: the first one left
        rest = first_left(active, self.horizon)
        return orders(evidence, self.horizon, active=active, times=times, rest=rest)
