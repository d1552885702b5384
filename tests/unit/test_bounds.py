"""The bounds against the paper's formulas, written out once more in plain floats, and what they refuse."""

import math
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.bounds import (
    Bounds,
    bounds,
    core_set_bound,
    informative_horizon,
    mean_bound,
    realised_bound,
    ridge_bound,
)
from replibandit.errors import InvalidInput, OutOfRange
from replibandit.estimators.core_set import core_set
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.thompson import Thompson
from replibandit.policies.ucb1 import UCB1
from replibandit.simulate import context_steps
from tests.reference.routes import vectors

ARMS = rb.RepUCB(horizon=10**6, rho=0.1)
LIN = rb.RepLinUCB(horizon=10**6, rho=0.3, delta=0.01, noise=0.5)
GLM = rb.RepGLMUCB(horizon=10**6, rho=0.3, delta=0.01, noise=0.5, link="logistic", norm_bound=1.5)
OTHER: dict[str, Any] = {"penalty": 0.2, "norm_bound": 2.0, "action_bound": 0.7}
GAPS = [0.0, 0.5, 0.2, 0.0]


# --- K arms ---


def radius_1(T: int, K: int, rho: float, sigma: float) -> float:
    """Return tau(1) of the statistical query run with rho_1 and delta_1."""
    M = K * (1 + math.ceil(math.log2(T)))
    rho_1, delta_1 = rho / M, 1 / (2 * M * T)
    return sigma * math.sqrt(2 * math.log(2 / delta_1)) * (1 + rho_1 - 2 * delta_1) / (rho_1 - 2 * delta_1)


@pytest.mark.parametrize("T", [20, 1000, 1024, 1025, 10**9, 10**14])
@pytest.mark.parametrize("gaps", [GAPS, [0.0, 1.0], [0.3, 0.0, 1e-3], [0.0], [0.0, 0.0]])
@pytest.mark.parametrize(("rho", "sigma"), [(0.1, 0.5), (0.9, 2.0)])
def test_rep_ucb(T: int, gaps: list[float], rho: float, sigma: float) -> None:
    """Lemma A.2, step 4: a sub-optimal arm is played while 3 tau(n) >= Delta, and then as often again."""
    lost = [gap for gap in gaps if gap > 0]
    tau = radius_1(T, len(gaps), rho, sigma)
    regret = sum(gap * (1 + 2 * (3 * tau / gap) ** 2) for gap in lost) + 0.5
    bound = bounds(rb.RepUCB(horizon=T, rho=rho, noise=sigma), gaps=gaps)
    assert bound.regret == pytest.approx(regret, rel=1e-12)
    assert bound.trivial == T * max(gaps)
    assert bound.holds == "in expectation"
    assert bound.ingredients["calls"] == len(gaps) * (1 + math.ceil(math.log2(T)))
    assert bound.ingredients["radius_1"] == pytest.approx(tau, rel=1e-12)
    assert bound.ingredients["factor"] == pytest.approx(18 * tau**2, rel=1e-12)


def test_large_gaps_cost_more_where_an_estimate_is_off() -> None:
    spec = rb.RepUCB(horizon=1000, rho=0.1, noise=2.0)
    assert bounds(spec, gaps=[0, 6]).ingredients["last_term"] == 3.0  # T Delta_max / (2 T)
    assert bounds(spec, gaps=[0, 0.5]).ingredients["last_term"] == 0.5


def test_rep_ucb_is_below_the_closed_form_of_the_theorem() -> None:
    """The last displays of Lemma A.2: 72 C_ME K^2 (1 + L)^2/rho^2 log(2 K T (1 + L)) sum 1/Delta."""
    bound = bounds(ARMS, gaps=GAPS)
    L = math.ceil(math.log2(ARMS.horizon))
    price = 72 * bound.ingredients["mean_constant"] * (4 * (1 + L) / ARMS.rho) ** 2
    price *= math.log(2 * 4 * ARMS.horizon * (1 + L))
    assert bound.regret <= 0.7 + price * (1 / 0.5 + 1 / 0.2) + 0.5 <= 4.1 * bound.regret


@pytest.mark.parametrize("T", [4, 1000, 10**9])
def test_ucb1(T: int) -> None:
    at_half = 8 * math.log(T) * (1 / 0.5 + 1 / 0.2) + (1 + math.pi**2 / 3) * 0.7
    assert bounds(UCB1(horizon=T), gaps=GAPS).regret == pytest.approx(at_half, rel=1e-12)
    # rewards and gaps three times as large: three times the regret
    tripled = bounds(UCB1(horizon=T, noise=1.5), gaps=[3 * gap for gap in GAPS]).regret
    assert tripled == pytest.approx(3 * at_half, rel=1e-12)


