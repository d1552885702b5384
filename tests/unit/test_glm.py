"""RepGLM against its algorithm written in NumPy, against other solvers, on odd data, and at the door."""

import sys
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_ndtr
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from replibandit.arithmetic import Scale
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput, NotConverged, OutOfRange
from replibandit.estimators.glm import GLMFit, rep_glm
from replibandit.estimators.ridge import rep_ridge
from replibandit.key import Key
from replibandit.links import LINKS

RNG = np.random.default_rng(20_240_817)
SETTINGS: dict[str, Any] = {"rho": 0.1, "delta": 0.01, "noise": 0.5, "seed": "lab-7"}
LINK_NAMES = list(LINKS)
TRUTH = np.array([0.8, -0.5, 0.3])
X = np.rint(RNG.normal(size=(300, 3)) * 2**9) * 2.0**-10
Y = (RNG.random(300) < expit(X @ TRUTH)).astype(np.float64)


def assert_same(one: GLMFit, other: GLMFit) -> None:
    for name in one.__slots__:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def sample(name: str, X: FloatArray) -> FloatArray:
    eta = X @ TRUTH
    if name == "identity":
        return np.asarray(eta + RNG.normal(size=len(X)))
    if name == "log":
        return np.asarray(RNG.poisson(np.exp(eta)), dtype=np.float64)
    mean: FloatArray = np.asarray(expit(eta) if name == "logistic" else norm.cdf(eta))
    return (RNG.random(len(X)) < mean).astype(np.float64)


def objective(name: str, X: FloatArray, y: FloatArray, penalty: float, theta: FloatArray) -> tuple[float, FloatArray]:
    """Return the penalised negative quasi-likelihood and its gradient, with SciPy's functions."""
    eta = X @ theta
    b, mean = {
        "identity": (eta**2 / 2, eta),
        "logistic": (np.logaddexp(0, eta), expit(eta)),
        "probit": (eta * np.exp(log_ndtr(eta)) + norm.pdf(eta), norm.cdf(eta)),
        "log": (np.exp(eta), np.exp(eta)),
    }[name]
    value = float(b.sum() - y @ eta + penalty / 2 * theta @ theta)
    return value, np.asarray(X.T @ (mean - y) + penalty * theta)


def minimum(name: str, y: FloatArray, start: FloatArray, **method: Any) -> Any:
    return minimize(lambda theta: objective(name, X, y, 1.0, theta), start, jac=True, **method)


@pytest.mark.parametrize("name", LINK_NAMES)
@pytest.mark.parametrize("whitening", ["cholesky", "symmetric"])
def test_is_algorithm_4(name: str, whitening: str) -> None:
    y, penalty, norm_bound, noise, rho, delta = sample(name, X), 0.7, 1.5, 0.6, 0.2, 0.03
    settings: dict[str, Any] = {
        "rho": rho,
        "delta": delta,
        "noise": noise,
        "penalty": penalty,
        "norm_bound": norm_bound,
    }
    fit = rep_glm(X, y, link=name, seed=7, whitening=whitening, **settings)
    V = penalty * np.eye(3) + X.T @ X
    reach = norm_bound * np.sqrt((X**2).sum(axis=1).max())
    c = {"identity": 1.0, "logistic": expit(reach) * expit(-reach), "probit": norm.pdf(reach), "log": np.exp(-reach)}[
        name
    ]
    ratio = np.linalg.slogdet(V)[1] - 3 * np.log(penalty)
    radius = (noise * np.sqrt(ratio + 2 * np.log(1 / delta)) + np.sqrt(penalty) * norm_bound) / min(1, c)
    width = 2 * radius * np.sqrt(3) / (rho - 2 * delta)
    values, vectors = np.linalg.eigh(V)
    W = np.linalg.cholesky(V).T if whitening == "cholesky" else (vectors * np.sqrt(values)) @ vectors.T
    cell = np.floor((W @ fit.raw - fit.shift) / width)
    assert fit.min_slope == pytest.approx(c, rel=1e-12)
    assert fit.radius == pytest.approx(radius, rel=1e-9)
    assert fit.width == pytest.approx(width, rel=1e-9)
    assert fit.inflated_radius == pytest.approx(radius * (1 + 3 / (rho - 2 * delta)), rel=1e-9)
    assert (fit.shift == fit.width * Key(7).child("estimate").uniform(3)).all()
    assert (fit.cell == cell).all()
    assert np.allclose(fit.theta, np.linalg.solve(W, width * cell + fit.shift + width / 2), rtol=1e-8)
    assert np.allclose(fit.gram, V, rtol=1e-14)
    assert fit.residual <= 2.0**-24 * radius * min(1, c)


