"""Exact simulation: a policy meets an environment, batch by batch, any number of runs at once."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from replibandit import checks
from replibandit.actions import Contexts, Finite, context_block
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.environments.base import Environment
from replibandit.key import Key, as_key
from replibandit.policies import contextual
from replibandit.policies.base import Pull
from replibandit.rewards import on_grid, total_cells
from replibandit.runs import Run

_Array = TypeVar("_Array", FloatArray, IntArray)
_FIRST_BLOCK, _LARGEST_BLOCK = 64, 4096  # rounds scored at once with contexts: doubled within a batch


Played = tuple[Pull, FloatArray]


class Step(NamedTuple):
    """What the lanes do next: the state in which they decide, their decisions, and the totals of the rewards."""

    state: Any
    pull: Pull
    totals: FloatArray


def simulate(spec: Any, env: Environment, *, seed: Key | str | int, rng: np.random.Generator) -> Run:
    """Run `spec` once against `env`: `seed` is the policy's randomness, `rng` that of the rewards."""
    return simulate_many(spec, env, seeds=[seed], rng=rng)[0]


def simulate_many(
    spec: Any, env: Environment, *, seeds: Sequence[Key | str | int], rng: np.random.Generator
) -> list[Run]:
    """Run `spec` once for each of `seeds`, in lockstep.

    A decision costs the same however many rounds it stands for, so with one action set throughout the cost of a run
    grows with the number of its batches, not with the horizon.
    """
    keys = [as_key(seed) for seed in seeds]
    checks.positive_integer("the number of seeds", len(keys))
    if isinstance(env.actions, Contexts):
        return [as_run(spec, key, _without_states(context_steps(spec, env, key, rng))) for key in keys]
    return as_runs(spec, keys, _without_states(steps(spec, env, keys, rng)))


def steps(spec: Any, env: Environment, keys: Sequence[Key], rng: np.random.Generator) -> Iterator[Step]:
    """Play one action set throughout, all lanes a decision further in each step."""
    state, exponent = spec.init(env.actions, keys), spec.reward_exponent()
    start = np.zeros(len(keys), dtype=np.int64)
    while (pull := _as_vectors(spec.choose(state), env.actions)).times.any():
        totals = on_grid(np.where(pull.times > 0, env.draw(pull, rng, start), 0.0), exponent)
        yield Step(state, pull, totals)
        state = spec.update(state, pull, total_cells(totals, exponent))
        start = start + pull.times


def _as_vectors(pull: Pull, actions: Any) -> Pull:
    """Return a decision with its vectors, where a policy that knows arms only plays the vectors of a finite set."""
    if not isinstance(actions, Finite) or pull.vectors.shape[1] > 0:
        return pull
    return replace(pull, vectors=actions.vectors[pull.arms])


def context_steps(spec: Any, env: Environment, key: Key, rng: np.random.Generator) -> Iterator[Step]:
    """Play sets that change, one lane, a block of rounds further in each step."""
    contexts: Contexts = env.actions
    state = contextual.init(spec, contexts.dim, key)
    fresh = _FIRST_BLOCK if state.plan.batches < spec.horizon else 1  # else every batch may be one round
    size = fresh
    while (first := state.rounds) < spec.horizon:
        sets = context_block(contexts, first, min(first + size, spec.horizon))
        block, after = contextual.decide(spec, state, sets)
        n = len(block.arms)
        pull = Pull(arms=block.arms, times=np.ones(n, dtype=np.int64), vectors=block.vectors)
        rewards = on_grid(env.draw(pull, rng, np.arange(first, first + n)), spec.reward_exponent())
        yield Step(state, pull, rewards)
        state = contextual.learn(spec, after, block, rewards)
        size = fresh if block.ends else min(2 * size, _LARGEST_BLOCK)


def as_runs(spec: Any, keys: Sequence[Key], played: Sequence[Played]) -> list[Run]:
    """Return the run of each lane, without the steps in which it had no round left."""
    kept = np.stack([pull.times > 0 for pull, _ in played], axis=1)
    arms, times = _by_lane([pull.arms for pull, _ in played], kept), _by_lane([pull.times for pull, _ in played], kept)
    vectors, totals = _by_lane([pull.vectors for pull, _ in played], kept), _by_lane([sums for _, sums in played], kept)
    return [
        Run(spec=spec, key=key, arms=arms[lane], times=times[lane], totals=totals[lane], vectors=vectors[lane])
        for lane, key in enumerate(keys)
    ]


def as_run(spec: Any, key: Key, played: Sequence[Played]) -> Run:
    """Return the run of one lane whose steps are blocks of rounds."""
    return Run(
        spec=spec,
        key=key,
        arms=np.concatenate([pull.arms for pull, _ in played]),
        times=np.concatenate([pull.times for pull, _ in played]),
        totals=np.concatenate([totals for _, totals in played]),
        vectors=np.concatenate([pull.vectors for pull, _ in played]),
    )


def _without_states(played: Iterator[Step]) -> list[Played]:
    return [(pull, totals) for _, pull, totals in played]


def _by_lane(rows: list[_Array], kept: BoolArray) -> list[_Array]:
    """Return what each lane did, step after step, without the steps in which it had no round left."""
    table = np.stack(rows, axis=1)
    return list(table) if kept.all() else [row[mask] for row, mask in zip(table, kept, strict=True)]