# --- linear and generalised linear ---


def slopes(spec: Any) -> tuple[float, float, float]:
    """Return k_mu, min(1, c_mu), and the largest loss of a round."""
    r = spec.action_bound * spec.norm_bound
    link = getattr(spec, "link", "identity")
    if link == "identity":
        return 1.0, 1.0, 2 * r
    if link == "logistic":
        return 0.25, math.exp(-r) / (1 + math.exp(-r)) ** 2, 1 / (1 + math.exp(-r)) - 1 / (1 + math.exp(r))
    if link == "probit":
        return 1 / math.sqrt(2 * math.pi), math.exp(-r * r / 2) / math.sqrt(2 * math.pi), math.erf(r / math.sqrt(2))
    return math.exp(r), math.exp(-r), math.exp(r) - math.exp(-r)


def radius(spec: Any, log_det: float, delta: float) -> float:
    beta = spec.noise * math.sqrt(log_det + 2 * math.log(1 / delta)) + math.sqrt(spec.penalty) * spec.norm_bound
    return float(beta / slopes(spec)[1])


def theorem(spec: Any, d: int, loss: float) -> float:
    """Return max{range, 2 beta~} sqrt(q) sqrt(2 T D) with D = d log(1 + T L^2/(lambda d)) and B = ceil(D)."""
    D = d * math.log(1 + spec.horizon * spec.action_bound**2 / (spec.penalty * d))
    B = math.ceil(D)
    beta = slopes(spec)[0] * radius(spec, D, spec.delta / B) * (1 + d * B / (spec.rho - 2 * spec.delta))
    return float(max(loss, 2 * beta) * math.exp(D / (2 * B)) * math.sqrt(2 * spec.horizon * D))


LINEAR_SPECS: list[Any] = [
    LIN,
    replace(LIN, **OTHER),
    replace(LIN, noise=1e-9, penalty=1e-9),
    GLM,
    replace(GLM, **OTHER, link="probit"),
    replace(GLM, **OTHER, link="log"),
]


@pytest.mark.parametrize("spec", LINEAR_SPECS, ids=lambda spec: type(spec).__name__)
@pytest.mark.parametrize("T", [1, 1000, 10**9, 10**14])
@pytest.mark.parametrize("d", [1, 2, 20])
def test_theorems_of_rep_lin_ucb_and_rep_glm_ucb(spec: Any, T: int, d: int) -> None:
    spec = replace(spec, horizon=T)
    loss = slopes(spec)[2]
    bound = bounds(spec, dim=d)
    assert bound.regret == pytest.approx(theorem(spec, d, loss), rel=1e-11)
    assert bound.trivial == pytest.approx(T * loss, rel=1e-12)
    assert bound.holds == "with probability at least 1 - delta"
    made = bound.ingredients
    assert made["batches"] == math.ceil(made["log_det"])
    assert made["staleness"] == pytest.approx(math.sqrt(made["growth"]), rel=1e-12)
    assert made["rho_b"] == pytest.approx(spec.rho / made["batches"], rel=1e-12)
    assert (made["lipschitz"], made["min_slope"]) == pytest.approx(slopes(spec)[:2], rel=1e-12)
    # with the constants that the theorems write out before they absorb them
    loose = 3 * slopes(spec)[0] * radius(spec, made["log_det"], spec.delta / made["batches"])
    loose = max(loss, 2 * loose * (1 + d * made["batches"] / spec.rho)) * math.exp(0.5)
    assert bound.regret <= loose * math.sqrt(2 * T * made["log_det"])


def test_the_bound_does_not_vanish_with_the_penalty() -> None:
    """Finding 1: without max{range, ...} it would tend to 0, though the first action is wrong half of the time."""
    spec = rb.RepLinUCB(horizon=100, rho=0.5, delta=0.1, noise=1e-15, penalty=1e-15)
    bound = bounds(spec, dim=1)
    assert bound.ingredients["largest_radius"] < 0.01
    assert bound.regret > bound.ingredients["range"] == 2.0


