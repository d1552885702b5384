"""L1 of RepCommit and RepEliminate, at the gaps where decisions are hardest, and what they commit to.

Which gap is hardest depends on where it stands to the phases.  So every instance is measured on a grid of gaps over one
period, a factor sqrt(g), and with 2,000 pairs at the worst of them.  Exact binomial tests at a one-in-a-million false
alarm: of 2,000 pairs at rho = 0.1, 266 fail; a truth of 0.15 is caught with probability 0.98, and one of 0.2 always.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.intervals import fails_at
from replibandit.testing import assert_rate_at_most

RHO, SIGMA, T = 0.1, 0.5, 10**12
SCALES = 4.0 ** (np.arange(8) / 16)  # of a gap, over sqrt(g) = 2
FEW, MANY = 150, 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Pairs that differ, and runs that end on an action that is not best."""

    differing: int
    wrong: int


def play(spec: Any, env: Any, pairs: int, seed: int) -> Found:
    """Play pairs of runs, each with a key of its own."""
    keys = [f"{seed}-{i}" for i in range(pairs) for _ in range(2)]
    runs = rb.simulate_many(spec, env, seeds=keys, rng=np.random.default_rng([seed, pairs]))
    last = [rb.regret(run, env) for run in runs]
    wrong = sum(bool(len(lost) > 1 and lost[-1] > lost[-2]) for lost in last)
    differing = sum(rb.first_divergence(runs[i], runs[i + 1]) is not None for i in range(0, 2 * pairs, 2))
    return Found(differing=differing, wrong=wrong)


def worst(spec: Any, instance: Callable[[float], Any]) -> Found:
    """Return what was found with many pairs at the scale that was worst with few; every scale is tested."""
    few = [play(spec, instance(scale), FEW, seed=i) for i, scale in enumerate(SCALES)]
    for found in few:
        assert_rate_at_most(found.differing, FEW, rate=RHO)
    hardest = int(np.argmax([found.differing for found in few]))
    return play(spec, instance(SCALES[hardest]), MANY, seed=100)


def check(spec: Any, instance: Callable[[float], Any]) -> Found:
    found = worst(spec, instance)
    assert_rate_at_most(found.differing, MANY, rate=RHO)
    # each of 4,000 runs commits wrongly with probability 1/T: one of them in 250 million tests
    assert found.wrong == 0
    return found


def bernoulli(best: float) -> Callable[[int], Callable[[float], Any]]:
    def arms(K: int) -> Callable[[float], Any]:
        return lambda scale: rb.BernoulliArms(means=np.array([best, *[best - 0.05 * scale] * (K - 1)]))

    return arms


def gaussian(K: int) -> Callable[[float], Any]:
    return lambda scale: rb.GaussianArms(means=np.array([0.05 * scale] + [0.0] * (K - 1)), sd=SIGMA)


def bounded(K: int) -> Callable[[float], Any]:
    """Rewards 0, 1/2 and 1 with nearly the largest variance."""

    def arms(scale: float) -> Any:
        best, other = (np.array([0.49 - up, 0.02, 0.49 + up]) for up in (0.05 * scale, 0.0))
        return rb.DiscreteArms(values=np.array([0.0, 0.5, 1.0]), probabilities=np.stack([best] + [other] * (K - 1)))

    return arms


LAWS = {"centred": bernoulli(0.525), "skewed": bernoulli(0.15), "gaussian": gaussian, "bounded": bounded}


@pytest.mark.parametrize("arms", [2, 5, 20])
@pytest.mark.parametrize("law", LAWS)
def test_rep_commit(law: str, arms: int) -> None:
    check(rb.RepCommit(horizon=T, rho=RHO), LAWS[law](arms))


@pytest.mark.parametrize("arms", [2, 5, 20])
def test_rep_commit_for_normal_rewards(arms: int) -> None:
    """The certified constant leaves little room: at least a third of rho is spent."""
    found = check(rb.RepCommit(horizon=T, rho=RHO, calibration="gaussian"), gaussian(arms))
    assert found.differing > MANY * RHO / 3


def rows(kind: str, dim: int) -> FloatArray:
    """Return 20 unit actions: random, or two bundles that differ by a few hundredths."""
    rng = np.random.default_rng(dim)
    table = rng.standard_normal((20, dim))
    if kind == "nearly tied":
        table = table[np.arange(20) % 2] + 0.03 * rng.standard_normal((20, dim))
    return np.asarray(table / np.linalg.norm(table, axis=1, keepdims=True))


@pytest.mark.parametrize("calibration", ["sharp", "gaussian"])
@pytest.mark.parametrize("dim", [2, 5, 10])
@pytest.mark.parametrize("kind", ["random", "nearly tied"])
def test_rep_commit_with_vectors(kind: str, dim: int, calibration: str) -> None:
    table = rows(kind, dim)
    theta = np.random.default_rng(dim + 50).standard_normal(dim)
    spec = rb.RepCommit(horizon=T, rho=RHO, calibration=calibration)
    check(
        spec, lambda scale: rb.LinearArms(theta=0.3 * scale * theta / np.linalg.norm(theta), actions=table, noise=SIGMA)
    )


@pytest.mark.parametrize("calibration", ["sharp", "gaussian"])
@pytest.mark.parametrize("gaps", [(1.0,), (1.0, 1.0, 8.0), (1.0, 2.5, 6.25, 15.0)], ids=str)
def test_rep_eliminate(gaps: tuple[float, ...], calibration: str) -> None:
    spec = rb.RepEliminate(horizon=T, rho=RHO, calibration=calibration)
    check(spec, lambda scale: rb.GaussianArms(means=-0.03 * scale * np.array([0.0, *gaps]), sd=SIGMA))


def test_rep_eliminate_with_vectors() -> None:
    table = np.vstack([np.eye(3), [[0.6, 0.0, 0.8], [0.0, 0.8, 0.6]]])
    spec = rb.RepEliminate(horizon=T, rho=RHO)
    check(spec, lambda scale: rb.LinearArms(theta=0.2 * scale * np.array([1.0, 0.3, 0.1]), actions=table, noise=SIGMA))


@pytest.mark.parametrize("policy", [rb.RepCommit, rb.RepEliminate])
def test_ties_are_not_decided(policy: Any) -> None:
    """Two best arms: both are played to the end, and two runs never differ but for the arms that are worse."""
    env = rb.BernoulliArms(means=np.array([0.5, 0.5, 0.1]))
    found = play(policy(horizon=10**8, rho=RHO), env, MANY // 4, seed=0)
    assert_rate_at_most(found.differing, MANY // 4, rate=RHO)


@pytest.mark.parametrize("policy", [rb.RepCommit, rb.RepEliminate])
def test_noise_that_is_understated_is_caught(policy: Any) -> None:
    """Negative control: rewards with five times the declared noise part too often at some gap."""
    spec = policy(horizon=T, rho=RHO, noise=SIGMA / 5)
    found = [play(spec, gaussian(2)(scale), 400, seed=i) for i, scale in enumerate(SCALES)]
    assert max(each.differing for each in found) >= fails_at(400, RHO)
