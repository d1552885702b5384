"""What a policy says of its last rounding: enough to compute it again from the key."""

import numpy as np
import pytest

import replibandit as rb
from replibandit.actions import Finite
from replibandit.grid import cell_of, midpoint
from replibandit.policies import contextual
from replibandit.policies.base import Rounding
from replibandit.policies.rep_ucb import RepUCBState
from replibandit.policies.schedule import paper_radius
from replibandit.rewards import total_cells

KEYS = [rb.Key("a"), rb.Key("b")]
TABLE = np.array([[0.6, 0.0], [0.0, 0.6], [0.4, 0.4]])
LIN = rb.RepLinUCB(horizon=10**6, rho=0.5, delta=0.1, noise=0.1, penalty=0.1)
GLM = rb.RepGLMUCB(horizon=10**5, rho=0.5, delta=0.1, noise=0.1, penalty=0.1, link="logistic")


def middle(rounding: Rounding, lane: int) -> np.ndarray:
    """Return the middle of the cell, from what is public."""
    width = float(rounding.width[lane])
    shift = width * KEYS[lane].child(*rounding.names[lane]).uniform(rounding.z.shape[1])
    z = rounding.z[lane]
    return midpoint(cell_of(z, width=width, shift=shift), width=width, shift=shift)


@pytest.mark.parametrize("spec", [LIN, GLM], ids=lambda spec: type(spec).__name__)
def test_linear_policies_show_their_estimate(spec: rb.RepLinUCB | rb.RepGLMUCB) -> None:
    rng, state = np.random.default_rng(0), spec.init(Finite(TABLE), KEYS)
    for batch in range(6):
        rounding = spec.rounding(state)
        assert rounding.names == (("batch", batch),) * 2
        V = spec.penalty * np.eye(2) + np.einsum("lk,ki,kj->lij", state.counts, TABLE, TABLE)
        for lane in range(2):
            factor = np.linalg.cholesky(V[lane])
            assert np.allclose(factor.T @ state.theta[lane], middle(rounding, lane), rtol=1e-7)
        pull = spec.choose(state)
        totals = pull.times * 0.3 + 0.1 * np.sqrt(pull.times) * rng.standard_normal(2)
        state = spec.update(state, pull, total_cells(totals, spec.reward_exponent()))


def test_contexts_show_their_estimate() -> None:
    spec = rb.RepLinUCB(horizon=500, rho=0.5, delta=0.1, noise=0.1)
    state = contextual.init(spec, 2, KEYS[0])
    batches = set()
    while state.rounds < spec.horizon:
        rounding = contextual.rounding(state)
        V = state.rule.V[0]
        assert np.allclose(np.linalg.cholesky(V).T @ state.rule.theta[0], middle(rounding, 0), rtol=1e-7)
        batches.add(rounding.names[0])
        block, state = contextual.decide(spec, state, np.broadcast_to(TABLE, (50, 3, 2)))
        rewards = np.full(len(block.arms), 0.5)
        state = contextual.learn(spec, state, block, rewards)
    assert len(batches) > 5


def test_arms_show_their_mean() -> None:
    spec = rb.RepUCB(horizon=1000, rho=0.5)
    state = spec.init(2, KEYS)
    assert spec.rounding(state).width.tolist() == [0.0, 0.0]  # nothing has been estimated
    for step in range(9):
        pull = spec.choose(state)
        told = np.array([0.25, 0.75]) * pull.times.astype(np.float64)
        state = spec.update(state, pull, total_cells(told, spec.reward_exponent()))
        rounding = spec.rounding(state)
        for lane in range(2):
            arm = int(pull.arms[lane])
            pulls = int(state.pulls[lane, arm])
            assert rounding.names[lane] == ("arm", arm, "pulls", pulls)
            assert rounding.z[lane, 0] == [0.25, 0.75][lane]
            bonus = 2 * paper_radius(spec, 2) / np.sqrt(pulls)
            assert state.index[lane, arm] == middle(rounding, lane)[0] + bonus, step
    assert isinstance(state, RepUCBState)
