"""What an audit claims: its intervals cover, its verdicts err seldom enough, and its predictions have the right mean.

Coverage is a rate, held against 1 - level by an exact binomial test with a false alarm of one in a million; an interval
that misses twice as often as it may is caught with probability above 0.999.
"""

from collections.abc import Callable

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import BoolArray, FloatArray
from replibandit.intervals import anytime_interval, binomial_tail, clopper_pearson, fails_at
from replibandit.testing import assert_rate_at_most
from replibandit.trace import compare, traces
from tests.statistics.seed import SEED

LEVEL = 0.9
AUDITS = 1000
COIN = rb.BernoulliArms(means=np.array([0.4, 0.6]))


def shares(rng: np.random.Generator, truth: float, keys: int, replicates: int) -> FloatArray:
    """Return the share of unequal pairs of each key, where keys differ: each has a chance of its own to go astray.

    Every run of a key goes astray with the key's chance, and two runs are equal if neither or both did.
    """
    # E[2 c (1 - c)] = truth for c = 0 or c = 1/2, the latter with probability 2 truth
    chance = np.where(rng.random(keys) < 2.0 * truth, 0.5, 0.0)
    astray = np.sum(rng.random((keys, replicates)) < chance[:, None], axis=1)
    return np.asarray(astray * (replicates - astray) / (replicates * (replicates - 1) / 2))


@pytest.mark.parametrize("replicates", [2, 4, 8])
@pytest.mark.parametrize("truth", [0.02, 0.1, 0.4])
def test_the_interval_covers(truth: float, replicates: int) -> None:
    rng, missed = np.random.default_rng([SEED, replicates, int(100 * truth)]), 0
    for _ in range(AUDITS):
        differing = shares(rng, truth, 200, replicates)
        low, high = rb.Tally(differing=differing, rho=0.1, level=LEVEL, anytime=False).interval
        missed += not low <= truth <= high
    assert_rate_at_most(missed, AUDITS, rate=1.0 - LEVEL)


def test_power() -> None:
    assert binomial_tail(fails_at(AUDITS, 1.0 - LEVEL), AUDITS, 2.0 * (1.0 - LEVEL)) > 0.999


def test_pairs_taken_for_independent_are_caught() -> None:
    """Negative control: to count 28 pairs of 8 runs as 28 trials is to forget that they share their runs."""
    rng, missed = np.random.default_rng(SEED), 0
    for _ in range(AUDITS):
        total = round(28 * float(shares(rng, 0.1, 200, 8).sum()))
        low, high = clopper_pearson(total, 28 * 200, LEVEL)
        missed += not low <= 0.1 <= high
    assert missed >= fails_at(AUDITS, 1.0 - LEVEL)


Interval = Callable[[float, int], tuple[float, float]]


def ever_missed(rng: np.random.Generator, truth: float, interval: Interval) -> BoolArray:
    """Say for each of many audits whether, over 400 keys, an interval misses at some stop."""
    table = {}
    for n in range(1, 401):
        kept = [k for k in range(n + 1) if interval(float(k), n)[0] <= truth <= interval(float(k), n)[1]]
        table[n] = (kept[0], kept[-1])
    totals = np.cumsum(rng.random((AUDITS, 400)) < truth, axis=1)
    low, high = (np.array([table[n][end] for n in range(1, 401)]) for end in (0, 1))
    return np.asarray(((totals < low) | (totals > high)).any(axis=1))


@pytest.mark.parametrize("truth", [0.02, 0.4])
def test_the_anytime_interval_covers_at_every_stop(truth: float) -> None:
    def fast(total: float, n: int) -> tuple[float, float]:
        return (truth, truth) if holds(total, n, truth) else (2.0, 2.0)

    missed = ever_missed(np.random.default_rng([SEED, int(100 * truth)]), truth, fast)
    assert_rate_at_most(int(missed.sum()), AUDITS, rate=1.0 - LEVEL)


def holds(total: float, n: int, p: float) -> bool:
    """Say whether the anytime interval holds p: by its definition, not by its ends."""
    from scipy.special import betaln

    height = betaln(total + 0.5, n - total + 0.5) - betaln(0.5, 0.5) - total * np.log(p) - (n - total) * np.log1p(-p)
    return bool(height < np.log(1.0 / (1.0 - LEVEL)))