@pytest.mark.parametrize(("n", "d"), [(40, 1), (300, 3), (5000, 10)])
@pytest.mark.parametrize("penalty", [1.0, 0.1, 30.0])
def test_free_solution_is_that_of_scikit_learn(n: int, d: int, penalty: float) -> None:
    X = RNG.normal(size=(n, d)) + 0.2
    y = (RNG.random(n) < expit(X @ RNG.normal(size=d))).astype(np.float64)
    reference = LogisticRegression(C=1 / penalty, fit_intercept=False, tol=1e-13, solver="newton-cholesky").fit(X, y)
    fit = rep_glm(X, y, link="logistic", **SETTINGS, penalty=penalty, min_slope=0.1)
    assert abs(fit.raw - reference.coef_[0]).max() < 1e-8


@pytest.mark.parametrize("name", LINK_NAMES)
@pytest.mark.parametrize("radius", [0.05, 0.3, 40.0])
def test_ball_solution_is_that_of_slsqp(name: str, radius: float) -> None:
    y = sample(name, X)
    domain: dict[str, Any] = {"norm_bound": radius} if radius < 9 else {"min_slope": 0.1}
    fit = rep_glm(X, y, link=name, **SETTINGS, **domain)
    inside = {"type": "ineq", "fun": lambda t: radius**2 - t @ t, "jac": lambda t: -2 * t}
    options = {"ftol": 1e-15, "maxiter": 500}
    found = minimum(name, y, np.zeros(3), method="SLSQP", constraints=[inside], options=options)
    assert abs(fit.raw - found.x).max() < 1e-5
    assert objective(name, X, y, 1.0, fit.raw)[0] <= found.fun + 1e-9 * abs(found.fun)
    # by hand: the gradient is a negative multiple of theta on the sphere, and 0 inside
    gradient, size = objective(name, X, y, 1.0, fit.raw)[1], float(np.linalg.norm(fit.raw))
    assert size <= radius * (1 + 1e-9)
    multiplier = -(gradient @ fit.raw) / size**2 if size > radius * (1 - 1e-9) else 0.0
    left = gradient + multiplier * fit.raw
    assert multiplier >= 0
    assert np.sqrt(left @ np.linalg.solve(fit.gram, left)) == pytest.approx(fit.residual, abs=1e-11)


@pytest.mark.parametrize("name", LINK_NAMES)
@pytest.mark.parametrize("seed", range(10))
def test_box_solution_is_that_of_lbfgsb(name: str, seed: int) -> None:
    rng, y = np.random.default_rng(seed), sample(name, X)
    centre, half = 0.5 * rng.normal(size=3), rng.uniform(0.01, 0.6, size=3)
    low, high = centre - half, centre + half
    fit = rep_glm(X, y, link=name, **SETTINGS, box=(low, high))
    bounds, options = list(zip(low, high, strict=True)), {"ftol": 1e-16, "gtol": 1e-11}
    found = minimum(name, y, centre, method="L-BFGS-B", bounds=bounds, options=options)
    assert ((low <= fit.raw) & (fit.raw <= high)).all()
    assert abs(fit.raw - found.x).max() < 1e-5
    gradient = objective(name, X, y, 1.0, fit.raw)[1]
    left = np.where(((fit.raw == low) & (gradient > 0)) | ((fit.raw == high) & (gradient < 0)), 0.0, gradient)
    assert np.sqrt(left @ np.linalg.solve(fit.gram, left)) == pytest.approx(fit.residual, abs=1e-11)


def test_a_box_that_holds_the_free_solution_changes_nothing() -> None:
    free = rep_glm(X, Y, link="logistic", **SETTINGS, min_slope=0.1).raw
    for fit in (
        rep_glm(X, Y, link="logistic", **SETTINGS, box=(np.full(3, -9.0), np.full(3, 9.0))),
        rep_glm(X, Y, link="logistic", **SETTINGS, norm_bound=9.0),
    ):
        assert abs(fit.raw - free).max() < 1e-10


def test_identity_link_is_ridge() -> None:
    y = sample("identity", X)
    ridge, glm = rep_ridge(X, y, **SETTINGS), rep_glm(X, y, link="identity", **SETTINGS, min_slope=1.0)
    assert abs(glm.raw - ridge.raw).max() < 1e-10
    assert (glm.radius, glm.width) == (ridge.radius, ridge.width)
    assert (glm.cell == ridge.cell).all()
    assert np.allclose(glm.theta, ridge.theta, rtol=1e-14)


