"""Assertions for people who write their own: tests of random code, policies, environments.

A test of a rate has an error budget.  With `alarm=1e-6` a correct program fails one test in a million, whatever the
seed; how wrong a program must be to be caught is a matter of the number of trials.  Power of `assert_rate_at_most`:

    trials   claimed rate   fails at   caught if the truth is 1.5 times the claim      2 times      3 times
       200            0.1         44                                        0.5 %         26 %       99.6 %
       400            0.1         72                                          6 %         86 %        100 %
      1000            0.1        149                                         55 %        100 %        100 %
"""

import json
import pickle
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np

from replibandit.actions import Ball, Contexts
from replibandit.arrays import FloatArray, IntArray
from replibandit.catalog import POLICIES, from_json, to_json
from replibandit.checks import positive_integer
from replibandit.environments.arms import Tape
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from replibandit.intervals import clopper_pearson, fails_at
from replibandit.key import Key, as_key
from replibandit.policies import contextual
from replibandit.policies.base import Policy, Pull
from replibandit.record import RECORDS, decode, encode
from replibandit.rewards import on_grid, total_cells
from replibandit.simulate import simulate


def assert_rate_at_most(events: int, trials: int, *, rate: float, alarm: float = 1e-6) -> None:
    """Fail if `events` of `trials` contradict "an event has probability at most `rate`".

    A true claim fails with probability at most `alarm`; of 400 trials at rate 0.1, 72 events fail, and a true rate
    of 0.2 is caught with probability 0.86.  Trials too few to contradict the claim at all are refused.

    >>> assert_rate_at_most(71, 400, rate=0.1)
    >>> assert_rate_at_most(72, 400, rate=0.1)
    Traceback (most recent call last):
    AssertionError: 72 of 400 trials had the event, but its rate is claimed to be at most 0.1.
    The claim fails at 72 or more (false alarm 1e-06); the 95 % interval of the rate is [0.1436, 0.2212].
    """
    __tracebackhide__ = True
    _check(events, trials, rate)
    limit = fails_at(trials, rate, alarm)
    if limit > trials:
        raise InvalidInput(_too_few(trials, f"at most {rate}", alarm))
    if events >= limit:
        raise AssertionError(_verdict(events, trials, f"at most {rate}", f"{limit} or more", alarm))


def assert_rate_at_least(events: int, trials: int, *, rate: float, alarm: float = 1e-6) -> None:
    """Fail if `events` of `trials` contradict "an event has probability at least `rate`".

    A true claim fails with probability at most `alarm`; of 400 trials at rate 0.9, 328 events fail, and a true rate
    of 0.8 is caught with probability 0.86.  Trials too few to contradict the claim at all are refused.

    >>> assert_rate_at_least(329, 400, rate=0.9)
    >>> assert_rate_at_least(328, 400, rate=0.9)
    Traceback (most recent call last):
    AssertionError: 328 of 400 trials had the event, but its rate is claimed to be at least 0.9.
    The claim fails at 328 or fewer (false alarm 1e-06); the 95 % interval of the rate is [0.7788, 0.8564].
    """
    __tracebackhide__ = True
    _check(events, trials, rate)
    # P(X <= k) at the rate p is P(X' >= n - k) at the rate 1 - p, X' = n - X being the non-events
    limit = trials - fails_at(trials, 1 - rate, alarm)
    if limit < 0:
        raise InvalidInput(_too_few(trials, f"at least {rate}", alarm))
    if events <= limit:
        raise AssertionError(_verdict(events, trials, f"at least {rate}", f"{limit} or fewer", alarm))


def _check(events: int, trials: int, rate: float) -> None:
    positive_integer("trials", trials)
    if not isinstance(events, int | np.integer) or isinstance(events, bool) or not 0 <= events <= trials:
        raise InvalidInput(f"events is {events!r}; it must be a whole number from 0 to {trials}, the number of trials.")
    if not 0 <= rate <= 1:
        raise InvalidInput(f"rate is {rate!r}; it must lie between 0 and 1.")


def _verdict(events: int, trials: int, claim: str, limit: str, alarm: float) -> str:
    low, high = clopper_pearson(events, trials)
    return (
        f"{events} of {trials} trials had the event, but its rate is claimed to be {claim}. "
        f"The claim fails at {limit} (false alarm {alarm:g}); the 95 % interval of the rate is [{low:.4g}, {high:.4g}]."
    )


def _too_few(trials: int, claim: str, alarm: float) -> str:
    return (
        f"no outcome of {trials} trials contradicts a rate of {claim} at a false alarm of {alarm:g}, "
        "so this test cannot fail. Take more trials, or claim a rate that trials can contradict."
    )


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


