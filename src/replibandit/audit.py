"""The audit: fix the key, redraw the rewards, and count how often two runs differ.

    audit(RepLinUCB(...), LinearArms(...), pairs=1000, seed=0).verdict      "replicable", "not replicable", "undecided"

Each key is drawn anew and played twice (`replicates` times) with independent rewards.  What the theorem promises is
that two such runs choose the same action in every round with probability at least 1 - rho; the audit estimates that
probability, with an interval that counts independent keys.  It speaks about the one environment it was given.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, TypeVar

import numpy as np

from replibandit import checks
from replibandit.arrays import FloatArray, IntArray
from replibandit.catalog import digest, to_json
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from replibandit.findings import Audit, mean_of
from replibandit.key import Key, as_key
from replibandit.machine import check_machine
from replibandit.progress import Progress, bar
from replibandit.runs import regret, regret_after
from replibandit.simulate import simulate_many
from replibandit.trace import Cause, compare, traces
from replibandit.verdict import UNDECIDED, Tally

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
_BLOCK = 50  # keys simulated in lockstep
_CHECKPOINTS = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Found:
    """What was found for one key."""

    differing: float
    round: int
    cause: Cause | None
    risk: FloatArray | None
    shares: FloatArray | None
    curve: FloatArray
    reference: float | None


def audit(
    spec: Any,
    env: Environment,
    *,
    pairs: int = 1000,
    seed: Key | str | int = 0,
    rho: float | None = None,
    level: float = 0.95,
    replicates: int = 2,
    sequential: bool = False,
    reference: Any = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Audit:
    """Measure how often two runs of `spec` with one key differ on `env`, and hold it against rho.

    `pairs` keys are played `replicates` times each.  `rho` is that of the spec unless given.  A sequential audit stops
    as soon as its verdict is certain; its interval holds at every stop.  With a `reference`, a policy, the price of
    replicability is measured too.  The result depends on `seed` and not on `n_jobs`.

    >>> from replibandit import BernoulliArms, UCB1
    >>> audit(UCB1(horizon=300), BernoulliArms(means=np.array([0.4, 0.6])), rho=0.1, sequential=True).verdict
    'not replicable'
    """
    check_machine().require()
    key, rho = as_key(seed), checks.probability("rho", _promised(spec) if rho is None else rho)
    checks.probability("level", level)
    count, workers = checks.positive_integer("pairs", pairs), checks.workers(n_jobs)
    if checks.positive_integer("replicates", replicates) < 2:
        raise InvalidInput("replicates is 1; a key needs two runs or more, for there to be something to compare.")
    checkpoints = _checkpoints(spec.horizon)
    blocks = [range(first, min(first + _BLOCK, count)) for first in range(0, count, _BLOCK)]

    def play(keys: range) -> list[_Found]:
        return _block(spec, env, reference, key, keys, replicates, checkpoints)

    found: list[_Found] = []
    with bar(f"auditing {type(spec).__name__}") if progress is None else nullcontext(progress) as show:
        for block in in_order(play, blocks, workers):
            found += block
            show(len(found), count)
            tally = Tally(differing=np.array([f.differing for f in found]), rho=rho, level=level, anytime=sequential)
            if sequential and tally.verdict != UNDECIDED:
                break
    return _audit(spec, key, reference, replicates, tally, checkpoints, found)


def in_order(play: Callable[[_Task], _Result], blocks: Sequence[_Task], workers: int) -> Iterator[_Result]:
    """Yield `play` of every block, in their order; further blocks are not begun when nobody asks for them."""
    if workers == 1:
        yield from map(play, blocks)
        return
    from joblib import Parallel, delayed, effective_n_jobs

    todo, several = iter(blocks), 2 * effective_n_jobs(workers)
    with Parallel(n_jobs=workers) as pool:
        while group := list(islice(todo, several)):
            yield from pool(delayed(play)(block) for block in group)


def generator(key: Key, *names: str | int) -> np.random.Generator:
    """Return the data randomness of a part of an audit: it shares nothing with what the policies draw."""
    return np.random.default_rng(key.child("audit", *names).words(4))


def _promised(spec: Any) -> float:
    if not hasattr(spec, "rho"):
        raise InvalidInput(f"{type(spec).__name__} promises no rho; say which one to hold it against, such as rho=0.1.")
    return float(spec.rho)


def _checkpoints(horizon: int) -> IntArray:
    """Return numbers of rounds from 1 to the horizon, evenly spaced on a logarithmic axis."""
    powers = np.geomspace(1.0, horizon, num=_CHECKPOINTS)
    return np.unique(np.minimum(np.rint(powers), horizon).astype(np.int64))


def _block(
    spec: Any, env: Environment, reference: Any, key: Key, keys: range, replicates: int, checkpoints: IntArray
) -> list[_Found]:
    """Play the runs of some keys in lockstep and compare those of each key."""
    seeds = [key.child("audit", "key", i) for i in keys]
    runs = traces(spec, env, [seed for seed in seeds for _ in range(replicates)], generator(key, "data", keys.start))
    twins: list[Any] = [None] * len(seeds)
    if reference is not None:
        twins = simulate_many(reference, env, seeds=seeds, rng=generator(key, "reference", keys.start))
    rounds, found = hasattr(spec, "rounding"), []
    for i, twin in enumerate(twins):
        mine = runs[i * replicates : (i + 1) * replicates]
        pairs = [compare(a, b) for a, b in combinations(mine, 2)]
        curves = [regret_after(trace.run, env, checkpoints) for trace in mine]
        found.append(
            _Found(
                differing=sum(pair.divergence is not None for pair in pairs) / len(pairs),
                round=spec.horizon if pairs[0].divergence is None else pairs[0].divergence,
                cause=pairs[0].cause,
                risk=_mean([pair.risk for pair in pairs]) if rounds else None,
                shares=_mean([pair.rho for pair in pairs]) if rounds else None,
                curve=np.sum(curves, axis=0) / len(curves),
                reference=None if twin is None else float(regret(twin, env)[-1]),
            )
        )
    return found


def _mean(rows: Sequence[FloatArray]) -> FloatArray:
    """Return the mean of what pairs have for each estimate; nothing after the first difference."""
    return _padded_sum(rows) / len(rows)


def _padded_sum(rows: Sequence[FloatArray]) -> FloatArray:
    """Return the sum of rows of different lengths, from the first to the last."""
    total = np.zeros(max(map(len, rows)))
    for row in rows:
        total[: len(row)] += row
    return total


def _audit(
    spec: Any,
    key: Key,
    reference: Any,
    replicates: int,
    tally: Tally,
    checkpoints: IntArray,
    found: Sequence[_Found],
) -> Audit:
    risks = [f.risk for f in found if f.risk is not None]
    shares = _padded_sum([f.shares for f in found if f.shares is not None]) / len(found) if risks else None
    references = [f.reference for f in found if f.reference is not None]
    curves = np.array([f.curve for f in found])
    means = [mean_of(column) for column in curves.T]
    return Audit(
        spec=to_json(spec),
        digest=digest(spec),
        seed=repr(key),
        horizon=spec.horizon,
        replicates=replicates,
        tally=tally,
        rounds=np.array([f.round for f in found], dtype=np.int64),
        causes=tuple(f.cause for f in found),
        risk=np.array([math.fsum(risk.tolist()) for risk in risks]) if risks else None,
        spent=_padded_sum(risks) / len(risks) if risks else None,
        allotted=None if shares is None or np.isnan(shares).any() else shares,
        regret=curves[:, -1],
        checkpoints=checkpoints,
        curve=np.array([mean.value for mean in means]),
        curve_error=np.array([mean.error for mean in means]),
        reference=None if reference is None else to_json(reference),
        reference_regret=np.array(references) if references else None,
    )
