"""Prop. 4.1, measured: two runs part with probability at most rho, and no action is off by more than epsilon.

Exact binomial tests at a one-in-a-million false alarm.  With 400 pairs a rate of rho = 0.2 fails at 121 and one of
delta = 0.05 at 45: truths of 0.35 and 0.15 are caught with probability 0.98.  The sum of n rewards is drawn at once:
normal, or from a binomial distribution.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from replibandit.arrays import FloatArray, IntArray
from replibandit.estimators.core_set import CoreSet, CoreSetFit, core_set, rep_core_set
from replibandit.intervals import binomial_tail, fails_at
from replibandit.testing import assert_rate_at_most
from tests.statistics.seed import SEED

EPSILON, RHO, DELTA = 0.1, 0.2, 0.05
PAIRS = 400
SIGMA = 0.5
Noise = Callable[[np.random.Generator, IntArray], FloatArray]


def gaussian(rng: np.random.Generator, pulls: IntArray) -> FloatArray:
    return SIGMA * np.sqrt(pulls) * rng.standard_normal(len(pulls))


def bounded(rng: np.random.Generator, pulls: IntArray) -> FloatArray:
    """+-1/2 with equal chances, summed up."""
    return rng.binomial(pulls, 0.5) - 0.5 * pulls


def skewed(rng: np.random.Generator, pulls: IntArray) -> FloatArray:
    """Centred Bernoulli(1/10), summed up."""
    return rng.binomial(pulls, 0.1) - 0.1 * pulls


@dataclass(frozen=True, slots=True)
class Instance:
    """K actions of norm at most 1 in d dimensions, the last of which repeats the first if they are to be collinear."""

    d: int
    K: int
    noise: Noise
    collinear: bool = False

    def __str__(self) -> str:
        return f"d{self.d}-{self.noise.__name__}{'-collinear' if self.collinear else ''}"

    def actions(self) -> FloatArray:
        A = np.random.default_rng(self.d).normal(size=(self.K, self.d))
        if self.collinear:
            A[:, -1] = A[:, 0]
        return np.asarray(A / np.linalg.norm(A, axis=1).max())

    def truth(self) -> FloatArray:
        return np.full(self.d, 0.9 / np.sqrt(self.d))

    def plan(self) -> CoreSet:
        return core_set(self.actions(), epsilon=EPSILON, rho=RHO, delta=DELTA, noise=SIGMA)


INSTANCES = [
    Instance(1, 3, skewed),
    Instance(2, 12, gaussian),
    Instance(2, 12, skewed),
    Instance(5, 100, gaussian),
    Instance(5, 100, bounded),
    Instance(5, 100, gaussian, collinear=True),
]


def fits(instance: Instance, core: CoreSet, pair: int) -> tuple[CoreSetFit, CoreSetFit]:
    rng = np.random.default_rng([SEED, pair])
    means = core.pulls * (core.actions @ instance.truth())
    first, second = (rep_core_set(core, means + instance.noise(rng, core.pulls), seed=pair) for _ in range(2))
    return first, second


def worst(instance: Instance, fit: CoreSetFit) -> float:
    return float(abs(instance.actions() @ (fit.ridge.theta - instance.truth())).max())


@pytest.mark.parametrize("instance", INSTANCES, ids=str)
def test_proposition(instance: Instance) -> None:
    core, parted, missed, beyond = instance.plan(), 0, 0, 0
    for pair in range(PAIRS):
        first, second = fits(instance, core, pair)
        parted += first.ridge.theta.tobytes() != second.ridge.theta.tobytes()
        missed += worst(instance, first) > EPSILON
        beyond += worst(instance, first) > first.error
    assert_rate_at_most(parted, PAIRS, rate=RHO)
    assert_rate_at_most(missed, PAIRS, rate=DELTA)
    assert_rate_at_most(beyond, PAIRS, rate=DELTA)


def test_power() -> None:
    assert (fails_at(PAIRS, RHO), fails_at(PAIRS, DELTA)) == (121, 45)
    assert binomial_tail(121, PAIRS, 0.35) > 0.97
    assert binomial_tail(45, PAIRS, 0.15) > 0.97


@pytest.mark.parametrize("instance", [INSTANCES[1], INSTANCES[3]], ids=str)
def test_a_thousand_times_fewer_pulls_miss_epsilon(instance: Instance) -> None:
    core = instance.plan()
    fewer = replace(core, pulls=-(-core.pulls // 1000))
    missed = sum(worst(instance, fits(instance, fewer, pair)[0]) > EPSILON for pair in range(PAIRS))
    assert missed >= fails_at(PAIRS, DELTA)


def test_unrounded_estimates_never_match() -> None:
    instance = INSTANCES[3]
    core = instance.plan()
    pairs = [fits(instance, core, pair) for pair in range(50)]
    assert not any((a.ridge.raw == b.ridge.raw).all() for a, b in pairs)
