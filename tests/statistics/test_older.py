"""L1 of the older policies and of Lemma 9: gaps in doubt, ties, many arms, near-collinear actions, a disc.

Exact binomial tests at a one-in-a-million false alarm, with the power that `test_policies` states.  Every pair has a
key of its own.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.intervals import fails_at
from replibandit.testing import assert_rate_at_least, assert_rate_at_most
from tests.statistics.bandits import BUNDLES, RHO, Bandit, bernoulli, gaussian, linear, two_point
from tests.statistics.seed import SEED

TIES, MANY = bernoulli(0.5, 0.5, 0.5), bernoulli(0.5, 0.3, 0.55, 0.1, 0.5, 0.45)
NEAR = np.array([[1.0, 0.0], [0.99, 0.1], [0.98, -0.1], [0.9, 0.3]])
DISC = rb.Ball(1.0, 2)


def arms(policy: Any, horizon: int = 10**9) -> list[Bandit]:
    """Return the instances of a policy for arms."""
    spec, other = policy(horizon=horizon, rho=RHO), bernoulli(0.2, 0.8)
    return [
        Bandit(name="gap", spec=spec, env=bernoulli(0.45, 0.5), other=other),
        Bandit(name="gaussian", spec=spec, env=gaussian(0.0, 0.1, sd=0.5), other=other),
        Bandit(name="skewed", spec=spec, env=bernoulli(0.02, 0.05), other=other),
        Bandit(name="ties", spec=spec, env=TIES, other=bernoulli(0.2, 0.5, 0.8)),
        Bandit(name="many", spec=spec, env=MANY, other=bernoulli(0.1, 0.8, 0.1, 0.1, 0.1, 0.1)),
    ]


def vectors(spec: Any) -> list[Bandit]:
    """Return the instances of a policy for vectors."""
    return [
        Bandit(name="near", spec=spec, env=linear([0.5, 0.3], NEAR), other=linear([-0.5, 0.3], NEAR)),
        Bandit(
            name="ties-two-point",
            spec=spec,
            env=two_point([0.6, 0.3, 0.0], BUNDLES, chance=0.1),
            other=two_point([0.0, 0.3, 0.6], BUNDLES, chance=0.1),
        ),
    ]


LINEAR = rb.EsfandiariLinear(horizon=10**9, rho=RHO, noise=0.5)
NET = rb.EsfandiariNet(horizon=10**11, rho=RHO, noise=0.5, resolution=0.25)
ALL = [
    *arms(rb.EsfandiariMean, 10**12),
    *arms(rb.EsfandiariThreshold),
    *arms(rb.EliminateInPhases),
    *arms(rb.CommitInPhases),
    *vectors(LINEAR),
    *vectors(NET),
    *vectors(rb.EliminateInPhases(horizon=10**9, rho=RHO)),
    Bandit(name="disc", spec=NET, env=linear([0.6, -0.3], DISC), other=linear([-0.6, 0.3], DISC)),
]


def unlike(bandit: Bandit, spec: Any = None, pairs: int | None = None) -> int:
    keys = [rb.Key(f"{SEED}-{i}") for i in range(pairs or bandit.pairs)]
    rng = np.random.default_rng([SEED, 1])
    runs = rb.simulate_many(spec or bandit.spec, bandit.env, seeds=[k for k in keys for _ in range(2)], rng=rng)
    return sum(rb.first_divergence(a, b) is not None for a, b in zip(runs[::2], runs[1::2], strict=True))


@pytest.mark.parametrize("bandit", ALL, ids=str)
def test_two_runs_act_alike(bandit: Bandit) -> None:
    assert_rate_at_most(unlike(bandit), bandit.pairs, rate=RHO)


@pytest.mark.parametrize("bandit", ALL, ids=str)
def test_what_is_played_depends_on_the_rewards(bandit: Bandit) -> None:
    """Control: it is not for want of learning that runs are alike."""
    seeds, rng = [rb.Key(f"{SEED}-{i}") for i in range(50)], np.random.default_rng([SEED, 2])
    runs, others = (rb.simulate_many(bandit.spec, env, seeds=seeds, rng=rng) for env in (bandit.env, bandit.other))
    assert any(rb.first_divergence(a, b) is not None for a, b in zip(runs, others, strict=True))


@pytest.mark.parametrize(
    ("spec", "env"),
    [
        (rb.EsfandiariMean(horizon=10**6, rho=RHO, noise=0.001), bernoulli(0.3, 0.4, 0.45, 0.5)),
        (rb.EsfandiariThreshold(horizon=10**6, rho=RHO, noise=0.005), bernoulli(0.47, 0.48, 0.49, 0.5)),
        (rb.EliminateInPhases(horizon=10**6, rho=RHO, noise=0.001), bernoulli(0.3, 0.4, 0.45, 0.5)),
        (rb.CommitInPhases(horizon=10**6, rho=RHO, noise=0.001), bernoulli(0.3, 0.4, 0.45, 0.5)),
        (replace(LINEAR, horizon=10**7, noise=0.01), linear([0.5, 0.05], NEAR)),
        (rb.EsfandiariNet(horizon=10**6, rho=RHO, noise=1e-3), linear([0.5, 0.05], NEAR)),
    ],
    ids=str,
)
def test_noise_declared_too_small_is_caught(spec: Any, env: Any) -> None:
    """Negative control: thresholds and grids for a small part of the noise are too narrow."""
    assert unlike(Bandit(name="", spec=spec, env=env, other=env), pairs=400) >= fails_at(400, RHO)


def test_the_largest_mean_of_the_last_batch_would_part_ties() -> None:
    """Negative control of a departure: two best arms stay to the end, and the raw means choose either one."""
    spec, keys = rb.EsfandiariThreshold(horizon=10**9, rho=RHO), [rb.Key(f"{SEED}-{i}") for i in range(400)]
    rng, chosen = np.random.default_rng([SEED, 3]), []
    for run in rb.simulate_many(spec, TIES, seeds=[k for k in keys for _ in range(2)], rng=rng):
        explored, totals = run.arms[:-1], run.totals[:-1]
        pulls = np.bincount(explored, weights=run.times[:-1], minlength=3)
        chosen.append(int(np.argmax(np.bincount(explored, weights=totals, minlength=3) / pulls)))
    parted = sum(a != b for a, b in zip(chosen[::2], chosen[1::2], strict=True))
    assert_rate_at_least(parted, 400, rate=0.5)


SETS: list[FloatArray] = [np.eye(2), np.random.default_rng(6).uniform(-1.0, 1.0, (20, 4)), BUNDLES]


@pytest.mark.parametrize("A", SETS, ids=lambda A: f"{A.shape[0]}x{A.shape[1]}")
def test_lemma_9(A: FloatArray) -> None:
    """Two estimates are equal with probability 1 - rho, and all errors within epsilon with probability 1 - delta."""
    parted, wrong = lemma_9(A, noise=0.5)
    assert_rate_at_most(parted, 400, rate=RHO)
    assert_rate_at_most(wrong, 400, rate=0.05)


def test_lemma_9_with_too_much_noise_is_caught() -> None:
    """Negative control: rewards with 2000 times the noise that was declared."""
    parted, wrong = lemma_9(SETS[1], noise=1000.0)
    assert parted >= fails_at(400, RHO)
    assert wrong >= fails_at(400, 0.05)


def lemma_9(A: FloatArray, noise: float) -> tuple[int, int]:
    """Return in how many of 400 pairs the estimates are not equal, and in how many an error is above epsilon."""
    plan = rb.least_squares_plan(A, epsilon=0.1, rho=RHO, delta=0.05, noise=0.5)
    truth, rng, parted, wrong = np.linspace(0.6, -0.3, A.shape[1]), np.random.default_rng([SEED, 4]), 0, 0
    for i in range(400):
        errors = noise * np.sqrt(plan.pulls) * rng.standard_normal((2, len(plan.actions)))
        sums = plan.pulls * (plan.actions @ truth) + errors
        first, second = (rb.rep_least_squares(plan, row, seed=f"{SEED}-{i}").theta for row in sums)
        parted += bool((first != second).any())
        wrong += bool(abs(A @ (first - truth)).max() > 0.1)
    return parted, wrong
