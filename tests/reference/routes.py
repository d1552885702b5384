"""The ways through a run, all with the same decisions: simulated, live, with delays, saved and restored."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import replibandit as rb
from replibandit.arrays import FloatArray, IntArray
from replibandit.ledger import Decision
from replibandit.policies.base import Pull

ARMS, DIM = 4, 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Written:
    """Rewards written beforehand, rewards[t, a] in round t; multiples of 1/64, so that every sum is exact."""

    rewards: FloatArray
    actions: Any

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        rows = zip(pull.arms.tolist(), start.tolist(), pull.times.tolist(), strict=True)
        return np.array([self.rewards[first : first + n, arm].sum() for arm, first, n in rows])

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        return np.zeros(len(pull.times))


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """A policy `spec(T)` on one action set, or on sets that change."""

    name: str
    spec: Callable[[int], Any]
    actions: Any = None
    contexts: bool = False

    @property
    def cheap(self) -> bool:
        """Say that a round costs little: one set throughout, and no likelihood to maximise."""
        return not self.contexts and "GLM" not in self.name

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, kw_only=True)
class World:
    """A case with its rewards and its sets."""

    case: Case
    spec: Any
    env: Written
    sets: FloatArray | None

    def start(self, seed: str) -> Any:
        if self.sets is None:
            return rb.start(self.spec, actions=self.env.actions, seed=seed)
        return rb.start(self.spec, dim=DIM, seed=seed)

    def ask(self, session: Any, t: int) -> Decision:
        decision: Decision = session.ask() if self.sets is None else session.ask(actions=self.sets[t])
        return decision

    def tell(self, session: Any, decision: Decision) -> None:
        session.tell(decision, float(self.env.rewards[decision.round, decision.arm]))


def vectors(rng: np.random.Generator, *shape: int) -> FloatArray:
    """Return vectors of norm at most 1, on no special grid."""
    return np.asarray(rng.uniform(-1.0, 1.0, size=shape) / np.sqrt(shape[-1]))


def world(case: Case, horizon: int, data: int) -> World:
    """Write the rewards and the sets of a case."""
    rng = np.random.default_rng(data)
    levels = np.array([10, 25, 40, 30])
    rewards = (levels + rng.integers(-64, 65, (horizon, ARMS))) / 64.0
    if not case.contexts:
        return World(case=case, spec=case.spec(horizon), env=Written(rewards=rewards, actions=case.actions), sets=None)
    sets = vectors(rng, horizon, ARMS, DIM)
    env = Written(rewards=rewards, actions=rb.Contexts.of(sets))
    return World(case=case, spec=case.spec(horizon), env=env, sets=sets)


def lin(horizon: int) -> rb.RepLinUCB:
    # so little noise that the estimates, and with them the actions, depend on the rewards
    return rb.RepLinUCB(horizon=horizon, rho=0.5, delta=0.1, noise=1e-4, penalty=1e-4)


def glm(horizon: int) -> rb.RepGLMUCB:
    return rb.RepGLMUCB(horizon=horizon, rho=0.5, delta=0.1, noise=1e-4, penalty=1e-4, link="logistic")


def arms(horizon: int) -> rb.RepUCB:
    return rb.RepUCB(horizon=horizon, rho=0.5, noise=0.001)


def commit(horizon: int, noise: float) -> rb.RepCommit:
    return rb.RepCommit(horizon=horizon, rho=0.5, noise=noise)


def eliminate(horizon: int) -> rb.RepEliminate:
    return rb.RepEliminate(horizon=horizon, rho=0.5, noise=0.01)


TABLE = vectors(np.random.default_rng(11), ARMS, DIM)
BATCHED = [
    Case(name="RepUCB-arms", spec=arms, actions=ARMS),
    Case(name="RepLinUCB-finite", spec=lin, actions=TABLE),
    Case(name="RepLinUCB-ball", spec=lin, actions=rb.Ball(1.0, DIM)),
    Case(name="RepGLMUCB-finite", spec=glm, actions=TABLE),
]
PHASED = [
    Case(name="RepCommit-arms", spec=partial(commit, noise=0.05), actions=ARMS),
    Case(name="RepCommit-finite", spec=partial(commit, noise=0.07), actions=TABLE),
    Case(name="RepEliminate-arms", spec=eliminate, actions=ARMS),
    Case(name="RepEliminate-finite", spec=eliminate, actions=TABLE),
]
FIXED = BATCHED + PHASED
CHANGING = [
    Case(name="RepLinUCB-contexts", spec=lin, contexts=True),
    Case(name="RepGLMUCB-contexts", spec=glm, contexts=True),
]
CASES = FIXED + CHANGING


def simulated(here: World, seed: str) -> rb.Run:
    return rb.simulate(here.spec, here.env, seed=seed, rng=np.random.default_rng(0))


def round_by_round(here: World, seed: str) -> Any:
    session = here.start(seed)
    for t in range(here.spec.horizon):
        here.tell(session, here.ask(session, t))
    return session


def batch_by_batch(here: World, seed: str, order: Callable[[list[Decision]], list[Decision]]) -> Any:
    """Ask until rewards are missing, then tell all of them in the given order."""
    session, t = here.start(seed), 0
    while t < here.spec.horizon:
        try:
            while t < here.spec.horizon:
                here.ask(session, t)
                t += 1
        except rb.errors.AwaitingRewards:
            pass
        for decision in order(session.open):
            here.tell(session, decision)
    return session


def restored(here: World, seed: str, every: int) -> Any:
    """Save and restore the session every so many rounds: between ask and tell, and after tell, in turn."""
    session = here.start(seed)
    for t in range(here.spec.horizon):
        decision = here.ask(session, t)
        if t % (2 * every) == 0:
            session = rb.restore(session.to_json())
        here.tell(session, decision)
        if t % (2 * every) == every:
            session = rb.restore(session.to_json())
    return session