@pytest.mark.parametrize("name", LINK_NAMES)
@pytest.mark.parametrize("domain", [{"norm_bound": 0.4}, {"box": (-0.3, 0.5)}, {"min_slope": 0.1}])
def test_counts_are_rows_written_out(name: str, domain: dict[str, Any]) -> None:
    counts = np.arange(60) % 17 + 1
    group = np.repeat(np.arange(60), counts)
    y = RNG.integers(0, 2 if name in ("logistic", "probit") else 9, size=len(group)).astype(np.float64)
    sums = np.bincount(group, weights=y).astype(np.float64)
    grouped = rep_glm(X[:60], sums, link=name, **SETTINGS, **domain, counts=counts)
    assert_same(grouped, rep_glm(X[group], y, link=name, **SETTINGS, **domain))


def test_huge_counts() -> None:
    for domain in ({"min_slope": 0.1}, {"norm_bound": 0.5}, {"box": (-0.3, 0.5)}):
        settings: dict[str, Any] = {**SETTINGS, **domain}
        many = rep_glm(X, 1e12 * Y, link="logistic", **settings, counts=np.full(300, 10**12))
        one = rep_glm(X, Y, link="logistic", **{**settings, "penalty": 1e-12})
        assert abs(many.raw - one.raw).max() < 1e-6


@pytest.mark.parametrize("domain", [{"norm_bound": 0.3}, {"min_slope": 0.1}, {"box": (-0.2, 0.2)}])
def test_one_setting_in_two_types_is_one_setting(domain: dict[str, Any]) -> None:
    fit = rep_glm(X, Y, link="logistic", **{**SETTINGS, "noise": 2.0}, **domain, penalty=3.0)
    assert_same(rep_glm(X, Y, link=LINKS["logistic"], **{**SETTINGS, "noise": 2}, **domain, penalty=3), fit)


def test_a_declared_scale_gives_nearly_the_same_fit() -> None:
    declared = Scale.declared(3, feature_bound=4.0, response_bound=1.0)
    fit = rep_glm(X, Y, link="logistic", **SETTINGS, scale=declared)
    assert abs(fit.raw - rep_glm(X, Y, link="logistic", **SETTINGS).raw).max() < 1e-9
    with pytest.raises(InvalidInput, match="Declare a larger bound"):
        rep_glm(9 * X, Y, link="logistic", **SETTINGS, scale=declared)


@pytest.mark.parametrize("name", LINK_NAMES)
def test_no_rows_give_the_prior(name: str) -> None:
    fit = rep_glm(np.empty((0, 2)), np.empty(0), link=name, **SETTINGS, penalty=4.0)
    assert fit.raw.tolist() == [0.0, 0.0]
    assert fit.gram.tolist() == [[4.0, 0.0], [0.0, 4.0]]
    assert (fit.residual, fit.steps) == (0.0, 0)


def test_odd_designs() -> None:
    wide = np.column_stack([X, np.zeros(300), X[:, 0], np.ones(300)])
    for rows in (wide, wide[:2], X[:1], np.ones((300, 1))):
        fit = rep_glm(rows, Y[: len(rows)], link="logistic", **SETTINGS, min_slope=0.1)
        assert abs(objective("logistic", rows, Y[: len(rows)], 1.0, fit.raw)[1]).max() < 1e-9
    raw = rep_glm(wide, Y, link="logistic", **SETTINGS, min_slope=0.1).raw
    assert (raw[3], raw[0]) == (0.0, pytest.approx(raw[4], abs=1e-10))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_responses(value: float) -> None:
    fit = rep_glm(np.ones((99, 1)), np.full(99, value), link="logistic", **SETTINGS, norm_bound=2.0)
    assert fit.raw[0] == pytest.approx(4 * value - 2, rel=1e-9)  # at the edge of the ball


@pytest.mark.parametrize("size", [2.0**300, 2.0**-300])
def test_huge_and_tiny_scales(size: float) -> None:
    fit = rep_glm(X, Y, link="logistic", **SETTINGS, norm_bound=0.3)
    scaled = rep_glm(size * X, Y, link="logistic", **SETTINGS, penalty=size * size, norm_bound=0.3 / size)
    assert (scaled.raw * size == fit.raw).all()
    assert (scaled.cell == fit.cell).all()
    assert (scaled.theta * size == fit.theta).all()


