"""L1 of the policies, measured: two runs with one seed act alike in every round with probability at least 1 - rho.

Exact binomial tests at a one-in-a-million false alarm.  With 400 pairs and rho = 0.1 a failure is seen at 72: a truth
of 0.2 is caught with probability 0.86, one of 0.3 always; with 1000 pairs at 149, and 0.2 is always caught.  Every pair
has a key of its own.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.intervals import binomial_tail, fails_at
from replibandit.testing import assert_rate_at_least
from replibandit.trace import Comparison, Trace, compare, traces
from tests.statistics.bandits import GLM, LINEAR, RHO, UCB, Bandit
from tests.statistics.seed import SEED


@dataclass(frozen=True, eq=False)
class Pairs:
    """The runs of a bandit, two for each key, and how the two compare."""

    bandit: Bandit
    firsts: list[Trace]
    found: list[Comparison]

    def alike(self) -> int:
        return sum(pair.divergence is None for pair in self.found)


def keys_of(bandit: Bandit) -> list[rb.Key]:
    return [rb.Key(f"{SEED}-{i}") for i in range(bandit.pairs)]


def play(bandit: Bandit, spec: Any = None) -> Pairs:
    seeds = [key for key in keys_of(bandit) for _ in range(2)]
    runs = traces(spec or bandit.spec, bandit.env, seeds, np.random.default_rng([SEED, 1]))
    return Pairs(bandit, runs[::2], [compare(a, b) for a, b in zip(runs[::2], runs[1::2], strict=True)])


@pytest.fixture(scope="module", params=[*UCB, *LINEAR, *GLM], ids=str)
def played(request: pytest.FixtureRequest) -> Pairs:
    return play(request.param)


def test_two_runs_act_alike(played: Pairs) -> None:
    assert_rate_at_least(played.alike(), len(played.found), rate=1.0 - RHO)


def test_runs_with_equal_cells_act_alike(played: Pairs) -> None:
    """What is played depends on the rewards through the cells only: this is why few runs part."""
    assert all(pair.divergence is None for pair in played.found if pair.cause is None)


def test_what_is_played_depends_on_the_rewards(played: Pairs) -> None:
    """Control: with another truth other actions are played, so it is not for want of learning that runs are alike."""
    bandit = played.bandit
    seeds, rng = keys_of(bandit)[: bandit.pairs // 2], np.random.default_rng([SEED, 2])
    others = rb.simulate_many(bandit.spec, bandit.other, seeds=seeds, rng=rng)
    assert any(rb.first_divergence(a.run, b) is not None for a, b in zip(played.firsts, others, strict=False))


def test_power() -> None:
    assert binomial_tail(fails_at(400, RHO), 400, 2.0 * RHO) > 0.85
    assert binomial_tail(fails_at(1000, RHO), 1000, 2.0 * RHO) > 0.999


@pytest.mark.parametrize(
    ("bandit", "wrong"),
    [
        (UCB[0], {"noise": 0.001}),
        (LINEAR[0], {"noise": 0.001, "penalty": 1e-6}),
        (replace(GLM[0], pairs=200), {"noise": 0.001, "penalty": 1e-6}),
    ],
    ids=str,
)
def test_noise_declared_too_small_is_caught(bandit: Bandit, wrong: dict[str, float]) -> None:
    """Negative control: the grids for 1/500 of the noise are too narrow."""
    alike = play(bandit, replace(bandit.spec, **wrong)).alike()
    assert bandit.pairs - alike >= fails_at(bandit.pairs, RHO)


@pytest.mark.parametrize(
    ("reference", "bandit"),
    [
        (rb.UCB1(horizon=1000), UCB[0]),
        (rb.Thompson(horizon=1000), UCB[1]),
        (rb.LinUCB(horizon=300, delta=0.01, noise=0.5), LINEAR[0]),
        (rb.LinUCB(horizon=300, delta=0.01, noise=0.5), LINEAR[2]),
        (rb.GLMUCB(horizon=100, delta=0.01, noise=0.5, link="logistic"), GLM[0]),
    ],
    ids=str,
)
def test_the_references_part_in_nearly_every_pair(reference: Any, bandit: Bandit) -> None:
    fewer = replace(bandit, pairs=200)
    alike = play(fewer, reference).alike()
    assert_rate_at_least(200 - alike, 200, rate=0.9)