@pytest.mark.parametrize("spec", [LIN, GLM], ids=lambda spec: type(spec).__name__)
def test_a_schedule_of_ones_own(spec: Any) -> None:
    D, d, T = math.log(1 + 10**6 / 3) * 3, 3, spec.horizon
    k, _, loss = slopes(spec)
    own = replace(spec, budgets=(0.05, 0.2, 0.05), delta_budgets=(0.005, 0.004, 0.001), growth=4.0)
    # the determinant may grow by more than 4^3: M_T is that of the last batch
    stale = math.sqrt(math.exp(D) / 4**2)
    widest = max(
        (k * radius(spec, D, delta) * (1 + d / (rho - 2 * delta)), rho, delta)
        for rho, delta in zip(own.budgets or (), own.delta_budgets or (), strict=True)
    )
    bound = bounds(own, dim=d)
    assert bound.regret == pytest.approx(max(loss, 2 * widest[0]) * stale * math.sqrt(2 * T * D), rel=1e-11)
    assert (bound.ingredients["rho_b"], bound.ingredients["delta_b"]) == widest[1:] == (0.05, 0.005)
    many = bounds(replace(spec, batches=100, growth=4.0), dim=d)
    assert many.ingredients["staleness"] == pytest.approx(2.0, rel=1e-12)
    assert bounds(replace(spec, batches=1), dim=100).regret == math.inf  # one batch: a stale rule for ever


@pytest.mark.parametrize("link", ["identity", "logistic", "probit", "log"])
@pytest.mark.parametrize("T", [1, 1000, 10**14])
def test_lin_ucb_and_glm_ucb(link: str, T: int) -> None:
    settings: dict[str, Any] = {"horizon": T, "delta": 0.02, "noise": 0.5, **OTHER}
    spec = LinUCB(**settings) if link == "identity" else GLMUCB(**settings, link=link)
    D = 3 * math.log(1 + T * 0.7**2 / (0.2 * 3))
    k, _, loss = slopes(spec)
    expected = max(loss, 2 * k * radius(spec, D, 0.02)) * math.sqrt(2 * T * D)
    bound = bounds(spec, dim=3)
    assert bound.regret == pytest.approx(expected, rel=1e-11)
    assert bound.holds == "with probability at least 1 - delta"


MONOTONE: list[tuple[Any, dict[str, Any]]] = [
    (ARMS, {"gaps": GAPS}),
    (UCB1(horizon=10**6), {"gaps": GAPS}),
    (LIN, {"dim": 3}),
    (GLM, {"dim": 3}),
    (LinUCB(horizon=10**6, delta=0.01, noise=0.5), {"dim": 3}),
    (GLMUCB(horizon=10**6, delta=0.01, noise=0.5, link="probit"), {"dim": 3}),
]


@pytest.mark.parametrize(("spec", "truth"), MONOTONE, ids=lambda part: type(part).__name__)
def test_monotone(spec: Any, truth: dict[str, Any]) -> None:
    """More rounds, less rho, less delta: more regret.

    Up to where 2 delta is small beside rho: RepUCB's delta_1 = 1/(2 M T) is, for more than a few hundred rounds.
    """
    ladders: dict[str, list[Any]] = {
        "horizon": [*range(500, 700), *(int(1.5**k) for k in range(20, 80))],
        "rho": [0.9, 0.5, 0.3, 0.1, 0.05],
        "delta": [1e-3, 1e-4, 1e-6, 1e-12, 1e-100],
        "noise": [1e-3, 0.1, 0.5, 2.0],
    }
    for name, values in ladders.items():
        if hasattr(spec, name):
            regrets = [bounds(replace(spec, **{name: value}), **truth).regret for value in values]
            assert (np.diff(regrets) > 0).all()


# --- what is known of the truth ---


