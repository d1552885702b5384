"""Environments: sums of many rewards have the right law, by exact tests with a false alarm of one in a million.

A draw x of a law with distribution function F becomes F(x-) + U (F(x) - F(x-)), exactly uniform, and from there a
standard normal score.  Of n scores, the sum is normal with variance n and the sum of squares is chi-squared: exact
tests of mean and variance.  With 2000 draws a mean off by 0.12 standard deviations, or a variance off by 17 %, is
caught with probability above 1/2; twice as much, nearly always.
"""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import replibandit as rb
from replibandit.arrays import FloatArray, IntArray
from replibandit.environments.sums import binomial
from replibandit.errors import InvalidInput
from replibandit.policies.base import Pull

DRAWS, ALARM = 2000, 1e-6
SIZES = [10, 2**31 - 1, 2**31, 2**31 + 1, 10**12, 10**14]


def pull_of(times: int, arm: int = 0, vector: FloatArray | None = None, lanes: int = DRAWS) -> Pull:
    rows = np.zeros((lanes, 0)) if vector is None else np.tile(vector, (lanes, 1))
    return Pull(arms=np.full(lanes, arm), times=np.full(lanes, times, dtype=np.int64), vectors=rows)


MEANS: FloatArray = np.array([0.0, 0.2])
START: IntArray = np.zeros(DRAWS, dtype=np.int64)


def standard(scores: FloatArray) -> bool:
    """Say whether independent standard normal numbers look like that: their mean and their variance."""
    n = len(scores)
    mean = 2.0 * stats.norm.sf(abs(scores.sum()) / np.sqrt(n))
    squares = stats.chi2.cdf((scores * scores).sum(), n)
    return bool(mean > ALARM / 2 and min(squares, 1.0 - squares) > ALARM / 4)


def scores(values: FloatArray, law: Any, rng: np.random.Generator) -> FloatArray:
    """Return the standard normal scores of draws of a law on the whole numbers, each from its nearer tail."""
    result, u = np.empty(len(values)), rng.random(len(values))
    low = values <= law.mean()
    x, v = values[low], u[low]
    result[low] = stats.norm.ppf((1.0 - v) * law.cdf(x - 1) + v * law.cdf(x))
    x, v = values[~low], u[~low]
    result[~low] = stats.norm.isf((1.0 - v) * law.sf(x - 1) + v * law.sf(x))
    return result


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("p", [0.5, 0.02, 1e-12, 1.0 - 2.0**-30])
def test_binomial_sums(n: int, p: float) -> None:
    rng = np.random.default_rng([n % 1013, int(1 / p)])
    values = binomial(np.full(DRAWS, n), np.full(DRAWS, p), rng)
    assert values.dtype == np.float64
    assert ((values >= 0) & (values <= n) & (values == np.rint(values))).all()
    assert standard(scores(values, stats.binom(n, p), rng))


@pytest.mark.parametrize(("n", "p"), [(10, 0.5), (2**31 + 1, 0.02), (10**12, 1e-12)])
def test_the_test_of_binomial_sums_has_power(n: int, p: float) -> None:
    """Negative control: means off by a quarter of a standard deviation and variances off by 40 % are seen."""
    rng = np.random.default_rng([n % 1013, int(1 / p)])
    law = stats.binom(n, p)
    values = binomial(np.full(DRAWS, n), np.full(DRAWS, p), rng)
    right = scores(values, law, rng)
    assert standard(right)
    assert not standard(right + 0.25)
    assert not standard(right * np.sqrt(1.4))
    assert not standard(right * np.sqrt(0.6))


@pytest.mark.parametrize("n", SIZES)
def test_certain_rewards(n: int) -> None:
    rng = np.random.default_rng(1)
    assert (binomial(np.full(9, n), np.zeros(9), rng) == 0).all()
    assert (binomial(np.full(9, n), np.ones(9), rng) == n).all()


def test_lanes_of_all_sizes_at_once() -> None:
    rng = np.random.default_rng(2)
    laws = [(n, p) for n in (0, *SIZES) for p in (0.0, 1e-12, 0.3, 1.0)]
    n, p = (np.tile(np.array(column), 100) for column in zip(*laws, strict=True))
    before = n.copy(), p.copy()
    values = binomial(n, p, rng)
    assert np.array_equal(n, before[0])
    assert np.array_equal(p, before[1])
    inside = [(size, rate) for size, rate in laws if size > 0 and 0 < rate < 1]
    each = [scores(values[(n == size) & (p == rate)], stats.binom(size, rate), rng) for size, rate in inside]
    assert standard(np.concatenate(each))
    assert (values[(n == 0) | (p == 0)] == 0).all()
    assert (values == n)[p == 1].all()


