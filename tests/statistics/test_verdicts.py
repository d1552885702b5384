"""The verdicts of the audit: on the policies that promise, on those that do not, on a broken one, on the border.

At the level used here a wrong verdict comes once in a million times, whatever the seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arithmetic import to_float
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.policies.base import Pull
from replibandit.policies.rep_ucb import RepUCBState
from replibandit.testing import check_policy
from tests.statistics.bandits import GLM, LINEAR, RHO, UCB, Bandit
from tests.statistics.seed import SEED

LEVEL = 1.0 - 1e-6
COIN = rb.BernoulliArms(means=np.array([0.5, 0.5]))
LINEAR_COMMON: dict[str, Any] = {"delta": 0.01, "noise": 0.5}


@pytest.mark.parametrize("bandit", [UCB[0], UCB[1], LINEAR[0], LINEAR[3], GLM[0]], ids=str)
def test_who_promises_is_replicable(bandit: Bandit) -> None:
    found = rb.audit(bandit.spec, bandit.env, pairs=1000, seed=SEED, level=LEVEL)
    assert (found.verdict, found.rho, found.tally.keys) == ("replicable", RHO, 1000)


@pytest.mark.parametrize(
    ("reference", "bandit"),
    [
        (rb.UCB1(horizon=1000), UCB[0]),
        (rb.Thompson(horizon=1000), UCB[0]),
        (rb.LinUCB(horizon=300, **LINEAR_COMMON), LINEAR[0]),
        (rb.GLMUCB(horizon=100, link="logistic", **LINEAR_COMMON), GLM[0]),
    ],
    ids=lambda x: type(x).__name__ if not isinstance(x, Bandit) else str(x),
)
def test_references_are_not(reference: Any, bandit: Bandit) -> None:
    found = rb.audit(reference, bandit.env, rho=RHO, pairs=1000, seed=SEED, level=LEVEL, sequential=True)
    assert found.verdict == "not replicable"
    assert found.mismatch > 0.9


@dataclass(frozen=True, kw_only=True)
class LeakyUCB:
    """RepUCB with a defect: the first rewards get into its seed."""

    horizon: int
    rho: float

    @property
    def honest(self) -> rb.RepUCB:
        return rb.RepUCB(horizon=self.horizon, rho=self.rho)

    def reward_exponent(self) -> int:
        return self.honest.reward_exponent()

    def init(self, actions: int, keys: Sequence[rb.Key]) -> RepUCBState:
        return self.honest.init(actions, keys)

    def choose(self, state: RepUCBState) -> Pull:
        return self.honest.choose(state)

    def update(self, state: RepUCBState, pull: Pull, totals: IntArray) -> RepUCBState:
        if not state.rounds.any():
            leaked = [key.child(str(cells)) for key, cells in zip(state.keys, totals.T.tolist(), strict=True)]
            state = replace(state, keys=tuple(leaked))
        return self.honest.update(state, pull, totals)


def test_a_seed_that_depends_on_the_data_is_caught() -> None:
    check_policy(LeakyUCB(horizon=1000, rho=RHO), COIN)
    leaky, honest = (
        rb.audit(policy(horizon=10**9, rho=RHO), COIN, pairs=1000, seed=SEED, level=LEVEL, sequential=True)
        for policy in (LeakyUCB, rb.RepUCB)
    )
    assert (leaky.verdict, honest.verdict) == ("not replicable", "replicable")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Heard:
    """The rounds played, how the shared coin of each lane fell, and the reward of the first round."""

    rounds: int
    listens: BoolArray
    reward: FloatArray


@dataclass(frozen=True, kw_only=True)
class Border:
    """Two rounds; the second arm is that of the first reward, but only with probability 2 `mismatch`, by shared coin.

    On a fair coin two runs with one seed differ with probability `mismatch`, exactly.
    """

    mismatch: float
    horizon: int = 2

    def reward_exponent(self) -> int:
        return 0

    def init(self, actions: int, keys: Sequence[rb.Key]) -> Heard:
        coins = np.array([key.child("coin").uniform(1)[0] for key in keys])
        return Heard(rounds=0, listens=coins < 2.0 * self.mismatch, reward=np.zeros(len(keys)))

    def choose(self, state: Heard) -> Pull:
        arms = np.where(state.listens & (state.reward > 0), 1, 0)
        times = np.full(len(arms), int(state.rounds < self.horizon))
        return Pull(arms=arms, times=times, vectors=np.zeros((len(arms), 0)))

    def update(self, state: Heard, pull: Pull, totals: IntArray) -> Heard:
        return Heard(rounds=state.rounds + 1, listens=state.listens, reward=to_float(totals))


@pytest.mark.parametrize(
    ("mismatch", "verdict"), [(RHO, "undecided"), (3.0 * RHO, "not replicable"), (0.03, "replicable")]
)
def test_the_border_is_undecided(mismatch: float, verdict: str) -> None:
    found = rb.audit(Border(mismatch=mismatch), COIN, rho=RHO, pairs=1000, seed=SEED, level=LEVEL)
    low, high = found.interval
    assert low < mismatch < high
    assert found.verdict == verdict
