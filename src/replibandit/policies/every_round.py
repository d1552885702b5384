"""What the references for K arms share: they decide in every round, so all lanes are in the same round.

Arrays have the lanes first and the arms last.  Sums of rewards are doubles, added round by round: one fixed order on
every machine, since a decision needs all rewards before it.
"""

from functools import lru_cache

import numpy as np

from replibandit import checks
from replibandit.actions import Finite
from replibandit.arithmetic.logarithm import logs
from replibandit.arrays import FloatArray, IntArray
from replibandit.policies.base import Pull

_BLOCK = 1024


def arm_count(actions: int | Finite) -> int:
    """Return the number of arms."""
    return len(actions.vectors) if isinstance(actions, Finite) else checks.positive_integer("arms", actions)


def one_round(arms: IntArray) -> Pull:
    """Return the decision to play an arm for one round, in each lane."""
    return Pull(arms=arms, times=np.broadcast_to(np.int64(1), arms.shape), vectors=np.zeros((len(arms), 0)))


def no_round(lanes: int) -> Pull:
    """Return what a lane does after the horizon: nothing."""
    arms = np.full(lanes, -1, dtype=np.int64)
    return Pull(arms=arms, times=np.zeros_like(arms), vectors=np.zeros((lanes, 0)))


def plus(values: FloatArray, arms: IntArray, amounts: FloatArray | float) -> FloatArray:
    """Return `values` with `amounts` added to one arm of each lane."""
    result = values.copy()
    result[np.arange(len(arms)), arms] += amounts
    return result


def log_round(t: int) -> float:
    """Return log t, correctly rounded."""
    return float(_logs(t // _BLOCK)[t % _BLOCK])


@lru_cache(maxsize=2)
def _logs(block: int) -> FloatArray:
    rounds = np.maximum(np.arange(block * _BLOCK, (block + 1) * _BLOCK), 1)
    return logs(rounds.astype(np.float64), np.zeros(_BLOCK, dtype=np.int64))
