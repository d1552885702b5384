"""The sets that actions come from: finite, a ball, or a new finite set every round.

Vectors are put on the dyadic grid of the declared `action_bound` and used in that rounded form throughout, so that the
Gram matrix is exact and the same on every machine.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arithmetic import FEATURE_BITS, cells, exponent_above, squared_norm
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.errors import InvalidInput


@dataclass(frozen=True, slots=True, eq=False)
class Finite:
    """The rows of `vectors`, the same in every round.  A polytope is its vertices: the score is convex."""

    vectors: FloatArray

    def __post_init__(self) -> None:
        vectors = checks.matrix("actions", self.vectors)
        checks.finite("actions", vectors)
        if len(vectors) == 0:
            raise InvalidInput("actions has no rows; at least one action is needed.")
        object.__setattr__(self, "vectors", vectors)

    @property
    def dim(self) -> int:
        """Return the dimension of the actions."""
        return int(self.vectors.shape[1])


@dataclass(frozen=True, slots=True)
class Ball:
    """All vectors of Euclidean norm at most `radius` in `dim` dimensions."""

    radius: float
    dim: int

    def __post_init__(self) -> None:
        checks.positive("radius", self.radius)
        checks.positive_integer("dim", self.dim)


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """A finite set for every round, fixed beforehand: `block(start, stop)` has the sets of rounds start, ..., stop - 1.

    It returns an array (stop - start, candidates, dim), rounds counted from 0, and must be a function of the rounds
    alone: the theorem needs sets that do not depend on the rewards.  A row of NaN means that there is one candidate
    less.  `Contexts.of(array)` reads the sets from an array (rounds, candidates, dim), which may be memory-mapped.
    """

    block: Callable[[int, int], FloatArray]
    candidates: int
    dim: int

    @classmethod
    def of(cls, sets: FloatArray) -> "Contexts":
        """Return the contexts stored in an array (rounds, candidates, dim)."""
        array = sets if hasattr(sets, "shape") else checks.reals("sets", sets)
        if len(array.shape) != 3 or 0 in array.shape[1:]:
            raise InvalidInput(f"sets has shape {array.shape}; it must be an array (rounds, candidates, dim).")

        def block(start: int, stop: int) -> FloatArray:
            if stop > len(array):
                raise InvalidInput(f"sets has {len(array)} rounds; round {stop} was asked for. Lower the horizon.")
            return np.asarray(array[start:stop], dtype=np.float64)

        return cls(block=block, candidates=array.shape[1], dim=array.shape[2])


ActionSet = Finite | Ball | Contexts


def as_actions(actions: ActionSet | FloatArray) -> ActionSet:
    """Return `actions` if it is an action set, else the finite set of its rows."""
    if isinstance(actions, Finite | Ball | Contexts):
        return actions
    if isinstance(actions, int | float | str | None):
        raise InvalidInput(f"actions is {actions!r}; this policy needs vectors. np.eye(K) makes vectors of K arms.")
    return Finite(actions)


def arm_count(actions: int | ActionSet) -> int:
    """Return the number of arms: that number, or the size of a finite set, whose vectors do not matter."""
    if isinstance(actions, Finite):
        return len(actions.vectors)
    if isinstance(actions, Ball | Contexts):
        raise InvalidInput(
            f"actions is a {type(actions).__name__}; this policy plays arms. Give a number of arms or a finite set, or "
            "take RepLinUCB."
        )
    return checks.positive_integer("arms", actions)


def context_block(contexts: Contexts, start: int, stop: int) -> FloatArray:
    """Return the sets of rounds start, ..., stop - 1, checked to be of the declared shape."""
    sets, shape = np.asarray(contexts.block(start, stop)), (stop - start, contexts.candidates, contexts.dim)
    if sets.shape != shape or sets.dtype.kind not in "biuf":
        raise InvalidInput(
            f"the contexts gave {sets.dtype} sets of shape {sets.shape} for rounds {start} to {stop - 1}; real "
            f"numbers of shape {shape} are needed. Fill up smaller sets with rows of NaN."
        )
    return np.asarray(sets, dtype=np.float64)


def action_cells(vectors: FloatArray, action_bound: float) -> tuple[FloatArray, BoolArray]:
    """Return the grid cells of actions, and which of them are there; NaN rows are not, and have cells 0.

    Norms above `action_bound` are errors, as are infinities, rows that are NaN in part, and sets without an action.
    """
    missing = np.isnan(vectors)
    absent = np.asarray(missing.all(axis=-1))
    known = np.where(absent[..., None], 0.0, vectors)
    if np.isnan(known).any() or np.isinf(known).any():
        raise InvalidInput("an action has an entry that is NaN or infinite; every entry must be a finite number.")
    if absent.all(axis=-1).any():
        raise InvalidInput("a round has no action at all; at least one row must be a finite vector.")
    entry = float(np.max(abs(known), initial=0.0))
    largest = entry if entry > action_bound else float(np.sqrt(np.max(squared_norm(known), initial=0.0)))
    if largest > action_bound * (1.0 + 2.0**-40):
        raise InvalidInput(
            f"an action has norm {largest:.9g}; action_bound is {action_bound:.9g}. Raise action_bound or scale the "
            "actions down."
        )
    return cells(known, exponent_above(np.array(action_bound)), FEATURE_BITS), ~absent


def cell_vectors(indices: FloatArray | IntArray, action_bound: float) -> FloatArray:
    """Return the vectors that grid cells stand for, exactly."""
    exponent = int(exponent_above(np.array(action_bound))) - FEATURE_BITS
    return np.asarray(np.ldexp(np.asarray(indices, dtype=np.float64), exponent))
