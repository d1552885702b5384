"""Rewards mu(<a, theta>) with noise, over a finite set, a ball, or sets that change: linear and generalised linear."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.actions import ActionSet, Ball, Finite, as_actions
from replibandit.arrays import FloatArray, IntArray
from replibandit.environments.sums import binomial
from replibandit.errors import InvalidInput
from replibandit.links import as_link
from replibandit.policies.base import Pull


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearArms:
    """Normal rewards with mean <a, theta> and standard deviation `noise`."""

    theta: FloatArray
    actions: Any
    noise: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "actions", as_actions(self.actions))
        object.__setattr__(self, "theta", checks.vector("theta", self.theta, length=self.actions.dim))
        checks.nonnegative("noise", self.noise)

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        """Return n <a, theta> + noise sqrt(n) Z."""
        noise = self.noise * np.sqrt(pull.times) * rng.standard_normal(len(pull.times))
        return np.asarray(pull.times * (pull.vectors @ self.theta) + noise)

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        """Return max <a, theta> - <a_t, theta>."""
        # an action rounded to its grid may look better than the best one by a hair
        return np.maximum(_best(self.actions, self.theta, start) - pull.vectors @ self.theta, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GLMArms:
    """Rewards with mean mu(<a, theta>): `response` is "bernoulli", "poisson" or "gaussian" (with `noise`)."""

    theta: FloatArray
    actions: Any
    link: str
    response: str = "bernoulli"
    noise: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "actions", as_actions(self.actions))
        object.__setattr__(self, "theta", checks.vector("theta", self.theta, length=self.actions.dim))
        as_link(self.link)
        checks.one_of("response", self.response, ("bernoulli", "poisson", "gaussian"))
        checks.nonnegative("noise", self.noise)
        if isinstance(self.actions, Ball):
            raise InvalidInput("a ball of actions is for LinearArms only; give GLMArms a finite set or contexts.")

    def _mean(self, eta: FloatArray) -> FloatArray:
        return as_link(self.link).mean(eta)

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        """Return the sum of n rewards: a binomial, Poisson or normal number."""
        mean = self._mean(pull.vectors @ self.theta)
        if self.response == "bernoulli":
            if (mean > 1.0).any() or (mean < 0.0).any():
                raise InvalidInput(f"a mean is {mean.max():.6g}; a Bernoulli reward needs means from 0 to 1.")
            return binomial(pull.times, mean, rng)
        if self.response == "poisson":
            return np.asarray(rng.poisson(pull.times * mean).astype(np.float64))
        return np.asarray(pull.times * mean + self.noise * np.sqrt(pull.times) * rng.standard_normal(len(mean)))

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        """Return max mu(<a, theta>) - mu(<a_t, theta>)."""
        best = _best(self.actions, self.theta, start)
        return np.maximum(self._mean(best) - self._mean(pull.vectors @ self.theta), 0.0)


def _best(actions: ActionSet, theta: FloatArray, start: IntArray) -> FloatArray:
    """Return the largest <a, theta>: of every round, if the sets change; links increase, so it is the best mean's."""
    if isinstance(actions, Finite):
        return np.asarray(np.max(actions.vectors @ theta))
    if isinstance(actions, Ball):
        return np.asarray(actions.radius * np.sqrt(theta @ theta))
    first, last = int(start.min()), int(start.max())
    values = np.nanmax(actions.block(first, last + 1) @ theta, axis=1)
    return np.asarray(values[start - first])