def test_the_ends_are_where_the_definition_says() -> None:
    for n in (1, 7, 100, 10_000):
        for total in {0.0, 0.5, n / 3, n / 2, n - 0.25, float(n)}:
            low, high = anytime_interval(total, n, LEVEL)
            assert 0.0 <= low <= total / n <= high <= 1.0
            for end, outwards in ((low, -1.0), (high, 1.0)):
                step = outwards * (1e-13 + 1e-6 * min(end, 1.0 - end))
                if 0.0 < end + step < 1.0 and 0.0 < end < 1.0:
                    assert holds(total, n, end - step)
                    assert not holds(total, n, end + step)


def test_looking_at_a_fixed_interval_again_and_again_is_caught() -> None:
    """Negative control: an interval for one stop misses far more often if one stops where one likes."""

    def fixed(total: float, n: int) -> tuple[float, float]:
        return clopper_pearson(int(total), n, LEVEL)

    missed = ever_missed(np.random.default_rng(SEED), 0.4, fixed)
    assert missed.sum() >= fails_at(AUDITS, 1.0 - LEVEL)


@pytest.mark.parametrize("replicates", [2, 4])
def test_the_anytime_interval_covers_shares_at_every_stop(replicates: int) -> None:
    rng, missed = np.random.default_rng([SEED, replicates]), 0
    for _ in range(AUDITS):
        totals = np.cumsum(shares(rng, 0.1, 400, replicates))
        missed += not all(holds(float(total), n + 1, 0.1) for n, total in enumerate(totals))
    assert_rate_at_most(missed, AUDITS, rate=1.0 - LEVEL)


@pytest.mark.parametrize(("truth", "wrong"), [(0.11, "replicable"), (0.09, "not replicable")])
def test_a_verdict_errs_seldom(truth: float, wrong: str) -> None:
    """The truth is on one side of rho = 0.1; each audit stops when its verdict is certain, or after 1000 pairs."""
    rng, erred = np.random.default_rng([SEED, int(100 * truth)]), 0
    for _ in range(400):
        differing = (rng.random(1000) < truth).astype(np.float64)
        for stop in range(50, 1001, 50):
            verdict = rb.Tally(differing=differing[:stop], rho=0.1, level=LEVEL, anytime=True).verdict
            if verdict != "undecided":
                erred += verdict == wrong
                break
    assert_rate_at_most(erred, 400, rate=1.0 - LEVEL)


def parted_and_predicted(pairs: int) -> tuple[FloatArray, FloatArray]:
    """Return whether the cells of two runs ever differ, and the predicted probability, for a grid far too narrow."""
    spec, rng = rb.RepUCB(horizon=4000, rho=0.5, noise=0.03), np.random.default_rng([SEED, 7])
    keys = [rb.Key(f"{SEED}-{i}") for i in range(pairs)]
    runs = traces(spec, COIN, [key for key in keys for _ in range(2)], rng)
    found = [compare(a, b) for a, b in zip(runs[::2], runs[1::2], strict=True)]
    return np.array([float(f.cause is not None) for f in found]), np.array([f.risk.sum() for f in found])


def test_the_prediction_has_the_mean_of_the_count() -> None:
    """Count minus prediction is a martingale: its mean is 0, by six standard errors (false alarm 2e-9)."""
    parted, predicted = parted_and_predicted(2000)
    assert 0.2 < parted.mean() < 0.98
    difference = parted - predicted
    limit = 6.0 * difference.std() / np.sqrt(len(difference))
    assert abs(difference.mean()) < limit
    # negative controls: a prediction off by a third is caught
    for factor in (2.0 / 3.0, 4.0 / 3.0):
        assert abs((parted - factor * predicted).mean()) > limit
    # and it varies less than the count does where risks are small
    spec = rb.RepUCB(horizon=10**6, rho=0.1)
    found = rb.audit(spec, COIN, pairs=400)
    assert found.predicted is not None
    assert found.predicted.error < 0.2 * np.sqrt(found.predicted.value / 400)


def test_what_parts_runs_is_a_line_between_their_estimates() -> None:
    found = rb.audit(rb.RepUCB(horizon=4000, rho=0.5, noise=0.004), COIN, pairs=200)
    assert found.verdict == "not replicable"
    causes = [cause for cause in found.causes if cause is not None]
    assert len(causes) > 50
    assert all(0.0 <= cause.distance <= cause.apart for cause in causes)
    assert found.spent is not None
    assert found.risk is not None
    assert found.spent.sum() == pytest.approx(found.risk.mean())
