"""RepCommit and RepEliminate: what is played, when, and that nothing but the least clear lead decides."""

import math
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.policies.exploration import estimates, exploration, leads, unit_exploration
from tests.reference.phased import Settings, rep_commit, rep_eliminate
from tests.reference.routes import Written, vectors

CLEAR = 1e-7
RNG = np.random.default_rng(4)
PLANE = np.vstack([vectors(RNG, 5, 3) * [1.0, 1.0, 0.0], [[0.3, -0.2, 0.0]]])  # a plane in space
SETS: dict[str, Any] = {
    "two": None,
    "five": None,
    "vectors": vectors(RNG, 6, 3),
    "subspace": PLANE,
    "copies": np.vstack([PLANE[:3], PLANE[:4]]),
}
SIZES = {"two": 2, "five": 5}


def instance(kind: str, data: int) -> tuple[Written, int, FloatArray | None]:
    table, rng = SETS[kind], np.random.default_rng(data)
    arms = SIZES.get(kind, 0) if table is None else len(table)
    means = np.linspace(0.3, 0.7, arms) if table is None else 0.5 + table @ np.array([0.4, -0.1, 0.2])
    rewards = np.rint(64 * (means + 0.4 * (rng.random((3000, arms)) - 0.5))) / 64
    return Written(rewards=rewards, actions=arms if table is None else table), arms, table


@pytest.mark.parametrize("growth", [2, 4, 9])
@pytest.mark.parametrize("noise", [0.02, 0.1])
@pytest.mark.parametrize("kind", SETS)
def test_rep_commit_transcribed(kind: str, noise: float, growth: int) -> None:
    env, arms, table = instance(kind, data=8)
    committed = 0
    for seed in "abcd":
        spec = rb.RepCommit(horizon=3000, rho=0.5, noise=noise, growth=growth)
        plan, least = spec.prepare(np.zeros((arms, 0)) if table is None else table)
        at = Settings(T=spec.horizon, sigma=noise, g=growth, seed=seed, vectors=table)
        chosen, close = rep_commit(at, plan.base.tolist(), least, lambda t, a: float(env.rewards[t, a]))
        run = rb.simulate(spec, env, seed=seed, rng=np.random.default_rng(0))
        assert close > CLEAR
        assert run.rounds().tolist() == chosen
        committed += bool((run.rounds()[-100:] == chosen[-1]).all())
    assert committed or noise > 0.02


@pytest.mark.parametrize("growth", [2, 4])
@pytest.mark.parametrize("noise", [0.001, 0.005, 0.05])
@pytest.mark.parametrize("kind", SETS)
def test_rep_eliminate_transcribed(kind: str, noise: float, growth: int) -> None:
    env, arms, table = instance(kind, data=9)

    def design(left: list[int]) -> list[int]:
        assert table is not None
        return [int(n) for n in unit_exploration(table[left]).base]

    sizes: set[int] = set()
    for seed in "abcd":
        spec = rb.RepEliminate(horizon=3000, rho=0.5, noise=noise, growth=growth)
        first, commit, drop = spec.prepare(np.zeros((arms, 0)) if table is None else table)
        kept = np.flatnonzero(first)
        at = Settings(T=spec.horizon, sigma=noise, g=growth, seed=seed, vectors=None if table is None else table)
        run = rb.simulate(spec, env, seed=seed, rng=np.random.default_rng(0))
        chosen, left, close = rep_eliminate(
            at, design, (commit, drop), lambda t, a: float(env.rewards[t, a]), arms, kept.tolist()
        )
        assert close > CLEAR
        assert run.rounds().tolist() == chosen
        sizes |= set(left)
    assert len(sizes) > 1 or noise > 0.005


@pytest.mark.parametrize("make", [exploration, unit_exploration])
@pytest.mark.parametrize("kind", ["vectors", "subspace", "copies"])
def test_points_measure_errors(kind: str, make: Any) -> None:
    """Distances of points are those in the norm of V_0^-1, and least squares gives back a linear function."""
    table = SETS[kind]
    plan = make(table)
    inverse = np.linalg.pinv((table.T * plan.base) @ table, rcond=1e-9)
    steps = table[:, None] - table[None]
    exact = np.sqrt(np.maximum(np.einsum("abi,ij,abj->ab", steps, inverse, steps), 0.0))
    apart = np.sqrt(((plan.points[:, None] - plan.points[None]) ** 2).sum(axis=-1))
    assert np.allclose(apart, exact, atol=1e-9)
    truth = table @ np.array([0.4, -0.1, 0.2])
    assert np.allclose(estimates(plan, np.where(plan.base > 0, truth, 99.0)[None])[0], truth)
    if make is unit_exploration:
        assert apart.max() <= 1.0


def test_leads_of_copies_are_infinite() -> None:
    plan = exploration(SETS["copies"])
    found = leads(plan, estimates(plan, np.zeros((2, 7))), np.array([0, 4]))
    assert np.isinf(found[0, [0, 3]]).all()
    assert np.isinf(found[1, [1, 4]]).all()
    assert np.isinf(found).sum() == 4
    assert plan.distinct == 4


