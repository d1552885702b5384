"""UCB1, LinUCB, GLMUCB and Thompson: each against a plain transcription, live against simulated, in lanes and alone."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import HorizonReached, InvalidInput
from replibandit.policies.base import Pull
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.thompson import Thompson
from replibandit.policies.ucb1 import UCB1
from replibandit.record import encode
from replibandit.rewards import total_cells
from tests.reference.every_round import plain_beta, plain_gaussian, plain_lin_ucb, plain_ucb1

DIM = 3
TAPE = rb.Key("tape")
TABLE = np.random.default_rng(5).uniform(-1.0, 1.0, (4, DIM)) / math.sqrt(DIM)
MEANS = np.array([0.3, 0.6, 0.45, 0.5])


@dataclass(frozen=True, eq=False)
class Written:
    """Rewards written beforehand, rewards[t, a] in round t."""

    rewards: FloatArray
    actions: Any

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        rows = zip(pull.arms.tolist(), start.tolist(), pull.times.tolist(), strict=True)
        return np.array([self.rewards[first : first + n, arm].sum() for arm, first, n in rows])

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        return np.zeros(len(pull.times))


def tape(actions: Any = None) -> rb.Tape:
    return rb.Tape(means=MEANS, key=TAPE, actions=actions)


def once(spec: Any, env: Any, seed: rb.Key | str = "a") -> rb.Run:
    return rb.simulate(spec, env, seed=seed, rng=np.random.default_rng(0))


def init(spec: Any, actions: Any) -> Any:
    return spec.init(actions, [rb.Key("a")])


def written(horizon: int, data: int, actions: Any, arms: int = 4) -> Written:
    """Return rewards that are multiples of 1/64 between 0 and 1."""
    return Written(np.random.default_rng(data).integers(0, 65, (horizon, arms)) / 64.0, actions)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [0.5, 0.05])
def test_ucb1_is_its_transcription(seed: int, noise: float) -> None:
    env = written(600, seed, 4)
    assert once(UCB1(horizon=600, noise=noise), env).arms.tolist() == plain_ucb1(env.rewards, noise)


@pytest.mark.parametrize("seed", range(4))
def test_lin_ucb_is_its_transcription(seed: int) -> None:
    spec = LinUCB(horizon=200, delta=0.1, noise=0.1, penalty=0.5, norm_bound=0.7)
    env = written(200, seed, TABLE)
    assert once(spec, env).arms.tolist() == plain_lin_ucb(np.stack([TABLE] * 200), env.rewards, spec)


@pytest.mark.parametrize("seed", range(4))
def test_lin_ucb_is_its_transcription_when_the_sets_change(seed: int) -> None:
    spec = LinUCB(horizon=200, delta=0.1, noise=0.1, penalty=0.5, norm_bound=0.7)
    sets = np.random.default_rng(seed).uniform(-1.0, 1.0, (200, 4, DIM)) / math.sqrt(DIM)
    env = written(200, seed, rb.Contexts.of(sets))
    assert once(spec, env).arms.tolist() == plain_lin_ucb(sets, env.rewards, spec)


@pytest.mark.parametrize("seed", ["a", "b"])
def test_gaussian_thompson_is_its_transcription(seed: str) -> None:
    env = written(300, 7, 4)
    spec = Thompson(horizon=300, prior="gaussian", noise=0.3)
    assert once(spec, env, seed).arms.tolist() == plain_gaussian(env.rewards, 0.3, seed)


@pytest.mark.parametrize("seed", ["a", "b"])
def test_beta_thompson_is_its_transcription(seed: str) -> None:
    env = written(300, 8, 4)
    chosen, rejected = plain_beta(env.rewards, seed)
    assert rejected > 0
    assert once(Thompson(horizon=300), env, seed).arms.tolist() == chosen


@pytest.mark.parametrize("contexts", [False, True])
def test_with_the_identity_link_and_room_in_the_ball_glm_ucb_is_lin_ucb(contexts: bool) -> None:
    sets = np.random.default_rng(3).uniform(-1.0, 1.0, (60, 4, DIM)) / math.sqrt(DIM)
    env = written(60, 9, rb.Contexts.of(sets) if contexts else TABLE)
    settings: dict[str, Any] = {"horizon": 60, "delta": 0.1, "noise": 0.2, "norm_bound": 5.0}
    linear, general = once(LinUCB(**settings), env), once(GLMUCB(**settings, link="identity"), env)
    assert linear.arms.tolist() == general.arms.tolist()


def test_glm_ucb_depends_on_its_link() -> None:
    env = written(50, 9, TABLE)
    settings: dict[str, Any] = {"horizon": 50, "delta": 0.5, "noise": 0.01, "penalty": 0.1}
    runs = {tuple(once(GLMUCB(**settings, link=link), env).arms.tolist()) for link in ("identity", "logistic", "log")}
    assert len(runs) == 3


# --- the ways through a run ---

ARMS_SPECS = [UCB1(horizon=2000), Thompson(horizon=2000), Thompson(horizon=2000, prior="gaussian")]
VECTOR_CASES = [
    (LinUCB(horizon=1000, delta=0.1, noise=0.1), TABLE),
    (LinUCB(horizon=60, delta=0.1, noise=0.1), rb.Ball(1.0, DIM)),
    (GLMUCB(horizon=120, delta=0.1, noise=0.1, link="logistic"), TABLE),
]
FIXED: list[tuple[Any, Any]] = [(spec, 4) for spec in ARMS_SPECS] + VECTOR_CASES
SETS = np.random.default_rng(6).uniform(-1.0, 1.0, (500, 4, DIM)) / math.sqrt(DIM)
CHANGING = [
    LinUCB(horizon=500, delta=0.1, noise=0.1),
    GLMUCB(horizon=100, delta=0.1, noise=0.1, link="log"),
]


def case_name(value: Any) -> str:
    name = type(value).__name__
    return f"{name}-{value.prior}" if isinstance(value, Thompson) else name


@pytest.mark.parametrize(("spec", "actions"), FIXED, ids=case_name)
def test_live_is_simulated(spec: Any, actions: Any) -> None:
    env = tape(actions)
    session: Any = rb.start(spec, actions=actions, seed="a")
    for _ in range(spec.horizon):
        decision = session.ask()
        session.tell(decision, env.reward(decision.arm, decision.round))
    assert session.fingerprint == once(spec, env).fingerprint
    with pytest.raises(HorizonReached):
        session.ask()


@pytest.mark.parametrize("spec", CHANGING, ids=case_name)
def test_live_is_simulated_when_the_sets_change(spec: Any) -> None:
    env = tape(rb.Contexts.of(SETS))
    session: Any = rb.start(spec, dim=DIM, seed="a")
    for t in range(spec.horizon):
        decision = session.ask(actions=SETS[t])
        session.tell(decision, env.reward(decision.arm, decision.round))
    assert session.fingerprint == once(spec, env).fingerprint


@pytest.mark.parametrize(("spec", "actions"), FIXED, ids=case_name)
def test_a_session_resumes_bit_for_bit(spec: Any, actions: Any) -> None:
    env, saved = tape(actions), (0, 5, 19, 126, 127, 128, 129)  # a block of draws ends with round 127
    session: Any = rb.start(spec, actions=actions, seed="a")
    never: Any = rb.start(spec, actions=actions, seed="a")
    for t in range(131 if isinstance(actions, int) else 20):
        decision = session.ask()
        if t in saved:
            session = rb.restore(session.to_json())
        reward = env.reward(decision.arm, decision.round)
        session.tell(decision, reward)
        if t in saved:
            session = rb.restore(session.to_json())
        never.tell(never.ask(), reward)
    assert session.to_json() == never.to_json()


@pytest.mark.parametrize(("spec", "actions"), FIXED, ids=case_name)
def test_a_lane_does_not_see_its_neighbours(spec: Any, actions: Any) -> None:
    env, seeds = tape(actions), [f"seed {i}" for i in range(19)]
    short = replace(spec, horizon=140 if isinstance(actions, int) else 15)
    together = rb.simulate_many(short, env, seeds=seeds, rng=np.random.default_rng(1))
    for i in (0, 15, 16, 18):
        alone = once(short, env, seeds[i])
        assert alone.fingerprint == together[i].fingerprint
        assert alone.totals.tobytes() == together[i].totals.tobytes()
        assert together[i].horizon == short.horizon


@pytest.mark.parametrize("prior", ["beta", "gaussian"])
def test_thompson_depends_on_its_seed_and_ucb1_does_not(prior: str) -> None:
    runs = rb.simulate_many(Thompson(horizon=100, prior=prior), tape(), seeds=["a", "b"], rng=np.random.default_rng(0))
    assert runs[0].fingerprint != runs[1].fingerprint
    runs = rb.simulate_many(UCB1(horizon=100), tape(), seeds=["a", "b"], rng=np.random.default_rng(0))
    assert runs[0].arms.tolist() == runs[1].arms.tolist()


@pytest.mark.parametrize("actions", [np.array([[0.0, 0.0], [1.0, 0.0]]), rb.Contexts.of(np.zeros((50, 2, 2)))])
def test_an_action_that_teaches_nothing_may_stand(actions: Any) -> None:
    # the reward of the other action is so low that its bound falls below 0
    env = Written(np.column_stack([np.zeros(50), np.full(50, -1.0)]), actions)
    run = once(LinUCB(horizon=50, delta=0.5, noise=0.01, penalty=0.01), env)
    assert run.horizon == 50
    assert (run.rounds()[5:] == 0).all()


@pytest.mark.parametrize("spec", [UCB1(horizon=5), Thompson(horizon=5), Thompson(horizon=5, prior="gaussian")])
def test_nothing_happens_after_the_horizon(spec: Any) -> None:
    state = spec.init(2, [rb.Key("a"), rb.Key("b")])
    for _ in range(5):
        state = spec.update(state, spec.choose(state), total_cells(np.array([0.0, 1.0]), spec.reward_exponent()))
    pull = spec.choose(state)
    assert pull.times.tolist() == [0, 0]
    assert pull.arms.tolist() == [-1, -1]
    assert spec.update(state, pull, total_cells(np.zeros(2), spec.reward_exponent())) is state


def test_ucb1_plays_each_arm_once_and_breaks_ties_by_index() -> None:
    run = once(UCB1(horizon=9), Written(np.ones((9, 3)), 3))
    assert run.arms.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(("spec", "actions"), FIXED, ids=case_name)
def test_states_are_values(spec: Any, actions: Any) -> None:
    state = spec.init(actions, [rb.Key("a")])
    before = json.dumps(encode(state))
    after = spec.update(state, spec.choose(state), total_cells(np.ones(1), spec.reward_exponent()))
    assert json.dumps(encode(state)) == before != json.dumps(encode(after))


GOLDEN = {
    "UCB1": "e76c81766e5f71bb45d2002c6ac161d7",
    "Thompson-beta": "7c47c88b00629318b8a97594cf53d974",
    "Thompson-gaussian": "a7cd2c281eebad173553b5f28a6475c9",
    "LinUCB": "698c12ee4f1a7c3167990ea49aea8991",
    "GLMUCB": "813da72b86e4e01d31796fd92b203b46",
}


def test_runs_have_the_same_bits_everywhere() -> None:
    cases = [*FIXED[:3], (replace(FIXED[3][0], horizon=300), TABLE), FIXED[5]]
    assert {case_name(spec): once(spec, tape(actions)).fingerprint for spec, actions in cases} == GOLDEN


# --- specs ---


@pytest.mark.parametrize("spec", [*ARMS_SPECS, *(spec for spec, _ in VECTOR_CASES)], ids=case_name)
def test_specs_are_text(spec: Any) -> None:
    assert rb.from_json(rb.to_json(spec)) == spec
    assert rb.digest(spec) == rb.digest(rb.from_json(rb.to_json(spec)))


LINEAR: dict[str, Any] = {"horizon": 10, "delta": 0.1, "noise": 1.0}
GENERAL: dict[str, Any] = {**LINEAR, "link": "logistic"}


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: UCB1(horizon=0), "horizon is 0"),
        (lambda: UCB1(horizon=5, noise=-1.0), r"noise is -1\.0"),
        (lambda: init(UCB1(horizon=5), 6), "horizon is 5 with 6 arms"),
        (lambda: init(UCB1(horizon=5), 0), "arms is 0"),
        (lambda: Thompson(horizon=0), "horizon is 0"),
        (lambda: Thompson(horizon=5, prior="flat"), "prior is 'flat'"),
        (lambda: Thompson(horizon=5, noise=0.0), r"noise is 0\.0"),
        (lambda: init(Thompson(horizon=5, prior="gaussian"), 6), "needs a play of each"),
        (lambda: once(Thompson(horizon=9), Written(np.full((9, 2), -0.5), 2)), r"a reward is -0\.5"),
        (lambda: once(Thompson(horizon=9), Written(np.full((9, 2), 1.5), 2)), r"a reward is 1\.5"),
        (lambda: LinUCB(**{**LINEAR, "delta": 1.0}), r"delta is 1\.0"),
        (lambda: LinUCB(**LINEAR, penalty=0.0), r"penalty is 0\.0"),
        (lambda: init(LinUCB(**LINEAR), 4), "this policy needs vectors"),
        (lambda: init(LinUCB(**LINEAR, action_bound=0.5), np.eye(2)), "action_bound"),
        (lambda: GLMUCB(**{**GENERAL, "link": "cubic"}), "link is 'cubic'"),
        (lambda: GLMUCB(**{**GENERAL, "link": "probit"}, norm_bound=50.0), "c_mu"),
        (lambda: init(GLMUCB(**GENERAL), rb.Ball(1.0, 2)), "a ball of actions is for LinUCB"),
        (lambda: GLMUCB(**{**GENERAL, "noise": math.nan}), "noise is nan"),
    ],
)
def test_bad_input(make: Callable[[], Any], match: str) -> None:
    with pytest.raises(InvalidInput, match=match):
        make()
