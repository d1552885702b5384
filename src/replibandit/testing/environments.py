"""The check of an environment: does it keep the promises of `replibandit.environments.base`?"""

from dataclasses import replace
from typing import Any

import numpy as np

from replibandit.actions import Ball, Contexts
from replibandit.arrays import FloatArray, IntArray
from replibandit.environments.arms import Tape
from replibandit.environments.base import Environment
from replibandit.key import Key
from replibandit.policies.base import Pull
from replibandit.testing.bits import entries, require
from replibandit.testing.policies import table


def check_environment(env: Environment, *, times: int = 1000, lanes: int = 2000) -> None:
    """Fail if `env` breaks a promise of `replibandit.environments.base`, and say which one.

    Totals are finite, and 0 for 0 rounds; gaps are never negative; no `Key` is held.  Over `lanes` random decisions,
    mean reward plus gap is the same for all actions, and `times` rounds have `times` times the mean and the variance of
    one.  A difference of six standard errors fails: by the normal law one false alarm in 10^8 for each action, or each
    coordinate of a ball or of sets that change.  Of two actions, a mean is caught that is off by 0.4 standard
    deviations of a mean over `times` rounds, and a variance that is off by half.  Where sets change, decisions stand
    for one round.

    >>> from replibandit import BernoulliArms
    >>> check_environment(BernoulliArms(means=np.array([0.4, 0.6])), times=10**12)
    """
    __tracebackhide__ = True
    secret = isinstance(env, Tape) or not any(isinstance(value, Key) for value in entries(env))
    require(secret, "the environment holds a Key; the theorems need rewards that do not know the grid")
    rng, n = np.random.default_rng(0), 1 if isinstance(env.actions, Contexts) else times
    start = np.arange(lanes) * n
    pull, other = (_random_pull(env.actions, n, start, rng) for _ in range(2))
    gap, other_gap = env.gaps(pull, start), env.gaps(other, start)
    require(np.min([gap, other_gap]) >= -1e-9, "a gap is negative; no action is better than the best one")
    total, other_total = _totals(env, pull, start, rng), _totals(env, other, start, rng)
    difference = (total - other_total) / n + gap - other_gap
    for marks in (_marks(env.actions, pull) - _marks(env.actions, other)).T:
        _require_centred(marks * difference, "mean reward + gap differs between actions")
    none, one = (replace(pull, times=np.full_like(start, rounds)) for rounds in (0, 1))
    require(not _totals(env, none, start, rng).any(), "a total of 0 rounds is not 0")
    if n > 1:
        again = _totals(env, pull, start + lanes * n, rng)
        reward, after = (_totals(env, one, start + 2 * lanes * n + later, rng) for later in (0, 1))
        _require_centred(total / n - reward, f"the mean of {n} rounds is not {n} times that of one round")
        spread = (total - again) ** 2 / n - (reward - after) ** 2
        _require_centred(spread, f"the variance of {n} rounds is not {n} times that of one round")


def _random_pull(actions: Any, times: int, start: IntArray, rng: np.random.Generator) -> Pull:
    """Return a random decision in each lane."""
    lanes = len(start)
    if isinstance(actions, Ball):
        arms, directions = np.full(lanes, -1), rng.standard_normal((lanes, actions.dim))
        vectors = actions.radius * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    elif isinstance(actions, Contexts):
        sets = actions.block(0, lanes)
        arms = np.where(np.isnan(sets).any(axis=2), -1.0, rng.random(sets.shape[:2])).argmax(axis=1)
        vectors = sets[np.arange(lanes), arms]
    else:
        arms = rng.integers(len(table(actions)), size=lanes)
        vectors = table(actions)[arms]
    return Pull(arms=arms, times=np.full(lanes, times), vectors=vectors)


def _marks(actions: Any, pull: Pull) -> FloatArray:
    """Return what tells actions apart, a column each: which of a fixed set it is, or its coordinates."""
    if isinstance(actions, Ball | Contexts):
        return pull.vectors
    return np.equal.outer(pull.arms, np.arange(len(table(actions)))).astype(np.float64)


def _totals(env: Environment, pull: Pull, start: IntArray, rng: np.random.Generator) -> FloatArray:
    totals = env.draw(pull, rng, start)
    finite = np.shape(totals) == start.shape and np.isfinite(totals).all()
    require(finite, "draw must return finite totals, one for each decision")
    return totals


def _require_centred(sample: FloatArray, broken: str) -> None:
    require(abs(np.mean(sample)) <= 6.0 * np.std(sample) / np.sqrt(len(sample)) + 1e-9, broken)
