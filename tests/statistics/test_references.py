"""The references learn, keep their guarantees and part at once; Thompson's draws have the laws that they should have.

Every count is held against an exact binomial test with a false alarm of one in a million, and has a control beside it.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.special import betainc, gammaln, ndtr

import replibandit as rb
from replibandit.arithmetic import cholesky, log_det_ratio, normals
from replibandit.arrays import FloatArray, IntArray
from replibandit.policies.base import Pull
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.thompson import Thompson
from replibandit.policies.ucb1 import UCB1
from replibandit.policies.variates import beta_odds
from replibandit.testing import assert_rate_at_least, assert_rate_at_most
from tests.statistics.seed import SEED

ALARM = 1e-6
DRAWS, CELLS = 40_000, 20
TABLE = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6], [-0.7, 0.3]])
THETA = np.array([0.2, 0.7])  # the second action is best; the third loses 0.16 a round


@dataclass(frozen=True, eq=False)
class Case:
    """A policy on an instance, and the number of runs."""

    spec: Any
    env: Any
    runs: int

    def __str__(self) -> str:
        name = type(self.spec).__name__
        return f"{name}-{self.spec.prior}" if isinstance(self.spec, Thompson) else name


BERNOULLI = rb.BernoulliArms(means=np.array([0.3, 0.6, 0.45, 0.4]))
GAUSSIAN = rb.GaussianArms(means=np.array([-0.5, 1.5, 0.5, 0.0]), sd=2.0)
LINEAR = rb.LinearArms(theta=THETA, actions=rb.Finite(TABLE), noise=0.3)
GENERAL = rb.GLMArms(theta=THETA, actions=rb.Finite(TABLE), link="logistic", response="gaussian", noise=0.05)
CASES = [
    Case(UCB1(horizon=10_000), BERNOULLI, 100),
    Case(Thompson(horizon=10_000), BERNOULLI, 100),
    Case(Thompson(horizon=10_000, prior="gaussian", noise=2.0), GAUSSIAN, 100),
    Case(LinUCB(horizon=500, delta=0.05, noise=0.3), LINEAR, 100),
    Case(GLMUCB(horizon=150, delta=0.05, noise=0.05, penalty=0.1, link="logistic"), GENERAL, 60),
]
SHORT = [(case, horizon) for case, horizon in zip(CASES, (1000, 1000, 1000, 200, 60), strict=True)]


def runs_of(spec: Any, env: Any, count: int, data: int) -> list[rb.Run]:
    rng = np.random.default_rng([SEED, data])
    return rb.simulate_many(spec, env, seeds=[f"{SEED}-{i}" for i in range(count)], rng=rng)


# --- regret ---


def gaps(case: Case) -> FloatArray:
    every = Pull(arms=np.arange(4), times=np.ones(4, dtype=np.int64), vectors=TABLE)
    return np.asarray(case.env.gaps(every, np.zeros(4, dtype=np.int64)))


def final_regrets(case: Case, runs: list[rb.Run]) -> FloatArray:
    return np.array([rb.regret(run, case.env)[-1] for run in runs])


def low_regrets(case: Case, runs: list[rb.Run]) -> int:
    """Count the runs with less than a fifth of the regret of playing all actions equally often."""
    return int((final_regrets(case, runs) < 0.2 * gaps(case).mean() * case.spec.horizon).sum())


@pytest.fixture(scope="module", params=CASES, ids=str)
def played(request: pytest.FixtureRequest) -> tuple[Case, list[rb.Run]]:
    case: Case = request.param
    return case, runs_of(case.spec, case.env, case.runs, data=0)


def test_the_regret_is_far_below_that_of_no_learning(played: tuple[Case, list[rb.Run]]) -> None:
    case, runs = played
    assert_rate_at_least(low_regrets(case, runs), case.runs, rate=0.95)


def test_most_rounds_of_the_second_half_go_to_the_best_action(played: tuple[Case, list[rb.Run]]) -> None:
    case, runs = played
    half = [run.rounds()[case.spec.horizon // 2 :] for run in runs]
    found = sum(int((arms == np.argmin(gaps(case))).sum()) > len(arms) / 2 for arms in half)
    assert_rate_at_least(found, case.runs, rate=0.95)


def test_a_policy_that_believes_in_far_more_noise_is_caught() -> None:
    case = replace(CASES[0], spec=UCB1(horizon=2000, noise=50.0))
    runs = runs_of(case.spec, case.env, case.runs, data=1)
    with pytest.raises(AssertionError, match=r"at least 0\.95"):
        assert_rate_at_least(low_regrets(case, runs), case.runs, rate=0.95)


def test_ucb1_keeps_its_guarantee() -> None:
    case = CASES[0]
    lost = gaps(case)[gaps(case) > 0]
    bound = (8 * np.log(case.spec.horizon) / lost).sum() + (1 + np.pi**2 / 3) * lost.sum()
    regrets = final_regrets(case, runs_of(case.spec, case.env, case.runs, data=2))
    # E[regret] <= bound, so P(regret >= 2 bound) <= 1/2 by Markov's inequality
    assert_rate_at_most(int((regrets >= 2 * bound).sum()), case.runs, rate=0.5)
    with pytest.raises(AssertionError):
        assert_rate_at_most(int((regrets >= 2 * bound / 20).sum()), case.runs, rate=0.5)


@pytest.mark.parametrize("case", CASES[3:], ids=str)
def test_linear_policies_keep_their_guarantee(case: Case) -> None:
    spec, runs = case.spec, runs_of(case.spec, case.env, case.runs, data=3)
    slope, least = spec.lipschitz(), getattr(spec, "min_slope", lambda: 1.0)()
    beyond = far_beyond = 0
    for run, regret in zip(runs, final_regrets(case, runs), strict=True):
        V = spec.penalty * np.eye(2) + run.vectors.T @ run.vectors
        D = float(log_det_ratio(cholesky(V), spec.penalty))
        beta = spec.noise * np.sqrt(D + 2 * np.log(1 / spec.delta)) + np.sqrt(spec.penalty)
        # regret <= 2 max(k_mu L S, beta) sqrt(2 T D_T)
        bound = 2 * max(slope, slope / min(1.0, least) * beta) * np.sqrt(2 * spec.horizon * D)
        beyond += int(regret > bound)
        far_beyond += int(regret > bound / 300)
    assert_rate_at_most(beyond, case.runs, rate=spec.delta)
    with pytest.raises(AssertionError):
        assert_rate_at_most(far_beyond, case.runs, rate=spec.delta)


# --- not replicable ---


def pairs(case: Case, horizon: int, data: tuple[int, int]) -> int:
    """Return how many pairs of runs with one seed act alike in every round."""
    spec = replace(case.spec, horizon=horizon)
    first, second = (runs_of(spec, case.env, case.runs, stream) for stream in data)
    return sum(rb.first_divergence(a, b) is None for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize(("case", "horizon"), SHORT, ids=str)
def test_nearly_every_pair_parts(case: Case, horizon: int) -> None:
    assert_rate_at_most(pairs(case, horizon, data=(4, 5)), case.runs, rate=0.05)


@pytest.mark.parametrize(("case", "horizon"), SHORT, ids=str)
def test_no_pair_parts_if_the_rewards_are_the_same(case: Case, horizon: int) -> None:
    assert pairs(case, horizon, data=(4, 4)) == case.runs


# --- the laws of the draws ---


def assert_uniform(values: FloatArray) -> None:
    alarm = ALARM / (2 * CELLS)
    cells = np.minimum(np.floor(values * CELLS), CELLS - 1).astype(np.int64)
    for count in np.bincount(cells, minlength=CELLS).tolist():
        assert_rate_at_most(count, len(values), rate=1 / CELLS, alarm=alarm)
        assert_rate_at_least(count, len(values), rate=1 / CELLS, alarm=alarm)


def normal_draws() -> FloatArray:
    return normals(rb.Key(SEED).child("normals").uniform(DRAWS))


def beta_draws(a: float, b: float, *, accept: bool = True) -> FloatArray:
    """Return Beta(a, b) variates; or what the first tries give, if all of them are accepted."""
    key = rb.Key(SEED).child("beta")

    def redraw(places: IntArray, tries: int) -> FloatArray:
        return key.child(tries).uniform(3 * DRAWS).reshape(DRAWS, 3)[places]

    shapes = np.repeat([[a], [b]], DRAWS, axis=1)
    draws = key.child(0).uniform(3 * DRAWS).reshape(3, DRAWS)
    odds = beta_odds(shapes, normals(draws[:2]), draws[2] if accept else np.zeros(DRAWS), redraw)
    return np.asarray(odds / (1.0 + odds))


def test_normals_are_normal() -> None:
    z = normal_draws()
    assert_uniform(ndtr(z))
    assert_uniform(ndtr((z[::2] + z[1::2]) / np.sqrt(2.0)))


@pytest.mark.parametrize(("factor", "shift"), [(1.06, 0.0), (0.94, 0.0), (1.0, 0.1)])
def test_nearly_normal_is_caught(factor: float, shift: float) -> None:
    with pytest.raises(AssertionError, match=r"0\.05"):
        assert_uniform(ndtr(factor * normal_draws() + shift))


SHAPES = [(1.0, 1.0), (1.0, 7.0), (3.0, 5.0), (40.0, 90.0), (2000.0, 11.0), (1.0, 5000.0)]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_betas_are_beta(a: float, b: float) -> None:
    assert_uniform(betainc(a, b, beta_draws(a, b)))


@pytest.mark.parametrize(("a", "b"), SHAPES[1:])
def test_failures_a_tenth_too_many_are_caught(a: float, b: float) -> None:
    with pytest.raises(AssertionError, match=r"0\.05"):
        assert_uniform(betainc(a, b, beta_draws(a, 1.1 * b)))


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 7.0)])
def test_accepting_every_try_is_caught(a: float, b: float) -> None:
    with pytest.raises(AssertionError, match=r"0\.05"):
        assert_uniform(betainc(a, b, beta_draws(a, b, accept=False)))


LANES = 8000
PULLS, SUMS = np.array([6.0, 17.0, 9.0]), np.array([2.0, 8.0, 4.0])


def chosen(prior: str, round_: int) -> IntArray:
    """Return what many lanes with one posterior choose: successes 2 of 6, 8 of 17, 4 of 9."""
    spec = Thompson(horizon=1000, prior=prior)
    state = spec.init(3, [rb.Key(SEED).child("lane", i) for i in range(LANES)])
    pulls, sums = np.tile(PULLS, (LANES, 1)), np.tile(SUMS, (LANES, 1))
    return spec.choose(replace(state, rounds=round_, pulls=pulls, sums=sums)).arms


def winning_rates(prior: str) -> FloatArray:
    """Return the probability that an arm's draw is the largest, by integration of its density over the others' laws."""
    x = np.linspace(-3.0, 4.0, 700_001) if prior == "gaussian" else (np.arange(200_000) + 0.5) / 200_000
    a, b = (1.0 + SUMS)[:, None], (1.0 + PULLS - SUMS)[:, None]
    if prior == "gaussian":
        scale = 0.5 / np.sqrt(PULLS)[:, None]
        z = (x - (SUMS / PULLS)[:, None]) / scale
        density, below = np.exp(-0.5 * z * z) / (scale * np.sqrt(2 * np.pi)), ndtr(z)
    else:
        constant = gammaln(a + b) - gammaln(a) - gammaln(b)
        density, below = np.exp(constant + (a - 1) * np.log(x) + (b - 1) * np.log1p(-x)), betainc(a, b, x)
    rates = [density[i] @ np.delete(below, i, axis=0).prod(axis=0) * (x[1] - x[0]) for i in range(3)]
    assert sum(rates) == pytest.approx(1.0, abs=1e-6)
    return np.array(rates)


@pytest.mark.parametrize("round_", [3, 77, 127])
@pytest.mark.parametrize("prior", ["beta", "gaussian"])
def test_an_arm_is_chosen_as_often_as_its_draw_is_the_largest(prior: str, round_: int) -> None:
    counts = np.bincount(chosen(prior, round_), minlength=3)
    for count, rate in zip(counts.tolist(), winning_rates(prior).tolist(), strict=True):
        assert_rate_at_most(count, LANES, rate=rate, alarm=ALARM / 6)
        assert_rate_at_least(count, LANES, rate=rate, alarm=ALARM / 6)
        with pytest.raises(AssertionError):
            assert_rate_at_least(count, LANES, rate=rate + 0.06, alarm=ALARM / 6)