def test_two_best_actions_are_never_told_apart() -> None:
    env = rb.BernoulliArms(means=np.array([0.6, 0.6, 0.2]))
    spec = rb.RepCommit(horizon=10**7, rho=0.3)
    runs = rb.simulate_many(spec, env, seeds=range(300), rng=np.random.default_rng(0))
    pulled = np.array([[run.times[run.arms == a].sum() for a in range(3)] for run in runs])
    assert (pulled[:, :2].min(axis=1) > 2 * 10**6).all()


@pytest.mark.parametrize("policy", [rb.RepCommit, rb.RepEliminate])
def test_one_action_and_short_horizons(policy: Any) -> None:
    for arms, horizon in ((1, 10), (1, 1), (7, 3), (2, 1)):
        run = rb.simulate(policy(horizon=horizon, rho=0.1), rb.BernoulliArms(means=np.full(arms, 0.5)), seed=1, rng=RNG)
        assert run.horizon == horizon
    alone = rb.simulate(
        policy(horizon=50, rho=0.1), Written(rewards=np.ones((50, 1)), actions=np.ones((1, 2))), seed=1, rng=RNG
    )
    assert alone.rounds().tolist() == [0] * 50


@pytest.mark.parametrize("policy", [rb.RepCommit, rb.RepEliminate])
def test_a_smaller_rho_takes_longer(policy: Any) -> None:
    env = rb.BernoulliArms(means=np.array([0.5, 0.2]))
    explored = [
        rb.regret(rb.simulate(policy(horizon=10**9, rho=rho), env, seed=3, rng=np.random.default_rng(1)), env)[-1]
        for rho in (0.3, 0.1, 0.01)
    ]
    assert explored == sorted(explored)
    assert explored[0] < explored[-1]


@pytest.mark.parametrize("growth", [1, 0, 2.0, True, 1025, "4", None])
def test_growth_is_a_whole_number(growth: Any) -> None:
    with pytest.raises(InvalidInput, match="growth is"):
        rb.RepCommit(horizon=100, rho=0.1, growth=growth)


@pytest.mark.parametrize("policy", [rb.RepCommit, rb.RepEliminate])
def test_actions_without_an_entry_are_refused(policy: Any) -> None:
    with pytest.raises(InvalidInput, match="no entry but 0"):
        policy(horizon=100, rho=0.1).init(np.zeros((3, 2)), [rb.Key(1)])


def test_regret_of_the_examples() -> None:
    """The regret that a trialist would see, 100 runs: two arms with a gap of 0.1, five with a gap of 0.3."""
    for means, most in (((0.5, 0.4), 2e4), ((0.5, 0.2, 0.2, 0.2, 0.2), 2.5e4)):
        env = rb.BernoulliArms(means=np.array(means))
        runs = rb.simulate_many(
            rb.RepCommit(horizon=10**6, rho=0.1), env, seeds=range(100), rng=np.random.default_rng(0)
        )
        lost = np.array([rb.regret(run, env)[-1] for run in runs])
        assert lost.mean() + 4 * lost.std() / math.sqrt(len(lost)) <= most


@pytest.mark.parametrize("kind", ["vectors", "subspace", "copies"])
def test_the_variance_bounds_that_of_the_least_lead(kind: str) -> None:
    """By simulation of skewed noise, for every action that may be best; and the formula in ordinary floating point."""
    plan, rng = exploration(SETS[kind]), np.random.default_rng(6)
    pulled = np.flatnonzero(plan.base)
    means = np.zeros((20_000, len(plan.base)))
    # n rewards of 0 or 1, of which few are 1
    means[:, pulled] = rng.binomial(plan.base[pulled], 0.2, (20_000, len(pulled))) / plan.base[pulled]
    estimated = estimates(plan, means)
    for best in range(len(plan.base)):
        least = (leads(plan, estimated, np.full(len(means), best)) / 0.4).min(axis=1)
        assert least.var() < plan.variance
    inverse = np.linalg.pinv((SETS[kind].T * plan.base) @ SETS[kind], rcond=1e-9)
    sums = []
    for best in SETS[kind]:
        steps = np.array([best - a for a in SETS[kind] if not (a == best).all()])
        c = steps @ inverse @ (SETS[kind][pulled].T * np.sqrt(plan.base[pulled]))
        c /= np.sqrt(np.einsum("ai,ij,aj->a", steps, inverse, steps))[:, None]
        assert np.allclose((c * c).sum(axis=1), 1.0)
        sums.append((c * c).max(axis=0).sum())
    assert max(sums) - 1e-9 <= plan.variance <= max(sums) + 1 / 16 + 1e-9


def test_many_vectors_have_no_bound_of_the_variance() -> None:
    assert exploration(vectors(np.random.default_rng(1), 300, 2)).variance == math.inf
    assert exploration(np.zeros((7, 0))).variance == 3.5
