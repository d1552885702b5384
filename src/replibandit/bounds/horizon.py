"""How long it takes until a bound says something."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from replibandit.bounds.bound import Bounds
from replibandit.bounds.instance import Gaps, Instance, instance_of
from replibandit.bounds.regret import entry_of, statement
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput

_DOUBLINGS = 50


def informative_horizon(
    spec: Any, env: Environment | None = None, *, gaps: Gaps | None = None, dim: int | None = None
) -> int | None:
    """Return the smallest horizon whose bound is below the horizon times the largest gap; None up to 2**50.

    `spec.horizon` does not matter.  As the horizon T grows, bound/T falls wherever it is below the largest gap, but for
    a small step up wherever M, or B, grows by one.  So the search doubles T, bisects, and looks again before the step
    that lies below its answer.  With `batches` or `growth` of your own bound/T may rise again for good; then a horizon
    is found if a power of two is among those that are informative.
    """
    instance, longest = instance_of(env, gaps, dim), 2**_DOUBLINGS
    entry_of(spec)
    statement(replace(spec, horizon=longest), instance)  # says what is wrong, if it is not the horizon

    def informative(horizon: int) -> bool:
        bound = _at(spec, instance, horizon)
        # a policy that makes no calls plays all arms equally often: that is no theorem
        return bound is not None and bound.informative and bound.ingredients.get("calls", 1.0) > 0.0

    found = next((2**k for k in range(_DOUBLINGS + 1) if informative(2**k)), None)
    if found is None:
        return None
    found = _first(informative, found // 2, found)
    while informative(before := _before_step(spec, instance, found)):
        found = _first(informative, 0, before)
    return found


def _before_step(spec: Any, instance: Instance, horizon: int) -> int:
    """Return the last horizon with fewer calls, or batches, than `horizon` has; 0 if there is none."""
    steps = _steps(spec, instance, horizon)
    return _first(lambda shorter: _steps(spec, instance, shorter) >= steps, 0, horizon) - 1


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the end of a bisection between `low`, where it does not hold, and `high`, where it does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _at(spec: Any, instance: Instance, horizon: int) -> Bounds | None:
    """Return the bound for another horizon, None if that is too short for the policy."""
    try:
        return statement(replace(spec, horizon=horizon), instance)
    except InvalidInput:
        return None


def _steps(spec: Any, instance: Instance, horizon: int) -> float:
    """Return M or B, 0 if there is no such number."""
    bound = _at(spec, instance, horizon)
    return 0.0 if bound is None else bound.ingredients.get("calls", bound.ingredients.get("batches", 0.0))
