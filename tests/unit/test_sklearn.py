"""The scikit-learn estimators: scikit-learn's own checks, the functions' bits, chunks and merges, classes, bands."""

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.links import LINKS
from replibandit.sklearn import RepGLM, RepMean, RepRidge

BOUNDS: dict[str, Any] = {"feature_bound": 1e4, "response_bound": 1e4}
SMALL: dict[str, Any] = {"feature_bound": 8.0, "response_bound": 8.0}
NO_PANDAS = "pandas is not installed: not checking estimators for pandas objects."
NO_ARRAY_API = "SCIPY_ARRAY_API is not set: not checking array_api input"
# Three checks fit columns near 100.  With norm_bound 1 that allows |x^T theta| = 141, where phi underflows.
STEEP = "c_mu is 0 in double precision, so the theorem says nothing, and rep_glm refuses to"
STEEP_CHECKS = dict.fromkeys(("check_fit_idempotent", "check_fit_check_is_fitted", "check_n_features_in"), STEEP)

CHECKED = [
    RepMean(),
    RepMean(response_bound=1e4),
    RepRidge(),
    RepRidge(whitening="symmetric"),
    RepRidge(fit_intercept=True),
    RepRidge(**BOUNDS),
    RepGLM(),
    RepGLM(link="probit"),
    RepGLM(link="probit", norm_bound=0.1),
    RepGLM(link="log"),
    RepGLM(link="identity"),
    RepGLM(fit_intercept=True),
    RepGLM(box=(-1.0, 1.0)),
    RepGLM(min_slope=0.05),
    RepGLM(feature_bound=1e4),
    RepGLM(link="log", **BOUNDS),
]
STREAMING = [
    RepMean(response_bound=8.0),
    RepRidge(**SMALL),
    RepRidge(fit_intercept=True, whitening="symmetric", **SMALL),
    RepGLM(feature_bound=8.0),
    RepGLM(link="log", norm_bound=0.5, fit_intercept=True, **SMALL),
]


def design(n: int = 60, d: int = 2) -> FloatArray:
    return np.random.default_rng(0).normal(size=(n, d)) / 2


def responses(estimator: Any, X: FloatArray) -> Any:
    """Return labels for a classifier, numbers for a regressor."""
    noisy = X @ np.linspace(0.8, -0.4, X.shape[1]) + np.random.default_rng(1).normal(size=len(X)) / 2
    return np.where(noisy > 0, "yes", "no") if is_classifier(estimator) else noisy


def in_chunks(estimator: Any, X: FloatArray, y: Any, chunks: list[list[int]]) -> Any:
    fresh = clone(estimator)
    for rows in chunks:
        if is_classifier(fresh):
            fresh.partial_fit(X[rows], y[rows], classes=["yes", "no"])
        else:
            fresh.partial_fit(X[rows], y[rows])
    return fresh


def bits(estimator: Any) -> dict[str, bytes]:
    """Return everything that is fitted, to the last bit."""
    fitted = {name: value for name, value in vars(estimator).items() if name.endswith("_")}
    results = {name: value for name, value in fitted.items() if name not in ("fit_", "seen_")}
    return {name: np.asarray(value).tobytes() for name, value in results.items()}


# --- scikit-learn's own checks ---


@pytest.mark.parametrize("estimator", CHECKED, ids=str)
def test_check_estimator(estimator: Any) -> None:
    steep = str(estimator) == "RepGLM(link='probit')"
    expected = STEEP_CHECKS if steep else {}
    results = check_estimator(estimator, on_skip=None, on_fail="raise", expected_failed_checks=expected)
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(expected)
    assert {str(r["exception"]) for r in results if r["status"] == "skipped"} <= {NO_PANDAS, NO_ARRAY_API}
    assert {r["status"] for r in results} <= {"passed", "skipped", "xfail"}
    assert len(results) > 45


def test_the_check_skipped_without_array_dispatch_passes_with_it() -> None:
    code = f"""
from sklearn.utils.estimator_checks import check_estimator
from replibandit.sklearn import RepGLM, RepMean, RepRidge
for estimator in (RepMean(), RepRidge(), RepGLM(), RepGLM(link="identity")):
    results = check_estimator(estimator, on_skip=None)
    print({{str(r["exception"]) for r in results if r["status"] == "skipped"}} - {{{NO_PANDAS!r}}})
"""
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False, text=True)
    assert done.stdout.split() == ["set()"] * 4, done.stderr


