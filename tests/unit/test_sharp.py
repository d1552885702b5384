"""The parts of the sharp calibration: widths, dither, leverages, budgets, spans, schedules."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arithmetic import cholesky
from replibandit.arrays import FloatArray
from replibandit.calibration import PAIR, PATH, dither, sharp_width
from replibandit.errors import InvalidInput
from replibandit.estimators.core_set import core_set
from replibandit.estimators.mean import mean_sample_size, mean_tolerance
from replibandit.estimators.span import in_own_dimension, span_of
from replibandit.estimators.whitening import WHITENINGS
from replibandit.policies.plan import BUDGETS, sharp_plan
from replibandit.policies.schedule import Schedule, sharp_schedule
from tests.reference import routes

LIN = rb.RepLinUCB(horizon=10**6, rho=0.1, delta=0.01, noise=0.5, calibration="sharp")
UCB = rb.RepUCB(horizon=10**6, rho=0.1, calibration="sharp")


def test_the_constants_bound_the_distances_of_two_runs() -> None:
    """E|a - c| <= (2/sqrt 3) s and E range{0, a, c} <= sqrt(7/3) s, over laws of variance s^2 and mean 0."""
    rng, n = np.random.default_rng(0), 200_000
    half = rng.random(2 * n) - 0.5
    laws = {
        "normal": rng.standard_normal(2 * n),
        "uniform": half * math.sqrt(12.0),
        "two-point": np.where(rng.random(2 * n) < 0.5, 1.0, -1.0),
        "skewed": (np.where(rng.random(2 * n) < 0.1, 0.9, -0.1)) / 0.3,
        "extremal": np.sign(half)
        + 2.0 * half,  # where Cauchy and Schwarz are equal: a proportional to sgn a + 2F(a) - 1
    }
    ranges = {}
    for name, law in laws.items():
        a, c = law.reshape(2, n) / law.std()
        assert abs(a - c).mean() <= PAIR * 1.01
        ranges[name] = (np.maximum(np.maximum(a, c), 0) - np.minimum(np.minimum(a, c), 0)).mean()
        assert ranges[name] <= PATH * 1.01
    assert ranges["extremal"] > PATH * 0.99  # the constant is sharp


def test_the_constants_need_one_law() -> None:
    """Two laws of mean 0 and variance 1, each value with its probability: they are farther apart than any one law."""
    signs = [(1.0, 0.5), (-1.0, 0.5)]
    apart = [(0.0, 3 / 4), (2.0, 1 / 8), (-2.0, 1 / 8)]
    wide = [(sign * size, p / 2) for size, p in ((2 / 3, 7 / 12), (4 / 3, 5 / 12)) for sign in (1, -1)]
    for law in (signs, apart, wide):
        assert sum(p * x for x, p in law) == pytest.approx(0.0)
        assert sum(p * x * x for x, p in law) == pytest.approx(1.0)
    distance = sum(p * q * abs(a - c) for a, p in signs for c, q in apart)
    reach = sum(p * q * (max(0.0, a, c) - min(0.0, a, c)) for a, p in signs for c, q in wide)
    assert distance == pytest.approx(1.25)
    assert reach == pytest.approx(37 / 24)
    assert PAIR < distance <= math.sqrt(2)
    assert PATH < reach <= 1 + 1 / math.sqrt(2)


@pytest.mark.parametrize("dim", [1, 2, 5, 20, 200])
@pytest.mark.parametrize("candidates", [None, 1, 50])
def test_rounding_moves_by_no_more_than_the_dither_says(dim: int, candidates: int | None) -> None:
    delta, n = 0.2, 20_000
    reach, rest = dither(dim, delta=delta, candidates=candidates)
    errors = np.random.default_rng(dim).random((n, dim)) - 0.5
    if candidates is None:
        size = np.sqrt((errors**2).sum(axis=1))
    else:
        directions = np.random.default_rng(1).standard_normal((candidates, dim))
        size = abs(errors @ (directions / np.linalg.norm(directions, axis=1, keepdims=True)).T).max(axis=1)
    assert (size > reach).mean() <= delta - rest + 5 * math.sqrt(delta / n)
    assert reach <= math.sqrt(dim) / 2
    assert rest in (delta, delta / 2)


@pytest.mark.parametrize("whitening", WHITENINGS)
def test_leverages(whitening: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3, 40, 6)) * 10.0 ** -np.arange(6)
    G = np.swapaxes(X, 1, 2) @ X
    V = G + 0.1 * np.eye(6)
    h = WHITENINGS[whitening](V, cholesky(V)).leverages(G)
    for lane in range(3):
        L = np.linalg.cholesky(V[lane])
        values, vectors = np.linalg.eigh(V[lane])
        W = L.T if whitening == "cholesky" else vectors @ np.diag(np.sqrt(values)) @ vectors.T
        inverse = np.linalg.inv(W)
        expected = np.diag(inverse.T @ G[lane] @ inverse)
        assert h[lane] == pytest.approx(expected, abs=1e-9)
        assert (h[lane] >= expected - 1e-13).all()  # rounded up
    assert ((h >= 0) & (h <= 1)).all()


@pytest.mark.parametrize("rows", [3, 60])
@pytest.mark.parametrize("apart", [1e-7, 1e-3, 1.0])
@pytest.mark.parametrize("penalty", [1e-12, 1e-6, 1.0, 1e6])
def test_leverages_of_a_design_that_is_nearly_singular(penalty: float, apart: float, rows: int) -> None:
    """Against exact fractions: what rounding errors take from the width is below a thousandth of it."""
    rng = np.random.default_rng(rows)
    X = np.rint((rng.standard_normal(3) + apart * rng.standard_normal((rows, 3))) * 2.0**22) / 2.0**24
    G = X.T @ X
    L = cholesky(penalty * np.eye(3) + G)
    h = WHITENINGS["cholesky"](G, L).leverages(penalty * np.eye(3) + G - penalty * np.eye(3))
    exact = np.zeros(3)
    for x in X:
        solved: list[Fraction] = []
        for i, row in enumerate(L.tolist()):
            known = sum(Fraction(row[j]) * value for j, value in enumerate(solved))
            solved.append((Fraction(float(x[i])) - known) / Fraction(row[i]))
        exact += [float(value**2) for value in solved]
    assert np.sqrt(h).sum() >= 0.999 * np.sqrt(exact).sum()


@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_budgets_share_rho(name: str, count: int) -> None:
    shares = BUDGETS[name](0.1, count, math.e**2, 3)
    assert len(shares) == count
    assert sum(shares) == pytest.approx(0.1 if count else 0.0)
    assert list(shares) == sorted(shares)
    if name == "geometric" and count > 1:
        assert shares[1] / shares[0] == pytest.approx(math.exp(2 / 12))  # q^(1/(4d))
    if name == "mixed":
        for better in ("uniform", "geometric"):
            assert all(2 * a >= b for a, b in zip(shares, BUDGETS[better](0.1, count, math.e**2, 3), strict=True))


def test_a_sharp_plan_never_runs_out_of_batches() -> None:
    plan = sharp_plan(LIN, 3)
    volume = 3 * math.log(1 + 10**6 / 3)
    assert plan.growth == pytest.approx(math.e**2)
    assert plan.batches == math.ceil(volume / 2)
    assert plan.rho[0] == 0
    assert len(plan.rho) == plan.batches
    assert sum(plan.rho) == pytest.approx(0.1)
    assert sharp_plan(replace(LIN, batches=7), 3).growth == pytest.approx(math.exp(volume / 7))
    own = sharp_plan(replace(LIN, budgets=(0.05, 0.03)), 3)
    assert (own.batches, own.rho) == (3, (0.0, 0.05, 0.03))


def test_a_plan_of_few_batches_in_many_dimensions_waits_for_no_more_than_doubles_hold() -> None:
    plan = replace(LIN, horizon=10**12, batches=1).plan(30)
    assert plan.batches == 1
    assert plan.growth == pytest.approx(math.exp(700))


def test_budgets_that_leave_a_batch_nothing_are_refused() -> None:
    spec = replace(LIN, batches=3000, growth=1e5, budgets="geometric")
    with pytest.raises(InvalidInput, match="the first ones get nothing"):
        spec.plan(2)
    assert all(replace(spec, budgets="mixed").plan(2).rho[1:])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"budgets": "greedy"}, "budgets is 'greedy'; choose one of 'mixed'"),
        ({"budgets": (0.09, 0.02)}, "they must add up to rho = 0.1 at most"),
        ({"budgets": (0.05,), "batches": 3}, "budgets has 1 entries for 2 batches"),
        ({"delta_budgets": (0.01,)}, "delta_budgets are for calibration='paper'"),
        ({"growth": 1.0}, "growth is 1.0; it must be above 1"),
    ],
)
def test_sharp_settings_are_checked(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        replace(LIN, **settings)


def test_settings_of_the_sharp_calibration_are_refused_elsewhere() -> None:
    for settings in ({"growth": 4.0}, {"budgets": "uniform"}, {"spread": 1.0}):
        with pytest.raises(InvalidInput, match="is for calibration='sharp' only"):
            rb.RepUCB(horizon=1000, rho=0.1, **settings)


@pytest.mark.parametrize("budgets", [None, "mixed", "geometric", (0.05, 0.03, 0.02)])
@pytest.mark.parametrize("arms", [1, 2, 7])
def test_schedule(arms: int, budgets: Any) -> None:
    spec = replace(UCB, budgets=budgets)
    schedule = sharp_schedule(spec, arms)
    n, a, r = (np.array(column) for column in (schedule.pulls, schedule.widths, schedule.bonuses))
    assert arms * sum(schedule.rho) <= 0.1 * (1 + 1e-12)
    assert (np.diff(n) == np.ceil(7.0 * n[:-1])).all()
    assert n[-1] + (arms - 1) * n[0] < spec.horizon
    assert a == pytest.approx(2 / math.sqrt(3) * 0.5 / (np.sqrt(n) * schedule.rho))
    tail = np.sqrt(2 * math.log(2 * schedule.calls * 2 * spec.horizon) / n)
    assert r == pytest.approx(0.5 * tail + a / 2)
    assert schedule.calls == arms * len(n)
    assert 2 * r[0] <= 1.0  # and one pull less is not enough


def test_the_first_count_is_the_smallest_that_can_tell() -> None:
    for spread in (0.05, 0.3, 1.0, 100.0):
        spec = replace(UCB, spread=spread)
        first = sharp_schedule(spec, 2).pulls[0]
        assert 2 * sharp_schedule(spec, 2).bonuses[0] <= spread
        wider = replace(spec, spread=2.0 * float(sharp_schedule(replace(spec, spread=spread * 1.2), 2).bonuses[0]))
        assert sharp_schedule(wider, 2).pulls[0] <= first


def test_no_arm_is_played_so_often_that_another_lacks_its_first_pulls() -> None:
    spec = rb.RepUCB(horizon=2000, rho=0.5, calibration="sharp")
    first = spec.schedule(3).pulls[0]
    run = rb.simulate(spec, rb.BernoulliArms(means=np.full(3, 0.5)), seed=1, rng=np.random.default_rng(0))
    most = max(run.times[run.arms == arm].sum() for arm in range(3))
    assert 1 < first < most <= 2000 - 2 * first
    # gaps too small to be seen: the most that can be lost
    assert rb.bounds(spec, gaps=[0.0, 1e-3, 1e-3]).regret == pytest.approx(2e-3 * (2000 - 2 * first) + 0.5)


def test_where_no_call_can_tell_anything_arms_are_played_equally_often() -> None:
    spec = rb.RepUCB(horizon=1001, rho=0.01, calibration="sharp")
    assert sharp_schedule(spec, 4) == Schedule(pulls=(251,), widths=(0.0,), bonuses=(0.0,), rho=(0.0,), calls=0)
    run = rb.simulate(spec, rb.BernoulliArms(means=np.full(4, 0.5)), seed=1, rng=np.random.default_rng(0))
    assert run.times.tolist() == [251, 251, 251, 248]
    assert rb.bounds(spec, gaps=[0.0, 0.5, 0.5, 0.5]).regret == pytest.approx(3 * 251 * 0.5)


def test_width() -> None:
    assert float(sharp_width(3.0, runs=PATH, noise=0.5, rho=0.1)) == pytest.approx(math.sqrt(7 / 3) * 0.5 * 3 / 0.1)


def test_spans() -> None:
    rng = np.random.default_rng(0)
    flat = rng.standard_normal((8, 2)) @ rng.standard_normal((2, 10))
    inside = in_own_dimension(flat)
    assert inside.shape == (8, 2)
    assert inside @ inside.T == pytest.approx(flat @ flat.T)
    full = rng.standard_normal((8, 3))
    assert in_own_dimension(full) is full
    assert span_of(np.zeros((2, 3))).rank == 0
    nearly = np.array([[1.0, 0.0], [1.0, 1e-7]])
    assert span_of(nearly).rank == 2


def plays(spec: Any, actions: FloatArray, theta: FloatArray) -> tuple[list[int], list[int], FloatArray]:
    env = rb.LinearArms(theta=theta, actions=actions, noise=0.0)
    run = rb.simulate(spec, env, seed=3, rng=np.random.default_rng(0))
    return run.arms.tolist(), run.times.tolist(), run.vectors


def test_a_flat_set_is_played_in_its_own_dimension() -> None:
    """The decisions are those of the set in its plane, and the world sees the actions that it knows."""
    plane = np.array([[0.9, 0.0], [0.5, 0.6], [0.0, -0.8]])
    basis = np.linalg.qr(np.random.default_rng(1).standard_normal((10, 2)))[0].T
    theta = np.array([0.4, 0.6])
    arms, times, vectors = plays(LIN, plane @ basis, basis.T @ theta)
    assert len(set(arms)) > 1
    assert vectors == pytest.approx((plane @ basis)[arms], abs=1e-9)
    same = in_own_dimension(plane @ basis)
    assert (arms, times) == plays(LIN, same, np.linalg.lstsq(same, plane @ theta, rcond=None)[0])[:2]


@pytest.mark.parametrize("calibration", ["paper", "sharp"])
def test_tolerance_and_sample_size_are_inverse(calibration: str) -> None:
    for n in (1, 17, 12_345):
        tau = mean_tolerance(n, rho=0.1, delta=0.01, calibration=calibration)
        assert mean_sample_size(tau, rho=0.1, delta=0.01, calibration=calibration) == n
        assert mean_sample_size(tau * 0.999, rho=0.1, delta=0.01, calibration=calibration) > n


def test_a_sharp_mean_needs_no_delta() -> None:
    fit = rb.rep_mean(np.full(100, 0.5), rho=0.01, delta=0.4, seed=1, calibration="sharp")
    assert fit.width == pytest.approx(2 / math.sqrt(3) * 0.5 / (0.01 * 10))
    with pytest.raises(InvalidInput, match="the theorem needs rho > 2 delta"):
        rb.rep_mean(np.full(100, 0.5), rho=0.01, delta=0.4, seed=1)


@pytest.mark.parametrize("dim", [2, 5])
def test_the_scale_of_a_sharp_core_set_is_the_smallest(dim: int) -> None:
    A = np.eye(dim)
    core = core_set(A, epsilon=0.1, rho=0.1, delta=0.01, calibration="sharp")
    reach, rest = dither(dim, delta=0.01, candidates=dim)

    def error(N: int) -> float:
        spread = dim * math.log(1 + (N + dim) / dim) + 2 * math.log(1 / rest)
        return 2 * math.sqrt(dim / N) * (math.sqrt(spread) + 1 + reach * 2 / math.sqrt(3) * dim / 0.1)

    assert error(core.scale) <= 0.1 < error(core.scale - 1)


@pytest.mark.parametrize("grid", ["cube", "lattice"])
@pytest.mark.parametrize("penalty", [1e-4, 1.0, 1e6, 1e10, 1e13])
def test_a_solver_is_exact_to_a_small_part_of_the_width(penalty: float, grid: str) -> None:
    """Where sqrt(lambda) S is far above the noise, so is the radius above the width; the latter decides cells."""
    X, y = np.ones((100, 1)), np.full(100, 0.5 + 1.5e-3) + 1e-3 * np.resize([1.0, -1.0], 100)
    settings: dict[str, Any] = {"rho": 0.1, "delta": 0.01, "noise": 1e-3, "calibration": "sharp", "grid": grid}
    fit = rb.rep_glm(X, y, link="logistic", penalty=penalty, seed=1, **settings)
    assert fit.residual <= 2.0**-24 * fit.min_slope * fit.width


FLAT = routes.vectors(np.random.default_rng(5), routes.ARMS, 2) @ routes.vectors(
    np.random.default_rng(6), 2, routes.DIM
)
ROUTES = [
    *(case for case in routes.CASES if hasattr(case.spec(150), "calibration")),
    routes.Case(name="RepLinUCB-flat", spec=routes.lin, actions=FLAT),
    routes.Case(name="RepGLMUCB-flat", spec=routes.glm, actions=FLAT),
]


@pytest.mark.parametrize("case", ROUTES, ids=str)
def test_a_sharp_session_is_the_sharp_simulation(case: routes.Case) -> None:
    sharp = replace(case, spec=lambda horizon: replace(case.spec(horizon), calibration="sharp"))
    world = routes.world(sharp, 150, data=3)
    expected = routes.simulated(world, "s").fingerprint
    assert routes.round_by_round(world, "s").fingerprint == expected
    assert routes.batch_by_batch(world, "s", lambda open_ones: open_ones[::-1]).fingerprint == expected
    assert routes.restored(world, "s", 7).fingerprint == expected
