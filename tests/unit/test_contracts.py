"""The contracts: every policy of the catalogue on every environment that fits it, and defects that must be caught."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray, IntArray
from replibandit.catalog import POLICIES
from replibandit.policies.base import Pull
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.thompson import Thompson
from replibandit.policies.ucb1 import UCB1
from replibandit.testing import check_environment, check_policy

DIM = 3
ROWS = np.random.default_rng(1).uniform(-1, 1, size=(6, DIM)) / np.sqrt(DIM)
SETS = np.random.default_rng(2).uniform(-1, 1, size=(2000, 5, DIM)) / np.sqrt(DIM)
SETS[::3, 4] = np.nan  # every third round has one candidate less
THETA = np.array([0.5, -0.3, 0.2])
MEANS = np.linspace(0.2, 0.8, 6)
COMMON: dict[str, Any] = {"delta": 0.05, "noise": 0.5}

ENVIRONMENTS: dict[str, Any] = {
    "Bernoulli": rb.BernoulliArms(means=MEANS),
    "certain": rb.BernoulliArms(means=np.array([0.0, 1.0, 1.0])),
    "Gaussian": rb.GaussianArms(means=MEANS, sd=0.3),
    "discrete": rb.DiscreteArms(
        values=np.array([0.0, 0.25, 1.0]), probabilities=np.array([[0.3, 0.5, 0.2], [0.1, 0.2, 0.7]])
    ),
    "sampled": rb.SampledArms(
        means=np.array([0.5, 0.6]), samplers=[lambda rng, n: rng.random(n), lambda rng, n: rng.beta(3, 2, n)]
    ),
    "tape": rb.Tape(means=MEANS, key=rb.Key("tape")),
    "linear": rb.LinearArms(theta=THETA, actions=ROWS, noise=0.5),
    "ball": rb.LinearArms(theta=THETA, actions=rb.Ball(1.0, DIM), noise=0.5),
    "linear contexts": rb.LinearArms(theta=THETA, actions=rb.Contexts.of(SETS), noise=0.5),
    "tape of rows": rb.Tape(means=MEANS, key=rb.Key("tape"), actions=ROWS),
    "logistic": rb.GLMArms(theta=THETA, actions=ROWS, link="logistic"),
    "Poisson": rb.GLMArms(theta=THETA, actions=ROWS, link="log", response="poisson"),
    "probit": rb.GLMArms(theta=THETA, actions=ROWS, link="probit", response="gaussian"),
    "logistic contexts": rb.GLMArms(theta=THETA, actions=rb.Contexts.of(SETS), link="logistic"),
}
ARMS = ["Bernoulli", "certain", "discrete", "sampled", "tape"]
LINEAR = ["linear", "ball", "linear contexts"]
GLM = ["logistic", "probit", "logistic contexts"]
SPECS: list[tuple[Any, list[str]]] = [
    (rb.RepUCB(horizon=3000, rho=0.5), [*ARMS, "Gaussian"]),
    (rb.RepUCB(horizon=3000, rho=0.5, noise=0.001), [*ARMS, "Gaussian"]),
    (rb.RepLinUCB(horizon=400, rho=0.5, **COMMON), LINEAR),
    (rb.RepLinUCB(horizon=10**12, rho=0.5, **COMMON), LINEAR[:2]),
    (rb.RepGLMUCB(horizon=400, rho=0.5, link="logistic", **COMMON), GLM),
    (rb.RepGLMUCB(horizon=400, rho=0.5, link="log", **COMMON), ["Poisson"]),
    (rb.RepCommit(horizon=3000, rho=0.5), [*ARMS, "Gaussian", "linear"]),
    (rb.RepCommit(horizon=10**12, rho=0.1, growth=9, calibration="gaussian"), ["Bernoulli", "Gaussian", "linear"]),
    (rb.RepEliminate(horizon=3000, rho=0.5, noise=0.01), [*ARMS, "Gaussian", "linear"]),
    (rb.RepEliminate(horizon=10**12, rho=0.1), ["Bernoulli", "Gaussian", "linear"]),
    (UCB1(horizon=200), ARMS),
    (LinUCB(horizon=60, **COMMON), LINEAR),
    (GLMUCB(horizon=20, link="logistic", **COMMON), GLM),
    (Thompson(horizon=200), ARMS),
    (Thompson(horizon=200, prior="gaussian"), [*ARMS, "Gaussian"]),
]


@pytest.mark.parametrize(("spec", "name"), [(spec, name) for spec, fitting in SPECS for name in fitting], ids=str)
def test_policy(spec: Any, name: str) -> None:
    check_policy(spec, ENVIRONMENTS[name])


def test_every_policy_is_checked() -> None:
    assert {type(spec).__name__ for spec, _ in SPECS} == set(POLICIES)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environment(name: str) -> None:
    check_environment(ENVIRONMENTS[name])


@pytest.mark.parametrize(
    "name", [name for name, env in ENVIRONMENTS.items() if not isinstance(env, rb.Tape | rb.SampledArms)]
)
def test_environment_at_great_lengths(name: str) -> None:
    check_environment(ENVIRONMENTS[name], times=10**13)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Turns:
    rounds: IntArray
    rewards: FloatArray


@dataclass(frozen=True, kw_only=True)
class RoundRobin:
    """A policy without defects: every arm in turn, `stay` rounds at a time."""

    horizon: int = 50
    stay: int = 7

    def reward_exponent(self) -> int:
        return 0

    def init(self, actions: int, keys: Any) -> Any:
        return Turns(rounds=np.zeros(len(keys), dtype=np.int64), rewards=np.zeros((len(keys), actions)))

    def choose(self, state: Any) -> Pull:
        arms = state.rounds // self.stay % state.rewards.shape[1]
        times = np.minimum(self.stay, self.horizon - state.rounds)
        return Pull(arms=arms, times=times, vectors=np.zeros((len(arms), 0)))

    def update(self, state: Any, pull: Pull, totals: IntArray) -> Any:
        return replace(state, rounds=state.rounds + pull.times)


class WritesIntoItsState(RoundRobin):
    def update(self, state: Any, pull: Pull, totals: IntArray) -> Any:
        state.rounds[:] += pull.times
        return state


class ReusesABuffer(RoundRobin):
    buffer = np.zeros(3, dtype=np.int64)

    def init(self, actions: int, keys: Any) -> Any:
        self.buffer[:] = 0
        return Turns(rounds=self.buffer[: len(keys)], rewards=np.zeros((len(keys), actions)))

    def update(self, state: Any, pull: Pull, totals: IntArray) -> Any:
        return replace(state, rounds=np.add(state.rounds, pull.times, out=state.rounds))


class WritesIntoTheRewards(RoundRobin):
    def update(self, state: Any, pull: Pull, totals: IntArray) -> Any:
        totals *= 2
        return super().update(state, pull, totals)


class DrawsGlobally(RoundRobin):
    def choose(self, state: Any) -> Pull:
        random.random()
        return super().choose(state)


class HidesAGenerator(RoundRobin):
    def choose(self, state: Any) -> Pull:
        pull = super().choose(state)
        return replace(pull, arms=np.random.default_rng().integers(10**9, size=len(pull.arms)) % 6)


class KeepsAGenerator(RoundRobin):
    def init(self, actions: int, keys: Any) -> Any:
        return {"turns": super().init(actions, keys), "rng": np.random.default_rng(0)}

    def choose(self, state: Any) -> Pull:
        return replace(super().choose(state["turns"]), arms=state["rng"].integers(6, size=len(state["turns"].rounds)))


class LooksAtOtherLanes(RoundRobin):
    def choose(self, state: Any) -> Pull:
        pull = super().choose(state)
        return replace(pull, arms=(pull.arms + len(pull.arms)) % 6)


class KnowsItsLane(RoundRobin):
    def choose(self, state: Any) -> Pull:
        pull = super().choose(state)
        return replace(pull, times=np.minimum(pull.times, 1 + np.arange(len(pull.times))))


class StopsEarly(RoundRobin):
    def choose(self, state: Any) -> Pull:
        pull = super().choose(state)
        return replace(pull, times=np.where(state.rounds >= 42, 0, pull.times))


class GoesOn(RoundRobin):
    def choose(self, state: Any) -> Pull:
        return replace(super().choose(state), times=np.full(len(state.rounds), self.stay))


class NamesAnArmThatIsNotThere(RoundRobin):
    def choose(self, state: Any) -> Pull:
        pull = super().choose(state)
        return replace(pull, arms=pull.arms + 1)


class AnswersInFloats(RoundRobin):
    def choose(self, state: Any) -> Pull:
        pull = super().choose(state)
        return replace(pull, arms=pull.arms.astype(np.float64))


@dataclass(frozen=True, kw_only=True)
class HasASettingThatIsNoScalar(RoundRobin):
    weights: tuple[tuple[float, ...], ...] = ((1.0, 2.0),)


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparesByIdentity(RoundRobin):
    """Equal settings, but never equal."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclass(kw_only=True)
