"""The engine of policies that play in phases, with a policy whose decisions can be followed by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import AwaitingRewards, HorizonReached, InvalidInput
from replibandit.key import uniforms
from replibandit.policies import phases
from replibandit.policies.base import Pull, Rounding
from replibandit.policies.phases import Evidence, Orders, PhasedState
from replibandit.testing import check_policy
from tests.reference.routes import TABLE, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Halving:
    """Play every action left 2, 4, 8, ... times, and drop the worst by the mean of the phase, moved by a hair."""

    horizon: int
    noise: float = 0.5

    def reward_exponent(self) -> int:
        return 0

    def prepare(self, vectors: FloatArray) -> tuple[FloatArray, int]:
        return np.arange(len(vectors), dtype=np.float64), 2

    def decide(self, evidence: Evidence) -> Orders:
        means = evidence.fresh_means(0)
        names = [("phase", p) for p in evidence.phase.tolist()]
        shown = means + 2.0**-30 * uniforms(evidence.keys, names, means.shape[1])
        ranked = np.where(evidence.active, shown, np.inf)
        worst = np.arange(means.shape[1]) == np.argmin(ranked, axis=1)[:, None]
        drop = worst & (evidence.phase > 0)[:, None] & (evidence.active.sum(axis=1) > 1)[:, None]
        active = evidence.active & ~drop
        times = active * (evidence.prepared[1] << evidence.phase)[:, None]
        return Orders(times=times, active=active, z=means, width=np.full(len(means), 2.0**-30))

    def init(self, actions: Any, keys: Sequence[rb.Key]) -> PhasedState:
        return phases.init(self, actions, keys)

    def choose(self, state: PhasedState) -> Pull:
        return phases.choose(self, state)

    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        return phases.update(self, state, pull, totals)

    def ahead(self, state: PhasedState) -> bool:
        return phases.ahead(self, state)

    def rounding(self, state: PhasedState) -> Rounding:
        return phases.rounding(state)


def by_hand(rewards: FloatArray, horizon: int) -> list[int]:
    """Return the arm of every round, one round at a time."""
    left, length = list(range(rewards.shape[1])), 2
    played: list[int] = []
    while len(played) < horizon:
        totals = {}
        for arm in left:
            first = len(played)
            played += [arm] * length
            totals[arm] = rewards[first : first + length, arm].sum() / length
        if len(left) > 1:
            left.remove(min(left, key=lambda arm: totals[arm]))
        length *= 2
    return played[:horizon]


@pytest.mark.parametrize("horizon", [1, 2, 7, 8, 100, 2000])
def test_schedules_are_played_as_ordered(horizon: int) -> None:
    rewards = np.random.default_rng(5).random((horizon + 4000, 4))
    env = Written(rewards=np.rint(64 * rewards) / 64 + np.arange(4) / 64, actions=4)
    run = rb.simulate(Halving(horizon=horizon), env, seed="a", rng=np.random.default_rng(0))
    assert run.rounds().tolist() == by_hand(env.rewards, horizon)


@pytest.mark.parametrize("horizon", [1, 5, 60, 10**13])
@pytest.mark.parametrize("kind", ["arms", "vectors"])
def test_the_engine_keeps_the_promises(kind: str, horizon: int) -> None:
    arms = rb.BernoulliArms(means=np.array([0.2, 0.5, 0.7, 0.4]))
    env = arms if kind == "arms" else rb.LinearArms(theta=np.array([0.3, -0.2, 0.1]), actions=TABLE, noise=0.5)
    check_policy(Halving(horizon=horizon), env, seeds=tuple("abcdefgh"))


def test_steps_do_not_grow_with_the_horizon() -> None:
    env = rb.BernoulliArms(means=np.array([0.2, 0.5, 0.7, 0.4]))
    run = rb.simulate(Halving(horizon=10**13), env, seed=1, rng=np.random.default_rng(1))
    assert run.horizon == 10**13
    assert len(run.times) < 60


def test_a_session_makes_the_same_decisions() -> None:
    env = rb.Tape(means=np.array([0.2, 0.5, 0.7, 0.4]), key=rb.Key("tape"))
    spec = Halving(horizon=300)
    session: Any = rb.start(spec, actions=4, seed="s")
    for t in range(spec.horizon):
        decision = session.ask()
        session.tell(decision, env.reward(decision.arm, t))
    assert session.fingerprint == rb.simulate(spec, env, seed="s", rng=np.random.default_rng(0)).fingerprint


def test_a_session_runs_ahead_to_the_end_of_the_phase() -> None:
    """Rewards of a whole phase come in any order; the decisions are those of a simulation."""
    env = rb.Tape(means=np.array([0.2, 0.5, 0.7, 0.4]), key=rb.Key("tape"))
    spec, rng = Halving(horizon=300), np.random.default_rng(3)
    session: Any = rb.start(spec, actions=4, seed="s")
    waits = []
    while session.fingerprint != (whole := rb.simulate(spec, env, seed="s", rng=rng)).fingerprint:
        try:
            while True:
                session.ask()
        except (AwaitingRewards, HorizonReached):
            waits.append(len(session.open))
        for decision in rng.permutation(np.array(session.open, dtype=object)):
            session.tell(decision, env.reward(decision.arm, decision.round))
    assert waits == [4 * 2, 3 * 4, 2 * 8, 16, 32, 64, 128, 300 - 276]
    assert session.fingerprint == whole.fingerprint


@pytest.mark.parametrize("actions", [0, rb.Ball(1.0, 2), np.zeros((0, 2)), rb.Contexts.of(TABLE[None])])
def test_other_actions_are_refused(actions: Any) -> None:
    with pytest.raises(InvalidInput):
        Halving(horizon=10).init(actions, [rb.Key(1)])


def test_empty_orders_are_a_defect() -> None:
    class Idle(Halving):
        def decide(self, evidence: Evidence) -> Orders:
            return Orders(times=np.zeros_like(evidence.pulls), active=evidence.active)

    with pytest.raises(RuntimeError, match="bug"):
        Idle(horizon=10).init(3, [rb.Key(1)])
