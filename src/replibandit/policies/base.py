"""What a policy is: three pure functions over a frozen state, in lanes.

    state = policy.init(actions, keys)             one lane for each key
    pull = policy.choose(state)                    what each lane does next, and for how many rounds
    state = policy.update(state, pull, totals)     `totals`: the sum of the rewards of those rounds, exact

A decision stands for `pull.times` rounds; nothing that happens within them changes it, so their rewards may come in any
order and as late as they like.  Sums of rewards are all that an update needs.  A lane that has reached the horizon has
times 0 and stays as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.key import Key

SIGNIFICANT_BITS = 44


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pull:
    """The decision of each lane: action `arms` (in a ball -1, and its row of `vectors`) for `times` rounds."""

    arms: IntArray
    times: IntArray
    vectors: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rounding:
    """The last rounding of each lane, for audits: `z` (lanes, d) before it, and the `width` of the grid of each lane.

    The grid's shift is `width * key.child(*names[lane]).uniform(d)`.  Where nothing was rounded the width is 0.  `rho`
    is the share of rho that the estimate of each lane may spend, if the policy says so.
    """

    names: tuple[tuple[str | int, ...], ...]
    z: FloatArray
    width: FloatArray
    rho: FloatArray | None = None


class Policy(Protocol):
    """A batched policy: its settings are its fields, and all else is in the state.

    A policy that rounds may have a method `rounding(state) -> Rounding` beside these; then an audit can tell which
    estimate parted two runs, and how close it came.  One that knows some decisions before the rewards of those before
    them may have a method `ahead(state) -> bool`, which says so of the decision after the standing one (of one lane);
    then a session does not wait for rewards in between.
    """

    @property
    def horizon(self) -> int:
        """The number of rounds."""

    def init(self, actions: Any, keys: Sequence[Key]) -> Any:
        """Return the state before the first round, one lane for each key."""

    def choose(self, state: Any) -> Pull:
        """Return the standing decision of each lane."""

    def update(self, state: Any, pull: Pull, totals: IntArray) -> Any:
        """Return the state after the rounds of `pull`, whose rewards add up to `totals` (wide grid units)."""

    def reward_exponent(self) -> int:
        """Return the exponent of the rewards' grid (`replibandit.rewards`)."""


def best(scores: FloatArray, valid: FloatArray | None = None) -> IntArray:
    """Return the index of the largest score along the last axis, the lowest index of those that tie.

    Scores are compared after rounding to 44 significant bits, so that actions that are equal in exact arithmetic tie.
    """
    mantissa, exponent = np.frexp(scores)
    rounded = np.ldexp(np.rint(np.ldexp(mantissa, SIGNIFICANT_BITS)), exponent - SIGNIFICANT_BITS)
    return np.asarray(np.argmax(rounded, axis=-1).astype(np.int64))
