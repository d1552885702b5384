"""Phases: a declared schedule of pulls, and a decision when it is done, for finitely many actions, in lanes.

Within a phase nothing is estimated: the actions are played in ascending order, each for as many rounds as the schedule
says.  So a run takes one step for each action of each phase, however long the horizon; lanes may be in different phases
and have different actions left.

How to write a phased policy.  It is a frozen dataclass of settings with `horizon`, `reward_exponent()`, and

    prepare(vectors)        what the decisions need and no lane changes, computed once: arrays, numbers, text, tuples of
                            these, or a dataclass that `record.RECORDS` lists.  `vectors` is (K, d); K arms have d = 0
    decide(evidence)        what to do in the phase that begins, for the lanes of `evidence`: `Orders`

and these, which it hands on to this module:

    def init(self, actions: int | Finite | FloatArray, keys: Sequence[Key]) -> PhasedState:
        return phases.init(self, actions, keys)
    def choose(self, state: PhasedState) -> Pull:
        return phases.choose(self, state)
    def update(self, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
        return phases.update(self, state, pull, totals)
    def ahead(self, state: PhasedState) -> bool:            # so that a session may ask for the whole phase at once
        return phases.ahead(self, state)

`decide` is called at the start of every phase, first for phase 0, when nothing has been seen.  The arrays of `Evidence`
and of `Orders` have a row for each lane; a lane's row of orders is a function of its row of evidence, and of nothing
else.  Draw shared randomness from `evidence.keys`, under names that tell the phase, or the same in all phases.

* `evidence.pulls` and `evidence.means(...)` are of the whole run; `.fresh_pulls` and `.fresh_means(...)` of the phase
  that has ended.  Sums are exact; a mean is the double nearest to the exact sum, divided by the count.
* `orders.times` says how often each action is played in the phase: 0 for those that are left out, and something for one
  of them.  To commit, order `horizon` rounds of one action.  The engine cuts a phase at the horizon, and does not ask
  again after it; a policy that must not begin a phase which does not fit looks at `evidence.rounds`.
* `orders.active` are the actions still in play; it comes back as `evidence.active` (phase 0: all of them).
* A policy that rounds gives `orders.z` (lanes, K) before rounding and the `orders.width` of its grid, whose shift is
  width * key.child("phase", p).uniform(K), and has a method `rounding(state)` that hands on to `phases.rounding`.

Decisions are strict (docs/numerics.md): + - * / sqrt, elementwise in a fixed order, `best` for the largest of several.
List the policy in `catalog.py`; its tests are those of the catalogue.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from replibandit import checks
from replibandit.actions import Finite, as_actions
from replibandit.arithmetic import add, to_float
from replibandit.arithmetic.wide import LIMBS
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.policies.base import Pull, Rounding
from replibandit.rewards import REWARD_BITS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """What some lanes have seen when a phase begins: its number, the rounds played, pulls and sums of each action.

    `prepared` is what the policy prepared, `vectors` are the actions.
    """

    prepared: Any
    vectors: FloatArray
    keys: tuple[Key, ...]
    phase: IntArray
    rounds: IntArray
    active: BoolArray
    pulls: IntArray
    sums: IntArray
    fresh_pulls: IntArray
    fresh_sums: IntArray

    def means(self, exponent: int) -> FloatArray:
        """Return the mean reward of each action, 0 where there is none; `exponent` is that of the rewards' grid."""
        return _means(self.sums, self.pulls, exponent)

    def fresh_means(self, exponent: int) -> FloatArray:
        """Return the mean reward of each action in the phase that has ended, likewise."""
        return _means(self.fresh_sums, self.fresh_pulls, exponent)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Orders:
    """How many rounds of each action the phase has, (lanes, K), which actions are in play, and what was rounded."""

    times: IntArray
    active: BoolArray
    z: FloatArray | None = None
    width: FloatArray | None = None


class Phased(Protocol):
    """What the algorithms differ in."""

    @property
    def horizon(self) -> int: ...
    def prepare(self, vectors: FloatArray) -> Any: ...
    def decide(self, evidence: Evidence) -> Orders: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PhasedState:
    """Each lane within its phase: `left` is what remains of the schedule, (lanes, K).

    `before_pulls` and `before_sums` are those at the start of the phase.
    """

    prepared: Any
    vectors: FloatArray
    keys: tuple[Key, ...]
    phase: IntArray
    rounds: IntArray
    active: BoolArray
    left: IntArray
    pulls: IntArray
    sums: IntArray
    before_pulls: IntArray
    before_sums: IntArray
    z: FloatArray
    width: FloatArray