def test_environments_stand_for_their_gaps() -> None:
    table = np.array([[0.5, 0.0], [0.0, 0.6], [-0.3, 0.1]])
    theta = np.array([0.5, 0.8])  # means 0.25, 0.48, -0.07
    arms: list[Any] = [
        (rb.BernoulliArms(means=np.array([0.1, 0.6, 0.4])), [0.5, 0.0, 0.2]),
        (rb.GaussianArms(means=np.array([-1.0, 2.0])), [3.0, 0.0]),
        (rb.LinearArms(theta=theta, actions=table), [0.23, 0.0, 0.55]),
    ]
    for env, gaps in arms:
        assert bounds(ARMS, env).regret == pytest.approx(bounds(ARMS, gaps=gaps).regret, rel=1e-9)
    worst = {
        0.55: rb.LinearArms(theta=theta, actions=table),
        1.8 * math.hypot(0.5, 0.8) / 2: rb.LinearArms(theta=theta, actions=rb.Ball(0.9 / 2, 2)),
        2.0: rb.LinearArms(theta=theta, actions=rb.Contexts.of(np.tile(table, (10, 1, 1)))),
    }
    for loss, env in worst.items():
        bound = bounds(LIN, env)
        assert bound.ingredients["range"] == pytest.approx(loss, rel=1e-12)
        assert bound.trivial == pytest.approx(loss * LIN.horizon, rel=1e-12)
        assert bound.regret == pytest.approx(bounds(LIN, dim=2).regret, rel=1e-12)
        small = replace(LIN, noise=1e-9, penalty=1e-12)  # there the range is the larger one
        assert bounds(small, env).regret == pytest.approx(theorem(small, 2, loss), rel=1e-9)
    mean = 1 / (1 + np.exp(-table @ theta))
    env_glm = rb.GLMArms(theta=theta, actions=table, link="logistic")
    assert bounds(GLM, env_glm).ingredients["range"] == pytest.approx(mean.max() - mean.min(), rel=1e-12)


def test_the_ingredients_are_read_only() -> None:
    bound = bounds(ARMS, gaps=GAPS)
    assert isinstance(bound, Bounds)
    with pytest.raises(TypeError):
        bound.ingredients["calls"] = 1.0  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        bound.regret = 0.0  # type: ignore[misc]
    assert bound == bounds(ARMS, gaps=GAPS)
    assert all(type(value) is float for value in bound.ingredients.values())
    assert "Lemma A.2" in bound.formula


@pytest.mark.parametrize(("spec", "truth"), MONOTONE, ids=lambda part: type(part).__name__)
def test_informative_means_below_what_any_policy_keeps(spec: Any, truth: dict[str, Any]) -> None:
    short, long = (bounds(replace(spec, horizon=T), **truth) for T in (20, 2**50))
    assert (short.informative, long.informative) == (False, True)
    assert short.regret >= short.trivial
    assert long.regret < long.trivial


# --- the horizon from which a bound is informative ---


def first_informative(spec: Any, truth: dict[str, Any], least: int, most: int) -> int | None:
    horizons = range(least, most + 1)
    return next((T for T in horizons if bounds(replace(spec, horizon=T), **truth).informative), None)


def small_instances() -> list[tuple[Any, dict[str, Any], int]]:
    """Return instances with so little noise that a few thousand rounds are enough, and the least horizon of each."""
    rng = np.random.default_rng(0)
    cases: list[tuple[Any, dict[str, Any], int]] = []
    for _ in range(6):
        noise, rho = float(10 ** rng.uniform(-5, -3)), float(rng.uniform(0.3, 0.9))
        arms, least = rb.RepUCB(horizon=10**6, rho=rho, noise=noise), math.ceil(2 / rho)
        gaps = [0.0, *rng.uniform(0.1, 1.0, int(rng.integers(1, 5))).tolist()]
        cases.append((arms, {"gaps": gaps}, max(least, len(gaps))))
        cases.append((UCB1(horizon=100, noise=100 * noise), {"gaps": gaps}, len(gaps)))
        lin: dict[str, Any] = {"delta": rho / 100, "noise": noise, "penalty": float(10 ** rng.uniform(-8, -5))}
        dim = {"dim": int(rng.integers(1, 3))}
        cases.append((rb.RepLinUCB(horizon=7, rho=rho, **lin), dim, 1))
        cases.append((rb.RepGLMUCB(horizon=7, rho=rho, **lin, link="probit", norm_bound=0.5), dim, 1))
        cases.append((LinUCB(horizon=7, **lin), dim, 1))
    return cases


@pytest.mark.parametrize(("spec", "truth", "least"), small_instances(), ids=lambda part: type(part).__name__)
def test_the_informative_horizon_is_the_smallest(spec: Any, truth: dict[str, Any], least: int) -> None:
    found = informative_horizon(spec, **truth)
    assert found is not None
    assert found == first_informative(spec, truth, least, found)
    assert found == informative_horizon(replace(spec, horizon=10**9), **truth)