# --- the same bits as the functions ---


@pytest.mark.parametrize("whitening", ["cholesky", "symmetric"])
def test_ridge_is_the_function(whitening: str) -> None:
    X = design()
    y = responses(RepRidge(), X)
    model = RepRidge(noise=0.5, seed="lab-7", penalty=2.0, whitening=whitening).fit(X, y)
    fit = rb.rep_ridge(X, y, rho=0.1, delta=0.01, noise=0.5, seed="lab-7", penalty=2.0, whitening=whitening)
    assert model.fingerprint_ == model.fit_.fingerprint == fit.fingerprint
    assert model.coef_.tobytes() == model.theta_.tobytes() == fit.theta.tobytes()
    assert model.raw_.tobytes() == fit.raw.tobytes()
    assert (model.radius_, model.inflated_radius_, model.width_) == (fit.radius, fit.inflated_radius, fit.width)


def test_the_intercept_is_a_constant_column() -> None:
    X = design()
    y = 3.0 + responses(RepRidge(), X)
    fit = rb.rep_ridge(np.column_stack([X, np.ones(len(X))]), y, rho=0.1, delta=0.01, noise=1.0, seed=0)
    for bounds in ({}, SMALL):
        model = RepRidge(fit_intercept=True, **bounds).fit(X, y)
        assert np.allclose(model.raw_, fit.raw, rtol=0, atol=1e-9)
        assert model.predict(X) == pytest.approx(X @ model.coef_ + model.intercept_)
    assert RepRidge(fit_intercept=True).fit(X, y).fingerprint_ == fit.fingerprint


def test_mean_is_the_function() -> None:
    values = np.random.default_rng(2).random(100)
    model = RepMean(seed="lab-7").fit(design(100), values)
    fit = rb.rep_mean(values, rho=0.1, delta=0.01, seed="lab-7")
    assert (model.theta_, model.fingerprint_, model.cell_, model.shift_) == (
        fit.theta,
        fit.fingerprint,
        fit.cell,
        fit.shift,
    )
    assert (model.predict(design(3)) == [fit.theta] * 3).all()


@pytest.mark.parametrize("link", LINKS)
def test_glm_is_the_function(link: str) -> None:
    X = design()
    y = (responses(RepRidge(), X) > 0).astype(float)
    for settings in ({"norm_bound": 0.5}, {"box": (-1.0, np.array([0.5, 1.0]))}, {"min_slope": 0.05}):
        model = RepGLM(link=link, **settings).fit(X, y)
        fit = rb.rep_glm(X, y, link=link, rho=0.1, delta=0.01, noise=0.5, seed=0, **settings)
        assert model.fingerprint_ == fit.fingerprint
        assert model.theta_.tobytes() == fit.theta.tobytes()
        assert np.ravel(model.coef_).tobytes() == fit.theta.tobytes()


# --- chunks and merges ---


@pytest.mark.parametrize("estimator", STREAMING, ids=str)
def test_any_order_of_chunks_and_merges_gives_the_bits_of_one_fit(estimator: Any) -> None:
    X = design()
    y = responses(estimator, X)
    whole = bits(clone(estimator).fit(X, y))
    rng = np.random.default_rng(3)
    for parts in (1, 2, 5):
        chunks = [list(rows) for rows in np.array_split(rng.permutation(len(X)), parts)]
        assert bits(in_chunks(estimator, X, y, chunks)) == whole
    a, b, c = (in_chunks(estimator, X, y, [rows]) for rows in chunks[:3])
    rest = in_chunks(estimator, X, y, chunks[3:])
    assert bits(a.merge(b).merge(c.merge(rest))) == bits(rest.merge(c.merge(a)).merge(b)) == whole
    assert bits(a.merge(b).merge(c)) != whole
    assert bits(clone(estimator).fit(X[:7], y[:7]).fit(X, y)) == whole


@pytest.mark.parametrize("estimator", STREAMING, ids=str)
def test_merge_leaves_both_as_they_were(estimator: Any) -> None:
    X = design()
    y = responses(estimator, X)
    one, two = (clone(estimator).fit(X[rows], y[rows]) for rows in (slice(0, 30), slice(30, 60)))
    before = bits(one), bits(two)
    one.merge(two).partial_fit(X[:5], y[:5])
    assert (bits(one), bits(two)) == before


