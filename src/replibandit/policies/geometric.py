"""Batches of floor(q^i) pulls, q = T^(1/B) and B about log T, as the policies of Esfandiari et al. (2023) have them.

Powers of q are whole numbers here: floor(q^i) is the largest n with n^B <= T^i, found exactly, so that the lengths are
the same on every machine.  Where their text has q^i, the policies have floor(q^i).
"""

import math
from functools import lru_cache
from itertools import accumulate
from typing import Any, Protocol

from replibandit import checks
from replibandit.arithmetic import log
from replibandit.errors import InvalidInput

_LEAST_RATIO = 2304  # beta = max(K^2/rho^2, 2304) or more, so that sqrt(beta) is 48 or more
# a gap is in doubt while U (1/2 - 1/48) <= gap <= U (1 + 3/48): U falls by a factor of 51/23 at most
_DOUBT = (51**2, 23**2)


class Settings(Protocol):
    """What the policies have in common."""

    @property
    def horizon(self) -> int: ...
    @property
    def rho(self) -> float: ...
    @property
    def noise(self) -> float: ...


def check_settings(spec: Settings, *, least: int = 2) -> None:
    """Check a spec at its door, and make its numbers plain; the horizon must be at least `least`/rho."""
    plain: dict[str, Any] = {
        "horizon": checks.horizon(spec.horizon),
        "rho": checks.probability("rho", spec.rho),
        "noise": checks.positive("noise", spec.noise),
    }
    if plain["horizon"] * plain["rho"] < least:
        raise InvalidInput(
            f"horizon is {spec.horizon} and rho is {spec.rho}; {type(spec).__name__} needs horizon >= {least}/rho = "
            f"{least / plain['rho']:.6g}. Raise the horizon or rho."
        )
    for name, value in plain.items():
        object.__setattr__(spec, name, value)


def batch_count(horizon: int) -> int:
    """Return B = ceil(log T), at least 1, so that q is at most e."""
    return max(1, math.ceil(log(float(horizon))))


@lru_cache(maxsize=64)
def batch_lengths(horizon: int) -> tuple[int, ...]:
    """Return floor(q^i) for i = 1, ..., B - 1.

    >>> batch_lengths(1000)
    (2, 7, 19, 51, 138, 372)
    """
    B = batch_count(horizon)
    return tuple(_root(horizon**i, B) for i in range(1, B))


def totals(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Return c_i = floor(q) + ... + floor(q^i)."""
    return tuple(accumulate(lengths))


def ratio(spec: Settings, *, arms: int, counts: tuple[int, ...], spread: float, reserve: float) -> int:
    """Return beta: pulled beta `counts[i]` times by the end of batch i, two runs part with probability rho at most.

    Their beta = floor(max(K^2/rho^2, 2304)), or more where that has no proof.  On the event that all estimates are
    within U~_i = U_i/sqrt(beta) of the truth, an action is in doubt at most in so many batches as `_crossings` says;
    in each, Ubar_i, uniform on [U_i/2, U_i] and independent of the data so far, lies between the two runs' values with
    probability at most E|gap - gap'|/(U_i/2) <= spread (1 + sqrt(2 log(2K)))/sqrt(beta).  The event fails with
    probability `reserve` at most.
    """
    printed = max(math.floor((arms / spec.rho) * (arms / spec.rho)), _LEAST_RATIO)
    # (K - 1) crossings spread (1 + sqrt(2 log(2K))) / sqrt(beta) + reserve <= rho
    chance = (arms - 1) * _crossings(counts) * spread * (1.0 + math.sqrt(2.0 * log(2.0 * arms)))
    root = chance / (spec.rho - reserve)
    return max(printed, math.ceil(root * root))


def _crossings(counts: tuple[int, ...]) -> int:
    """Return in how many batches an action can be in doubt: U_i falls as 1/sqrt(counts[i])."""
    above, below = _DOUBT
    return max((sum(below * n <= above * first for n in counts[i:]) for i, first in enumerate(counts)), default=0)


def _root(value: int, degree: int) -> int:
    """Return the largest n with n**degree <= value."""
    low, high = 1, 1 << (value.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle)
    return low