def test_a_step_below_the_answer_is_not_missed() -> None:
    """At 216 rounds B grows by one: 214 and 215 are informative, 216 to 221 are not, and bisection ends at 222."""
    spec = rb.RepLinUCB(horizon=10, rho=0.3, delta=0.003, noise=12e-5, penalty=2e-5)
    informative = [bounds(replace(spec, horizon=T), dim=2).informative for T in (213, 214, 215, 216, 221, 222)]
    assert informative == [False, True, True, False, False, True]
    assert informative_horizon(spec, dim=2) == 214


def test_there_may_be_no_informative_horizon() -> None:
    assert informative_horizon(ARMS, gaps=[0.0, 1e-9]) is None
    assert informative_horizon(ARMS, gaps=[0.0, 0.0]) is None
    assert informative_horizon(replace(LIN, batches=1), dim=2) is None


@pytest.mark.parametrize(("spec", "truth"), MONOTONE, ids=lambda part: type(part).__name__)
def test_one_round_less_is_not_enough(spec: Any, truth: dict[str, Any]) -> None:
    found = informative_horizon(spec, **truth)
    assert found is not None
    enough = [bounds(replace(spec, horizon=T), **truth).informative for T in (found - 1, found, 2 * found)]
    assert enough == [False, True, True]


def test_the_least_horizon_of_a_policy_may_be_informative() -> None:
    spec = rb.RepUCB(horizon=100, rho=0.1, noise=1e-9)
    assert informative_horizon(spec, gaps=[0.0, 0.5]) == 20  # 2/rho
    assert informative_horizon(UCB1(horizon=9, noise=1e-9), gaps=[0.0, *[1e-9] * 8, 1.0]) == 10  # the number of arms


# --- the batches of a run ---


def plain_log_dets(run: rb.Run) -> list[float]:
    """Return log(det V_t / det(lambda I)) before every decision and after the last one."""
    V, found = run.spec.penalty * np.eye(run.vectors.shape[1]), [0.0]
    first = np.linalg.slogdet(V)[1]
    for vector, times in zip(run.vectors, run.times.tolist(), strict=True):
        V = V + times * np.outer(vector, vector)
        found.append(float(np.linalg.slogdet(V)[1] - first))
    return found


def lemma(run: rb.Run, starts: list[float], D: float, loss: float) -> float:
    """Return max{range, 2 beta~_max} M_T sqrt(2 T D_T) for the batches that began at these log-determinants."""
    spec, d = run.spec, run.vectors.shape[1]
    plan = spec.plan(d)
    widest = 0.0
    for log_det, rho, delta in zip(starts, plan.rho, plan.delta, strict=False):
        widest = max(widest, slopes(spec)[0] * radius(spec, log_det, delta) * (1 + d / (rho - 2 * delta)))
    stale = max(math.sqrt(plan.growth), math.sqrt(math.exp(D) / plan.growth ** (plan.batches - 1)))
    return max(loss, 2 * widest) * stale * math.sqrt(2 * run.horizon * D)


THETA = np.array([0.3, -0.5, 0.4])
TABLE = vectors(np.random.default_rng(5), 6, 3)
EARLY: dict[str, Any] = {"budgets": (0.05, 0.2, 0.05), "delta_budgets": (0.005, 0.003, 0.001), "growth": 4.0}
FIXED: list[tuple[Any, Any]] = [
    (LIN, rb.LinearArms(theta=THETA, actions=TABLE, noise=0.5)),
    (replace(LIN, **EARLY), rb.LinearArms(theta=THETA, actions=TABLE, noise=0.5)),
    (replace(LIN, horizon=10**13), rb.LinearArms(theta=THETA, actions=rb.Ball(1.0, 3), noise=0.5)),
    (GLM, rb.GLMArms(theta=THETA, actions=TABLE, link="logistic")),
]


@pytest.mark.parametrize(("spec", "env"), FIXED, ids=lambda part: type(part).__name__)
def test_one_set_every_decision_is_a_batch(spec: Any, env: Any) -> None:
    run = rb.simulate(spec, env, seed="a", rng=np.random.default_rng(0))
    log_dets, worst = plain_log_dets(run), bounds(spec, env)
    bound = realised_bound(run, env)
    assert bound.regret == pytest.approx(lemma(run, log_dets[:-1], log_dets[-1], worst.ingredients["range"]), rel=1e-9)
    assert bound.ingredients["log_det"] == pytest.approx(log_dets[-1], rel=1e-9)
    assert bound.ingredients["batches_begun"] == len(run.times) > 1
    assert (bound.regret <= worst.regret, bound.trivial) == (True, worst.trivial)