@pytest.mark.parametrize("estimator", STREAMING, ids=str)
def test_a_refused_chunk_changes_nothing(estimator: Any) -> None:
    X = design()
    y = responses(estimator, X)
    model = clone(estimator).fit(X, y)
    before = bits(model)
    bad_y = np.array(["maybe"]) if is_classifier(model) else np.array([1e6])
    for rows, values in ((X[:1], bad_y), (X[:1] * np.nan, y[:1]), (X[:3], y[:2]), (X[:1, :1], y[:1])):
        with pytest.raises(ValueError, match=r"maybe|1000000|NaN|inconsistent|1 features"):
            model.partial_fit(rows, values)
        assert bits(model) == before
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X * np.nan, y)
    assert bits(model) == before
    assert bits(model.partial_fit(X[:1], y[:1])) != before


def test_a_row_beyond_the_declared_bound_is_refused() -> None:
    X = design()
    for model in (RepRidge(**SMALL), RepGLM(link="identity", **SMALL)):
        with pytest.raises(InvalidInput, match="Declare a larger bound"):
            model.fit(100 * X, X[:, 0])
        assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize(
    ("estimator", "names"),
    [
        (RepMean(), "response_bound"),
        (RepRidge(), "feature_bound and response_bound"),
        (RepRidge(feature_bound=1.0), "response_bound"),
        (RepGLM(), "feature_bound"),
        (RepGLM(link="log"), "feature_bound and response_bound"),
    ],
    ids=str,
)
def test_without_bounds_there_is_no_partial_fit(estimator: Any, names: str) -> None:
    assert not hasattr(estimator, "partial_fit")
    assert not hasattr(estimator, "merge")
    for call in ("partial_fit", "merge"):
        with pytest.raises(InvalidInput, match=f"^{names} must be declared before"):
            getattr(estimator, call)


def test_one_bound_of_two_is_an_error() -> None:
    for model in (RepRidge(feature_bound=8.0), RepGLM(link="log", response_bound=8.0)):
        with pytest.raises(InvalidInput, match="_bound must be declared"):
            model.fit(design(), design()[:, 0])


def test_bounds_that_come_late_are_an_error() -> None:
    X = design()
    model = RepRidge().fit(X, X[:, 0]).set_params(**SMALL)
    with pytest.raises(InvalidInput, match="Fit again first"):
        model.partial_fit(X, X[:, 0])
    streaming = RepRidge(**SMALL).fit(X, X[:, 0]).set_params(feature_bound=100.0)
    with pytest.raises(InvalidInput, match="cannot be merged"):
        streaming.partial_fit(X, X[:, 0])
    kept = RepGLM(link="identity", **SMALL).fit(X, X[:, 0]).set_params(response_bound=100.0)
    with pytest.raises(InvalidInput, match="cannot be merged"):
        kept.partial_fit(X, X[:, 0])


def test_merge_refuses_what_does_not_match() -> None:
    X = design()
    y = responses(RepGLM(), X)
    model = RepGLM(feature_bound=8.0, box=(-1.0, np.array([1.0, 2.0]))).fit(X, y)
    alike = clone(model).fit(X[:30], y[:30])
    named = clone(model).fit(X, y)
    named.feature_names_in_ = np.array(["a", "b"], dtype=object)
    others = {
        "other is a RepRidge": RepRidge(**SMALL).fit(X, X[:, 0]),
        "rho is 0.1 here and 0.2 there": clone(model).set_params(rho=0.2).fit(X, y),
        "box is": clone(model).set_params(box=(-1.0, np.array([1.0, 3.0]))).fit(X, y),
        "classes_ is": clone(model).fit(X, y == "yes"),
        "feature_names_in_ is": named,
    }
    for message, other in others.items():
        with pytest.raises(InvalidInput, match=message):
            model.merge(other)
    with pytest.raises(NotFittedError):
        model.merge(clone(model))
    assert model.merge(alike).fit_.gram[0, 0] > model.fit_.gram[0, 0]
    ridge = [RepRidge(**SMALL).fit(design(d=d), X[:, 0]) for d in (2, 3)]
    with pytest.raises(InvalidInput, match="n_features_in_ is 2 here and 3 there"):
        ridge[0].merge(ridge[1])


