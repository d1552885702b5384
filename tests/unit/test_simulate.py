"""One run, one fingerprint: simulated, live, with delays, restored, in lanes, in blocks of any size."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.policies.base import Pull
from tests.reference.routes import (
    BATCHED,
    CASES,
    CHANGING,
    FIXED,
    TABLE,
    Case,
    batch_by_batch,
    restored,
    round_by_round,
    simulated,
    vectors,
    world,
)

SEEDED = [(case, seed) for case in FIXED for seed in ("abc" if case.cheap else "a")]


@pytest.mark.parametrize(("case", "seed"), SEEDED, ids=str)
def test_live_is_simulated(case: Case, seed: str) -> None:
    here = world(case, 20_000, data=1)
    assert round_by_round(here, seed).fingerprint == simulated(here, seed).fingerprint


@pytest.mark.parametrize(
    ("case", "horizon"), [(CHANGING[0], 20_000), (CHANGING[0], 1500), (CHANGING[1], 1500)], ids=str
)
def test_live_is_simulated_when_the_sets_change(case: Case, horizon: int) -> None:
    here = world(case, horizon, data=horizon)
    assert round_by_round(here, "a").fingerprint == simulated(here, "a").fingerprint


@pytest.mark.parametrize(("case", "seed"), [*SEEDED, *((case, "a") for case in CHANGING)], ids=str)
def test_the_rewards_of_a_batch_may_come_in_any_order(case: Case, seed: str) -> None:
    here = world(case, 1000 if case.contexts else 20_000, data=2)
    shuffled = np.random.default_rng(3)
    expected = simulated(here, seed).fingerprint
    assert batch_by_batch(here, seed, lambda due: due[::-1]).fingerprint == expected
    assert (
        batch_by_batch(here, seed, lambda due: [due[i] for i in shuffled.permutation(len(due))]).fingerprint == expected
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_session_resumes_bit_for_bit(case: Case) -> None:
    here = world(case, 1000 if case.contexts else 2000, data=4)
    assert restored(here, "a", every=1).fingerprint == simulated(here, "a").fingerprint
    every, never = restored(world(case, 100, data=4), "a", every=1), round_by_round(world(case, 100, data=4), "a")
    assert every.to_json() == never.to_json()


@pytest.mark.parametrize("case", [case for case in FIXED if case.cheap], ids=str)
def test_a_long_session_resumes(case: Case) -> None:
    here = world(case, 20_000, data=5)
    assert restored(here, "a", every=200).fingerprint == simulated(here, "a").fingerprint


@pytest.mark.parametrize("case", CASES, ids=str)
def test_other_rewards_and_other_seeds_lead_elsewhere(case: Case) -> None:
    """Negative control of all the above: the fingerprint depends on the rewards, and on the seed."""
    horizon = 1000 if case.cheap else 300
    by_rewards = {simulated(world(case, horizon, data), "c").fingerprint for data in range(3)}
    by_seed = {
        simulated(world(case, horizon, data=0), seed).fingerprint for seed in "abcdefgh"[: 8 if case.cheap else 2]
    }
    assert len(by_rewards) > 1
    assert len(by_seed) > 1


def test_a_tape_is_what_is_written_on_it() -> None:
    tape = rb.Tape(means=np.array([0.3, 0.6, 0.5]), key=rb.Key("tape"))
    spec = rb.RepUCB(horizon=5000, rho=0.5, noise=0.05)
    run = rb.simulate(spec, tape, seed="a", rng=np.random.default_rng(0))
    session: Any = rb.start(spec, actions=3, seed="a")
    for _ in range(spec.horizon):
        decision = session.ask()
        session.tell(decision, tape.reward(decision.arm, decision.round))
    assert session.fingerprint == run.fingerprint


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_lane_is_a_run(case: Case) -> None:
    """To the bit, whatever lanes run beside it and in whatever order."""
    here = world(case, 20_000 if case.cheap else 200, data=8)
    seeds: list[str | int] = ["a", 3, "b", "a"]
    lanes = rb.simulate_many(here.spec, here.env, seeds=seeds, rng=np.random.default_rng(0))
    for seed, lane in zip(seeds, lanes, strict=True):
        alone = rb.simulate(here.spec, here.env, seed=seed, rng=np.random.default_rng(0))
        assert lane.fingerprint == alone.fingerprint
        assert lane.key == alone.key == rb.Key(seed)
        for name in ("arms", "times", "totals", "vectors"):
            assert np.array_equal(getattr(lane, name), getattr(alone, name)), name


@pytest.mark.parametrize(("first", "largest"), [(1, 1), (3, 17), (64, 64), (1000, 1000)])
@pytest.mark.parametrize("case", CHANGING, ids=str)
def test_the_size_of_blocks_does_not_matter(
    case: Case, first: int, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world(case, 600, data=9)
    usual = simulated(here, "a")
    module = sys.modules["replibandit.simulate"]
    monkeypatch.setattr(module, "_FIRST_BLOCK", first)
    monkeypatch.setattr(module, "_LARGEST_BLOCK", largest)
    other = simulated(here, "a")
    assert other.fingerprint == usual.fingerprint
    assert np.array_equal(other.totals, usual.totals)
    assert np.array_equal(other.vectors, usual.vectors)


@pytest.mark.parametrize("case", [case for case in BATCHED if case.actions is TABLE], ids=str)
def test_a_fixed_set_is_the_same_set_every_round(case: Case) -> None:
    """The closed form and the determinant of every round end the same batches."""
    here = world(case, 1000, data=10)
    repeated = rb.Contexts.of(np.broadcast_to(TABLE, (1000, *TABLE.shape)))
    there = replace(here, env=replace(here.env, actions=repeated))
    assert simulated(there, "a").fingerprint == simulated(here, "a").fingerprint


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_round_is_decided_once(case: Case) -> None:
    here = world(case, 500, data=11)
    run = simulated(here, "a")
    assert run.times.min() >= 1
    assert run.horizon == 500
    assert len(run.arms) == len(run.times) == len(run.totals) == len(run.vectors)
    assert np.array_equal(
        run.totals,
        here.env.draw(Pull(arms=run.arms, times=run.times, vectors=run.vectors), np.random.default_rng(0), run.starts),
    )


@pytest.mark.parametrize("horizon", [10**10, 10**14])
def test_a_long_horizon_costs_a_few_decisions(horizon: int) -> None:
    rng = np.random.default_rng(0)
    theta = np.array([0.3, -0.2, 0.5])
    linear = rb.LinearArms(theta=theta, actions=TABLE, noise=0.5)
    runs = [
        rb.simulate(rb.RepUCB(horizon=horizon, rho=0.5), rb.BernoulliArms(means=np.array([0.2, 0.8])), seed=1, rng=rng),
        rb.simulate(rb.RepLinUCB(horizon=horizon, rho=0.5, delta=0.1, noise=0.5), linear, seed=1, rng=rng),
    ]
    for run in runs:
        assert run.horizon == horizon
        assert len(run.times) < 150


@pytest.mark.parametrize(
    "spec", [rb.RepUCB(horizon=2000, rho=0.1), rb.UCB1(horizon=50)], ids=lambda spec: type(spec).__name__
)
def test_a_policy_for_arms_plays_the_vectors_of_a_finite_set(spec: Any) -> None:
    rows = np.array([[0.5, 0.0], [0.25, 0.5]])
    env = rb.LinearArms(theta=np.array([1.0, 0.5]), actions=rows, noise=0.0)
    run = rb.simulate(spec, env, seed=0, rng=np.random.default_rng(0))
    assert (run.vectors == rows[run.arms]).all()
    assert (run.totals == run.times * 0.5).all()
    arms = rb.GaussianArms(means=np.array([0.5, 0.5]), sd=0.0)
    assert run.fingerprint == rb.simulate(spec, arms, seed=0, rng=np.random.default_rng(0)).fingerprint


def test_what_simulate_refuses() -> None:
    lin = rb.RepLinUCB(horizon=100, rho=0.5, delta=0.1, noise=0.5)
    ucb = rb.RepUCB(horizon=100, rho=0.5)
    rng, theta = np.random.default_rng(0), np.array([0.3, -0.2, 0.5])
    sets = vectors(rng, 100, 2, 3)

    def refused(spec: object, env: object, words: str) -> None:
        with pytest.raises(InvalidInput, match=words):
            rb.simulate(spec, env, seed=1, rng=rng)  # type: ignore[arg-type]

    refused(lin, rb.BernoulliArms(means=np.array([0.2, 0.8])), "needs vectors")
    refused(ucb, rb.LinearArms(theta=theta, actions=rb.Contexts.of(sets)), "RepUCB")
    refused(lin, rb.LinearArms(theta=theta, actions=rb.Contexts.of(sets[:50])), "sets has 50 rounds")
    refused(lin, rb.LinearArms(theta=theta, actions=rb.Contexts.of(3 * sets)), "action_bound")
    hole = sets.copy()
    hole[70] = np.nan
    refused(lin, rb.LinearArms(theta=theta, actions=rb.Contexts.of(hole)), "no action")
    half = sets.copy()
    half[70, 0, 1] = np.nan
    refused(lin, rb.LinearArms(theta=theta, actions=rb.Contexts.of(half)), "NaN")
    with pytest.raises(InvalidInput, match="number of seeds"):
        rb.simulate_many(lin, rb.LinearArms(theta=theta, actions=TABLE), seeds=[], rng=rng)


@pytest.mark.parametrize("shape", ["short", "one set", "other dim"])
def test_contexts_that_break_their_word(shape: str) -> None:
    """A stream whose blocks do not have the promised shape is refused, whatever goes wrong; it must not hang."""
    lin = rb.RepLinUCB(horizon=100, rho=0.5, delta=0.1, noise=0.5)
    rng = np.random.default_rng(0)
    sets = vectors(rng, 100, 2, 3)
    blocks = {
        "short": lambda start, stop: sets[:50][start:stop],
        "one set": lambda start, stop: sets[start],
        "other dim": lambda start, stop: sets[start:stop, :, :2],
    }
    asked: list[int] = []

    def block(start: int, stop: int) -> FloatArray:
        asked.append(start)
        if len(asked) > 1000:
            raise RuntimeError("the simulator asks for the same sets for ever")
        return blocks[shape](start, stop)

    env = rb.LinearArms(theta=np.array([0.3, -0.2, 0.5]), actions=rb.Contexts(block=block, candidates=2, dim=3))
    with pytest.raises(InvalidInput):
        rb.simulate(lin, env, seed=1, rng=rng)