def context_world(spec: Any, sets: FloatArray) -> Any:
    if isinstance(spec, rb.RepLinUCB | LinUCB):
        return rb.LinearArms(theta=THETA, actions=rb.Contexts.of(sets), noise=0.5)
    return rb.GLMArms(theta=THETA, actions=rb.Contexts.of(sets), link="logistic")


@pytest.mark.parametrize(
    "spec",
    [
        replace(LIN, horizon=500),
        replace(LIN, horizon=5000),
        replace(LIN, horizon=500, **EARLY),
        replace(GLM, horizon=500),
    ],
    ids=lambda spec: f"{type(spec).__name__}-{spec.horizon}",
)
def test_sets_that_change_the_batches_are_those_of_the_policy(spec: Any) -> None:
    """To the bit: the log-determinants at the batch starts and the largest radius are those in the policy's states."""
    env = context_world(spec, vectors(np.random.default_rng(6), spec.horizon, 4, 3))
    states = [step.state for step in context_steps(spec, env, rb.Key("a"), np.random.default_rng(0))]
    begun = {state.batch: state for state in states}
    run = rb.simulate(spec, env, seed="a", rng=np.random.default_rng(0))
    bound = realised_bound(run, env)
    assert bound.ingredients["batches_begun"] == len(begun) > 1
    assert bound.ingredients["largest_radius"] == max(float(state.rule.radius[0]) for state in begun.values())
    for batch, rounds in {state.batch: state.rounds for state in reversed(states[1:]) if state.batch > 0}.items():
        cut = replace(run, times=run.times[:rounds], vectors=run.vectors[:rounds])
        assert realised_bound(cut, env).ingredients["batches_begun"] == batch  # no batch begins after the last round
    D = plain_log_dets(run)[-1]
    starts = [state.log_det for state in begun.values()]
    assert bound.regret == pytest.approx(lemma(run, starts, D, slopes(spec)[2]), rel=1e-9)


@pytest.mark.parametrize("contexts", [False, True])
@pytest.mark.parametrize(
    "spec", [LinUCB(horizon=60, delta=0.1, noise=0.5), GLMUCB(horizon=60, delta=0.1, noise=0.5, link="logistic")]
)
def test_policies_of_every_round_have_fresh_determinants(spec: Any, contexts: bool) -> None:
    env = context_world(spec, vectors(np.random.default_rng(6), 60, 4, 3))
    env = env if contexts else replace(env, actions=TABLE)
    run = rb.simulate(spec, env, seed="a", rng=np.random.default_rng(0))
    D, (k, _, _), loss = plain_log_dets(run)[-1], slopes(spec), bounds(spec, env).ingredients["range"]
    expected = max(loss, 2 * k * radius(spec, D, 0.1)) * math.sqrt(2 * 60 * D)
    assert realised_bound(run, env).regret == pytest.approx(expected, rel=1e-9)


def test_long_runs_are_read_in_blocks() -> None:
    """Ten thousand decisions, far apart in length, have the determinants of their exact sum."""
    rng = np.random.default_rng(7)
    rows = np.ldexp(np.rint(np.ldexp(vectors(rng, 10_000, 3), 30)), -30)
    times = rng.integers(1, 10**6, len(rows))
    run = rb.Run(
        spec=replace(LIN, horizon=10**13),
        key=rb.Key(0),
        arms=np.full(len(rows), -1),
        times=times,
        totals=np.zeros(len(rows)),
        vectors=rows,
    )
    V = np.eye(3) + (rows.T * times) @ rows
    bound = realised_bound(run, rb.LinearArms(theta=THETA, actions=rb.Ball(1.0, 3)))
    assert bound.ingredients["log_det"] == pytest.approx(np.linalg.slogdet(V)[1], rel=1e-12)


# --- the estimators ---


def test_mean_bound() -> None:
    bound = mean_bound(5000, rho=0.2, delta=0.01, noise=1.5)
    assert bound.error == rb.mean_tolerance(5000, rho=0.2, delta=0.01, noise=1.5)
    made = bound.ingredients
    assert bound.error == pytest.approx(math.sqrt(made["mean_constant"] * math.log(100) / (5000 * 0.19**2)), rel=1e-12)
    assert bound.error == pytest.approx(made["radius"] + made["width"] / 2, rel=1e-12)
    assert rb.mean_sample_size(bound.error, rho=0.2, delta=0.01, noise=1.5) == 5000


