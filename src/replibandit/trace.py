"""Runs with everything that they rounded, and where two runs of one key part.

Two runs with one key stand on one grid as long as they act alike.  Given both unrounded estimates z and z', the grid's
shift being independent of them, their cells differ with probability

    r = 1 - prod_j max(0, 1 - |z_j - z'_j| / alpha).

Summed over the estimates up to the first one whose cells do differ, these numbers have the expectation
P(cells differ at some estimate): the compensator of a counting process.  It varies less than the count itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit.actions import Contexts
from replibandit.arrays import FloatArray
from replibandit.environments.base import Environment
from replibandit.grid import cell_of
from replibandit.key import Key, uniforms
from replibandit.policies import contextual
from replibandit.policies.base import Rounding
from replibandit.runs import Run, first_divergence
from replibandit.simulate import as_run, as_runs, context_steps, steps

Name = tuple[str | int, ...]
_Row = tuple[Name, FloatArray, float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """A run and its estimates in order: name, whitened value `z` before rounding, `width` and `shift` of its grid.

    `rho` is the share of rho that each may spend, NaN where the policy does not say.
    """

    run: Run
    names: tuple[Name, ...]
    z: FloatArray
    width: FloatArray
    shift: FloatArray
    rho: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The estimate whose cells were the first to differ.

    Its name and its place among the estimates.  Of the coordinates with a line between the two values, the one in which
    they are farthest apart: how far that is, and how far the first value is from the line, in widths of the grid.
    """

    name: Name
    place: int
    apart: float
    distance: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """Where two runs of one key part: the first round (None: never), the cause, and the risk of each estimate.

    `rho` is the share of rho of each estimate.
    """

    divergence: int | None
    cause: Cause | None
    risk: FloatArray
    rho: FloatArray


def traces(spec: Any, env: Environment, keys: Sequence[Key], rng: np.random.Generator) -> list[Trace]:
    """Simulate one run for each of `keys` and keep what was rounded."""
    if isinstance(env.actions, Contexts):
        return _traces([_with_contexts(spec, env, key, rng) for key in keys])
    watches = hasattr(spec, "rounding")
    played, seen = [], []
    for state, pull, totals in steps(spec, env, keys, rng):
        played.append((pull, totals))
        if watches:
            seen.append((pull.times > 0, spec.rounding(state)))
    runs = as_runs(spec, keys, played)
    return _traces([(run, [_row(r, lane) for on, r in seen if on[lane]]) for lane, run in enumerate(runs)])


def compare(a: Trace, b: Trace) -> Comparison:
    """Follow two runs of one key to the first estimate whose cells differ."""
    together = _together(a, b)
    width = a.width[:together, None]
    # 1 - prod_j max(0, 1 - |z_j - z'_j| / alpha)
    risk = 1.0 - np.prod(np.maximum(0.0, 1.0 - abs(a.z[:together] - b.z[:together]) / width), axis=1)
    cells = [cell_of(t.z[:together], width=width, shift=t.shift[:together]) for t in (a, b)]
    parted = (cells[0] != cells[1]).any(axis=1)
    first = int(np.argmax(parted)) if parted.any() else together
    return Comparison(
        divergence=first_divergence(a.run, b.run),
        cause=_cause(a, b, first) if first < together else None,
        risk=risk[: first + 1],
        rho=a.rho[: len(risk[: first + 1])],
    )


def _cause(a: Trace, b: Trace, place: int) -> Cause:
    ours, theirs = ((t.z[place] - t.shift[place]) / t.width[place] for t in (a, b))
    parted = np.floor(ours) != np.floor(theirs)
    j = int(np.argmax(np.where(parted, abs(ours - theirs), -1.0)))
    line = np.ceil(ours[j]) if theirs[j] > ours[j] else np.floor(ours[j])
    apart, distance = float(abs(ours[j] - theirs[j])), float(abs(line - ours[j]))
    return Cause(name=a.names[place], place=place, apart=apart, distance=distance)


def _together(a: Trace, b: Trace) -> int:
    """Return how many estimates two runs have on the same grids, from the first on."""
    n = min(len(a.names), len(b.names))
    same = [a.names[i] == b.names[i] and a.width[i] == b.width[i] for i in range(n)]
    return same.index(False) if False in same else n


def _with_contexts(spec: Any, env: Environment, key: Key, rng: np.random.Generator) -> tuple[Run, list[_Row]]:
    played, seen = [], []
    for state, pull, totals in context_steps(spec, env, key, rng):
        played.append((pull, totals))
        seen.append(_row(contextual.rounding(state), 0))
    return as_run(spec, key, played), seen


def _row(rounding: Rounding, lane: int) -> _Row:
    share = math.nan if rounding.rho is None else float(rounding.rho[lane])
    return rounding.names[lane], rounding.z[lane], float(rounding.width[lane]), share


def _traces(seen: Sequence[tuple[Run, list[_Row]]]) -> list[Trace]:
    """Keep each estimate once, and those that were rounded only; recompute the shifts of their grids."""
    kept = [
        (run, [row for i, row in enumerate(rows) if row[2] > 0 and (i == 0 or row[0] != rows[i - 1][0])])
        for run, rows in seen
    ]
    dim = next((len(rows[0][1]) for _, rows in kept if rows), 1)
    ends = np.cumsum([len(rows) for _, rows in kept])
    keys, names = [run.key for run, rows in kept for _ in rows], [name for _, rows in kept for name, *_ in rows]
    draws = np.split(uniforms(keys, names, dim), ends[:-1])
    return [_trace(run, rows, draw) for (run, rows), draw in zip(kept, draws, strict=True)]


def _trace(run: Run, rows: Sequence[_Row], draws: FloatArray) -> Trace:
    width = np.array([row[2] for row in rows])
    return Trace(
        run=run,
        names=tuple(row[0] for row in rows),
        z=np.array([row[1] for row in rows]).reshape(draws.shape),
        width=width,
        shift=width[:, None] * draws,
        rho=np.array([row[3] for row in rows]),
    )