def check_environment(env: Environment, *, times: int = 1000, lanes: int = 2000) -> None:
    """Fail if `env` breaks a promise of `replibandit.environments.base`, and say which one.

    Totals are finite, and 0 for 0 rounds; gaps are never negative; no `Key` is held.  Over `lanes` random decisions,
    mean reward plus gap is the same for all actions, and `times` rounds have `times` times the mean and the variance of
    one.  A difference of six standard errors fails: by the normal law one false alarm in 10^8.  With 2000 lanes a mean
    is caught that is off by 0.2 standard deviations, and a variance that is off by half.  Where sets change, decisions
    stand for one round.

    >>> from replibandit import BernoulliArms
    >>> check_environment(BernoulliArms(means=np.array([0.4, 0.6])), times=10**12)
    """
    __tracebackhide__ = True
    secret = isinstance(env, Tape) or not any(isinstance(value, Key) for value in _entries(env))
    _require(secret, "the environment holds a Key; the theorems need rewards that do not know the grid")
    rng, n = np.random.default_rng(0), 1 if isinstance(env.actions, Contexts) else times
    start = np.arange(lanes) * n
    pull, other = (_random_pull(env.actions, n, start, rng) for _ in range(2))
    gap, other_gap = env.gaps(pull, start), env.gaps(other, start)
    _require(np.min([gap, other_gap]) >= -1e-9, "a gap is negative; no action is better than the best one")
    total, other_total = _totals(env, pull, start, rng), _totals(env, other, start, rng)
    _require_centred((total - other_total) / n + gap - other_gap, "mean reward + gap differs between actions")
    none, one = (replace(pull, times=np.full_like(start, rounds)) for rounds in (0, 1))
    _require(not _totals(env, none, start, rng).any(), "a total of 0 rounds is not 0")
    if n > 1:
        again = _totals(env, pull, start + lanes * n, rng)
        reward, after = (_totals(env, one, start + 2 * lanes * n + later, rng) for later in (0, 1))
        _require_centred(total / n - reward, f"the mean of {n} rounds is not {n} times that of one round")
        spread = (total - again) ** 2 / n - (reward - after) ** 2
        _require_centred(spread, f"the variance of {n} rounds is not {n} times that of one round")


def _require(kept: Any, broken: str) -> None:
    __tracebackhide__ = True
    if not kept:
        raise AssertionError(broken + ".")


def _check_settings(policy: Any) -> None:
    name = type(policy).__name__
    frozen = getattr(getattr(policy, "__dataclass_params__", None), "frozen", False)
    _require(frozen, f"{name} is not a frozen dataclass; a policy is a value")
    settings = asdict(policy)
    for field, value in settings.items():
        parts = value if isinstance(value, tuple) else (value,)
        plain = all(part is None or isinstance(part, bool | int | float | str) for part in parts)
        _require(
            plain, f"the setting {field} of {name} is {value!r}; it must be None, a bool, a number, text or a tuple"
        )
    _require(type(policy)(**settings) == policy, f"the settings of {name} do not make it again")
    if name in POLICIES:
        _require(from_json(to_json(policy)) == policy, f"{name} does not survive to_json and from_json")


def _played(policy: Policy, env: Environment, keys: list[Key], rng: np.random.Generator) -> list[tuple[Pull, IntArray]]:
    """Run all lanes to the end and return what they did; check every step."""
    state = _pure("init", policy, policy.init, env.actions, keys)
    left = np.full(len(keys), policy.horizon)
    steps: list[tuple[Pull, IntArray]] = []
    while True:
        pull = _pure("choose", policy, policy.choose, state)
        _check_pull(pull, env.actions, left)
        if not left.any():
            return steps
        totals = np.where(left > 0, env.draw(pull, rng, policy.horizon - left), 0.0)
        exponent = policy.reward_exponent()
        steps.append((pull, total_cells(on_grid(totals, exponent), exponent)))
        state = _pure("update", policy, policy.update, state, *steps[-1])
        if type(state).__name__ in RECORDS:
            again = decode(json.loads(json.dumps(encode(state))))
            _require(_bits(again) == _bits(state), f"{type(state).__name__} does not survive encode and decode")
        left = left - pull.times