def test_kept_rows_are_not_the_callers() -> None:
    X, y = design(), design()[:, 0].copy()
    model = RepGLM(link="identity", **SMALL).fit(X, y)
    expected = bits(clone(model).fit(X, y).partial_fit(X[:5], y[:5]))
    chunk = X[:5].copy(), y[:5].copy()
    X[:], y[:] = 0.0, 0.0
    assert bits(model.partial_fit(*chunk)) == expected


# --- classes ---


@pytest.mark.parametrize("link", ["logistic", "probit", LINKS["probit"]], ids=str)
@pytest.mark.parametrize("labels", [(0, 1), (False, True), ("no", "yes"), (-1, 7)], ids=str)
def test_two_classes(link: Any, labels: tuple[Any, Any]) -> None:
    X = design(400)
    y = np.array(labels)[(X[:, 0] > 0).astype(int)]
    model = RepGLM(link=link, noise=0.05, seed=2).fit(X, y)
    eta, p = model.decision_function(X), model.predict_proba(X)
    assert list(model.classes_) == list(labels)
    assert (model.predict(X) == np.array(labels)[(eta > 0).astype(int)]).all()
    assert 0 < (eta > 0).sum() < len(X)
    assert (np.argmax(p, axis=1) == (eta > 0)).all()
    assert p.sum(axis=1) == pytest.approx(1.0)
    assert model.score(X, y) == accuracy_score(y, model.predict(X))
    assert model.coef_.shape == (1, 2)
    assert model.intercept_.shape == (1,)


def test_the_link_makes_it_a_classifier_or_a_regressor() -> None:
    X = design()
    y = (X[:, 0] > 0).astype(float)
    model = RepGLM().fit(X, y)
    assert (is_classifier(model), is_regressor(model)) == (True, False)
    assert get_tags(model).classifier_tags.multi_class is False
    model.set_params(link="identity").fit(X, y)
    assert (is_classifier(model), is_regressor(model)) == (False, True)
    assert model.score(X, y) == r2_score(y, model.predict(X))
    assert not hasattr(model, "classes_")
    for name in ("predict_proba", "decision_function"):
        assert not hasattr(model, name)
        with pytest.raises(InvalidInput, match="the 'identity' link is a regressor"):
            getattr(model, name)
    with pytest.raises(InvalidInput, match="is a regressor"):
        RepGLM(link="log", **SMALL).partial_fit(X, y, classes=[0, 1])


def test_the_number_of_classes_must_be_two() -> None:
    X = design()
    with pytest.raises(InvalidInput, match=r"Only binary classification is supported\. y has 3 classes"):
        RepGLM().fit(X, np.arange(len(X)) % 3)
    with pytest.raises(InvalidInput, match="y holds one class only, 'no'"):
        RepGLM().fit(X, np.full(len(X), "no"))
    with pytest.raises(InvalidInput, match="one class only"):
        RepGLM(feature_bound=8.0).partial_fit(X, np.zeros(len(X)), classes=[0])


def test_declared_classes_allow_a_chunk_of_one() -> None:
    X = design()
    y = np.where(X[:, 0] > 0, "yes", "no")
    first, second = np.flatnonzero(y == "no"), np.flatnonzero(y == "yes")
    model = RepGLM(feature_bound=8.0).partial_fit(X[first], y[first], classes=["yes", "no"])
    with pytest.raises(InvalidInput, match="'maybe'; the classes are"):
        model.partial_fit(X[:1], ["maybe"])
    with pytest.raises(InvalidInput, match="the classes are"):
        model.partial_fit(X[:2], [0, 1])
    with pytest.raises(InvalidInput, match="Pass the same or none"):
        model.partial_fit(X[second], y[second], classes=["maybe", "yes"])
    whole = RepGLM(feature_bound=8.0).fit(X, y)
    assert bits(model.partial_fit(X[second], y[second])) == bits(whole)
    with pytest.raises(InvalidInput, match="needs both labels"):
        RepGLM(feature_bound=8.0).partial_fit(X, y)


# --- bands ---


def test_the_ridge_interval_is_the_certified_band() -> None:
    X = design()
    model = RepRidge(fit_intercept=True).fit(X, X[:, 0])
    low, high = model.interval(X)
    ends = rb.band(model.fit_, np.column_stack([X, np.ones(len(X))]))
    assert (low == ends[0]).all()
    assert (high == ends[1]).all()
    assert ((low < model.predict(X)) & (model.predict(X) < high)).all()


