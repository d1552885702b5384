"""What the references share: they decide in every round.

With K arms all lanes are in the same round, and arrays have the lanes first and the arms last.  Sums of rewards are
doubles, added round by round: one fixed order on every machine, since a decision needs all rewards before it.

Linear ones are batched policies whose batch ends as soon as the determinant has grown at all, that is, by more than
the least factor above 1 that a double can hold.
"""

from functools import lru_cache
from typing import Any, cast

import numpy as np

from replibandit.arithmetic.logarithm import logs
from replibandit.arrays import FloatArray, IntArray
from replibandit.policies.base import Pull
from replibandit.policies.batched import Batched
from replibandit.policies.plan import Plan

_BLOCK = 1024


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


def every_round_plan(horizon: int) -> Plan:
    """Return batches of one round, without budgets."""
    return Plan(batches=horizon, growth=1.0 + 2.0**-52, rho=(), delta=())


def as_batched(spec: Any) -> Batched:
    """Return `spec` under the name that the engine knows: of its settings only rho and calibration are missing, which
    nothing but the theorems' plan reads.
    """
    return cast(Batched, spec)
