"""The regret theorems, measured, from 10^3 to 10^14 rounds.

Where all estimates of a run are within their radii the proofs bound its regret, with certainty: this is asserted run by
run, against the bound of the theorem and against that of the run's own batches.  That an estimate misses its radius has
probability at most delta (RepUCB: 1/(2 T)), which is an exact binomial test at a one-in-a-million false alarm: of 200
runs 28 fail at a rate of 0.05, so a truth of 0.2 is caught with probability 0.99.

How wrong must a bound be to be seen?  Where the bounds say anything, RepUCB loses a tenth to nine tenths of its own in
most runs, so that a tenth of it is caught; the linear policies lose a thirtieth to a four-hundredth of theirs, so that
a thousandth is.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import BoolArray, FloatArray
from replibandit.bounds import bounds, realised_bound
from replibandit.grid import cell_of, midpoint
from replibandit.intervals import binomial_tail, fails_at
from replibandit.policies.schedule import paper_radius
from replibandit.testing import assert_rate_at_most
from replibandit.trace import Trace, traces
from tests.statistics.seed import SEED

RHO, DELTA, SIGMA = 0.3, 0.05, 0.5
TENTH, THOUSANDTH = 10.0, 1000.0  # a bound of RepUCB, of another policy, divided by this must be found wrong


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A policy `spec(T)` on an instance, the horizons, and the first of them at which the bound says something."""

    name: str
    spec: Callable[[int], Any]
    env: Any
    horizons: tuple[int, ...]
    informative: int
    runs: int = 40

    def __str__(self) -> str:
        return f"{type(self.spec(1000)).__name__}-{self.name}"


def ucb(T: int) -> rb.RepUCB:
    return rb.RepUCB(horizon=T, rho=RHO)


def lin(T: int) -> rb.RepLinUCB:
    return rb.RepLinUCB(horizon=T, rho=RHO, delta=DELTA, noise=SIGMA)


def quiet(T: int) -> rb.RepLinUCB:
    """Return a spec for rewards with so little noise that a thousand rounds are many."""
    return rb.RepLinUCB(horizon=T, rho=RHO, delta=DELTA, noise=3e-4, penalty=1e-7)


def glm(link: str) -> Callable[[int], rb.RepGLMUCB]:
    return lambda T: rb.RepGLMUCB(horizon=T, rho=RHO, delta=DELTA, noise=SIGMA, link=link)


def bernoulli(*means: float) -> rb.BernoulliArms:
    return rb.BernoulliArms(means=np.array(means))


def linear(theta: list[float], actions: Any, noise: float = SIGMA) -> rb.LinearArms:
    return rb.LinearArms(theta=np.array(theta), actions=actions, noise=noise)


def general(link: str, response: str) -> rb.GLMArms:
    return rb.GLMArms(theta=np.array(IN_PLANE), actions=PLANE, link=link, response=response, noise=SIGMA)


IN_PLANE, IN_SPACE = [0.5, 0.4], [0.5, 0.4, 0.3, 0.2, 0.1]
PLANE = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6], [-0.7, 0.3]])
SPACE = np.vstack([np.eye(5), np.random.default_rng(5).uniform(-1.0, 1.0, (7, 5)) / np.sqrt(5.0)])
SETS = rb.Contexts.of(np.random.default_rng(0).uniform(-1.0, 1.0, (2000, 5, 2)) / np.sqrt(2.0))
LONG = (10**3, 10**5, 10**7, 10**9, 10**11, 10**14)
UCB = [
    Case(name="wide", spec=ucb, env=bernoulli(0.25, 0.75), horizons=LONG, informative=10**9),
    Case(name="narrow", spec=ucb, env=bernoulli(0.5, 0.45), horizons=LONG, informative=10**11),
    Case(name="five", spec=ucb, env=bernoulli(0.9, 0.8, 0.5, 0.5, 0.1), horizons=LONG, informative=10**11),
]
FINITE = [
    Case(name="plane", spec=lin, env=linear(IN_PLANE, PLANE), horizons=LONG, informative=10**11),
    Case(name="space", spec=lin, env=linear(IN_SPACE, SPACE), horizons=LONG, informative=10**14),
    *(
        Case(
            name=link,
            spec=glm(link),
            env=general(link, response),
            horizons=(10**3, 10**6, 10**9, 10**12, 10**13),
            informative=10**12,
            runs=20,
        )
        for link, response in (("logistic", "bernoulli"), ("probit", "bernoulli"), ("log", "gaussian"))
    ),
]
LINEAR = [
    *FINITE,
    Case(name="disk", spec=lin, env=linear([0.6, -0.3], rb.Ball(1.0, 2)), horizons=LONG, informative=10**11),
    Case(
        name="contexts",
        spec=quiet,
        env=linear([0.6, -0.3], SETS, noise=3e-4),
        horizons=(1000, 2000),
        informative=1000,
        runs=15,
    ),
]
Played = dict[int, list[Trace]]


