"""L1 through scikit-learn: two laboratories with one design and independent responses get the same model.

Exact binomial tests at a one-in-a-million false alarm.  With 200 pairs and rho = 0.1 a failure is seen at 44: a truth
of 0.2 is caught with probability 0.26, one of 0.3 with 0.996.  Every pair has a seed of its own.
"""

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from replibandit.arrays import FloatArray
from replibandit.intervals import fails_at
from replibandit.links import LINKS
from replibandit.sklearn import RepGLM, RepRidge
from replibandit.testing import assert_rate_at_most
from tests.statistics.seed import SEED

RHO, DELTA = 0.1, 0.02
PAIRS = 200
NOISE = 0.5
TRUTH = np.array([0.6, -0.5, 0.4])
DESIGN = StandardScaler().fit_transform(np.random.default_rng(5).random((300, 3)))
PROBABILITY = LINKS["logistic"].mean(DESIGN @ TRUTH)


def sites(pair: int, **settings: Any) -> list[RepRidge]:
    """Return what two laboratories fit, each on data that three sites collect and merge."""
    rng = np.random.default_rng([SEED, pair])
    model = RepRidge(rho=RHO, delta=DELTA, seed=pair, feature_bound=4.0, response_bound=16.0, **settings)
    fits = []
    for order in ([0, 1, 2], [2, 0, 1]):
        y = DESIGN @ TRUTH + NOISE * rng.standard_normal(len(DESIGN))
        rows = np.array_split(rng.permutation(len(DESIGN)), 3)
        parts = [RepRidge(**model.get_params()).fit(DESIGN[part], y[part]) for part in rows]
        fits.append(parts[order[0]].merge(parts[order[1]]).merge(parts[order[2]]))
    return fits


def labels(pair: int) -> list[Any]:
    rng = np.random.default_rng([SEED, pair])
    return [np.where(rng.random(len(DESIGN)) < PROBABILITY, "ill", "healthy") for _ in range(2)]


def outside(band: tuple[FloatArray, FloatArray], truth: FloatArray) -> bool:
    return bool(((truth < band[0]) | (band[1] < truth)).any())


def test_merged_ridge() -> None:
    pairs = [sites(pair, noise=NOISE) for pair in range(PAIRS)]
    assert_rate_at_most(sum(a.fingerprint_ != b.fingerprint_ for a, b in pairs), PAIRS, rate=RHO)
    assert_rate_at_most(sum(outside(a.interval(DESIGN), DESIGN @ TRUTH) for a, _ in pairs), PAIRS, rate=DELTA)
    assert not any((a.raw_ == b.raw_).all() for a, b in pairs)


def test_noise_that_is_understated_is_caught() -> None:
    pairs = [sites(pair, noise=NOISE / 200, norm_bound=0.001) for pair in range(PAIRS)]
    assert sum(a.fingerprint_ != b.fingerprint_ for a, b in pairs) >= fails_at(PAIRS, RHO)


def test_labels_behind_a_scaler() -> None:
    parted = missed = 0
    for pair in range(PAIRS):
        pipeline = make_pipeline(StandardScaler(), RepGLM(rho=RHO, delta=DELTA, seed=pair))
        first, second = (pipeline.fit(DESIGN, y).predict_proba(DESIGN) for y in labels(pair))
        parted += (first != second).any()
        missed += outside(pipeline[-1].interval(pipeline[:-1].transform(DESIGN)), PROBABILITY)
    assert_rate_at_most(int(parted), PAIRS, rate=RHO)
    assert_rate_at_most(missed, PAIRS, rate=DELTA)


def test_logistic_regression_never_matches() -> None:
    fits = [[LogisticRegression().fit(DESIGN, y).coef_ for y in labels(pair)] for pair in range(20)]
    assert not any((a == b).all() for a, b in fits)
