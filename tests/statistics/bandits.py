"""The instances on which the policies are measured: gaps, ties, near-collinear actions, noise laws, links, action sets.

The means are learnt within the horizon, so that what is played depends on the rewards; a horizon of a few hundred
rounds has little noise instead.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

import replibandit as rb
from replibandit.arrays import FloatArray, IntArray
from replibandit.environments.sums import binomial
from replibandit.policies.base import Pull
from replibandit.policies.schedule import paper_radius

RHO = 0.1
SHARED: dict[str, Any] = {"rho": RHO, "delta": 0.01}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoPointArms:
    """Rewards <a, theta> plus a centred Bernoulli(chance): 1/2-sub-Gaussian, and skewed if the chance is not 1/2."""

    mean: rb.LinearArms
    chance: float

    @property
    def actions(self) -> Any:
        return self.mean.actions

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        ones = binomial(pull.times, np.full(len(pull.times), self.chance), rng)
        return self.mean.draw(pull, rng, start) + (ones - self.chance * pull.times)

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        return self.mean.gaps(pull, start)


@dataclass(frozen=True, kw_only=True, eq=False)
class Bandit:
    """A policy on an instance, the same instance with another truth, and the number of pairs of runs."""

    name: str
    spec: Any
    env: Any
    other: Any
    pairs: int = 1000

    def __str__(self) -> str:
        return f"{type(self.spec).__name__}-{self.name}"


def bernoulli(*means: float) -> rb.BernoulliArms:
    return rb.BernoulliArms(means=np.array(means))


def gaussian(*means: float, sd: float) -> rb.GaussianArms:
    return rb.GaussianArms(means=np.array(means), sd=sd)


def linear(theta: list[float], actions: Any, noise: float = 0.5) -> rb.LinearArms:
    return rb.LinearArms(theta=np.array(theta), actions=actions, noise=noise)


def two_point(theta: list[float], actions: Any, chance: float) -> TwoPointArms:
    return TwoPointArms(mean=linear(theta, actions, noise=0.0), chance=chance)


def general(theta: list[float], actions: Any, link: str, response: str, noise: float = 0.5) -> rb.GLMArms:
    return rb.GLMArms(theta=np.array(theta), actions=actions, link=link, response=response, noise=noise)


def near_collinear_sets(rounds: int) -> rb.Contexts:
    """Return sets of four in the plane: a vector, one that differs from it by a thousandth, itself again, another."""
    rng = np.random.default_rng(1)
    first, last = rng.uniform(-1.0, 1.0, (2, rounds, 2)) / 2.0
    return rb.Contexts.of(np.stack([first, first + 1e-3 * last, first, last], axis=1))


def gap_of_radii(spec: rb.RepUCB, pulls: int) -> float:
    """Return the gap at which two arms, the better one pulled twice as often, have equal indices at a batch end."""
    # U_a = mean_a + 2 tau(N_a)
    fewer, more = paper_radius(spec, 2) / np.sqrt([pulls, 2 * pulls])
    return float(2.0 * (fewer - more))


def last_batch(batches: int) -> dict[str, Any]:
    """Give nearly all of rho, and half as much of delta as that allows at most, to the last batch."""
    early = 1e-5
    rho = (early,) * (batches - 1) + (RHO - batches * early,)
    return {"budgets": rho, "delta_budgets": tuple(0.05 * share for share in rho)}


# Two bundles of actions; within a bundle they differ by a twentieth, and half of them tie.
BUNDLES = np.array([[0.9, 0.05, 0.0], [0.9, -0.05, 0.0], [0.9, 0.05, 0.0], [0.0, 0.05, 0.9], [0.0, -0.05, 0.9]])
SETS = near_collinear_sets(200)
BILLION = rb.RepUCB(horizon=10**9, rho=RHO)
HARD_GAP = gap_of_radii(BILLION, 2**28)

UCB = [
    Bandit(
        name="gap",
        spec=BILLION,
        env=bernoulli(0.5, 0.45),
        other=bernoulli(0.2, 0.8),
    ),
    Bandit(
        name="gap-of-radii",
        spec=BILLION,
        env=bernoulli(0.5, 0.5 - HARD_GAP),
        other=bernoulli(0.2, 0.8),
    ),
    Bandit(
        name="ties",
        spec=rb.RepUCB(horizon=10**10, rho=RHO),
        env=bernoulli(0.5, 0.5, 0.5),
        other=bernoulli(0.2, 0.8, 0.8),
    ),
    Bandit(
        name="gaussian",
        spec=BILLION,
        env=gaussian(0.5, 0.0, sd=0.5),
        other=gaussian(0.0, 0.5, sd=0.5),
    ),
    Bandit(
        name="skewed",
        spec=rb.RepUCB(horizon=10**12, rho=RHO),
        env=bernoulli(0.02, 0.1),
        other=bernoulli(0.1, 0.02),
    ),
    Bandit(
        name="many",
        spec=rb.RepUCB(horizon=10**12, rho=RHO),
        env=bernoulli(0.6, 0.6, 0.59, 0.5, 0.1),
        other=bernoulli(0.1, 0.1, 0.5, 0.59, 0.6),
    ),
    Bandit(
        name="short",
        spec=rb.RepUCB(horizon=1000, rho=RHO, noise=1e-3),
        env=gaussian(0.5, 0.5, sd=1e-3),
        other=gaussian(0.0, 1.0, sd=1e-3),
    ),
]

LINEAR = [
    Bandit(
        name="gap",
        spec=rb.RepLinUCB(horizon=10**10, noise=0.5, **SHARED),
        env=linear([0.5, 0.4], np.eye(2)),
        other=linear([-0.5, 0.8], np.eye(2)),
    ),
    Bandit(
        name="ties-two-point",
        spec=rb.RepLinUCB(horizon=10**12, noise=0.5, **SHARED),
        env=two_point([0.5, 0.5, 0.5, 0.1], np.eye(4), chance=0.5),
        other=two_point([0.1, 0.1, 0.1, 0.5], np.eye(4), chance=0.5),
    ),
    Bandit(
        name="near-collinear",
        spec=rb.RepLinUCB(horizon=10**12, noise=0.5, **SHARED),
        env=linear([0.6, 0.3, 0.0], BUNDLES),
        other=linear([0.0, 0.3, 0.6], BUNDLES),
    ),
    Bandit(
        name="batch-ends-skewed",
        spec=rb.RepLinUCB(horizon=2**33, noise=0.5, growth=2.0, batches=64, **SHARED),
        env=two_point([0.5, 0.4], np.eye(2), chance=0.1),
        other=two_point([-0.5, 0.8], np.eye(2), chance=0.1),
    ),
    Bandit(
        name="ball",
        spec=rb.RepLinUCB(horizon=10**10, noise=0.5, **SHARED),
        env=linear([0.6, -0.3], rb.Ball(1.0, 2)),
        other=linear([-0.6, 0.3], rb.Ball(1.0, 2)),
    ),
    Bandit(
        name="ball-last-batch",
        spec=rb.RepLinUCB(
            horizon=10**10, noise=0.5, penalty=100.0, norm_bound=0.05, growth=8.0, **SHARED, **last_batch(8)
        ),
        env=two_point([0.04, 0.0, 0.0, 0.0, 0.0], rb.Ball(1.0, 5), chance=0.5),
        other=two_point([-0.04, 0.0, 0.0, 0.0, 0.0], rb.Ball(1.0, 5), chance=0.5),
    ),
    Bandit(
        name="contexts",
        spec=rb.RepLinUCB(horizon=100, noise=1e-3, penalty=1e-6, batches=3, **SHARED),
        env=linear([0.6, -0.3], SETS, noise=1e-3),
        other=linear([-0.6, 0.3], SETS, noise=1e-3),
        pairs=200,
    ),
]

GLM = [
    Bandit(
        name="logistic-gap",
        spec=rb.RepGLMUCB(horizon=10**12, noise=0.5, link="logistic", **SHARED),
        env=general([0.5, 0.3], np.eye(2), "logistic", "bernoulli"),
        other=general([-0.5, 0.8], np.eye(2), "logistic", "bernoulli"),
        pairs=400,
    ),
    Bandit(
        name="logistic-near-collinear",
        spec=rb.RepGLMUCB(horizon=10**13, noise=0.5, link="logistic", **SHARED),
        env=general([0.6, 0.3, 0.0], BUNDLES, "logistic", "gaussian"),
        other=general([0.0, 0.3, 0.6], BUNDLES, "logistic", "gaussian"),
        pairs=400,
    ),
    Bandit(
        name="probit-ties",
        spec=rb.RepGLMUCB(horizon=10**12, noise=0.5, link="probit", **SHARED),
        env=general([0.4, 0.4, 0.4], np.eye(3), "probit", "bernoulli"),
        other=general([-0.5, 0.5, 0.5], np.eye(3), "probit", "bernoulli"),
        pairs=400,
    ),
    Bandit(
        name="log-skewed",
        spec=rb.RepGLMUCB(horizon=10**14, noise=0.5, link="log", norm_bound=2.0, **SHARED),
        env=general([-1.4, -1.3], np.eye(2), "log", "bernoulli"),
        other=general([-0.2, -1.8], np.eye(2), "log", "bernoulli"),
        pairs=400,
    ),
    Bandit(
        name="probit-batch-ends",
        spec=rb.RepGLMUCB(horizon=2**36, noise=0.5, link="probit", growth=2.0, batches=72, **SHARED),
        env=general([0.5, 0.4], np.eye(2), "probit", "gaussian"),
        other=general([-0.5, 0.8], np.eye(2), "probit", "gaussian"),
        pairs=400,
    ),
    Bandit(
        name="logistic-contexts",
        spec=rb.RepGLMUCB(horizon=60, noise=1e-3, penalty=1e-6, batches=3, link="logistic", **SHARED),
        env=general([0.6, -0.3], SETS, "logistic", "gaussian", noise=1e-3),
        other=general([-0.6, 0.3], SETS, "logistic", "gaussian", noise=1e-3),
        pairs=200,
    ),
]
