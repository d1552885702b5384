"""The instances on which the promises of the estimators are measured: dimensions, noise laws, conditioning, links."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replibandit.arrays import FloatArray

SIGMA = 0.5
Noise = Callable[[np.random.Generator, int], FloatArray]


def gaussian(rng: np.random.Generator, n: int) -> FloatArray:
    return SIGMA * rng.standard_normal(n)


def bounded(rng: np.random.Generator, n: int) -> FloatArray:
    """+-1/2 with equal chances: the largest variance that a 1/2-sub-Gaussian law can have."""
    return np.where(rng.random(n) < 0.5, SIGMA, -SIGMA)


def skewed(rng: np.random.Generator, n: int) -> FloatArray:
    """A centred Bernoulli(1/10): within an interval of length 1, hence 1/2-sub-Gaussian."""
    return np.where(rng.random(n) < 0.1, 0.9, -0.1)


@dataclass(frozen=True, slots=True)
class Instance:
    """A fixed design, a truth of norm at most 1 and a noise law; columns of very different sizes if badly scaled."""

    d: int
    n: int
    noise: Noise
    link: str = "identity"
    badly_conditioned: bool = False

    def __str__(self) -> str:
        return f"{self.link}-d{self.d}-{self.noise.__name__}{'-bad' if self.badly_conditioned else ''}"

    def design(self) -> FloatArray:
        """Return rows of norm about 1; if badly conditioned, the last columns are nearly equal and tiny."""
        X: FloatArray = np.random.default_rng(self.d).standard_normal((self.n, self.d)) / np.sqrt(self.d)
        if self.badly_conditioned:
            X *= 10.0 ** -np.linspace(0, 3, self.d)
            X[:, -1] = X[:, 0] + 1e-6 * X[:, -1]
        return X

    def truth(self) -> FloatArray:
        return np.full(self.d, 0.9 / np.sqrt(self.d))


RIDGE = [
    Instance(1, 100, gaussian),
    Instance(1, 100, skewed),
    Instance(2, 100, bounded),
    Instance(2, 100, skewed, badly_conditioned=True),
    Instance(5, 100, gaussian),
    Instance(5, 100, bounded, badly_conditioned=True),
    Instance(20, 100, skewed),
    Instance(20, 100, gaussian, badly_conditioned=True),
]
GLM = [
    Instance(1, 100, gaussian, "logistic"),
    Instance(1, 100, skewed, "log"),
    Instance(2, 100, bounded, "probit"),
    Instance(2, 100, gaussian, "logistic", badly_conditioned=True),
    Instance(5, 100, skewed, "logistic"),
    Instance(5, 100, bounded, "log", badly_conditioned=True),
    Instance(20, 100, bounded, "probit"),
    Instance(20, 100, gaussian, "logistic", badly_conditioned=True),
]
