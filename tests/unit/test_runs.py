"""Runs: rounds, fingerprints, the first divergence and the regret, each against the plain loop."""

from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.actions import action_cells, cell_vectors
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.policies.base import Pull
from replibandit.runs import actions_fingerprint
from tests.reference.routes import vectors

SPEC = rb.RepUCB(horizon=60, rho=0.5)


def run_of(arms: list[int], times: list[int], rows: FloatArray | None = None, spec: Any = SPEC) -> rb.Run:
    empty = np.zeros((len(arms), 0))
    return rb.Run(
        spec=spec,
        key=rb.Key(1),
        arms=np.array(arms, dtype=np.int64),
        times=np.array(times, dtype=np.int64),
        totals=np.zeros(len(arms)),
        vectors=empty if rows is None else rows,
    )


def random_run(rng: np.random.Generator, horizon: int = 60, arms: int = 2) -> rb.Run:
    cuts = np.sort(rng.choice(np.arange(1, horizon), size=rng.integers(0, min(12, horizon)), replace=False))
    times = np.diff([0, *cuts, horizon]).tolist()
    return run_of(rng.integers(0, arms, len(times)).tolist(), times)


def test_rounds_and_starts() -> None:
    run = run_of([2, 0, 0, 1], [3, 1, 2, 4])
    assert run.rounds().tolist() == [2, 2, 2, 0, 0, 0, 1, 1, 1, 1]
    assert run.starts.tolist() == [0, 3, 4, 6]
    assert run.horizon == 10


def test_a_fingerprint_is_of_the_rounds() -> None:
    """However the rounds are cut into decisions: two runs have one fingerprint exactly if they have the same rounds."""
    rng = np.random.default_rng(0)
    # many runs of few rounds, so that equal ones occur
    runs = [random_run(rng, horizon=7) for _ in range(300)]
    for run in runs:
        rounds = run.rounds()
        assert run.fingerprint == run_of(rounds.tolist(), [1] * 7).fingerprint
    by_rounds = {tuple(run.rounds().tolist()) for run in runs}
    assert len({run.fingerprint for run in runs}) == len(by_rounds) < len(runs)


def test_a_fingerprint_knows_the_spec_and_the_vectors() -> None:
    other = rb.RepUCB(horizon=60, rho=0.6)
    assert run_of([0], [60]).fingerprint != run_of([0], [60], spec=other).fingerprint
    a, b = np.array([[0.5, 0.25]] * 2), np.array([[0.5, 0.25], [0.5, 0.125]])
    assert run_of([-1, -1], [30, 30], a).fingerprint == run_of([-1], [60], a[:1]).fingerprint
    assert run_of([-1, -1], [30, 30], b).fingerprint != run_of([-1], [60], b[:1]).fingerprint
    zero = np.array([[0.0, 0.5]])
    assert run_of([-1], [60], zero).fingerprint == run_of([-1], [60], zero * [-1.0, 1.0]).fingerprint  # -0.0 is 0.0


def test_an_empty_history_has_a_fingerprint() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert actions_fingerprint(SPEC, none, none, np.zeros((0, 0))) != run_of([0], [1]).fingerprint


def first_difference(a: rb.Run, b: rb.Run) -> int | None:
    for t, (x, y) in enumerate(zip(a.rounds().tolist(), b.rounds().tolist(), strict=True)):
        if x != y:
            return t
    return None


def test_first_divergence_is_that_of_the_rounds() -> None:
    rng = np.random.default_rng(1)
    pairs = [(random_run(rng), random_run(rng)) for _ in range(500)]
    # and pairs that agree for long: one is the other, cut elsewhere and changed late or not at all
    for run, _ in pairs[:250]:
        rounds = run.rounds()
        rounds[int(rng.integers(0, 80)) :] = 1
        pairs.append((run, run_of(rounds.tolist(), [1] * 60)))
    found = [rb.first_divergence(a, b) for a, b in pairs]
    assert found == [first_difference(a, b) for a, b in pairs]
    assert found == [rb.first_divergence(b, a) for a, b in pairs]
    assert None in found
    assert len(set(found)) > 20


def test_first_divergence_in_a_ball_is_that_of_the_vectors() -> None:
    rows = np.array([[0.5, 0.25], [0.25, 0.5], [0.125, 0.5]])
    a, b = run_of([-1, -1], [30, 30], rows[:2]), run_of([-1, -1, -1], [10, 25, 25], rows[[0, 0, 2]])
    assert rb.first_divergence(a, b) == 30
    assert rb.first_divergence(a, run_of([-1, -1], [31, 29], rows[:2])) == 30
    assert rb.first_divergence(a, a) is None


