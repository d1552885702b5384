"""What policies that drop actions phase by phase share: thresholds, what to play next, designs for the actions left."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.estimators.design import g_optimal
from replibandit.key import uniforms
from replibandit.policies.base import best
from replibandit.policies.exploration import Exploration, estimates, pulled
from replibandit.policies.phases import Evidence, Orders

APPROXIMATION = 1.1


def orders(evidence: Evidence, horizon: int, *, active: BoolArray, times: IntArray, rest: IntArray) -> Orders:
    """Order `times` pulls of each action if several are left and all of them fit, else `rest`.

    A row of zeros in `times` says that no phase follows.
    """
    # doubles count exactly as far as it matters: a sum is below 2**50 or does not fit
    total = times.astype(np.float64).sum(axis=1)
    goes_on = (active.sum(axis=1) > 1) & (total > 0) & (total <= horizon - evidence.rounds)
    return Orders(times=np.where(goes_on[:, None], times, rest), active=active)


def one(arms: IntArray, actions: int, horizon: int) -> IntArray:
    """Return the times of one action in each lane, to the end."""
    return np.asarray(horizon * (np.arange(actions) == arms[:, None]))


def first_left(active: BoolArray, horizon: int) -> IntArray:
    """Return the times of the first action left, to the end."""
    return one(np.argmax(active, axis=1), active.shape[1], horizon)


def best_left(active: BoolArray, estimated: FloatArray, horizon: int) -> IntArray:
    """Return the times of the action of the largest estimate among those left, to the end."""
    return one(best(np.where(active, estimated, -np.inf)), active.shape[1], horizon)


def all_left(evidence: Evidence, active: BoolArray, horizon: int) -> IntArray:
    """Return the times of all actions left, equally often to the end."""
    share = -(-(horizon - evidence.rounds) // active.sum(axis=1))
    return np.asarray(active * share[:, None])


def left_by_threshold(
    evidence: Evidence, estimated: FloatArray, *, narrow: Sequence[float], wide: Sequence[float]
) -> BoolArray:
    """Return the actions that do not trail by `narrow` and a shared number, uniform from half of `wide` to all of it.

    Both have an entry for each phase; before the first all actions are left.
    """
    if not evidence.phase.any():
        return evidence.active
    names = [("phase", i) for i in evidence.phase.tolist()]
    half = 0.5 * per_phase(wide, evidence)
    threshold = half + half * uniforms(evidence.keys, names, 1)
    largest = np.where(evidence.active, estimated, -np.inf).max(axis=1, keepdims=True)
    drop = estimated + per_phase(narrow, evidence) < largest - threshold
    return np.asarray(evidence.active & ~drop)


def per_phase(values: Sequence[float], evidence: Evidence) -> FloatArray:
    """Return the entry of the phase that has ended, for each lane, as a column."""
    return np.array(values)[evidence.phase - 1, None]


def equal_pulls(lengths: Sequence[int], active: BoolArray, evidence: Evidence, horizon: int) -> IntArray:
    """Return lengths[p] pulls of each active action, p being the phase that begins; none after the last length."""
    upto = np.array([min(n, horizon) for n in lengths] + [0])
    return np.asarray(active * upto[np.minimum(evidence.phase, len(lengths)), None])


def design_pulls(scales: Sequence[int], active: BoolArray, evidence: Evidence) -> IntArray:
    """Return ceil(N pi(a)) pulls, N = scales[p] and pi a design for the active actions; none after the last scale."""
    times = np.zeros(active.shape, dtype=np.int64)
    for phase, lanes, left in alike(active, evidence.phase):
        rows = evidence.vectors[left]
        if phase < len(scales) and len(left) > 1 and rows.any():
            times[np.ix_(lanes, left)] = _design(rows, scales[phase]).base
    return times


def design_estimates(scales: Sequence[int], evidence: Evidence, exponent: int) -> FloatArray:
    """Return the least squares estimates of the active actions from the phase that has ended, and 0 for the others."""
    result = np.zeros(evidence.active.shape)
    means = evidence.fresh_means(exponent)
    for phase, lanes, left in alike(evidence.active, evidence.phase):
        if phase > 0:
            here = np.ix_(lanes, left)
            result[here] = estimates(_design(evidence.vectors[left], scales[phase - 1]), means[here])
    return result


def alike(active: BoolArray, phase: IntArray) -> Iterator[tuple[int, IntArray, IntArray]]:
    """Yield phases, the lanes that are in one and have the same actions left, and these actions."""
    kinds, of = np.unique(np.column_stack([phase, active]), axis=0, return_inverse=True)
    for i, kind in enumerate(kinds):
        yield int(kind[0]), np.flatnonzero(of.reshape(-1) == i), np.flatnonzero(kind[1:])


def _design(rows: FloatArray, scale: int) -> Exploration:
    data = np.ascontiguousarray(rows)
    return _design_of(data.tobytes(), *data.shape, scale)


@lru_cache(maxsize=256)
def _design_of(data: bytes, rows: int, dim: int, scale: int) -> Exploration:
    vectors = np.frombuffer(data).reshape(rows, dim)
    return pulled(vectors, g_optimal(vectors, approximation=APPROXIMATION), scale)
