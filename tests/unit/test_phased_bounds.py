"""Regret bounds of RepCommit and RepEliminate: above what is measured, and not far above it."""

import math
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.bounds import bounds, informative_horizon
from replibandit.errors import InvalidInput

TABLE = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-0.6, 0.8]])
ENVIRONMENTS: dict[str, Any] = {
    "two": rb.BernoulliArms(means=np.array([0.5, 0.4])),
    "spread": rb.BernoulliArms(means=np.array([0.5, 0.49, 0.1, 0.1, 0.1])),
    "ladder": rb.GaussianArms(means=np.array([0.5, 0.45, 0.4, 0.3, 0.2]), sd=0.5),
    "vectors": rb.LinearArms(theta=np.array([0.3, 0.05]), actions=TABLE, noise=0.5),
}


def measured(spec: Any, env: Any, runs: int = 200) -> tuple[float, float]:
    """Return the mean regret and six standard errors of it: exceeded once in 10^8, by the normal law."""
    played = rb.simulate_many(spec, env, seeds=range(runs), rng=np.random.default_rng(0))
    lost = np.array([rb.regret(run, env)[-1] for run in played])
    return float(lost.mean()), 6.0 * float(lost.std()) / math.sqrt(runs)


@pytest.mark.parametrize("calibration", ["sharp", "gaussian"])
@pytest.mark.parametrize("horizon", [100, 10**5, 10**8])
@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("policy", [rb.RepCommit, rb.RepEliminate])
def test_measured_regret_is_within_the_bound(policy: Any, name: str, horizon: int, calibration: str) -> None:
    spec, env = policy(horizon=horizon, rho=0.1, calibration=calibration), ENVIRONMENTS[name]
    if policy is rb.RepEliminate and name == "vectors":
        with pytest.raises(InvalidInput, match="stated for arms"):
            bounds(spec, env)
        return
    mean, slack = measured(spec, env)
    bound = bounds(spec, env)
    assert mean - slack <= bound.regret
    assert bound.ingredients["least_level"] > 1
    if policy is rb.RepCommit and horizon == 10**8:
        assert bound.regret <= 1.5 * (mean + slack)


def test_the_bound_of_gaps_is_that_of_the_arms() -> None:
    spec = rb.RepCommit(horizon=10**6, rho=0.1)
    assert bounds(spec, gaps=[0.0, 0.1]).regret == pytest.approx(bounds(spec, ENVIRONMENTS["two"]).regret)
    assert bounds(spec, gaps=[0.0, 0.1]).holds == "in expectation"


def test_the_examples_are_within_what_a_trialist_allows() -> None:
    spec = rb.RepCommit(horizon=10**6, rho=0.1)
    assert bounds(spec, gaps=[0.0, 0.1]).regret <= 2e4
    assert bounds(spec, gaps=[0.0, 0.3, 0.3, 0.3, 0.3]).regret <= 2.5e4


@pytest.mark.parametrize("policy", [rb.RepCommit, rb.RepEliminate])
def test_unknown_gaps_are_asked_for(policy: Any) -> None:
    spec = policy(horizon=100, rho=0.1)
    for given in ({"dim": 2}, {"env": rb.LinearArms(theta=np.ones(2), actions=rb.Ball(1.0, 2))}):
        with pytest.raises(InvalidInput, match="gap of every action"):
            bounds(spec, **given)


def test_equal_arms_lose_nothing() -> None:
    assert bounds(rb.RepCommit(horizon=10**6, rho=0.1), gaps=[0.0, 0.0]).regret == 0.0


def test_informative_horizon() -> None:
    found = informative_horizon(rb.RepCommit(horizon=10, rho=0.1), gaps=[0.0, 0.1])
    assert found is not None
    assert bounds(rb.RepCommit(horizon=found, rho=0.1), gaps=[0.0, 0.1]).informative
