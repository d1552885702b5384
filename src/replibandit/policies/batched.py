"""Batches that end when the determinant has grown by a factor q (Alg. 3 and 5), for one action set, in lanes.

Within a batch the rule is frozen and the action set stays the same, so one action is played throughout.  With
w = ||a||^2 in the norm of V_{t_b}^-1, playing it n times makes det V = (1 + n w) det V_{t_b}: the batch ends after
n = floor((q - 1)/w) + 1 rounds, the first n with (1 + n w) > q.  All lanes are in the same batch, whatever its length.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from replibandit.actions import ActionSet, Ball, Finite, action_cells, as_actions, cell_vectors
from replibandit.arithmetic import (
    FEATURE_BITS,
    add,
    apply,
    cholesky,
    exponent_above,
    solve_lower,
    squared_norm,
    to_float,
    wide,
)
from replibandit.arithmetic.wide import LIMBS, scale
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.span import in_own_dimension
from replibandit.key import Key
from replibandit.policies.ball import farthest_point
from replibandit.policies.base import Pull, Rounding, best
from replibandit.policies.plan import Plan, Settings
from replibandit.rewards import REWARD_BITS

_LIMB = 18
_Array = TypeVar("_Array", FloatArray, IntArray)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Data:
    """What an estimate is made of, in lanes: the design V and its factor, sum x r, and the counts of a finite set.

    `candidates` is the number of actions in one set throughout, None where they are infinitely many or change.
    """

    V: FloatArray
    factor: FloatArray
    cross: FloatArray
    vectors: FloatArray
    counts: IntArray | None
    candidates: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    """The frozen rule of a batch: play the maximiser of a score made of theta, the radius and ||a||_{V^-1}.

    `z` is the whitened estimate before it was rounded on a grid of `width`, if it was.
    """

    theta: FloatArray
    radius: FloatArray
    V: FloatArray
    factor: FloatArray
    z: FloatArray | None = None
    width: FloatArray | None = None


class Batched(Settings, Protocol):
    """What the algorithms differ in: the plan, the estimate at a batch start, and the score."""

    @property
    def needs_rows(self) -> bool: ...
    def plan(self, dim: int) -> Plan: ...
    def rule(self, data: Data, batch: int, plan: Plan, keys: Sequence[Key]) -> Rule: ...
    def score(self, rule: Rule, eta: FloatArray, norm: FloatArray) -> FloatArray: ...
    def lipschitz(self) -> float: ...
    def reward_exponent(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BatchedState:
    """The lanes at a batch start, with the standing decision: `arms` (or `cells` of a ball) for `length` rounds.

    `actions` are what the algorithm computes with, `played` the same as the world knows them: they differ where a
    finite set is played in its own dimension.  `gram` holds the exact cells of sum x x^T on and below the diagonal, row
    by row.
    """

    keys: tuple[Key, ...]
    actions: Finite | Ball
    played: FloatArray
    plan: Plan
    batch: int
    rounds: IntArray
    gram: IntArray
    cross: IntArray
    counts: IntArray
    theta: FloatArray
    z: FloatArray
    width: FloatArray
    arms: IntArray
    cells: IntArray
    length: IntArray


def scores(spec: Batched, rule: Rule, vectors: FloatArray) -> FloatArray:
    """Return the score of each lane and action, from <a, theta~> and ||a|| in the norm of V^-1."""
    norm = np.sqrt(squared_norm(np.swapaxes(solve_lower(rule.factor, vectors.T), -1, -2)))
    return spec.score(rule, apply(vectors, rule.theta), norm)


def init(
    spec: Batched, actions: ActionSet | FloatArray, keys: Sequence[Key], *, own_dimension: bool = False
) -> BatchedState:
    """Return the first batch: an estimate on no data; a finite set may be played in the dimension of its span."""
    space = as_actions(actions)
    if not isinstance(space, Finite | Ball):
        raise InvalidInput("the actions change from round to round; use `simulate` or a session, which know contexts.")
    played = np.zeros((0, space.dim))
    if isinstance(space, Finite):
        played = _on_grid(spec, space.vectors)
        space = Finite(_on_grid(spec, in_own_dimension(space.vectors)) if own_dimension else played)
    elif space.radius > spec.action_bound:
        raise InvalidInput(f"the ball's radius is {space.radius}; action_bound is {spec.action_bound}. Raise it.")
    m, d = len(keys), space.dim
    arms = len(space.vectors) if isinstance(space, Finite) else 0
    state = BatchedState(
        keys=tuple(keys),
        actions=space,
        played=played,
        plan=spec.plan(d),
        batch=0,
        rounds=np.zeros(m, dtype=np.int64),
        gram=np.zeros((LIMBS, m, d * (d + 1) // 2), dtype=np.int64),
        cross=np.zeros((LIMBS, m, d), dtype=np.int64),
        counts=np.zeros((m, arms), dtype=np.int64),
        theta=np.zeros((m, d)),
        z=np.zeros((m, d)),
        width=np.zeros(m),
        arms=np.full(m, -1),
        cells=np.zeros((m, d), dtype=np.int64),
        length=np.zeros(m, dtype=np.int64),
    )
    return _begin(spec, state, np.arange(m))


def choose(spec: Batched, state: BatchedState) -> Pull:
    """Return the action of each lane and the rounds to the end of its batch, or to the horizon."""
    times = np.minimum(state.length, spec.horizon - state.rounds)
    finite = isinstance(state.actions, Finite)
    vectors = state.played[state.arms] if finite else cell_vectors(state.cells, spec.action_bound)
    return Pull(arms=np.where(times > 0, state.arms, -1), times=times, vectors=vectors)


def rounding(state: BatchedState) -> Rounding:
    """Return the rounding at the start of the running batch."""
    lanes = len(state.keys)
    rho = np.full(lanes, state.plan.rho[state.batch])
    return Rounding(names=(("batch", state.batch),) * lanes, z=state.z, width=state.width, rho=rho)


def update(spec: Batched, state: BatchedState, pull: Pull, totals: IntArray) -> BatchedState:
    """Take in the rewards of a batch and begin the next one in the lanes that have rounds left."""
    played = pull.times > 0
    k = np.where(played[:, None], state.cells, 0)
    gram = add(state.gram, scale(_products(k), pull.times[:, None]))
    cross = add(state.cross, scale(totals[:, :, None], k))
    counts = state.counts.copy()
    if isinstance(state.actions, Finite):
        counts[np.flatnonzero(played), pull.arms[played]] += pull.times[played]
    rounds = state.rounds + pull.times
    state = replace(state, batch=state.batch + 1, rounds=rounds, gram=gram, cross=cross, counts=counts)
    going = np.flatnonzero(rounds < spec.horizon)
    return _begin(spec, state, going) if len(going) else state


def _begin(spec: Batched, state: BatchedState, lanes: IntArray) -> BatchedState:
    """Estimate, choose the action of the batch, and compute when the batch ends."""
    data = _data(spec, state, lanes)
    rule = spec.rule(data, state.batch, state.plan, [state.keys[lane] for lane in lanes])
    if isinstance(state.actions, Finite):
        chosen = best(scores(spec, rule, state.actions.vectors))
        cells = _cells(spec, state.actions.vectors)[chosen]
    else:
        chosen = np.full(len(lanes), -1)
        # the score over a ball is linear: see `ball.py`; truncated, so that the norm stays within the radius
        point = farthest_point(rule.theta, rule.radius, rule.V)
        vector = state.actions.radius * point / np.sqrt(squared_norm(point))[:, None]
        cells = np.trunc(_units(spec, vector)).astype(np.int64)
    action = cell_vectors(cells, spec.action_bound)
    # ||a||^2 in the norm of V_{t_b}^-1
    w = squared_norm(solve_lower(rule.factor, action[..., None])[..., 0])
    with np.errstate(divide="ignore"):
        rounds = np.floor((state.plan.growth - 1.0) / w) + 1.0
    if state.batch > state.plan.batches - 2:
        rounds = np.full_like(w, np.inf)  # b <= B - 2 fails: the last batch runs to the horizon
    new = {"theta": rule.theta, "arms": chosen, "cells": cells}
    new["length"] = np.minimum(rounds, float(spec.horizon)).astype(np.int64)
    if rule.z is not None and rule.width is not None:
        new |= {"z": rule.z, "width": rule.width}
    return replace(state, **{name: _with(getattr(state, name), lanes, rows) for name, rows in new.items()})


def _with(rows: _Array, lanes: IntArray, new: _Array) -> _Array:
    """Return a copy of `rows` in which those of some lanes are new."""
    result = rows.copy()
    result[lanes] = new
    return result


def _data(spec: Batched, state: BatchedState, lanes: IntArray) -> Data:
    """Turn the exact sums of some lanes into V, its factor and sum x r."""
    unit = int(exponent_above(np.array(spec.action_bound))) - FEATURE_BITS
    d = state.cells.shape[-1]
    V = spec.penalty * np.eye(d) + _square(to_float(state.gram[:, lanes], 2 * unit), d)
    cross = to_float(state.cross[:, lanes], unit + spec.reward_exponent() - REWARD_BITS)
    finite = isinstance(state.actions, Finite)
    vectors = state.actions.vectors if isinstance(state.actions, Finite) else np.zeros((0, d))
    return Data(
        V=V,
        factor=cholesky(V),
        cross=cross,
        vectors=vectors,
        counts=state.counts[lanes],
        candidates=len(vectors) if finite else None,
    )


def _products(k: IntArray) -> IntArray:
    """Return the entries on and below the diagonal of k k^T exactly, for cells of up to 37 bits."""
    rows, columns = np.tril_indices(k.shape[1])
    high = (k + (1 << (_LIMB - 1))) >> _LIMB
    low = k - (high << _LIMB)
    left = k[:, rows]
    return add(wide(left * high[:, columns], _LIMB), wide(left * low[:, columns]))


def _square(entries: FloatArray, d: int) -> FloatArray:
    """Return the symmetric matrices that have these entries on and below the diagonal."""
    rows, columns = np.tril_indices(d)
    matrix = np.empty((len(entries), d, d))
    matrix[:, rows, columns] = matrix[:, columns, rows] = entries
    return matrix


def _on_grid(spec: Batched, vectors: FloatArray) -> FloatArray:
    """Return the vectors that stand for actions."""
    return cell_vectors(action_cells(vectors, spec.action_bound)[0], spec.action_bound)


def _units(spec: Batched, vectors: FloatArray) -> FloatArray:
    return np.asarray(np.ldexp(vectors, FEATURE_BITS - int(exponent_above(np.array(spec.action_bound)))))


def _cells(spec: Batched, vectors: FloatArray) -> IntArray:
    return np.asarray(np.rint(_units(spec, vectors)).astype(np.int64))