class IsNotFrozen:
    horizon: int = 50


class CountsItsCalls(RoundRobin):
    def choose(self, state: Any) -> Pull:
        object.__setattr__(self, "stay", self.stay + 1)
        return super().choose(state)


DEFECTS: list[tuple[Callable[[], Any], str]] = [
    (WritesIntoItsState, "update changes the policy, the state or another argument"),
    (ReusesABuffer, "update changes the policy, the state or another argument"),
    (WritesIntoTheRewards, "update changes the policy, the state or another argument"),
    (CountsItsCalls, "choose changes the policy, the state or another argument"),
    (KeepsAGenerator, "choose changes the policy, the state or another argument"),
    (DrawsGlobally, "choose draws from the global random numbers"),
    (HidesAGenerator, "choose answers equal questions differently"),
    (LooksAtOtherLanes, r"the lane of Key\('a'\) decides differently alone and beside other lanes"),
    (KnowsItsLane, r"the lane of Key\('b'\) decides differently alone and beside other lanes"),
    (StopsEarly, "stands for no round, although there are rounds left"),
    (GoesOn, "passes the horizon, or stands for rounds after it"),
    (NamesAnArmThatIsNotThere, "they must be from 0 to 5"),
    (AnswersInFloats, r"arms and times must be int64 of shape \(3,\)"),
    (
        HasASettingThatIsNoScalar,
        r"the setting weights of .* is \(\(1\.0, 2\.0\),\); it must be None, a bool, a number, text or a tuple",
    ),
    (ComparesByIdentity, "the settings of ComparesByIdentity do not make it again"),
    (IsNotFrozen, "IsNotFrozen is not a frozen dataclass"),
]


