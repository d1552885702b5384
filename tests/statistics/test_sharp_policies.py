"""docs/theory.md, measured for the policies: sharp runs part with probability at most rho, and not far less.

Exact binomial tests at a one-in-a-million false alarm; every pair has a key of its own.  On the hardest instances,
where means tie, 2,000 pairs: a truth of 1.5 rho is caught with probability 0.98, and one below rho/3 would show that
the calibration wastes what it may spend.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.bounds import bounds, realised_bound
from replibandit.intervals import binomial_tail, fails_at
from replibandit.testing import assert_rate_at_least, assert_rate_at_most
from replibandit.trace import Comparison, Trace, compare, traces
from tests.statistics.bandits import BUNDLES, SETS, bernoulli, gaussian, general, linear, two_point
from tests.statistics.seed import SEED

DELTA = 0.01


def unit_vectors(K: int, d: int) -> FloatArray:
    A = np.random.default_rng([K, d]).standard_normal((K, d))
    return np.asarray(A / np.linalg.norm(A, axis=1, keepdims=True))


def arms(horizon: int, rho: float = 0.1, **settings: Any) -> rb.RepUCB:
    return rb.RepUCB(horizon=horizon, rho=rho, calibration="sharp", **settings)


def lin(horizon: int, rho: float = 0.1, noise: float = 0.5, **settings: Any) -> rb.RepLinUCB:
    return rb.RepLinUCB(horizon=horizon, rho=rho, delta=DELTA, noise=noise, calibration="sharp", **settings)


def glm(horizon: int, link: str, rho: float = 0.1, noise: float = 0.5, **settings: Any) -> rb.RepGLMUCB:
    return rb.RepGLMUCB(horizon=horizon, rho=rho, delta=DELTA, noise=noise, link=link, calibration="sharp", **settings)


def logistic(theta: list[float], actions: FloatArray) -> rb.GLMArms:
    return general(theta, actions, "logistic", "bernoulli")


@dataclass(frozen=True, kw_only=True, eq=False)
class Bandit:
    """A policy on an instance, and the number of pairs."""

    name: str
    spec: Any
    env: Any
    pairs: int = 400

    def __str__(self) -> str:
        return f"{type(self.spec).__name__}-{self.name}"


@dataclass(frozen=True, eq=False)
class Pairs:
    """The runs of a bandit, two for each key, and how the two compare."""

    bandit: Bandit
    runs: list[Trace]
    found: list[Comparison]

    def parted(self) -> int:
        return sum(pair.divergence is not None for pair in self.found)


def play(bandit: Bandit) -> Pairs:
    keys = [rb.Key(f"{SEED}-{bandit}-{i}") for i in range(bandit.pairs) for _ in range(2)]
    runs = traces(bandit.spec, bandit.env, keys, np.random.default_rng([SEED, 1]))
    return Pairs(bandit, runs, [compare(a, b) for a, b in zip(runs[::2], runs[1::2], strict=True)])


TIES = Bandit(name="ties", spec=arms(10**9), env=bernoulli(0.5, 0.5), pairs=2000)
TIED_AXES = Bandit(name="ties", spec=lin(10**9), env=linear([0.5] * 4, np.eye(4)), pairs=2000)
HARDEST = [TIES, TIED_AXES]
TRUTH = [0.5, 0.4, -0.3, 0.2, 0.1]
INSTANCES = [
    *HARDEST,
    Bandit(name="gap", spec=arms(10**9, 0.05), env=gaussian(0.5, 0.0, sd=0.5)),
    Bandit(name="skewed", spec=arms(10**12, 0.3), env=bernoulli(0.02, 0.1), pairs=200),
    Bandit(name="twenty", spec=arms(10**10, budgets="mixed"), env=bernoulli(*[0.5] * 20)),
    Bandit(name="short", spec=arms(10**4, 0.3, growth=2.0), env=bernoulli(0.5, 0.5), pairs=200),
    Bandit(name="two-point-ties", spec=lin(10**10, 0.3), env=two_point([0.5] * 3, np.eye(3), 0.5), pairs=200),
    Bandit(name="near-collinear", spec=lin(10**12), env=linear([0.6, 0.3, 0.0], BUNDLES)),
    Bandit(name="rank-two", spec=lin(10**9), env=linear([0.5, -0.3, 0.2], [[1, 0, 0], [0.6, 0.6, 0], [0, 1, 0]])),
    Bandit(name="random", spec=lin(10**10, 0.05, budgets="uniform"), env=linear(TRUTH, unit_vectors(20, 5))),
    Bandit(name="ten", spec=lin(10**12, budgets="geometric"), env=linear(TRUTH * 2, unit_vectors(50, 10) / 1.2)),
    Bandit(name="twenty", spec=lin(10**4, 0.3), env=linear([0.2] * 20, np.eye(20)), pairs=200),
    Bandit(name="disk", spec=lin(10**8), env=linear([0.6, -0.3], rb.Ball(1.0, 2)), pairs=200),
    Bandit(name="contexts", spec=lin(200, noise=1e-3, penalty=1e-6), env=linear([0.6, -0.3], SETS, 1e-3), pairs=100),
    Bandit(name="logistic-ties", spec=glm(10**10, "logistic"), env=logistic([0.4] * 3, np.eye(3))),
    Bandit(name="logistic-gap", spec=glm(10**8, "logistic", 0.3), env=logistic([0.5, 0.3], np.eye(2)), pairs=200),
    Bandit(name="probit", spec=glm(10**9, "probit", 0.05), env=general(TRUTH[:3], BUNDLES, "probit", "gaussian")),
    Bandit(name="log", spec=glm(10**9, "log"), env=general([-0.4] * 2, np.eye(2), "log", "bernoulli"), pairs=200),
]  # fmt: skip


@pytest.fixture(scope="module", params=INSTANCES, ids=str)
def played(request: pytest.FixtureRequest) -> Pairs:
    return play(request.param)


def test_two_runs_act_alike(played: Pairs) -> None:
    assert_rate_at_most(played.parted(), len(played.found), rate=played.bandit.spec.rho)


def test_cells_part_as_rarely_as_runs(played: Pairs) -> None:
    """The theorem is about cells: that they differ at some estimate has probability at most rho, too."""
    parted = sum(pair.cause is not None for pair in played.found)
    assert_rate_at_most(parted, len(played.found), rate=played.bandit.spec.rho)
    assert all(pair.divergence is None for pair in played.found if pair.cause is None)


def test_regret_stays_below_the_bounds(played: Pairs) -> None:
    """The bound of arms is on the mean; the others hold in each run with probability at least 1 - delta."""
    spec, env = played.bandit.spec, played.bandit.env
    bound = bounds(spec, env)
    lost = [float(rb.regret(trace.run, env)[-1]) for trace in played.runs]
    if isinstance(spec, rb.RepUCB):
        assert np.mean(lost) <= bound.regret
        return
    beyond = sum(
        regret > realised_bound(trace.run, env).regret for trace, regret in zip(played.runs[:80], lost, strict=False)
    )
    assert_rate_at_most(beyond, 80, rate=DELTA)
    assert_rate_at_most(sum(regret > bound.regret for regret in lost), len(lost), rate=DELTA)


@pytest.mark.parametrize("bandit", HARDEST, ids=str)
def test_the_hardest_instances_spend_what_they_may(bandit: Bandit) -> None:
    pairs = play(bandit)
    cells = sum(pair.cause is not None for pair in pairs.found)
    assert_rate_at_least(cells, bandit.pairs, rate=bandit.spec.rho / 3.0)


def test_power() -> None:
    assert binomial_tail(fails_at(2000, 0.1), 2000, 0.15) > 0.98


@pytest.mark.parametrize("bandit", [*HARDEST, INSTANCES[14]], ids=str)
def test_noise_declared_eight_times_too_small_is_caught(bandit: Bandit) -> None:
    """Negative control: there is no such slack in sharp widths as in the paper's."""
    fewer = replace(bandit, spec=replace(bandit.spec, noise=bandit.spec.noise / 8.0), pairs=400)
    assert play(fewer).parted() >= fails_at(400, 0.1)


@pytest.mark.parametrize("bandit", [TIES, INSTANCES[9]], ids=str)
def test_each_estimate_spends_what_it_is_allotted_at_most(bandit: Bandit) -> None:
    """The audit's account: what the theorem allots, what the unrounded estimates predict, and what was counted."""
    result = rb.audit(bandit.spec, bandit.env, pairs=400, seed=SEED)
    assert result.spending
    assert sum(row.allotted for row in result.spending) <= bandit.spec.rho * (1 + 1e-12)
    for row in result.spending:
        assert row.predicted <= row.allotted * 1.2  # the mean of 400, whose standard error is below 5 %
        assert_rate_at_most(round(row.measured * 400), 400, rate=row.allotted)
