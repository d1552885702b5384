"""K arms with independent rewards: Bernoulli, Gaussian, or a tape on which every reward is written beforehand."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.arrays import FloatArray, IntArray
from replibandit.environments.sums import binomial
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.policies.base import Pull

_PAGE = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BernoulliArms:
    """Rewards 0 and 1, with probability means[a] of a 1."""

    means: FloatArray

    def __post_init__(self) -> None:
        means = checks.means(self.means)
        if means.min() < 0 or means.max() > 1:
            raise InvalidInput(f"means is {means}; a Bernoulli arm needs a mean from 0 to 1.")
        object.__setattr__(self, "means", means)

    @property
    def actions(self) -> int:
        """Return the number of arms."""
        return len(self.means)

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        """Return the sum of the rewards of each lane: one binomial number, whatever the number of rounds."""
        return binomial(pull.times, self.means[pull.arms], rng)

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        """Return max_a mu_a - mu of the arm."""
        return np.asarray(self.means.max() - self.means[pull.arms])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GaussianArms:
    """Normal rewards with means[a] and standard deviation `sd`."""

    means: FloatArray
    sd: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checks.means(self.means))
        checks.nonnegative("sd", self.sd)

    @property
    def actions(self) -> int:
        """Return the number of arms."""
        return len(self.means)

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        """Return the sum of the rewards of each lane: n mu + sd sqrt(n) Z."""
        noise = self.sd * np.sqrt(pull.times) * rng.standard_normal(len(pull.times))
        return np.asarray(pull.times * self.means[pull.arms] + noise)

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        """Return max_a mu_a - mu of the arm."""
        return np.asarray(self.means.max() - self.means[pull.arms])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tape:
    """Rewards written beforehand: in round t, arm a pays 1 if the t-th uniform of the tape is below means[a], else 0.

    For tests: whatever the route through a run, a decision finds the same rewards.  `key` names the tape, and is not
    that of a policy.  With an action set, means[i] belongs to the action of index i, and the last one to a ball.
    """

    means: FloatArray
    key: Key
    actions: Any = None

    def __post_init__(self) -> None:
        means = checks.means(self.means)
        object.__setattr__(self, "means", means)
        if self.actions is None:
            object.__setattr__(self, "actions", len(means))

    def reward(self, arm: int, start: int, times: int = 1) -> float:
        """Return the sum of the rewards of an arm in the rounds start, ..., start + times - 1."""
        total, stop = 0, start + times
        for page in range(start // _PAGE, (stop - 1) // _PAGE + 1):
            uniforms = self.key.child("page", page).uniform(_PAGE)
            rounds = slice(max(start - page * _PAGE, 0), min(stop - page * _PAGE, _PAGE))
            total += int((uniforms[rounds] < self.means[arm]).sum())
        return float(total)

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        """Return what is written; `rng` is not used."""
        decisions = zip(pull.arms.tolist(), start.tolist(), pull.times.tolist(), strict=True)
        return np.array([self.reward(arm, first, times) if times else 0.0 for arm, first, times in decisions])

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        """Return max_a mu_a - mu of the arm."""
        return np.asarray(self.means.max() - self.means[pull.arms])