def play(case: Case) -> Played:
    found = {}
    for T in case.horizons:
        keys = [rb.Key(f"{SEED}-{i}") for i in range(case.runs)]
        found[T] = traces(case.spec(T), case.env, keys, np.random.default_rng([SEED, T]))
    return found


@pytest.fixture(scope="module", params=UCB, ids=str)
def arms(request: pytest.FixtureRequest) -> tuple[Case, Played]:
    return request.param, play(request.param)


@pytest.fixture(scope="module", params=LINEAR, ids=str)
def vectors(request: pytest.FixtureRequest) -> tuple[Case, Played]:
    return request.param, play(request.param)


def lost(trace: Trace, env: Any) -> float:
    return float(rb.regret(trace.run, env)[-1])


# --- RepUCB ---


def means_within_tau(trace: Trace, env: Any) -> bool:
    """Say whether every rounded mean is within tau(n) of the truth: the event of Lemma A.2, step 1."""
    spec, K = trace.run.spec, len(env.means)
    names: list[Any] = list(trace.names)
    truth, pulls = env.means[[name[1] for name in names]], np.array([name[3] for name in names])
    width = trace.width[:, None]
    means = midpoint(cell_of(trace.z, width=width, shift=trace.shift), width=width, shift=trace.shift)[:, 0]
    return bool((abs(means - truth) <= paper_radius(spec, K) / np.sqrt(pulls)).all())


def beyond_certain(case: Case, played: list[Trace], T: int, divisor: float = 1.0) -> int:
    """Count the runs with accurate means whose regret is above step 3 of Lemma A.2, divided by `divisor`."""
    bound = bounds(case.spec(T), case.env)
    certain = (bound.regret - bound.ingredients["last_term"]) / divisor
    return sum(means_within_tau(trace, case.env) and lost(trace, case.env) > certain for trace in played)


def test_rep_ucb_with_accurate_means_is_below_the_bound(arms: tuple[Case, Played]) -> None:
    case, played = arms
    assert all(beyond_certain(case, played[T], T) == 0 for T in case.horizons)


def test_rep_ucb_misses_tau_as_rarely_as_claimed(arms: tuple[Case, Played]) -> None:
    case, played = arms
    missed = sum(not means_within_tau(trace, case.env) for T in case.horizons for trace in played[T])
    assert_rate_at_most(missed, case.runs * len(case.horizons), rate=1 / (2 * min(case.horizons)))


def expected_excess(case: Case, played: list[Trace], T: int, divisor: float = 1.0) -> float:
    """Return the mean regret, plus six standard errors, minus the bound divided by `divisor`."""
    regrets = np.array([lost(trace, case.env) for trace in played])
    error = regrets.std(ddof=1) / np.sqrt(len(regrets))
    return float(regrets.mean() + 6.0 * error - bounds(case.spec(T), case.env).regret / divisor)


def test_rep_ucb_keeps_its_expected_regret(arms: tuple[Case, Played]) -> None:
    case, played = arms
    assert all(expected_excess(case, played[T], T) <= 0 for T in case.horizons)


def test_a_bound_of_rep_ucb_that_is_too_small_is_caught(arms: tuple[Case, Played]) -> None:
    case, played = arms
    T = case.informative
    assert bounds(case.spec(T), case.env).informative
    assert beyond_certain(case, played[T], T, divisor=TENTH) > 0
    assert expected_excess(case, played[T], T, divisor=TENTH) > 0


# --- RepLinUCB and RepGLMUCB ---


def designs(run: rb.Run, changing: bool) -> FloatArray:
    """Return V at every batch start: with one set each decision is a batch, else the determinant tells."""
    spec, d = run.spec, run.vectors.shape[1]
    outer = run.times[:, None, None] * run.vectors[:, :, None] * run.vectors[:, None, :]
    before = np.concatenate([np.zeros((1, d, d)), np.cumsum(outer, axis=0)[:-1]])
    V, plan = spec.penalty * np.eye(d) + before, spec.plan(d)
    if not changing:
        return np.asarray(V)
    log_dets, starts = np.linalg.slogdet(V)[1], [0]
    for t, log_det in enumerate(log_dets.tolist()):
        if len(starts) < plan.batches and log_det > log_dets[starts[-1]] + np.log(plan.growth):
            starts.append(t)
    return np.asarray(V[starts])


