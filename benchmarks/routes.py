"""Claim: one run, one fingerprint, by every route: simulated, live, batch by batch, saved and restored every round.

Every policy, on every kind of action set, with the rewards of a tape.  To save a session takes the longer the longer it
has lasted, so the horizon of the last route is an option of its own.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import replibandit as rb
from replibandit.errors import AwaitingRewards
from replibandit.policies.base import Pull

ARMS, DIM = 4, 3
MEANS = np.array([0.3, 0.6, 0.45, 0.5])
rng = np.random.default_rng(0)
# so little noise is declared that what is played depends on the rewards within the horizon
QUIET = {"delta": 0.1, "noise": 1e-3, "penalty": 1e-3}
POLICIES: list[tuple[str, Callable[[int], Any], tuple[str, ...]]] = [
    ("RepUCB", lambda T: rb.RepUCB(horizon=T, rho=0.5, noise=1e-3), ("arms",)),
    ("RepLinUCB", lambda T: rb.RepLinUCB(horizon=T, rho=0.5, **QUIET), ("finite", "ball", "contexts")),
    ("RepGLMUCB", lambda T: rb.RepGLMUCB(horizon=T, rho=0.5, link="logistic", **QUIET), ("finite", "contexts")),
    ("UCB1", lambda T: rb.UCB1(horizon=T), ("arms",)),
    ("Thompson", lambda T: rb.Thompson(horizon=T), ("arms",)),
    ("LinUCB", lambda T: rb.LinUCB(horizon=T, **QUIET), ("finite", "ball", "contexts")),
    ("GLMUCB", lambda T: rb.GLMUCB(horizon=T, link="logistic", **QUIET), ("finite", "contexts")),
]


class World:
    """A policy with its action sets and a table of the tape's rewards, rewards[t, arm]."""

    def __init__(self, spec: Any, kind: str) -> None:
        self.spec, self.kind = spec, kind
        horizon, side = spec.horizon, 2.0 / np.sqrt(DIM)
        self.sets = side * (rng.random((horizon, ARMS, DIM)) - 0.5) if kind == "contexts" else None
        fixed = {"arms": ARMS, "finite": side * (rng.random((ARMS, DIM)) - 0.5), "ball": rb.Ball(1.0, DIM)}
        self.actions = rb.Contexts.of(self.sets) if self.sets is not None else fixed[kind]
        self.tape = rb.Tape(means=MEANS, key=rb.Key("tape"), actions=self.actions)
        ones = np.ones(ARMS, dtype=np.int64)
        every = Pull(arms=np.arange(ARMS), times=ones, vectors=np.zeros((ARMS, 0)))
        self.rewards = np.array([self.tape.draw(every, rng, np.full(ARMS, t)) for t in range(horizon)])

    def start(self, seed: int) -> Any:
        if self.sets is None:
            return rb.start(self.spec, actions=self.actions, seed=seed)
        return rb.start(self.spec, dim=DIM, seed=seed)

    def ask(self, session: Any, t: int) -> Any:
        return session.ask() if self.sets is None else session.ask(actions=self.sets[t])

    def tell(self, session: Any, decision: Any) -> None:
        session.tell(decision, float(self.rewards[decision.round, decision.arm]))


def simulated(world: World, seed: int) -> str:
    return rb.simulate(world.spec, world.tape, seed=seed, rng=rng).fingerprint


def round_by_round(world: World, seed: int) -> str:
    session = world.start(seed)
    for t in range(world.spec.horizon):
        world.tell(session, world.ask(session, t))
    return session.fingerprint


def batch_by_batch(world: World, seed: int) -> str:
    """Ask until rewards are missing, then tell them, the last one first."""
    session, t = world.start(seed), 0
    while t < world.spec.horizon:
        try:
            while t < world.spec.horizon:
                world.ask(session, t)
                t += 1
        except AwaitingRewards:
            pass
        for decision in reversed(session.open):
            world.tell(session, decision)
    return session.fingerprint


def restored(world: World, seed: int) -> str:
    """Save and restore in every round, between ask and tell and after tell in turn."""
    session = world.start(seed)
    for t in range(world.spec.horizon):
        decision = world.ask(session, t)
        if t % 2:
            session = rb.restore(session.to_json())
        world.tell(session, decision)
        if not t % 2:
            session = rb.restore(session.to_json())
    return session.fingerprint


def show(name: str, world: World, seeds: int, routes: list[Callable[[World, int], str]]) -> None:
    start = time.perf_counter()
    found = {seed: {route(world, seed) for route in (simulated, *routes)} for seed in range(seeds)}
    one = all(len(fingerprints) == 1 for fingerprints in found.values())
    by = ", ".join(route.__name__.replace("_", " ") for route in (simulated, *routes))
    seconds = time.perf_counter() - start
    where = f"{name}, {world.kind}, T = {world.spec.horizon:,}, {seeds} seed{'s' * (seeds > 1)}"
    print(f"{where}: {'one fingerprint' if one else 'DIFFERENT FINGERPRINTS'} ({by}; {seconds:.0f} s)", flush=True)
    if not one:
        raise SystemExit(f"{where}: the routes lead to different runs: {found}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--horizon", type=int, default=500, help="rounds")
    parser.add_argument("--saved-horizon", type=int, default=100, help="rounds where every round is saved")
    parser.add_argument("--seeds", type=int, default=1, help="keys, of which the saved sessions take one")
    parser.add_argument("--policies", nargs="*", default=[name for name, _, _ in POLICIES])
    options = parser.parse_args()
    for name, spec, kinds in POLICIES:
        for kind in kinds if name in options.policies else ():
            show(name, World(spec(options.horizon), kind), options.seeds, [round_by_round, batch_by_batch])
            show(name, World(spec(options.saved_horizon), kind), 1, [restored])


if __name__ == "__main__":
    main()