def test_a_policy_without_defects_passes() -> None:
    check_policy(RoundRobin(), ENVIRONMENTS["Bernoulli"])


@pytest.mark.parametrize(("policy", "broken"), DEFECTS, ids=lambda part: getattr(part, "__name__", ""))
def test_a_defect_of_a_policy_is_caught(policy: Callable[[], Any], broken: str) -> None:
    with pytest.raises(AssertionError, match=broken):
        check_policy(policy(), ENVIRONMENTS["Bernoulli"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Coins:
    """An environment without defects: three coins."""

    actions: int = 3

    def mean(self, pull: Pull) -> FloatArray:
        return np.array([0.2, 0.5, 0.6])[pull.arms]

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        return rng.binomial(pull.times, self.mean(pull)).astype(np.float64)

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        return np.asarray(0.6 - self.mean(pull))


class KnowsTheKey(Coins):
    def __init__(self) -> None:
        super().__init__(actions=rb.Key("trial"))  # type: ignore[arg-type]


class RepeatsOneReward(Coins):
    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        return (pull.times * rng.binomial(1, self.mean(pull))).astype(np.float64)


class DrawsTheMean(Coins):
    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        noise = rng.standard_normal(len(pull.arms))
        return np.asarray(pull.times * self.mean(pull) + np.where(pull.times == 1, noise, 0.0))


class TiresOut(Coins):
    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        return np.asarray(rng.binomial(np.minimum(pull.times, 700), self.mean(pull)).astype(np.float64))


class PaysForNothing(Coins):
    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        return np.asarray(super().draw(pull, rng, start) + (pull.times == 0))


class ForgetsALane(Coins):
    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        return super().draw(pull, rng, start)[1:]


class PaysNothingKnown(Coins):
    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        return np.where(pull.arms == 2, np.nan, super().draw(pull, rng, start))


class HasABetterArmThanTheBest(Coins):
    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        return np.asarray(0.5 - self.mean(pull))


class MisstatesAGap(Coins):
    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        return np.asarray(0.6 - self.mean(pull) + 0.02 * (pull.arms == 0))


WRONG: list[tuple[type[Any], str]] = [
    (KnowsTheKey, "the environment holds a Key"),
    (RepeatsOneReward, "the variance of 1000 rounds is not 1000 times that of one round"),
    (DrawsTheMean, "the variance of 1000 rounds is not 1000 times that of one round"),
    (TiresOut, "mean"),
    (PaysForNothing, "a total of 0 rounds is not 0"),
    (ForgetsALane, "draw must return finite totals, one for each decision"),
    (PaysNothingKnown, "draw must return finite totals, one for each decision"),
    (HasABetterArmThanTheBest, "a gap is negative"),
    (MisstatesAGap, r"mean reward \+ gap differs between actions"),
]


def test_an_environment_without_defects_passes() -> None:
    check_environment(Coins())


@pytest.mark.parametrize(("environment", "broken"), WRONG, ids=lambda part: getattr(part, "__name__", ""))
def test_a_defect_of_an_environment_is_caught(environment: type[Any], broken: str) -> None:
    with pytest.raises(AssertionError, match=broken):
        check_environment(environment())
