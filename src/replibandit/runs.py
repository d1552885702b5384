"""What happened in a run, and what can be derived from it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.catalog import spec_settings
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from replibandit.fingerprint import fingerprint
from replibandit.key import Key
from replibandit.policies.base import Pull


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """The decisions of one run, in order: entry i stood for times[i] rounds, whose rewards add up to totals[i].

    arms[i] is the index of the action (-1 in a ball), vectors[i] the action itself (of no entries for plain arms).
    """

    spec: Any
    key: Key
    arms: IntArray
    times: IntArray
    totals: FloatArray
    vectors: FloatArray

    @property
    def horizon(self) -> int:
        """Return the number of rounds played."""
        return int(self.times.sum())

    @property
    def starts(self) -> IntArray:
        """Return the round, counted from 0, in which each decision began to stand."""
        return np.cumsum(self.times) - self.times

    def rounds(self) -> IntArray:
        """Return the action index of every round; one entry a round, so only for moderate horizons."""
        return np.repeat(self.arms, self.times)

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the actions of all rounds under this spec."""
        return actions_fingerprint(self.spec, self.arms, self.times, self.vectors)


def actions_fingerprint(spec: Any, arms: IntArray, times: IntArray, vectors: FloatArray) -> str:
    """Name a sequence of actions: the spec, and the runs of equal actions with their lengths."""
    # the bits of a vector as an integer: vectors lie on a grid, so equal actions have equal bits
    cells = np.ascontiguousarray(vectors + 0.0).view(np.int64) if (arms < 0).any() else np.zeros((len(arms), 0), int)
    actions = np.column_stack([arms, cells])
    fresh = np.ones(len(arms), dtype=np.bool_)
    fresh[1:] = (actions[1:] != actions[:-1]).any(axis=1)
    lengths = np.add.reduceat(times, np.flatnonzero(fresh)) if len(times) else times
    return fingerprint("Run", spec_settings(spec), actions[fresh], lengths)


def regret(run: Run, env: Environment) -> FloatArray:
    """Return the expected regret of the first i + 1 decisions, for every i: against the best action of each round."""
    pull = Pull(arms=run.arms, times=run.times, vectors=run.vectors)
    return np.asarray(np.cumsum(env.gaps(pull, run.starts) * run.times))


def regret_after(run: Run, env: Environment, rounds: IntArray) -> FloatArray:
    """Return the expected regret of the first so many rounds, for each entry of `rounds`."""
    ends = np.concatenate([[0], np.cumsum(run.times)]).astype(np.float64)
    # within a decision every round loses the same
    return np.asarray(np.interp(rounds, ends, np.concatenate([[0.0], regret(run, env)])))


def first_divergence(a: Run, b: Run) -> int | None:
    """Return the first round, counted from 0, in which two runs act differently; None if they never do."""
    if a.spec != b.spec:
        raise InvalidInput("the runs have different specs; only runs of one spec can be compared.")
    ends_a, ends_b = np.cumsum(a.times), np.cumsum(b.times)
    ends = np.union1d(ends_a, ends_b)
    i, j = np.searchsorted(ends_a, ends), np.searchsorted(ends_b, ends)
    i, j = np.minimum(i, len(ends_a) - 1), np.minimum(j, len(ends_b) - 1)
    differ = (a.arms[i] != b.arms[j]) | (a.vectors[i] != b.vectors[j]).any(axis=1)
    if not differ.any():
        return None
    k = int(np.argmax(differ))
    return int(ends[k - 1]) if k else 0