def init(spec: Phased, actions: int | Finite | FloatArray, keys: Sequence[Key]) -> PhasedState:
    """Return the first phase."""
    vectors = action_table(actions)
    shape = len(keys), len(vectors)
    pulls, sums = np.zeros(shape, dtype=np.int64), np.zeros((LIMBS, *shape), dtype=np.int64)
    state = PhasedState(
        prepared=spec.prepare(vectors),
        vectors=vectors,
        keys=tuple(keys),
        phase=np.full(len(keys), -1),
        rounds=np.zeros(len(keys), dtype=np.int64),
        active=np.ones(shape, dtype=np.bool_),
        left=pulls,
        pulls=pulls,
        sums=sums,
        before_pulls=pulls,
        before_sums=sums,
        z=np.zeros(shape),
        width=np.zeros(len(keys)),
    )
    return _begin(spec, state, np.arange(len(keys)))


def choose(spec: Phased, state: PhasedState) -> Pull:
    """Return the first action that the schedule has left, for all of its rounds, or to the horizon."""
    arms = np.argmax(state.left > 0, axis=1)
    left = np.take_along_axis(state.left, arms[:, None], axis=1)[:, 0]
    times = np.minimum(left, spec.horizon - state.rounds)
    return Pull(arms=np.where(times > 0, arms, -1), times=times, vectors=state.vectors[arms])


def update(spec: Phased, state: PhasedState, pull: Pull, totals: IntArray) -> PhasedState:
    """Take in the rewards of one action, and begin the next phase in the lanes whose schedule is done."""
    lanes = np.flatnonzero(pull.times > 0)
    arms, times = pull.arms[lanes], pull.times[lanes]
    left, pulls, sums = state.left.copy(), state.pulls.copy(), state.sums.copy()
    left[lanes, arms] -= times
    pulls[lanes, arms] += times
    sums[:, lanes, arms] = add(sums[:, lanes, arms], totals[:, lanes])
    state = replace(state, rounds=state.rounds + pull.times, left=left, pulls=pulls, sums=sums)
    done = np.flatnonzero(~left.any(axis=1) & (state.rounds < spec.horizon))
    return _begin(spec, state, done) if len(done) else state


def ahead(spec: Phased, state: PhasedState) -> bool:
    """Tell whether the phase of the first lane goes on after the standing decision."""
    return bool(np.count_nonzero(state.left[0]) > 1 and state.rounds[0] + choose(spec, state).times[0] < spec.horizon)


def rounding(state: PhasedState) -> Rounding:
    """Return what was rounded when the running phase began."""
    names = tuple(("phase", p) for p in state.phase.tolist())
    return Rounding(names=names, z=state.z, width=state.width)


def action_table(actions: int | Finite | FloatArray) -> FloatArray:
    """Return the vectors of finitely many actions; those of arms have no entries."""
    if isinstance(actions, int | np.integer):
        return np.zeros((checks.positive_integer("arms", int(actions)), 0))
    space = as_actions(actions)
    if not isinstance(space, Finite):
        raise InvalidInput(
            f"actions is a {type(space).__name__}; a policy that plays in phases needs one finite set throughout."
        )
    return space.vectors


def _begin(spec: Phased, state: PhasedState, lanes: IntArray) -> PhasedState:
    """Let the policy decide in some lanes."""
    phase = _with(state.phase, lanes, state.phase[lanes] + 1)
    evidence = Evidence(
        prepared=state.prepared,
        vectors=state.vectors,
        keys=tuple(state.keys[lane] for lane in lanes.tolist()),
        phase=phase[lanes],
        rounds=state.rounds[lanes],
        active=state.active[lanes],
        pulls=state.pulls[lanes],
        sums=state.sums[:, lanes],
        fresh_pulls=state.pulls[lanes] - state.before_pulls[lanes],
        fresh_sums=add(state.sums[:, lanes], -state.before_sums[:, lanes]),
    )
    orders = spec.decide(evidence)
    if (orders.times < 0).any() or not orders.times.any(axis=1).all():
        raise RuntimeError("a phase has no pulls, or fewer than none; this is a bug, please report it.")
    before = state.before_sums.copy()
    before[:, lanes] = state.sums[:, lanes]
    return replace(
        state,
        phase=phase,
        active=_with(state.active, lanes, orders.active),
        left=_with(state.left, lanes, orders.times),
        before_pulls=_with(state.before_pulls, lanes, state.pulls[lanes]),
        before_sums=before,
        z=state.z if orders.z is None else _with(state.z, lanes, orders.z),
        width=state.width if orders.width is None else _with(state.width, lanes, orders.width),
    )


def _with(rows: Any, lanes: IntArray, new: Any) -> Any:
    """Return a copy of `rows` in which those of some lanes are new."""
    result = rows.copy()
    result[lanes] = new
    return result


def _means(sums: IntArray, pulls: IntArray, exponent: int) -> FloatArray:
    return np.asarray(to_float(sums, exponent - REWARD_BITS) / np.maximum(pulls, 1))
