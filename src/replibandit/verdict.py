"""What a number of pairs says about the probability that two runs differ: an estimate, an interval, a verdict.

    replicable         the interval lies below rho
    not replicable     the interval lies above rho
    undecided          rho lies in the interval: take more pairs

A verdict other than "undecided" is wrong with probability at most 1 - level.
"""

import math
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arrays import FloatArray
from replibandit.intervals import anytime_interval, clopper_pearson

REPLICABLE, NOT_REPLICABLE, UNDECIDED = "replicable", "not replicable", "undecided"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """How the runs of each key compared: `differing` is the share of its pairs of runs that differ.

    Keys are independent, pairs of runs with one key are not; so it is keys that the interval counts.  It is exact for
    one pair a key and a number of keys fixed beforehand (Clopper and Pearson), else it holds for any shares and at any
    stop (`intervals.anytime_interval`).
    """

    differing: FloatArray
    rho: float
    level: float
    anytime: bool

    @property
    def keys(self) -> int:
        """Return the number of keys, which are independent of each other."""
        return len(self.differing)

    @property
    def mismatch(self) -> float:
        """Return the estimate of the probability that two runs differ."""
        return math.fsum(self.differing.tolist()) / self.keys

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval of that probability: it holds with probability at least `level`."""
        total = math.fsum(self.differing.tolist())
        if self.anytime or not np.isin(self.differing, (0.0, 1.0)).all():
            return anytime_interval(total, self.keys, self.level)
        return clopper_pearson(int(total), self.keys, self.level)

    @property
    def verdict(self) -> str:
        """Return what the interval says about rho."""
        low, high = self.interval
        if high <= self.rho:
            return REPLICABLE
        return NOT_REPLICABLE if low > self.rho else UNDECIDED


def pairs_needed(rho: float, level: float = 0.95) -> int:
    """Return the fewest pairs, one a key, after which no difference at all gives the verdict "replicable".

    >>> pairs_needed(0.1), pairs_needed(0.01)
    (36, 368)
    """
    rho, level = checks.probability("rho", rho), checks.probability("level", level)
    # (1 - rho)^n <= (1 - level)/2
    n = math.ceil(math.log((1.0 - level) / 2.0) / math.log1p(-rho))
    return n + (clopper_pearson(0, n, level)[1] > rho)