@pytest.mark.parametrize("link", LINKS)
def test_the_glm_interval_is_the_mean_of_the_linear_band(link: str) -> None:
    X = design(2000)
    truth = LINKS[link].mean(X @ [0.5, -0.5])
    y = np.where(np.random.default_rng(4).random(len(X)) < truth, 1.0, 0.0)
    model = RepGLM(link=link, norm_bound=0.8).fit(X, y)
    low, high = model.interval(X)
    predicted = model.predict_proba(X)[:, 1] if is_classifier(model) else model.predict(X)
    assert ((low <= predicted) & (predicted <= high)).all()
    assert ((low <= truth) & (truth <= high)).all()
    whitened = np.linalg.solve(np.linalg.cholesky(model.gram_), X.T)
    half = model.inflated_radius_ * np.sqrt((whitened**2).sum(axis=0))
    assert low == pytest.approx(LINKS[link].mean(X @ model.theta_ - half))
    assert high == pytest.approx(LINKS[link].mean(X @ model.theta_ + half))


# --- the company of other estimators ---


@pytest.mark.parametrize("estimator", [*STREAMING, RepGLM(box=(np.zeros(2), np.ones(2)))], ids=str)
def test_clone_and_pickle(estimator: Any) -> None:
    X = design()
    y = responses(estimator, X)
    model = clone(estimator).set_params(seed=rb.Key("lab-7").child("site", 1)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert bits(again) == bits(model) == bits(clone(model).fit(X, y))
    assert (again.predict(X) == model.predict(X)).all()
    assert bits(clone(model).set_params(seed=1).fit(X, y)) != bits(model)


def test_a_pickle_goes_on_where_it_stopped() -> None:
    X = design()
    y = X[:, 0]
    model = pickle.loads(pickle.dumps(RepRidge(**SMALL).fit(X[:20], y[:20])))
    assert bits(model.partial_fit(X[20:], y[20:])) == bits(RepRidge(**SMALL).fit(X, y))


def test_pipeline_and_search() -> None:
    X, y = 50 + 10 * design(200), design(200)[:, 0]
    pipeline = make_pipeline(StandardScaler(), RepRidge(noise=0.01))
    scaled = StandardScaler().fit_transform(X)
    assert pipeline.fit(X, y)[-1].fingerprint_ == RepRidge(noise=0.01).fit(scaled, y).fingerprint_
    search = GridSearchCV(pipeline, {"repridge__rho": [0.03, 0.3]}, cv=2).fit(X, y)
    assert search.best_params_ == {"repridge__rho": 0.3}
    assert np.isfinite(cross_val_score(RepGLM(), X / 100, y > 0, cv=3)).all()


def test_an_infinite_mean_scores_minus_infinity() -> None:
    X = 40 * design()
    model = RepGLM(link="log").fit(X, X[:, 0])
    assert np.isinf(model.predict(X)).any()
    assert model.score(X, X[:, 0]) == -np.inf


@pytest.mark.parametrize("estimator", [RepMean(), RepRidge(), RepGLM()], ids=str)
def test_kinds_of_input(estimator: Any) -> None:
    X = design().astype(np.float32)
    y = responses(estimator, X.astype(np.float64))
    whole = bits(clone(estimator).fit(X.astype(np.float64), y))
    assert bits(clone(estimator).fit(X, y)) == whole
    assert bits(clone(estimator).fit(np.asfortranarray(X).tolist(), list(y))) == whole
    with pytest.raises(TypeError, match="dense data is required"):
        clone(estimator).fit(sparse.csr_matrix(X), y)
    with pytest.raises(NotFittedError):
        clone(estimator).predict(X)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (RepRidge(rho=0.02), "rho"),
        (RepRidge(whitening="pca"), "whitening"),
        (RepMean(noise=-1.0), "noise"),
        (RepGLM(link="cauchit"), "link"),
        (RepGLM(box=(-1.0, 1.0), min_slope=0.1), "box and min_slope"),
        (RepRidge(feature_bound=-1.0, response_bound=1.0), "feature_bound"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_an_error_of_fit(estimator: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        estimator.fit(design(), np.arange(60) % 2)


# --- the import ---


def test_without_scikit_learn_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import replibandit.sklearn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert "ImportError: replibandit.sklearn needs scikit-learn 1.6 or newer" in done.stderr
    assert "pip install 'replibandit[sklearn]'" in done.stderr