@pytest.mark.parametrize("times", SIZES)
def test_arms(times: int) -> None:
    """Each arm pays its own mean, and sums over `times` rounds have the law of that many rewards."""
    rng = np.random.default_rng(times % 1013)
    coins = rb.BernoulliArms(means=np.array([0.9, 0.25]))
    values = coins.draw(pull_of(times, arm=1), rng, START)
    assert standard(scores(values, stats.binom(times, 0.25), rng))
    normals = rb.GaussianArms(means=np.array([3.0, -0.5]), sd=2.0)
    values = normals.draw(pull_of(times, arm=1), rng, START)
    assert standard((values + 0.5 * times) / (2.0 * np.sqrt(times)))


@pytest.mark.parametrize("times", SIZES)
def test_discrete_rewards(times: int) -> None:
    """How often each of three values came has a binomial law; so has any two of them together."""
    rng = np.random.default_rng(times % 1013)
    chances = [0.05, 0.35, 0.6]
    for values in np.eye(3):
        for weights in (values, 1.0 - values):
            env = rb.DiscreteArms(values=weights, probabilities=np.array([[1.0, 0.0, 0.0], chances]))
            total = env.draw(pull_of(times, arm=1), rng, START)
            assert standard(scores(total, stats.binom(times, float(weights @ chances)), rng))


def test_sampled_rewards() -> None:
    """A sum of rewards is that of the sampler, block after block, and no reward is drawn twice."""
    env = rb.SampledArms(
        means=MEANS, samplers=[lambda rng, n: np.zeros(n), lambda rng, n: np.floor(rng.random(n) + 0.2)]
    )
    for times in (0, 1, 2**16, 2**16 + 1, 200_000):
        rng, again = np.random.default_rng(times), np.random.default_rng(times)
        assert env.draw(pull_of(times, arm=1, lanes=1), rng, START[:1]) == np.floor(again.random(times) + 0.2).sum()
    with pytest.raises(InvalidInput, match=r"stands for 4294967297 rounds.*DiscreteArms"):
        env.draw(pull_of(2**32 + 1, lanes=1), rng, START[:1])
    for short in (lambda rng, n: np.zeros(n - 1), lambda rng, n: np.full(n, np.nan)):
        bad = rb.SampledArms(means=MEANS[:1], samplers=[short])
        with pytest.raises(InvalidInput, match=r"samplers\[0\] was asked for 3 rewards"):
            bad.draw(pull_of(3, lanes=1), rng, START[:1])


@pytest.mark.parametrize("times", SIZES)
def test_linear_rewards(times: int) -> None:
    rng = np.random.default_rng(times % 1013)
    theta, vector = np.array([0.5, -0.25]), np.array([0.5, 0.5])
    env = rb.LinearArms(theta=theta, actions=vector[None], noise=0.5)
    values = env.draw(pull_of(times, vector=vector), rng, START)
    assert standard((values - times * 0.125) / (0.5 * np.sqrt(times)))
    logit = 1.0 / (1.0 + np.exp(-0.125))
    glm = rb.GLMArms(theta=theta, actions=vector[None], link="logistic")
    values = glm.draw(pull_of(times, vector=vector), rng, START)
    assert standard(scores(values, stats.binom(times, logit), rng))
    glm = rb.GLMArms(theta=theta, actions=vector[None], link="log", response="poisson")
    values = glm.draw(pull_of(times, vector=vector), rng, START)
    assert standard(scores(values, stats.poisson(times * np.exp(0.125)), rng))
    glm = rb.GLMArms(theta=theta, actions=vector[None], link="probit", response="gaussian", noise=0.5)
    values = glm.draw(pull_of(times, vector=vector), rng, START)
    assert standard((values - times * stats.norm.cdf(0.125)) / (0.5 * np.sqrt(times)))


def test_lanes_are_independent() -> None:
    """The two halves of the lanes are uncorrelated: their products have mean 0."""
    rng = np.random.default_rng(3)
    env = rb.GaussianArms(means=np.array([0.0]), sd=1.0)
    values = env.draw(pull_of(1), rng, START)
    total = float((values[::2] * values[1::2]).sum()) / np.sqrt(DRAWS / 2)
    assert abs(total) < 1.1 * stats.norm.isf(ALARM / 2)  # a sum of 1000 products is nearly normal


