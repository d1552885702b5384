"""The inverse questions: the smallest rho that a horizon affords, and the horizon that a rho needs.

A pair of a horizon and a rho is affordable if the bound of some policy that a theorem backs allows at most a share of
the regret of equal allocation, on every instance of the family that a plan declares.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from replibandit import checks
from replibandit.actions import Finite
from replibandit.bounds import bounds
from replibandit.environments.base import Environment
from replibandit.errors import ReplibanditError
from replibandit.planner.candidates import THEOREM, candidates, guarantee
from replibandit.planner.family import family
from replibandit.planner.question import Question, question
from replibandit.policies.base import Pull

_Number = TypeVar("_Number", int, float)
_STEPS = 16  # candidates for rho, and for the horizon, in a factor 10
_LEAST_RHO = 6  # decades below 1
_LONGEST = 15  # decades of rounds
_PHASES = ("RepCommit", "RepEliminate")


def smallest_rho(
    *,
    horizon: int,
    gap: float,
    arms: int | None = None,
    actions: Any = None,
    noise: float = 0.5,
    rewards: str | None = None,
    means: tuple[float, float] | None = None,
    norm_bound: float = 1.0,
    share: float = 0.5,
) -> float | None:
    """Return the smallest rho for which the expected regret is at most `share` of that of equal allocation.

    Bounds decide, so that it is safe to promise; None if the horizon affords no rho below 1.  Sixteen values are tried
    in each factor of 10.

    >>> smallest_rho(arms=2, gap=0.1, horizon=10**6)
    0.04869675251658631
    """
    asked = question(
        arms=arms,
        actions=actions,
        horizon=horizon,
        rho=0.5,
        gap=gap,
        noise=noise,
        rewards=rewards,
        means=means,
        norm_bound=norm_bound,
    )
    part = checks.probability("share", share)
    values = [float(10.0 ** (-k / _STEPS)) for k in range(1, _STEPS * _LEAST_RHO + 1)]
    return _last(values, lambda rho: affordable(replace(asked, rho=rho), part))


def horizon_needed(
    *,
    rho: float,
    gap: float,
    arms: int | None = None,
    actions: Any = None,
    noise: float = 0.5,
    rewards: str | None = None,
    means: tuple[float, float] | None = None,
    norm_bound: float = 1.0,
    share: float = 0.5,
) -> int | None:
    """Return the least horizon at which the expected regret is at most `share` of that of equal allocation.

    As `smallest_rho`; None if none up to 10^15 rounds will do.

    >>> horizon_needed(arms=2, gap=0.1, rho=0.1)
    273841
    """
    asked = question(
        arms=arms,
        actions=actions,
        horizon=2,
        rho=rho,
        gap=gap,
        noise=noise,
        rewards=rewards,
        means=means,
        norm_bound=norm_bound,
    )
    part = checks.probability("share", share)
    values = [int(10.0 ** (k / _STEPS)) for k in range(_STEPS * _LONGEST, _STEPS - 1, -1)]
    return _last(values, lambda horizon: affordable(replace(asked, horizon=horizon), part))


def affordable(asked: Question, share: float) -> bool:
    """Say whether the bound of some policy allows at most so much of the regret of equal allocation."""
    cases = family(asked)
    losses = [share * asked.horizon * _equal_loss(case.env) for case in cases]
    for spec in candidates(asked, variants=False):
        if type(spec).__name__ in _PHASES and guarantee(spec, asked) == THEOREM:
            try:
                if all(bounds(spec, case.env).regret <= loss for case, loss in zip(cases, losses, strict=True)):
                    return True
            except ReplibanditError:
                continue
    return False


def _equal_loss(env: Environment) -> float:
    """Return the mean gap of the actions: what a round of equal allocation loses."""
    vectors = env.actions.vectors if isinstance(env.actions, Finite) else np.zeros((env.actions, 0))
    arms = np.arange(len(vectors))
    once = Pull(arms=arms, times=np.ones_like(arms), vectors=vectors)
    return float(env.gaps(once, np.zeros_like(arms)).mean())


def _last(values: list[_Number], holds: Callable[[_Number], bool]) -> _Number | None:
    """Return the last of `values` that holds, where those before it do; None if the first does not."""
    if not holds(values[0]):
        return None
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(values[middle]) else (low, middle)
    return values[low]
