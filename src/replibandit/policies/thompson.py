"""Thompson sampling (Thompson, Biometrika 25, 1933) for K arms, with independent beta or Gaussian posteriors.

A reference that is NOT replicable, although two runs with one seed share all of its randomness: their posteriors differ
as soon as their rewards do.

Guarantees, with gaps Delta_a, for the limit superior of E[regret] / log T as T grows:
    beta        at most sum_a Delta_a / kl(mu_a, mu*), for rewards 0 and 1 (Kaufmann, Korda and Munos, ALT 2012);
                other rewards in [0, 1] are made 0 or 1 by a trial (Agrawal and Goyal, COLT 2012, Algorithm 2)
    gaussian    at most sum_a 2 sigma^2 / Delta_a, for normal rewards with standard deviation sigma (Korda, Kaufmann
                and Munos, NIPS 2013: their prior for a known variance is the flat one)

Randomness, by name (public, see key.py), for round t = 0, 1, ... and arm a:
    Key(seed).child("rounds", b).uniform(128 P K)               b = floor(t / 128): an array (128, P, K), in which
        [t mod 128, :, a] are the uniforms of the round and arm.  Gaussian prior: P = 1, the normal's.  Beta prior:
        P = 3, the normals' of the gammas for successes and for failures, and the acceptance's (policies/variates.py)
    Key(seed).child("round", t, "arm", a).uniform(3 i)[-3:]     the same three of try i = 1, 2, ... after a rejection
    Key(seed).child("round", t, "trial").uniform(1)             the trial that turns a reward in (0, 1) into 0 or 1
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from replibandit import checks
from replibandit.actions import Finite, arm_count
from replibandit.arithmetic import normals
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.key import Key, uniforms
from replibandit.policies.base import Pull
from replibandit.policies.every_round import no_round, one_round, plus
from replibandit.policies.variates import beta_odds
from replibandit.rewards import reward_exponent, total_values

PRIORS = {"beta": 3, "gaussian": 1}  # the uniforms of an arm and a round: normals', and the beta prior's last one
_BLOCK = 128
_LANES = 16  # lanes drawn at a time, few enough to stay in the cache
_UNIT_INTERVAL = 0.5  # the noise level of rewards in [0, 1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThompsonState:
    """Pulls and sums of rewards (beta: successes) of each lane and arm, and the draws of the running block of rounds.

    `rounds` have been played, the same number in every lane; `draws` is (rounds of the block, parts, lanes, arms).
    """

    keys: tuple[Key, ...]
    rounds: int
    pulls: FloatArray
    sums: FloatArray
    draws: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Thompson:
    """Draw a mean for every arm from its posterior, and play the arm with the largest.

    `prior` is "beta": uniform on [0, 1], for rewards in [0, 1]; or "gaussian": flat, for normal rewards with standard
    deviation `noise`, after every arm has been played once.  The beta prior has no use for `noise`.
    """

    horizon: int
    prior: str = "beta"
    noise: float = 0.5

    def __post_init__(self) -> None:
        checks.positive_integer("horizon", self.horizon)
        checks.one_of("prior", self.prior, PRIORS)
        checks.positive("noise", self.noise)

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid."""
        return reward_exponent(_UNIT_INTERVAL if self.prior == "beta" else self.noise)

    def init(self, actions: int | Finite, keys: Sequence[Key]) -> ThompsonState:
        """Start with the prior; `actions` is the number of arms."""
        arms = arm_count(actions)
        if self.prior == "gaussian" and arms > self.horizon:
            raise InvalidInput(
                f"horizon is {self.horizon} with {arms} arms; the flat prior needs a play of each. Raise the horizon."
            )
        nothing = np.zeros((len(keys), arms))
        state = ThompsonState(keys=tuple(keys), rounds=0, pulls=nothing, sums=nothing, draws=nothing)
        return replace(state, draws=self._draws(state))

    def choose(self, state: ThompsonState) -> Pull:
        """Play the arm with the largest draw from its posterior."""
        (lanes, count), t = state.pulls.shape, state.rounds
        if t >= self.horizon:
            return no_round(lanes)
        if self.prior == "beta":
            return one_round(np.argmax(self._odds(state), axis=-1))
        if t < count:
            return one_round(np.full(lanes, t, dtype=np.int64))
        # N(mean, sigma^2 / n), the posterior of the flat prior
        z = state.draws[t % _BLOCK, 0]
        return one_round(np.argmax(state.sums / state.pulls + self.noise * z / np.sqrt(state.pulls), axis=-1))

    def update(self, state: ThompsonState, pull: Pull, totals: IntArray) -> ThompsonState:
        """Take in one reward of each lane."""
        if state.rounds >= self.horizon:
            return state
        rewards = total_values(totals, self.reward_exponent())
        if self.prior == "beta":
            rewards = _trials(state, rewards)
        pulls, sums = plus(state.pulls, pull.arms, 1.0), plus(state.sums, pull.arms, rewards)
        state = replace(state, rounds=state.rounds + 1, pulls=pulls, sums=sums)
        fresh = state.rounds % _BLOCK == 0 and state.rounds < self.horizon
        return replace(state, draws=self._draws(state)) if fresh else state

    def _odds(self, state: ThompsonState) -> FloatArray:
        """Return X/(1 - X) for a draw X of each posterior Beta(1 + successes, 1 + failures)."""

        def redraw(places: IntArray, tries: int) -> FloatArray:
            lanes, arms = np.divmod(places, state.pulls.shape[1])
            names = [("round", state.rounds, "arm", arm) for arm in arms.tolist()]
            return uniforms([state.keys[lane] for lane in lanes.tolist()], names, 3 * tries)[:, -3:]

        shapes = np.stack([1.0 + state.sums, 1.0 + (state.pulls - state.sums)])
        draws = state.draws[state.rounds % _BLOCK]
        return beta_odds(shapes, draws[:2], draws[2], redraw)

    def _draws(self, state: ThompsonState) -> FloatArray:
        """Return the normals and uniforms of the block of rounds that begins."""
        lanes, arms = state.pulls.shape
        rows, parts = min(_BLOCK, self.horizon - state.rounds), PRIORS[self.prior]
        name, draws = ("rounds", state.rounds // _BLOCK), np.empty((rows, parts, lanes, arms))
        for start in range(0, lanes, _LANES):
            keys = state.keys[start : start + _LANES]
            block = uniforms(keys, [name] * len(keys), rows * parts * arms).reshape(len(keys), rows, parts, arms)
            block[:, :, :2] = normals(block[:, :, :2])
            draws[:, :, start : start + _LANES] = np.moveaxis(block, 0, 2)
        return draws


def _trials(state: ThompsonState, rewards: FloatArray) -> FloatArray:
    """Return 1 with the probability of the reward, else 0: rewards 0 and 1 stay what they are."""
    wrong = (rewards < 0.0) | (rewards > 1.0)
    if wrong.any():
        raise InvalidInput(
            f"a reward is {float(rewards[wrong][0])!r}; the beta prior needs rewards from 0 to 1. Scale them, or take "
            'prior="gaussian".'
        )
    between = np.flatnonzero((rewards > 0.0) & (rewards < 1.0))
    if len(between):
        names = [("round", state.rounds, "trial")] * len(between)
        draws = uniforms([state.keys[lane] for lane in between.tolist()], names, 1)[:, 0]
        rewards = rewards.copy()
        rewards[between] = draws < rewards[between]
    return rewards