def test_a_tape_is_read_by_round_and_arm() -> None:
    key, means = rb.Key("tape"), np.array([0.2, 0.7])
    tape = rb.Tape(means=means, key=key)
    uniforms = np.concatenate([key.child("page", page).uniform(4096) for page in range(4)])
    for arm, start, times in [(0, 0, 1), (1, 4095, 2), (0, 100, 9000), (1, 4096, 4096), (1, 4090, 6), (0, 8191, 1)]:
        expected = float((uniforms[start : start + times] < means[arm]).sum())
        assert tape.reward(arm, start, times) == expected
    starts = np.array([0, 4000, 12_000])
    pull = Pull(arms=np.array([0, 1, -1]), times=np.array([10, 200, 0]), vectors=np.zeros((3, 0)))
    written = [tape.reward(0, 0, 10), tape.reward(1, 4000, 200), 0.0]
    assert tape.draw(pull, np.random.default_rng(0), starts).tolist() == written


ODD: list[tuple[Any, dict[str, Any], str]] = [
    (rb.BernoulliArms, {"means": [0.5, 1.1]}, "from 0 to 1"),
    (rb.BernoulliArms, {"means": [-0.1]}, "from 0 to 1"),
    (rb.BernoulliArms, {"means": []}, "means"),
    (rb.BernoulliArms, {"means": [np.nan]}, "means"),
    (rb.BernoulliArms, {"means": 0.5}, "means"),
    (rb.GaussianArms, {"means": [0.5], "sd": -1.0}, "sd is"),
    (rb.GaussianArms, {"means": [0.5], "sd": np.nan}, "sd is"),
    (rb.GaussianArms, {"means": [np.inf]}, "means"),
    (rb.GaussianArms, {"means": []}, "means"),
    (rb.DiscreteArms, {"values": [0.0, 1.0], "probabilities": [[0.5, 0.6]]}, "row 0 of probabilities adds up to 1.1"),
    (rb.DiscreteArms, {"values": [0.0, 1.0], "probabilities": [[1.5, -0.5]]}, "at least 0"),
    (rb.DiscreteArms, {"values": [0.0, 1.0], "probabilities": [[1.0]]}, "a column for each"),
    (rb.DiscreteArms, {"values": [0.0, np.nan], "probabilities": [[0.5, 0.5]]}, "values"),
    (rb.SampledArms, {"means": [0.0, 1.0], "samplers": [np.zeros]}, "1 samplers for 2 means"),
    (rb.SampledArms, {"means": [], "samplers": []}, "means"),
    (rb.LinearArms, {"theta": [1.0], "actions": np.eye(2)}, "theta has 1"),
    (rb.LinearArms, {"theta": [1.0, np.nan], "actions": np.eye(2)}, "theta"),
    (rb.LinearArms, {"theta": [1.0, 1.0], "actions": 3}, "np.eye"),
    (rb.LinearArms, {"theta": [1.0, 1.0], "actions": np.eye(2), "noise": -1.0}, "noise is"),
    (rb.GLMArms, {"theta": [1.0, 1.0], "actions": np.eye(2), "link": "cauchit"}, "link is"),
    (rb.GLMArms, {"theta": [1.0, 1.0], "actions": np.eye(2), "link": "log", "response": "binary"}, "response is"),
    (rb.GLMArms, {"theta": [1.0, 1.0], "actions": rb.Ball(1.0, 2), "link": "logistic"}, "ball"),
    (rb.Tape, {"means": [np.nan], "key": rb.Key(1)}, "means"),
    (rb.Tape, {"means": [], "key": rb.Key(1)}, "means"),
]


@pytest.mark.parametrize(("kind", "settings", "words"), ODD, ids=lambda x: getattr(x, "__name__", None))
def test_settings_that_are_none(kind: Any, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        kind(**settings)


def test_a_bernoulli_mean_is_a_probability() -> None:
    """With the log link a mean can exceed 1."""
    table = np.array([[1.0, 0.0], [0.0, 1.0]])
    env = rb.GLMArms(theta=np.array([0.5, -0.5]), actions=table, link="log")
    with pytest.raises(InvalidInput, match=r"a mean is 1\.64872; a Bernoulli reward needs means from 0 to 1"):
        env.draw(pull_of(1, vector=table[0]), np.random.default_rng(0), START)