def test_ridge_bound_is_attained_by_no_design() -> None:
    n, d = 200, 4
    bound = ridge_bound(n, dim=d, rho=0.2, delta=0.01, noise=0.5, **OTHER)
    D = d * math.log(1 + n * 0.7**2 / (0.2 * d))
    beta = 0.5 * math.sqrt(D + 2 * math.log(100)) + math.sqrt(0.2) * 2.0
    assert bound.ingredients["radius"] == pytest.approx(beta, rel=1e-12)
    assert bound.ingredients["width"] == pytest.approx(2 * beta * math.sqrt(d) / 0.18, rel=1e-12)
    assert bound.error == pytest.approx(beta * (1 + d / 0.18), rel=1e-12)
    even, drawn = 0.7 * np.tile(np.eye(d), (n // d, 1)), 0.7 * vectors(np.random.default_rng(8), n, d)
    radii = [
        rb.rep_ridge(
            X, np.zeros(n), rho=0.2, delta=0.01, noise=0.5, seed=0, penalty=0.2, norm_bound=2.0
        ).inflated_radius
        for X in (even, drawn)
    ]
    assert radii[0] == pytest.approx(bound.error, rel=1e-9)  # a design as even as this one
    assert radii[1] < bound.error


@pytest.mark.parametrize("size", [1.0, 3.0])
def test_core_set_bound(size: float) -> None:
    A = size * vectors(np.random.default_rng(9), 40, 3)
    settings: dict[str, Any] = {"epsilon": 0.2, "rho": 0.3, "delta": 0.2, "noise": 0.7, "norm_bound": 1.5}
    core, bound = core_set(A, **settings), core_set_bound(A, **settings)
    made = bound.ingredients
    assert (made["scale"], made["rounds"], made["core_size"]) == (core.scale, core.rounds, len(core.pulls))
    assert core.scale <= core.rounds <= made["most_rounds"] == core.scale + len(core.pulls)
    L, delta_0 = float(np.linalg.norm(A, axis=1).max()), 0.075
    B = 3 * math.log(1 + L**2 * made["most_rounds"] / 3) + 2 * math.log(1 / delta_0)
    assert made["spread"] == pytest.approx(B, rel=1e-12)
    assert made["delta_0"] == delta_0
    # eq. (6): the smallest N
    assert core.scale >= 72 * 27 * (0.49 * B + 1.5**2) / (0.3 * 0.2) ** 2
    error = 2 * math.sqrt(3 / core.scale) * (1 + 3 / (0.3 - 2 * delta_0)) * (0.7 * math.sqrt(B) + 1.5)
    assert bound.error == pytest.approx(error, rel=1e-12)
    assert rb.rep_core_set(core, np.zeros(len(core.pulls)), seed=0).error <= bound.error <= 0.2


# --- errors ---


def wrong() -> list[tuple[Any, dict[str, Any], str]]:
    contexts = rb.LinearArms(theta=THETA, actions=rb.Contexts.of(np.zeros((5, 2, 3))))
    bernoulli = rb.BernoulliArms(means=np.array([0.1, 0.2]))
    return [
        (ARMS, {}, "Give exactly one of them"),
        (ARMS, {"gaps": GAPS, "dim": 2}, "Give exactly one of them"),
        (ARMS, {"env": bernoulli, "gaps": GAPS}, "Give exactly one of them"),
        (ARMS, {"dim": 2}, "the bound of RepUCB needs the gap of every arm"),
        (ARMS, {"env": contexts}, "the bound of RepUCB needs the gap of every arm"),
        (ARMS, {"gaps": [0.1, 0.2]}, "the best arm's is 0"),
        (ARMS, {"gaps": [0.0, -0.2]}, "the best arm's is 0"),
        (ARMS, {"gaps": []}, "the best arm's is 0"),
        (ARMS, {"gaps": [0.0, math.nan]}, "finite"),
        (ARMS, {"gaps": [[0.0, 0.1]]}, "one dimension"),
        (rb.RepUCB(horizon=4, rho=0.5), {"gaps": [0.0] * 5}, "horizon is 4 with 5 arms"),
        (UCB1(horizon=4), {"gaps": [0.0] * 5}, "horizon is 4 with 5 arms"),
        (LIN, {"gaps": GAPS}, "the bound of RepLinUCB needs the dimension"),
        (LIN, {"env": bernoulli}, "the bound of RepLinUCB needs the dimension"),
        (LIN, {"dim": 0}, "dim is 0"),
        (LIN, {"env": rb.LinearArms(theta=3 * THETA, actions=rb.Ball(1.0, 3))}, "loses 4.24264 a round; for this spec"),
        (GLM, {"env": rb.LinearArms(theta=THETA, actions=rb.Ball(1.0, 3))}, "loses 1.41421 a round"),
        (Thompson(horizon=10), {"gaps": GAPS}, "no finite-time bound is stated for Thompson; there is one for RepUCB"),
        ("RepUCB", {"gaps": GAPS}, "no finite-time bound is stated for str"),
    ]


@pytest.mark.parametrize(("spec", "truth", "words"), wrong(), ids=lambda part: str(part)[:40])
def test_errors(spec: Any, truth: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        bounds(spec, **truth)
    if "5 arms" not in words:  # for another horizon there is an answer
        with pytest.raises(InvalidInput, match=words):
            informative_horizon(spec, **truth)


def test_another_calibration_has_another_bound() -> None:
    spec = replace(LIN)
    object.__setattr__(spec, "calibration", "sharper")
    with pytest.raises(InvalidInput, match="no finite-time bound is stated for RepLinUCB with calibration 'sharper'"):
        bounds(spec, dim=2)


@pytest.mark.parametrize("penalty", [1e12, 1e16, 1e17, 1e100, 1e300])
def test_a_penalty_that_drowns_the_design_leaves_bounds_that_hold(penalty: float) -> None:
    """Where V is lambda I to double precision, nothing is learned, and a bound of 0 would be false."""
    spec = rb.RepLinUCB(horizon=100, rho=0.1, delta=0.01, noise=0.5, penalty=penalty, calibration="sharp")
    env = rb.LinearArms(theta=np.array([0.0, 0.5]), actions=np.eye(2), noise=0.5)
    run = rb.simulate(spec, env, seed=1, rng=np.random.default_rng(0))
    lost = float(rb.regret(run, env)[-1])
    assert 50.0 == lost <= realised_bound(run, env).regret < math.inf
    assert lost <= bounds(spec, env).regret < math.inf


def test_errors_of_realised_bounds() -> None:
    arms = rb.BernoulliArms(means=np.array([0.1, 0.2]))
    run = rb.simulate(ARMS, arms, seed=0, rng=np.random.default_rng(0))
    with pytest.raises(InvalidInput, match=r"RepUCB does not depend on the batches of a run; use `bounds`"):
        realised_bound(run, arms)
    env = FIXED[0][1]
    run = rb.simulate(LIN, env, seed=0, rng=np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="actions in 3 dimensions, the environment has 2"):
        realised_bound(run, rb.LinearArms(theta=THETA[:2], actions=rb.Ball(1.0, 2)))
    none = replace(run, arms=run.arms[:0], times=run.times[:0], totals=run.totals[:0], vectors=run.vectors[:0])
    with pytest.raises(InvalidInput, match="the run has 0 rounds"):
        realised_bound(none, env)


def test_errors_of_the_estimators() -> None:
    with pytest.raises(InvalidInput, match="n is 0"):
        mean_bound(0, rho=0.1, delta=0.01)
    with pytest.raises(InvalidInput, match="rho > 2 delta"):
        mean_bound(10, rho=0.1, delta=0.05)
    good: dict[str, Any] = {"dim": 3, "rho": 0.1, "delta": 0.01, "noise": 1.0}
    for name, value in {"dim": 0, "delta": 0.06, "noise": -1.0, "penalty": 0.0, "action_bound": math.inf}.items():
        with pytest.raises(InvalidInput, match=name):
            ridge_bound(10, **{**good, name: value})
    with pytest.raises(InvalidInput, match="rows is 0"):
        ridge_bound(0, **good)
    with pytest.raises(OutOfRange, match="pulls of one action"):
        core_set_bound(np.eye(2), epsilon=1e-12, rho=0.1, delta=0.1)


@pytest.mark.parametrize("rho", [0.2, 0.1, 0.05])
def test_the_sharp_horizon_is_where_estimates_begin_to_tell(rho: float) -> None:
    spec = rb.RepUCB(horizon=10**6, rho=rho, calibration="sharp")
    found = rb.informative_horizon(spec, gaps=[0.0, 0.5])
    paper = rb.informative_horizon(replace(spec, calibration="paper"), gaps=[0.0, 0.5])
    assert found is not None
    assert paper is not None
    assert 100 < found < paper / 1000
    assert replace(spec, horizon=found).schedule(2).calls > 0
