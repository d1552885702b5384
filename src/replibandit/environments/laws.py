"""K arms whose rewards have any law: finitely many values, at any horizon, or whatever a function draws."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from replibandit import checks
from replibandit.arrays import FloatArray, IntArray
from replibandit.environments.sums import binomial
from replibandit.errors import InvalidInput
from replibandit.policies.base import Pull

Sampler = Callable[[np.random.Generator, int], FloatArray]
_BLOCK = 2**16
_MOST_DRAWS = 2**32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscreteArms:
    """Rewards with finitely many `values`: arm a pays values[v] with probability probabilities[a, v]."""

    values: FloatArray
    probabilities: FloatArray
    means: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        values = checks.vector("values", self.values)
        table = checks.matrix("probabilities", self.probabilities)
        if len(table) == 0 or table.shape[1] != len(values):
            raise InvalidInput(
                f"probabilities has shape {table.shape}; it must be (arms, {len(values)}), a row for each arm and a "
                "column for each of the values."
            )
        checks.finite("probabilities", table)
        off = abs(table.sum(axis=1) - 1.0)
        if table.min() < 0 or off.max() > 1e-9:
            raise InvalidInput(
                f"row {int(off.argmax())} of probabilities adds up to {table.sum(axis=1)[off.argmax()]:.9g}, and the "
                f"least entry is {table.min():.6g}; each row must be at least 0 and add up to 1."
            )
        for name, array in (("values", values), ("probabilities", table), ("means", table @ values)):
            object.__setattr__(self, name, array)

    @property
    def actions(self) -> int:
        """Return the number of arms."""
        return len(self.means)

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        """Return the sum of the rewards of each lane: how often each value came is a chain of binomial numbers."""
        left, chance = pull.times.astype(np.int64), np.ones(len(pull.times))
        total = np.zeros(len(left))
        for v, value in enumerate(self.values[:-1]):
            p = self.probabilities[pull.arms, v]
            # given the values before it, each of the rounds that are left pays values[v] with probability p / chance
            share = np.divide(p, chance, out=np.zeros_like(p), where=chance > 0)
            count = binomial(left, np.clip(share, 0.0, 1.0), rng)
            total += value * count
            left, chance = left - count.astype(np.int64), chance - p
        return np.asarray(total + self.values[-1] * left)

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        """Return max_a mu_a - mu of the arm."""
        return np.asarray(self.means.max() - self.means[pull.arms])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledArms:
    """Rewards of any law: `samplers[a](rng, n)` draws n rewards of arm a, whose mean is means[a].

    Every reward is drawn, so that the cost of a run grows with its horizon.
    """

    means: FloatArray
    samplers: Sequence[Sampler]

    def __post_init__(self) -> None:
        means = checks.means(self.means)
        if len(self.samplers) != len(means):
            raise InvalidInput(f"there are {len(self.samplers)} samplers for {len(means)} means; give one for each.")
        object.__setattr__(self, "means", means)

    @property
    def actions(self) -> int:
        """Return the number of arms."""
        return len(self.means)

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        """Return the sum of the rewards of each lane, drawn one by one."""
        return np.array(
            [self._total(arm, n, rng) for arm, n in zip(pull.arms.tolist(), pull.times.tolist(), strict=True)]
        )

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        """Return max_a mu_a - mu of the arm."""
        return np.asarray(self.means.max() - self.means[pull.arms])

    def _total(self, arm: int, rounds: int, rng: np.random.Generator) -> float:
        if rounds > _MOST_DRAWS:
            raise InvalidInput(
                f"a decision stands for {rounds} rounds; SampledArms draws each of them and stops at 2**32. Lower the "
                "horizon, or use DiscreteArms, BernoulliArms or GaussianArms, which draw a sum at once."
            )
        total = 0.0
        for first in range(0, rounds, _BLOCK):
            n = min(_BLOCK, rounds - first)
            rewards = np.asarray(self.samplers[arm](rng, n), dtype=np.float64)
            if rewards.shape != (n,) or not np.isfinite(rewards).all():
                raise InvalidInput(f"samplers[{arm}] was asked for {n} rewards; it must return as many finite numbers.")
            total += float(rewards.sum())
        return total
