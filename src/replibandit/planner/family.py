"""The instances on which choices are compared: declared, the same for everybody, and hard where it matters.

Arms: one better than the others by the smallest gap and by multiples of it, since which gap is hardest for a policy
depends on where it stands to its phases; two close to each other and the others far below; and a ladder.  Means are
around the middle of their range, where 0/1 rewards have their largest variance.

Vectors: directions of theta, drawn once and for all, and lengths at which the best action leads by the smallest gap and
by multiples of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from replibandit.actions import Finite
from replibandit.arrays import FloatArray
from replibandit.environments.arms import BernoulliArms, GaussianArms
from replibandit.environments.base import Environment
from replibandit.environments.linear import LinearArms
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.planner.question import Question

_MULTIPLES = (1.0, 1.25, 1.6, 2.0, 4.0)
_LENGTHS = (1.0, 1.4)
_DIRECTIONS, _TRIES = 4, 2000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """An instance by name, and the smallest gap in it."""

    name: str
    env: Environment
    gap: float


def family(asked: Question) -> tuple[Case, ...]:
    """Return the instances."""
    return tuple(_arms(asked) if isinstance(asked.actions, int) else _vectors(asked, asked.actions))


def _arms(asked: Question) -> Iterator[Case]:
    K, (low, high), g = asked.size, asked.means, asked.gap
    middle, law = 0.5 * (low + high), _law(asked)
    for multiple in _MULTIPLES:
        if multiple * g <= high - low:
            half = 0.5 * multiple * g
            means = np.array([middle + half] + [middle - half] * (K - 1))
            yield Case(name=f"one better by {multiple * g:.4g}", env=law(means), gap=multiple * g)
    if K >= 3:
        best = min(high, middle + 0.5 * g)
        close = np.array([best, best - g] + [low] * (K - 2))
        yield Case(name=f"two within {g:.4g}, the others at {low:.4g}", env=law(close), gap=g)
        top = min(high, middle + 0.5 * (K - 1) * g)
        steps = np.maximum(low, top - g * np.arange(K))
        yield Case(name=f"a ladder of steps of {g:.4g}", env=law(steps), gap=g)


def _law(asked: Question) -> Callable[[FloatArray], Any]:
    if asked.rewards == "bernoulli":
        return lambda means: BernoulliArms(means=means)
    return lambda means: GaussianArms(means=means, sd=asked.noise)


def _vectors(asked: Question, actions: Finite) -> Iterator[Case]:
    table = actions.vectors
    found = list(islice(_directions(asked, table), _DIRECTIONS))
    if not found:
        raise InvalidInput(
            f"gap is {asked.gap!r}; no theta of norm {asked.norm_bound!r} at most was found for which the best action "
            "leads by so much. Lower the gap, or raise norm_bound."
        )
    for i, (direction, lead) in enumerate(found):
        for multiple in _LENGTHS:
            size = multiple * asked.gap / lead
            if size <= asked.norm_bound:
                env = LinearArms(theta=size * direction, actions=actions, noise=asked.noise)
                name = f"direction {i + 1}, the best leads by {multiple * asked.gap:.4g}"
                yield Case(name=name, env=env, gap=size * lead)


def _directions(asked: Question, table: FloatArray) -> Iterator[tuple[FloatArray, float]]:
    """Yield unit vectors along which the best action can lead by the gap, and its lead on the unit vector."""
    rng = np.random.default_rng(Key("planner").child("directions").words(4))
    distinct = np.unique(table, axis=0)
    for _ in range(_TRIES):
        drawn = rng.standard_normal((1, table.shape[1]))[0]
        direction = np.asarray(drawn / np.sqrt(drawn @ drawn))
        second, best = np.sort(distinct @ direction)[-2:]
        if asked.norm_bound * (best - second) >= asked.gap:
            yield direction, float(best - second)
