"""What a trialist knows before a trial."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.actions import Finite, as_actions
from replibandit.errors import InvalidInput

REWARDS = ("bernoulli", "gaussian")
_WIDE = 8.0  # gaps, or noise levels: the range of normal means if none is given


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """The actions (a number of arms, or vectors), the rounds, rho, and the smallest difference worth finding.

    `means` is the range in which all means lie.
    """

    actions: int | Finite
    horizon: int
    rho: float
    gap: float
    noise: float
    rewards: str
    means: tuple[float, float]
    norm_bound: float

    @property
    def size(self) -> int:
        """Return the number of actions."""
        return self.actions if isinstance(self.actions, int) else len(self.actions.vectors)


def question(
    *,
    arms: int | None,
    actions: Any,
    horizon: int,
    rho: float,
    gap: float,
    noise: float,
    rewards: str | None,
    means: tuple[float, float] | None,
    norm_bound: float,
) -> Question:
    """Check what is known, and fill in what follows from it."""
    if (arms is None) == (actions is None):
        raise InvalidInput("give either arms, a number, or actions, their vectors; not both.")
    space = checks.positive_integer("arms", arms) if arms is not None else as_actions(actions)
    if not isinstance(space, int | Finite) or (space if isinstance(space, int) else len(space.vectors)) < 2:
        raise InvalidInput("there must be two arms or more, or a table of two vectors or more, to choose from.")
    law = checks.one_of("rewards", rewards or ("bernoulli" if arms is not None else "gaussian"), REWARDS)
    if law == "bernoulli" and (arms is None or checks.positive("noise", noise) < 0.5):
        raise InvalidInput(
            f"rewards is 'bernoulli' with noise {noise!r}; 0/1 rewards are for arms, and have noise 0.5 or above. "
            "Take rewards='gaussian', or noise=0.5."
        )
    gap = checks.positive("gap", gap)
    low, high = _range(law, means, gap, checks.positive("noise", noise))
    if gap > high - low:
        raise InvalidInput(f"gap is {gap!r} and the means lie from {low!r} to {high!r}; no two can differ so much.")
    return Question(
        actions=space,
        horizon=checks.horizon(horizon),
        rho=checks.probability("rho", rho),
        gap=gap,
        noise=float(noise),
        rewards=law,
        means=(low, high),
        norm_bound=checks.positive("norm_bound", norm_bound),
    )


def _range(law: str, means: Any, gap: float, noise: float) -> tuple[float, float]:
    if means is None:
        return (0.0, 1.0) if law == "bernoulli" else (0.0, max(_WIDE * gap, _WIDE * noise))
    ends = checks.vector("means", means, length=2)
    low, high = ends.tolist()
    if not low < high or (law == "bernoulli" and not 0.0 <= low < high <= 1.0):
        allowed = " within [0, 1]" if law == "bernoulli" else ""
        raise InvalidInput(f"means is {np.asarray(means).tolist()}; give the lower and the upper end{allowed}.")
    return low, high