def test_is_frozen_and_leaves_its_arguments_alone() -> None:
    features, responses, low, high = X.copy(), Y.copy(), np.full(3, -0.1), np.full(3, 0.2)
    fit = rep_glm(features, responses, link="logistic", **SETTINGS, box=(low, high))
    with pytest.raises(FrozenInstanceError):
        fit.theta = fit.raw  # type: ignore[misc]
    assert (features.tolist(), responses.tolist()) == (X.tolist(), Y.tolist())
    assert (low.tolist(), high.tolist()) == ([-0.1] * 3, [0.2] * 3)


def test_fingerprint_names_the_settings_the_design_and_the_cell() -> None:
    fit = rep_glm(X, Y, link="logistic", **SETTINGS)
    others: dict[str, Any] = {"rho": 0.11, "delta": 0.011, "noise": 0.6, "seed": "lab-8", "penalty": 1.1}
    others |= {"norm_bound": 1.1, "whitening": "symmetric", "link": "probit", "box": (-1.0, 1.0), "min_slope": 0.1}
    settings = {"link": "logistic", **SETTINGS}
    prints = {rep_glm(X, Y, **{**settings, name: value}).fingerprint for name, value in others.items()}
    assert len(prints | {fit.fingerprint, rep_glm(X[:-1], Y[:-1], **settings).fingerprint}) == 12


BAD: list[tuple[dict[str, Any], str]] = [
    ({"rho": 0.02}, r"rho is 0\.02 and delta is 0\.01; the theorem needs rho > 2 delta"),
    ({"noise": 0}, r"noise is 0.*; it must be a finite number above 0"),
    ({"penalty": np.nan}, "penalty is nan; it must be a finite number above 0"),
    ({"norm_bound": -1}, r"norm_bound is -1.*; it must be a finite number above 0"),
    ({"whitening": 3}, "whitening is 3; choose one of 'cholesky', 'symmetric'"),
    ({"calibration": "best"}, "calibration is 'best'; choose one of 'paper'"),
    ({"seed": 0.5}, r"seed is 0\.5; it must be text or a whole number"),
    ({"link": "logit"}, "link is 'logit'; choose one of 'identity', 'logistic', 'probit', 'log'"),
    ({"link": None}, "link is None; choose one of"),
    ({"min_slope": 0}, "min_slope is 0; it must be a finite number above 0"),
    ({"min_slope": 0.1, "box": (0, 1)}, "box and min_slope are both given; give box for a box, min_slope for all"),
    ({"box": (1, -1)}, "low must lie below high in every coordinate"),
    ({"box": (0, [0, 1, 1])}, "low must lie below high in every coordinate"),
    ({"box": ([0, 0], [1, 1])}, "box"),
    ({"box": ("a", "b")}, "box"),
    ({"box": (0, 1, 2)}, "box"),
    ({"box": 5}, "box"),
    ({"box": (-np.inf, 1)}, "box.*finite number"),
    ({"box": (0, np.nan)}, "box.*finite number"),
]


@pytest.mark.parametrize(("setting", "text"), BAD)
def test_refuses_settings_before_any_work(setting: dict[str, Any], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["replibandit.arithmetic.moments"], "exact_gram", lambda *_: pytest.fail("summed"))
    with pytest.raises(InvalidInput, match=text):
        rep_glm(X, Y, **{"link": "logistic", **SETTINGS, **setting})


@pytest.mark.parametrize(
    ("features", "responses", "counts", "text"),
    [
        (Y, Y, None, r"X has shape \(300,\); it must be \(rows, columns\).* use X\.reshape\(-1, 1\)"),
        (X, Y[:-1], None, "y has 299 entries; 300 are needed, one for each row"),
        (np.full((1, 1), np.inf), [0.0], None, r"X\[0, 0\] = inf; every entry must be a finite number"),
        (X[:1], [np.nan], None, r"y\[0\] = nan; every entry must be a finite number"),
        (X, Y, np.full(300, -1), r"counts .* whole numbers from 0 to 2\*\*53 - 1"),
    ],
)
def test_refuses_data(features: Any, responses: Any, counts: Any, text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        rep_glm(features, responses, link="logistic", **SETTINGS, counts=counts)


@pytest.mark.parametrize("name", LINK_NAMES[1:])
def test_refuses_a_domain_on_which_the_slope_vanishes(name: str) -> None:
    text = (
        rf"c_mu, the least slope of the {name} link .* is 0\.0; it must be above 0\. Lower norm_bound, shrink the box"
    )
    with pytest.raises(InvalidInput, match=text):
        rep_glm(1e4 * X, Y, link=name, **SETTINGS)


def test_refuses_responses_too_large_for_the_noise() -> None:
    with pytest.raises((OutOfRange, NotConverged)):
        rep_glm(X, 1e30 * X[:, 0], link="identity", **SETTINGS, min_slope=1.0)
