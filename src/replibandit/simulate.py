"""Exact simulation: a policy meets an environment, batch by batch, any number of runs at once."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from replibandit import checks
from replibandit.actions import Contexts, context_block
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.environments.base import Environment
from replibandit.key import Key, as_key
from replibandit.policies import contextual
from replibandit.policies.base import Pull
from replibandit.rewards import on_grid, total_cells
from replibandit.runs import Run

_Array = TypeVar("_Array", FloatArray, IntArray)
_FIRST_BLOCK, _LARGEST_BLOCK = 64, 4096  # rounds scored at once with contexts: doubled within a batch


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
        return [_with_contexts(spec, env, key, rng) for key in keys]
    return _with_one_set(spec, env, keys, rng)


def _with_one_set(spec: Any, env: Environment, keys: list[Key], rng: np.random.Generator) -> list[Run]:
    state, exponent = spec.init(env.actions, keys), spec.reward_exponent()
    start = np.zeros(len(keys), dtype=np.int64)
    pulls: list[Pull] = []
    totals: list[FloatArray] = []
    while (pull := spec.choose(state)).times.any():
        total = on_grid(np.where(pull.times > 0, env.draw(pull, rng, start), 0.0), exponent)
        pulls.append(pull)
        totals.append(total)
        state = spec.update(state, pull, total_cells(total, exponent))
        start = start + pull.times
    kept = np.stack([pull.times > 0 for pull in pulls], axis=1)
    arms, times = _by_lane([pull.arms for pull in pulls], kept), _by_lane([pull.times for pull in pulls], kept)
    sums, vectors = _by_lane(totals, kept), _by_lane([pull.vectors for pull in pulls], kept)
    return [
        Run(spec=spec, key=key, arms=arms[lane], times=times[lane], totals=sums[lane], vectors=vectors[lane])
        for lane, key in enumerate(keys)
    ]


def _by_lane(steps: list[_Array], kept: BoolArray) -> list[_Array]:
    """Return what each lane did, step after step, without the steps in which it had no round left."""
    table = np.stack(steps, axis=1)
    return list(table) if kept.all() else [row[mask] for row, mask in zip(table, kept, strict=True)]


def _with_contexts(spec: Any, env: Environment, key: Key, rng: np.random.Generator) -> Run:
    contexts: Contexts = env.actions
    state = contextual.init(spec, contexts.dim, key)
    fresh = _FIRST_BLOCK if state.plan.batches < spec.horizon else 1  # else every batch may be one round
    arms, vectors, totals, size = [], [], [], fresh
    while state.rounds < spec.horizon:
        first = state.rounds
        sets = context_block(contexts, first, min(first + size, spec.horizon))
        block, state = contextual.decide(spec, state, sets)
        n = len(block.arms)
        pull = Pull(arms=block.arms, times=np.ones(n, dtype=np.int64), vectors=block.vectors)
        rewards = on_grid(env.draw(pull, rng, np.arange(first, first + n)), spec.reward_exponent())
        state = contextual.learn(spec, state, block, rewards)
        arms.append(block.arms)
        vectors.append(block.vectors)
        totals.append(rewards)
        size = fresh if block.ends else min(2 * size, _LARGEST_BLOCK)
    every = np.concatenate(arms)
    return Run(
        spec=spec,
        key=key,
        arms=every,
        times=np.ones(len(every), dtype=np.int64),
        totals=np.concatenate(totals),
        vectors=np.concatenate(vectors),
    )