def test_runs_of_different_specs_are_not_compared() -> None:
    with pytest.raises(InvalidInput, match="different specs"):
        rb.first_divergence(run_of([0], [60]), run_of([0], [60], spec=rb.RepUCB(horizon=60, rho=0.6)))


def environments() -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(2)
    table, sets = vectors(rng, 5, 3), vectors(rng, 500, 5, 3)
    sets[rng.random((500, 5)) < 0.2] = np.nan
    sets[:, 2] = 0.25
    theta = np.array([0.3, -0.5, 0.4])
    lin = rb.RepLinUCB(horizon=500, rho=0.5, delta=0.1, noise=0.1)
    glm = rb.RepGLMUCB(horizon=500, rho=0.5, delta=0.1, noise=0.5, link="logistic")
    means = np.array([0.2, 0.8, 0.5])
    arms = rb.RepUCB(horizon=500, rho=0.5)
    return [
        (arms, rb.BernoulliArms(means=means)),
        (arms, rb.GaussianArms(means=means)),
        (arms, rb.Tape(means=means, key=rb.Key("t"))),
        (lin, rb.LinearArms(theta=theta, actions=table)),
        (lin, rb.LinearArms(theta=theta, actions=rb.Contexts.of(sets))),
        (lin, rb.LinearArms(theta=theta, actions=rb.Ball(1.0, 3))),
        (glm, rb.GLMArms(theta=theta, actions=table, link="logistic")),
        (glm, rb.GLMArms(theta=theta, actions=rb.Contexts.of(sets), link="logistic")),
    ]


def mean(env: Any, arm: int, vector: FloatArray, t: int) -> float:
    """Return the expected reward of an action of round t, from its definition."""
    if isinstance(env, rb.LinearArms | rb.GLMArms):
        if isinstance(env.actions, rb.Ball):
            action = vector
        else:
            action = (
                env.actions.vectors[arm] if isinstance(env.actions, rb.Finite) else env.actions.block(t, t + 1)[0, arm]
            )
        eta = float(np.dot(action, env.theta))
        return eta if isinstance(env, rb.LinearArms) else float(1.0 / (1.0 + np.exp(-eta)))
    return float(env.means[arm])


def best_mean(env: Any, t: int) -> float:
    none = np.zeros(0)
    if isinstance(env, rb.LinearArms | rb.GLMArms):
        if isinstance(env.actions, rb.Ball):
            return float(np.linalg.norm(env.theta))
        rows = env.actions.vectors if isinstance(env.actions, rb.Finite) else env.actions.block(t, t + 1)[0]
        return max(mean(env, i, none, t) for i, row in enumerate(rows) if not np.isnan(row).any())
    return max(map(float, env.means))


@pytest.mark.parametrize(("spec", "env"), environments(), ids=lambda x: type(x).__name__)
def test_regret_is_the_sum_over_rounds(spec: Any, env: Any) -> None:
    run = rb.simulate(spec, env, seed="a", rng=np.random.default_rng(3))
    rows = np.repeat(run.vectors, run.times, axis=0)
    lost = [best_mean(env, t) - mean(env, arm, rows[t], t) for t, arm in enumerate(run.rounds().tolist())]
    ends = np.cumsum(run.times) - 1
    regret = rb.regret(run, env)
    assert regret.shape == run.arms.shape
    assert np.allclose(regret, np.cumsum(lost)[ends], rtol=1e-9, atol=1e-9)
    assert regret[-1] > 0


@pytest.mark.parametrize(("spec", "env"), environments(), ids=lambda x: type(x).__name__)
def test_regret_never_falls(spec: Any, env: Any) -> None:
    """No action is better than the best one, not even by a rounding error: 10^14 rounds would make it visible."""
    run = rb.simulate(spec, env, seed="a", rng=np.random.default_rng(3))
    assert (np.diff(rb.regret(run, env), prepend=0.0) >= 0).all()


def test_the_best_action_of_a_set_loses_nothing() -> None:
    """The runs have the actions that were played, which lie on a grid; so must the best one."""
    rng = np.random.default_rng(4)
    for _ in range(100):
        table, theta = vectors(rng, 5, 3), rng.normal(size=3)
        env = rb.LinearArms(theta=theta, actions=table)
        played = cell_vectors(action_cells(table, 1.0)[0], 1.0)
        pull = Pull(arms=np.arange(5), times=np.ones(5, dtype=np.int64), vectors=played)
        gaps = env.gaps(pull, np.zeros(5, dtype=np.int64))
        assert gaps.min() >= 0
        assert gaps[np.argmax(table @ theta)] <= 1e-9
