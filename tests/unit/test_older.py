"""The older replicable policies: run by run what plain loops do, and what they refuse."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.design import g_optimal
from replibandit.policies import geometric
from replibandit.policies.base import Pull
from replibandit.policies.exploration import pulled
from replibandit.policies.net import net_of_ball
from tests.reference import older
from tests.reference.older import Play

MEANS = np.array([0.2, 0.65, 0.7, 0.5, 0.69])
TABLE = np.random.default_rng(3).uniform(-1.0, 1.0, size=(7, 3)) / np.sqrt(3.0)
SHIFTS = rb.Key("rewards").uniform(4096) - 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class Written:
    """Whole totals near n mu + a wave of size sqrt(n), the same for every route."""

    means: FloatArray
    actions: Any

    def total(self, arm: int, start: int, times: int) -> float:
        return float(np.rint(times * self.means[arm] + np.sqrt(times) * SHIFTS[(7 * start + arm) % len(SHIFTS)]))

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        arms = pull.arms
        if isinstance(self.actions, rb.Ball):
            net = net_of_ball(self.actions, RESOLUTION)
            arms = np.array([int(np.argmin(abs(net - vector).sum(axis=1))) for vector in pull.vectors])
        decisions = zip(arms.tolist(), start.tolist(), pull.times.tolist(), strict=True)
        return np.array([self.total(arm, first, n) if n else 0.0 for arm, first, n in decisions])

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        return np.zeros(len(pull.times))


RESOLUTION = 0.25
NET = net_of_ball(rb.Ball(1.0, 2), RESOLUTION)
THETA = np.array([0.4, -0.3, 0.2])
WORLDS = {
    "arms": Written(means=MEANS, actions=len(MEANS)),
    "vectors": Written(means=TABLE @ THETA, actions=rb.Finite(TABLE)),
    "ball": Written(means=NET @ np.array([0.8, -0.5]), actions=rb.Ball(1.0, 2)),
}


def design(left: list[int], scale: int) -> dict[int, int]:
    rows = TABLE[left]
    base = pulled(rows, g_optimal(rows, approximation=1.1), scale).base
    return {a: int(n) for a, n in zip(left, base, strict=True) if n > 0}


def core(vectors: FloatArray) -> Callable[..., tuple[dict[int, float], int]]:
    def of(left: list[int], eps: float, rho: float, delta: float) -> tuple[dict[int, float], int]:
        plan = rb.least_squares_plan(vectors[left], epsilon=eps, rho=rho, delta=delta, noise=0.5)
        return {left[i]: float(w) for i, w in zip(plan.indices, plan.weights, strict=True)}, plan.pulls

    return of


def transcribed(spec: Any, play: Play) -> list[int]:
    name, vectors = type(spec).__name__, play.actions == len(TABLE)
    if name == "EsfandiariMean":
        return older.esfandiari_mean(play)
    if name == "EsfandiariThreshold":
        return older.esfandiari_threshold(play, spec.ratio(play.actions))
    if name == "EsfandiariLinear":
        return older.esfandiari_linear(play, spec.ratio(play.actions), TABLE, design)
    if name == "EsfandiariNet":
        net = TABLE if vectors else NET
        return older.esfandiari_net(play, net, core(net))
    given: dict[str, Any] = {"design": design, "vectors": TABLE} if vectors else {}
    return older.in_phases(play, commit=name == "CommitInPhases", **given)


CASES = [
    ("arms", rb.EsfandiariMean, {}),
    ("arms", rb.EsfandiariThreshold, {}),
    ("arms", rb.EliminateInPhases, {}),
    ("arms", rb.CommitInPhases, {}),
    ("vectors", rb.EsfandiariLinear, {"noise": 0.5}),
    ("vectors", rb.EsfandiariNet, {"noise": 0.5}),
    ("vectors", rb.EliminateInPhases, {}),
    ("ball", rb.EsfandiariNet, {"noise": 0.5, "resolution": RESOLUTION}),
]


@pytest.mark.parametrize("seed", ["a", "b"])
@pytest.mark.parametrize("horizon", [50, 10**4, 10**7, 10**11])
@pytest.mark.parametrize(("kind", "policy", "settings"), CASES, ids=lambda part: getattr(part, "__name__", str(part)))
def test_plain_loops_play_the_same(kind: str, policy: Any, settings: dict[str, Any], horizon: int, seed: str) -> None:
    world, spec = WORLDS[kind], policy(horizon=horizon, rho=0.3, **settings)
    play = Play(T=horizon, rho=0.3, sigma=0.5, seed=seed, actions=len(world.means), total=world.total)
    transcribed(spec, play)
    run = rb.simulate(spec, world, seed=seed, rng=np.random.default_rng(0))
    assert play.close.least > 1e-9, "the run comes too close to a threshold to be compared"
    assert run.times.tolist() == [times for _, times in play.run]
    if kind == "ball":
        assert (run.vectors == NET[[a for a, _ in play.run]]).all()
    else:
        assert run.arms.tolist() == [a for a, _ in play.run]


@pytest.mark.parametrize(("kind", "policy", "settings"), CASES, ids=lambda part: getattr(part, "__name__", str(part)))
def test_the_loops_drop_actions_one_after_the_other(kind: str, policy: Any, settings: dict[str, Any]) -> None:
    """Control: the comparison above is not one of runs that never decide."""
    world, spec = WORLDS[kind], policy(horizon=10**14, rho=0.3, **settings)
    play = Play(T=10**14, rho=0.3, sigma=0.5, seed="a", actions=len(world.means), total=world.total)
    sizes = transcribed(spec, play)
    assert sizes[-1] == 1
    assert len(set(sizes)) >= (2 if policy is rb.CommitInPhases else 3)


def test_lengths_are_floors_of_powers() -> None:
    for horizon in (3, 10, 10**3, 10**6, 10**12, 2**50):
        B, powers = older.lengths(horizon)
        assert (geometric.batch_count(horizon), list(geometric.batch_lengths(horizon))) == (B, powers)
        assert all(n**B <= horizon**i < (n + 1) ** B for i, n in enumerate(powers, start=1))


@pytest.mark.parametrize("rho", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("horizon", [10**3, 10**6, 10**12])
def test_beta_is_the_printed_one_or_more(horizon: int, rho: float) -> None:
    for arms in (1, 2, 5, 20):
        printed = max(np.floor((arms / rho) ** 2), 2304)
        threshold = rb.EsfandiariThreshold(horizon=horizon, rho=rho).ratio(arms)
        linear = rb.EsfandiariLinear(horizon=horizon, rho=rho, noise=1.0).ratio(arms)
        assert threshold >= printed
        assert linear >= printed
        assert threshold == printed or arms > 2


@pytest.mark.parametrize("arms", [2, 5, 20])
@pytest.mark.parametrize("horizon", [10**3, 10**6, 10**12])
def test_beta_keeps_the_budget(horizon: int, arms: int) -> None:
    """Over all gaps: the chance that the thresholds part two runs, at the mean distance that the proof allows."""
    spec, rho = rb.EsfandiariThreshold(horizon=horizon, rho=0.1), 0.1
    beta, narrow, wide = spec.prepare(np.zeros((arms, 0)))
    c = np.cumsum(geometric.batch_lengths(horizon))
    distance = np.sqrt(2.0) * 0.5 * (1.0 + np.sqrt(2.0 * np.log(2.0 * arms))) / np.sqrt(beta * c)
    for gap in np.geomspace(0.2 * wide[-1], 5.0 * wide[0], 2000):
        doubt = (gap > wide / np.array(2.0) - narrow) & (gap <= wide + 3.0 * np.array(narrow))
        assert (arms - 1) * (distance / (np.array(wide) / 2.0))[doubt].sum() <= rho


@pytest.mark.parametrize("policy", [rb.EsfandiariMean, rb.EsfandiariThreshold, rb.CommitInPhases])
def test_short_horizons_are_refused(policy: Any) -> None:
    with pytest.raises(InvalidInput, match=r"horizon is 19 and rho is 0\.1; .* needs horizon >= "):
        policy(horizon=19, rho=0.1)
    with pytest.raises(InvalidInput, match=r"horizon is 99 and rho is 0\.1 with 5 actions"):
        rb.EliminateInPhases(horizon=99, rho=0.1).init(5, [rb.Key(1)])


def test_vectors_are_needed() -> None:
    for spec in (
        rb.EsfandiariLinear(horizon=100, rho=0.1, noise=1.0),
        rb.EsfandiariNet(horizon=100, rho=0.1, noise=1.0),
    ):
        with pytest.raises(InvalidInput, match="vectors of"):
            spec.init(5, [rb.Key(1)])  # type: ignore[arg-type]


@pytest.mark.parametrize(("radius", "dim", "resolution"), [(1.0, 1, 0.01), (2.0, 2, 0.1), (1.0, 3, 0.2), (0.5, 4, 0.3)])
def test_a_net_is_near_every_point(radius: float, dim: int, resolution: float) -> None:
    net = net_of_ball(rb.Ball(radius, dim), resolution)
    assert (np.linalg.norm(net, axis=1) <= radius * (1 + 1e-12)).all()
    rng = np.random.default_rng(1)
    points = rng.standard_normal((2000, dim))
    points *= radius * rng.random((2000, 1)) ** (1 / dim) / np.linalg.norm(points, axis=1, keepdims=True)
    points[::2] *= radius / np.linalg.norm(points[::2], axis=1, keepdims=True)
    nearest = np.sqrt(((points[:, None] - net) ** 2).sum(axis=2).min(axis=1))
    assert nearest.max() <= resolution


@pytest.mark.parametrize(
    ("dim", "horizon", "points"), [(2, 10**6, "10^12"), (10, 10**6, "10^62"), (1, 10**5, "10^5"), (50, 10, "10^")]
)
def test_a_net_that_is_too_large_is_refused_with_its_size(dim: int, horizon: int, points: str) -> None:
    spec = rb.EsfandiariNet(horizon=horizon, rho=0.5, noise=1.0)
    with pytest.raises(InvalidInput, match=r"needs about .* points; at most 8192 are played") as error:
        spec.init(rb.Ball(1.0, dim), [rb.Key(1)])
    assert points in str(error.value)