def within_radii(trace: Trace, env: Any) -> bool:
    """Say whether ||theta^_b - theta*||_V <= beta_b at every batch start: the event of Lemmas D.1 and E.4."""
    V, d = designs(trace.run, isinstance(env.actions, rb.Contexts)), trace.z.shape[1]
    plan = trace.run.spec.plan(d)
    assert len(V) == len(trace.z)
    # z = L^T theta^ and the norm of V is that of L^T; the width is 2 beta sqrt(d) / (rho_b - 2 delta_b)
    missed_by = np.linalg.norm(trace.z - np.swapaxes(np.linalg.cholesky(V), -1, -2) @ env.theta, axis=1)
    room = np.array(plan.rho[: len(V)]) - 2.0 * np.array(plan.delta[: len(V)])
    return bool((missed_by <= trace.width * room / (2.0 * np.sqrt(d))).all())


def beyond(case: Case, played: list[Trace], T: int, divisor: float = 1.0) -> BoolArray:
    """Say of each run whether its regret is above the bound of its batches, divided by `divisor`.

    That bound is itself below the theorem's.
    """
    least = []
    for trace in played:
        least.append(realised_bound(trace.run, case.env).regret)
        assert least[-1] <= bounds(case.spec(T), case.env).regret
    regrets = np.array([lost(trace, case.env) for trace in played])
    return np.asarray(regrets > np.array(least) / divisor)


def test_runs_within_their_radii_are_below_the_bounds(vectors: tuple[Case, Played]) -> None:
    case, played = vectors
    for T in case.horizons:
        within = np.array([within_radii(trace, case.env) for trace in played[T]])
        assert not (within & beyond(case, played[T], T)).any()


def test_radii_are_missed_as_rarely_as_claimed(vectors: tuple[Case, Played]) -> None:
    """One run in 20 at most leaves its radii; and one at most loses more than its bound, whatever the radii."""
    case, played = vectors
    missed = sum(not within_radii(trace, case.env) for T in case.horizons for trace in played[T])
    above = sum(int(beyond(case, played[T], T).sum()) for T in case.horizons)
    for events in (missed, above):
        assert_rate_at_most(events, case.runs * len(case.horizons), rate=DELTA)


def test_radii_a_tenth_as_wide_are_missed(vectors: tuple[Case, Played]) -> None:
    case, played = vectors
    narrow = [replace(trace, width=trace.width / 10.0) for T in case.horizons for trace in played[T]]
    missed = sum(not within_radii(trace, case.env) for trace in narrow)
    with pytest.raises(AssertionError, match=r"at most 0\.05"):
        assert_rate_at_most(missed, len(narrow), rate=DELTA)


def test_a_linear_bound_that_is_too_small_is_caught(vectors: tuple[Case, Played]) -> None:
    case, played = vectors
    T = case.informative
    assert bounds(case.spec(T), case.env).informative
    above = int(beyond(case, played[T], T, divisor=THOUSANDTH).sum())
    with pytest.raises(AssertionError, match=r"at most 0\.05"):
        assert_rate_at_most(above, case.runs, rate=DELTA)


# --- a policy that learns nothing ---


def stubborn(run: rb.Run, env: Any) -> rb.Run:
    """Return a run with the worst action in every round."""
    if isinstance(env, rb.BernoulliArms):
        return replace(run, arms=np.full_like(run.arms, np.argmin(env.means)))
    worst = int(np.argmin(env.actions.vectors @ env.theta))
    return replace(
        run, arms=np.full_like(run.arms, worst), vectors=np.tile(env.actions.vectors[worst], (len(run.arms), 1))
    )


@pytest.mark.parametrize("case", [*UCB, *FINITE], ids=str)
def test_playing_the_worst_action_is_beyond_every_bound_that_says_anything(case: Case) -> None:
    spec = case.spec(case.informative)
    run = stubborn(rb.simulate(spec, case.env, seed=SEED, rng=np.random.default_rng(SEED)), case.env)
    regret = float(rb.regret(run, case.env)[-1])
    assert regret > bounds(spec, case.env).regret
    if isinstance(spec, rb.RepLinUCB | rb.RepGLMUCB):
        assert regret > realised_bound(run, case.env).regret


def test_power() -> None:
    assert (fails_at(40 * 5, DELTA), fails_at(40, DELTA), fails_at(15, DELTA)) == (28, 12, 8)
    assert binomial_tail(28, 200, 0.2) > 0.98
