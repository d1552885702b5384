"""The rewards that a session has been told: each once, exactly, in any order."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import AwaitingRewards, InvalidInput
from replibandit.rewards import REWARD_BITS, reward_cell


@dataclass(frozen=True, slots=True)
class Decision:
    """Play action `arm` in round `round` (from 0); `vector` is the action itself, where actions are vectors."""

    round: int
    arm: int
    vector: FloatArray | None = field(default=None, compare=False)


class Ledger:
    """Rewards by round, as grid indices."""

    def __init__(self, exponent: int) -> None:
        self.exponent = exponent
        self.cells: dict[int, int] = {}

    def news(self, decision: Decision, reward: float) -> int | None:
        """Return the grid index of a reward, or None if it was told before; a contradiction is an error."""
        cell = reward_cell(reward, self.exponent)
        told = self.cells.get(decision.round)
        if told is None:
            return cell
        if told != cell:
            before = float(np.ldexp(float(told), self.exponent - REWARD_BITS))
            raise InvalidInput(
                f"reward is {reward!r} for round {decision.round}, which was told {before!r} before. A reward cannot "
                "be changed; telling the same value again does nothing."
            )
        return None

    def missing(self, start: int, stop: int) -> list[int]:
        """Return the rounds from `start` to `stop` - 1 whose rewards have not been told."""
        return [t for t in range(start, stop) if t not in self.cells]

    def values(self, start: int, stop: int) -> FloatArray:
        """Return the rewards of the rounds from `start` to `stop` - 1, all of them told."""
        cells = np.array([self.cells[t] for t in range(start, stop)], dtype=np.float64)
        return np.asarray(np.ldexp(cells, self.exponent - REWARD_BITS))

    def arrays(self) -> tuple[IntArray, IntArray]:
        """Return the rounds and the grid indices, for a record."""
        return np.array([*self.cells], dtype=np.int64), np.array([*self.cells.values()], dtype=np.int64)

    @classmethod
    def of(cls, exponent: int, rounds: IntArray, cells: IntArray) -> "Ledger":
        """Return the ledger whose `arrays` were recorded."""
        ledger = cls(exponent)
        ledger.cells = dict(zip(rounds.tolist(), cells.tolist(), strict=True))
        return ledger


def check_asked(decision: Any, asked: int, expected: Callable[[int], Decision]) -> None:
    """Check that `decision` is one of the `asked` decisions of a session."""
    known = isinstance(decision, Decision) and type(decision.round) is int and 0 <= decision.round < asked
    if known:
        ours = expected(decision.round)
        same = ours.vector is None or decision.vector is None or np.array_equal(ours.vector, decision.vector)
        known = decision.arm == ours.arm and same
    if not known:
        raise InvalidInput(f"{decision!r} was not asked for in this session; tell the decisions that `ask` returned.")


def fixed(vector: FloatArray) -> FloatArray:
    """Return a copy that cannot be written to."""
    copy = np.array(vector)
    copy.flags.writeable = False
    return copy


def awaiting(rounds: list[int]) -> AwaitingRewards:
    """Return the error that names the rounds whose rewards are missing."""
    shown = ", ".join(map(str, rounds[:5])) + (f" and {len(rounds) - 5} more" if len(rounds) > 5 else "")
    return AwaitingRewards(
        f"the batch has ended; the next decision needs the rewards of rounds {shown}. Tell them first."
    )
