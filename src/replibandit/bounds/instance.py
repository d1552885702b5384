"""What a bound needs to know of the truth: the gaps of the arms, the largest one, the dimension of the actions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.actions import Ball, Finite, as_actions
from replibandit.arrays import FloatArray, IntArray
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from replibandit.estimators.span import span_of
from replibandit.policies.base import Pull

Gaps = FloatArray | Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Instance:
    """The gap of every action of a finite set, the `largest` gap, and the dimension; None where it is not known.

    `vectors` are the actions of a finite set, None for arms; `rank` is the dimension of their span, else that of the
    actions.
    """

    gaps: FloatArray | None = None
    largest: float | None = None
    dim: int | None = None
    vectors: FloatArray | None = None
    rank: int | None = None

    @property
    def candidates(self) -> int | None:
        """Return the number of actions if one finite set is played throughout."""
        return None if self.gaps is None else len(self.gaps)

    def dim_of(self, spec: Any) -> int | None:
        """Return the dimension that a policy computes in: a sharp one plays a finite set in that of its span."""
        return self.rank if getattr(spec, "calibration", None) == "sharp" else self.dim


def instance_of(env: Environment | None, gaps: Gaps | None, dim: int | None) -> Instance:
    """Read the instance from an environment, or from what stands for one."""
    if sum(given is not None for given in (env, gaps, dim)) != 1:
        raise InvalidInput(
            "a bound needs one of three: an environment, gaps=(the gap of every arm), or dim=(the dimension of the "
            "actions). Give exactly one of them."
        )
    if env is not None:
        return _of_environment(env)
    if dim is not None:
        d = checks.positive_integer("dim", dim)
        return Instance(dim=d, rank=d)
    return _of_gaps(gaps)


def _of_gaps(gaps: Gaps | None) -> Instance:
    values = checks.vector("gaps", gaps)
    if len(values) == 0 or values.min() != 0:
        raise InvalidInput(f"gaps is {values}; every arm has a gap, 0 or above, and the best arm's is 0.")
    return Instance(gaps=values, largest=float(values.max()))


def _of_environment(env: Environment) -> Instance:
    if isinstance(env.actions, int | np.integer):
        gaps = _gaps(env, np.arange(env.actions), np.zeros((int(env.actions), 0)))
        return Instance(gaps=gaps, largest=float(gaps.max()))
    actions = as_actions(env.actions)
    if isinstance(actions, Finite):
        gaps = _gaps(env, np.arange(len(actions.vectors)), actions.vectors)
        rank = max(1, span_of(actions.vectors).rank)
        vectors, largest = actions.vectors, float(gaps.max())
        return Instance(gaps=gaps, largest=largest, dim=actions.dim, rank=rank, vectors=vectors)
    if isinstance(actions, Ball):
        # linear rewards over a ball: the worst action loses twice what the centre does
        centre = _gaps(env, np.array([-1]), np.zeros((1, actions.dim)))
        return Instance(largest=2.0 * float(centre[0]), dim=actions.dim, rank=actions.dim)
    return Instance(dim=actions.dim, rank=actions.dim)  # sets that change: their gaps are known round by round only


def _gaps(env: Environment, arms: IntArray, vectors: FloatArray) -> FloatArray:
    once = np.ones(len(arms), dtype=np.int64)
    return env.gaps(Pull(arms=arms, times=once, vectors=vectors), np.zeros_like(once))
