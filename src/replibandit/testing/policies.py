"""The check of a policy: does it keep the promises of `replibandit.policies.base`?"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from replibandit.actions import Ball, Contexts
from replibandit.arrays import FloatArray, IntArray
from replibandit.catalog import POLICIES, from_json, to_json
from replibandit.environments.base import Environment
from replibandit.key import Key, as_key
from replibandit.policies import contextual
from replibandit.policies.base import Policy, Pull
from replibandit.record import RECORDS, decode, encode
from replibandit.rewards import on_grid, total_cells
from replibandit.simulate import simulate
from replibandit.testing.bits import bits, entries, pure, require


def check_policy(policy: Any, env: Environment, *, seeds: Sequence[Key | str | int] = ("a", "b", "c")) -> None:
    """Fail if `policy` breaks a promise of `replibandit.policies.base` in a run against `env`, and say which one.

    The settings are plain scalars that make the policy again.  The three functions answer equal questions with equal
    bits, change none of their arguments, and draw no random numbers but those of the keys.  A decision stands for at
    least one round while there are rounds left, for none afterwards, and never passes the horizon.  A run is the same
    alone and beside others: one lane for each of `seeds`.  States and specs of this package survive as JSON.

    >>> from replibandit import BernoulliArms, RepUCB
    >>> check_policy(RepUCB(horizon=1000, rho=0.1), BernoulliArms(means=np.array([0.4, 0.6])))
    """
    __tracebackhide__ = True
    _check_settings(policy)
    keys, rng = [as_key(seed) for seed in seeds], np.random.default_rng(0)
    if isinstance(env.actions, Contexts):
        for key in keys:
            _check_with_contexts(policy, env, key, rng)
    else:
        _check_lanes(policy, env, keys, _played(policy, env, keys, rng))


def _check_settings(policy: Any) -> None:
    name = type(policy).__name__
    frozen = getattr(getattr(policy, "__dataclass_params__", None), "frozen", False)
    require(frozen, f"{name} is not a frozen dataclass; a policy is a value")
    settings = asdict(policy)
    for field, value in settings.items():
        parts = value if isinstance(value, tuple) else (value,)
        plain = all(part is None or isinstance(part, bool | int | float | str) for part in parts)
        require(
            plain, f"the setting {field} of {name} is {value!r}; it must be None, a bool, a number, text or a tuple"
        )
    require(type(policy)(**settings) == policy, f"the settings of {name} do not make it again")
    if name in POLICIES:
        require(from_json(to_json(policy)) == policy, f"{name} does not survive to_json and from_json")


def _played(policy: Policy, env: Environment, keys: list[Key], rng: np.random.Generator) -> list[tuple[Pull, IntArray]]:
    """Run all lanes to the end and return what they did; check every step."""
    state = pure("init", policy, policy.init, env.actions, keys)
    left = np.full(len(keys), policy.horizon)
    steps: list[tuple[Pull, IntArray]] = []
    while True:
        pull = pure("choose", policy, policy.choose, state)
        _check_pull(pull, env.actions, left)
        if not left.any():
            return steps
        totals = np.where(left > 0, env.draw(pull, rng, policy.horizon - left), 0.0)
        exponent = policy.reward_exponent()
        steps.append((pull, total_cells(on_grid(totals, exponent), exponent)))
        state = pure("update", policy, policy.update, state, *steps[-1])
        if type(state).__name__ in RECORDS:
            again = decode(json.loads(json.dumps(encode(state))))
            require(bits(again) == bits(state), f"{type(state).__name__} does not survive encode and decode")
        left = left - pull.times


def _check_pull(pull: Pull, actions: Any, left: IntArray) -> None:
    lanes, playing = left.shape, left > 0
    kinds = all(a.dtype == np.int64 and a.shape == lanes for a in (pull.arms, pull.times))
    require(kinds, f"arms and times must be int64 of shape {lanes}, one entry for each lane")
    require((pull.times[playing] >= 1).all(), "a decision stands for no round, although there are rounds left")
    require((pull.times <= left).all(), "a decision passes the horizon, or stands for rounds after it")
    first, end = (-1, 0) if isinstance(actions, Ball) else (0, len(table(actions)))
    known = (first <= pull.arms[playing]) & (pull.arms[playing] < end)
    require(known.all(), f"arms are {pull.arms}; they must be from {first} to {end - 1}")
    rows = pull.vectors.ndim == 2 and len(pull.vectors) == len(left) and np.isfinite(pull.vectors).all()
    require(rows, "vectors must be finite, with a row for each lane")


def _check_lanes(policy: Policy, env: Environment, keys: list[Key], steps: list[tuple[Pull, IntArray]]) -> None:
    """Check that every lane does the same without the others."""
    for lane, key in enumerate(keys):
        state = policy.init(env.actions, [key])
        for pull, totals in steps:
            alone, beside = policy.choose(state), [part[[lane]] for part in entries(pull)]
            same = bits(entries(alone)) == bits(beside)
            require(same, f"the lane of {key!r} decides differently alone and beside other lanes")
            state = policy.update(state, alone, totals[:, [lane]])


def _check_with_contexts(policy: Any, env: Environment, key: Key, rng: np.random.Generator) -> None:
    """Check a run with sets that change against a simulated one, which decides more rounds at once."""
    contexts: Contexts = env.actions
    run = simulate(policy, env, seed=key, rng=rng)
    require(run.horizon == policy.horizon, "the run does not end at the horizon")
    state = pure("init", policy, contextual.init, policy, contexts.dim, key)
    while (first := state.rounds) < policy.horizon:
        sets = contexts.block(first, min(first + 16, policy.horizon))
        block, state = pure("decide", policy, contextual.decide, policy, state, sets)
        rounds = slice(first, first + len(block.arms))
        same = bits(block.arms) == bits(run.arms[rounds])
        require(same, "decisions differ when 16 rounds are decided at once")
        state = pure("learn", policy, contextual.learn, policy, state, block, run.totals[rounds])


def table(actions: Any) -> FloatArray:
    """Return the vectors of a fixed set; those of arms have no entries."""
    return np.zeros((actions, 0)) if isinstance(actions, int) else np.asarray(getattr(actions, "vectors", actions))
