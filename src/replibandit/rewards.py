"""Rewards on a dyadic grid, so that their sums are exact: told one by one or drawn as one total, in any order.

A reward is rounded to a multiple of 2**(e - 40), where 2**e is the first power of two above the reward scale of the
spec (its noise level and the size of its means); T rewards move the estimates by at most sqrt(T) 2**(e - 41) in the
norm of V, the same in expectation for two runs.
"""

import math

import numpy as np

from replibandit.arithmetic import exponent_above, to_float
from replibandit.arithmetic.wide import LIMBS, carry
from replibandit.arrays import FloatArray, IntArray
from replibandit.checks import number
from replibandit.errors import InvalidInput

REWARD_BITS = 40
_HALF = 60
REWARD_ROOM = 12  # |reward| < 2**(e + 12): at most 52 bits above the grid, so that every cell is an exact double


def reward_exponent(*sizes: float) -> int:
    """Return e with 2**e above every one of `sizes`."""
    return int(exponent_above(np.array(max(sizes))))


def reward_cell(reward: float, exponent: int) -> int:
    """Return the grid index of one reward, or say why it cannot be one."""
    value = number("reward", reward)
    if not abs(value) < math.ldexp(1.0, exponent + REWARD_ROOM):
        raise InvalidInput(
            f"reward is {reward!r}; it must be a finite number below {math.ldexp(1.0, exponent + REWARD_ROOM):.6g} in "
            "size, which is thousands of noise levels. Check the units of the reward and of `noise`."
        )
    return round(math.ldexp(value, REWARD_BITS - exponent))


def on_grid(rewards: FloatArray, exponent: int) -> FloatArray:
    """Return the grid points nearest to rewards, or to totals of rewards; totals that are larger than the grid's range
    are multiples of the grid already.
    """
    return np.asarray(np.ldexp(np.rint(np.ldexp(rewards, REWARD_BITS - exponent)), exponent - REWARD_BITS))


def total_cells(totals: FloatArray, exponent: int) -> IntArray:
    """Return the wide integers nearest to totals of many rewards, in units of the grid."""
    limit = math.ldexp(1.0, 2 * _HALF + exponent - REWARD_BITS)
    inside = abs(totals) < limit
    if not inside.all():
        raise InvalidInput(
            f"a total reward is {float(totals[~inside][0])!r}; it must be a finite number below {limit:.3g} in size."
        )
    units = np.rint(np.ldexp(totals, REWARD_BITS - exponent))
    if (abs(units) < 2.0**_HALF).all():
        return _short(units.astype(np.int64))
    high = np.trunc(np.ldexp(units, -_HALF))  # towards 0: the rest has no more bits than units and is exact
    low, nothing = units - np.ldexp(high, _HALF), np.zeros_like(units)
    return carry(np.stack([low, nothing, high, nothing, nothing, nothing]).astype(np.int64))


def total_values(totals: IntArray, exponent: int) -> FloatArray:
    """Return the doubles nearest to wide totals in units of the grid: those of `to_float`, sooner for small totals."""
    short = (totals[-1] << _HALF) + (totals[1] << 30) + totals[0]
    if (abs(short) < 1 << _HALF).all() and (totals == _short(short)).all():
        return np.asarray(np.ldexp(short.astype(np.float64), exponent - REWARD_BITS))
    return to_float(totals, exponent - REWARD_BITS)


def _short(values: IntArray) -> IntArray:
    """Return `wide(values)` for |values| < 2**60: two limbs of 30 bits, and in the other limbs nothing but the sign."""
    sign, limb = values >> _HALF, (1 << 30) - 1
    return np.stack([values & limb, (values >> 30) & limb, *[sign & limb] * (LIMBS - 3), sign])
