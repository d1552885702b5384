"""Lemma 9: least squares of replicable means, against NumPy, against the bound, and in a subspace."""

from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.estimators.design import g_optimal

RNG = np.random.default_rng(4)
SETS = {
    "plane": RNG.standard_normal((12, 2)),
    "many": RNG.uniform(-1.0, 1.0, (40, 6)),
    "line in space": np.outer(np.linspace(-1.0, 2.0, 7), [1.0, -2.0, 0.5]),
    "plane in space": RNG.standard_normal((15, 2)) @ RNG.standard_normal((2, 5)),
    "one": np.array([[0.3]]),
}


def plan_of(A: FloatArray, epsilon: float = 0.1) -> rb.LeastSquaresPlan:
    return rb.least_squares_plan(A, epsilon=epsilon, rho=0.2, delta=0.05, noise=0.5)


def truth_of(A: FloatArray) -> FloatArray:
    return np.asarray(np.linspace(0.5, -0.5, A.shape[1]) / np.sqrt(A.shape[1]))


@pytest.mark.parametrize("A", SETS.values(), ids=SETS)
def test_theta_is_weighted_least_squares_of_the_means(A: FloatArray) -> None:
    plan, truth = plan_of(A), truth_of(A)
    fit = rb.rep_least_squares(plan, plan.pulls * (plan.actions @ truth) + 7.0, seed="a")
    means = np.array([mean.theta for mean in fit.means])
    root = np.sqrt(plan.weights)[:, None]
    expected = np.linalg.lstsq(root * plan.actions, root[:, 0] * means, rcond=1e-9)[0]
    assert np.allclose(A @ fit.theta, A @ expected, rtol=0, atol=1e-12)
    assert np.allclose(fit.theta, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("A", SETS.values(), ids=SETS)
def test_means_are_those_of_the_core_actions(A: FloatArray) -> None:
    plan = plan_of(A)
    sums = plan.pulls * (plan.actions @ truth_of(A))
    fit, design, size = rb.rep_least_squares(plan, sums, seed="a"), g_optimal(A), len(plan.indices)
    assert plan.indices.tolist() == design.indices.tolist()
    assert (plan.rounds, plan.certificate) == (size * plan.pulls, design.certificate)
    for mean, total, arm in zip(fit.means, sums, plan.indices, strict=True):
        alone = np.full(1000, total / plan.pulls)
        key = rb.Key("a").child("arm", int(arm))
        same = rb.rep_mean(alone, rho=0.2 / size, delta=0.05 / size, seed=key, noise=0.5)
        assert mean.shift / mean.width == pytest.approx(same.shift / same.width, rel=1e-12)
        assert mean.raw == pytest.approx(total / plan.pulls, rel=1e-12)
        assert mean.inflated_radius <= plan.tolerance


@pytest.mark.parametrize("A", SETS.values(), ids=SETS)
def test_errors_within_tau_move_no_action_by_more_than_epsilon(A: FloatArray) -> None:
    """Whatever their signs: max_x sum_a |pi(a) <x, V^-1 a>| tau <= epsilon."""
    plan = plan_of(A)
    V = (plan.actions.T * plan.weights) @ plan.actions
    effect = A @ np.linalg.pinv(V, rcond=1e-9) @ plan.actions.T * plan.weights
    assert abs(effect).sum(axis=1).max() * plan.tolerance <= plan.epsilon


def test_pulls_are_the_fewest_that_the_tolerance_allows() -> None:
    plan = plan_of(SETS["many"])
    size = len(plan.indices)
    settings: dict[str, Any] = {"rho": 0.2 / size, "delta": 0.05 / size, "noise": 0.5}
    assert rb.mean_tolerance(plan.pulls, **settings) <= plan.tolerance < rb.mean_tolerance(plan.pulls - 1, **settings)


def test_odd_input_is_refused() -> None:
    with pytest.raises(InvalidInput, match="epsilon"):
        plan_of(np.eye(2), epsilon=0.0)
    with pytest.raises(InvalidInput, match="no entry but 0"):
        plan_of(np.zeros((2, 2)))
    with pytest.raises(InvalidInput, match="sums has 3 entries; 2 are needed"):
        rb.rep_least_squares(plan_of(np.eye(2)), np.zeros(3), seed="a")
