"""What a bound says: a number, how surely it holds, and what it is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

IN_EXPECTATION = "in expectation"
WITH_CONFIDENCE = "with probability at least 1 - delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """A bound on the regret of all rounds: `holds` says in which sense, `formula` where it comes from.

    `ingredients` are the numbers of the formula by name, read-only, and `trivial` is what any policy keeps: the number
    of rounds times the largest loss of one round.
    """

    regret: float
    trivial: float
    holds: str
    formula: str
    ingredients: Mapping[str, float]

    @property
    def informative(self) -> bool:
        """Say whether the bound is below what any policy keeps."""
        return self.regret < self.trivial


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBound:
    """A bound on the `error` of an estimate: `holds` says in which sense, `formula` where it comes from."""

    error: float
    holds: str
    formula: str
    ingredients: Mapping[str, float]


def named(**numbers: float) -> Mapping[str, float]:
    """Return numbers by name, read-only."""
    return MappingProxyType({name: float(value) for name, value in numbers.items()})