def _check_pull(pull: Pull, actions: Any, left: IntArray) -> None:
    lanes, playing = left.shape, left > 0
    kinds = all(a.dtype == np.int64 and a.shape == lanes for a in (pull.arms, pull.times))
    _require(kinds, f"arms and times must be int64 of shape {lanes}, one entry for each lane")
    _require((pull.times[playing] >= 1).all(), "a decision stands for no round, although there are rounds left")
    _require((pull.times <= left).all(), "a decision passes the horizon, or stands for rounds after it")
    first, end = (-1, 0) if isinstance(actions, Ball) else (0, len(_table(actions)))
    known = (first <= pull.arms[playing]) & (pull.arms[playing] < end)
    _require(known.all(), f"arms are {pull.arms}; they must be from {first} to {end - 1}")
    rows = pull.vectors.ndim == 2 and len(pull.vectors) == len(left) and np.isfinite(pull.vectors).all()
    _require(rows, "vectors must be finite, with a row for each lane")


def _check_lanes(policy: Policy, env: Environment, keys: list[Key], steps: list[tuple[Pull, IntArray]]) -> None:
    """Check that every lane does the same without the others."""
    for lane, key in enumerate(keys):
        state = policy.init(env.actions, [key])
        for pull, totals in steps:
            alone, beside = policy.choose(state), [part[[lane]] for part in _entries(pull)]
            same = _bits(_entries(alone)) == _bits(beside)
            _require(same, f"the lane of {key!r} decides differently alone and beside other lanes")
            state = policy.update(state, alone, totals[:, [lane]])


def _check_with_contexts(policy: Any, env: Environment, key: Key, rng: np.random.Generator) -> None:
    """Check a run with sets that change against a simulated one, which decides more rounds at once."""
    contexts: Contexts = env.actions
    run = simulate(policy, env, seed=key, rng=rng)
    _require(run.horizon == policy.horizon, "the run does not end at the horizon")
    state = _pure("init", policy, contextual.init, policy, contexts.dim, key)
    while (first := state.rounds) < policy.horizon:
        sets = contexts.block(first, min(first + 16, policy.horizon))
        block, state = _pure("decide", policy, contextual.decide, policy, state, sets)
        rounds = slice(first, first + len(block.arms))
        same = _bits(block.arms) == _bits(run.arms[rounds])
        _require(same, "decisions differ when 16 rounds are decided at once")
        state = _pure("learn", policy, contextual.learn, policy, state, block, run.totals[rounds])


def _pure(name: str, policy: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call `function` twice and return the first result; check that it is a function of its arguments."""
    before, drawn = _bits([policy, *arguments]), _global_randomness()
    first, second = function(*arguments), function(*arguments)
    unchanged, untouched = _bits([policy, *arguments]) == before, _global_randomness() == drawn
    _require(unchanged, f"{name} changes the policy, the state or another argument; return a new state instead")
    _require(untouched, f"{name} draws from the global random numbers; all randomness of a policy comes from its keys")
    _require(_bits(first) == _bits(second), f"{name} answers equal questions differently; is there hidden randomness?")
    return first


def _global_randomness() -> bytes:
    return pickle.dumps([np.random.get_state(), random.getstate()])  # noqa: NPY002


def _bits(value: Any) -> bytes:
    """Return a digest of all bits of a value: equal for equal values, however they are shared."""
    digest = blake2b(b"tuple" if isinstance(value, list) else type(value).__name__.encode(), digest_size=16)
    if isinstance(value, np.ndarray):
        digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    elif isinstance(value, list | tuple | Mapping) or is_dataclass(value) or hasattr(value, "__dict__"):
        for item in _entries(value):
            digest.update(_bits(item))
    else:
        digest.update(pickle.dumps(value))
    return digest.digest()


def _entries(value: Any) -> list[Any]:
    """Return the parts of a container, a dataclass or an object."""
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    parts = value.items() if isinstance(value, Mapping) else getattr(value, "__dict__", {}).values()
    return list(value if isinstance(value, list | tuple) else parts)


def _table(actions: Any) -> FloatArray:
    """Return the vectors of a fixed set; those of arms have no entries."""
    return np.zeros((actions, 0)) if isinstance(actions, int) else np.asarray(getattr(actions, "vectors", actions))


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
        arms = rng.integers(len(_table(actions)), size=lanes)
        vectors = _table(actions)[arms]
    return Pull(arms=arms, times=np.full(lanes, times), vectors=vectors)


def _totals(env: Environment, pull: Pull, start: IntArray, rng: np.random.Generator) -> FloatArray:
    totals = env.draw(pull, rng, start)
    finite = np.shape(totals) == start.shape and np.isfinite(totals).all()
    _require(finite, "draw must return finite totals, one for each decision")
    return totals


def _require_centred(sample: FloatArray, broken: str) -> None:
    _require(abs(np.mean(sample)) <= 6.0 * np.std(sample) / np.sqrt(len(sample)) + 1e-9, broken)
