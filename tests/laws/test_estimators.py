"""Laws of the estimators: what the rows' order, their grouping, the units and the columns' order may change.

Exact to the bit: any order and any split of the rows, repeated rows against counts, and units changed by powers of two.
Up to rounding: the order of the columns, for the unrounded estimate and for the symmetric root.  The Cholesky root has
no such law: it whitens in the order of the columns, so that another order is another grid.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replibandit.arithmetic import cholesky, moments, scale_of
from replibandit.arrays import FloatArray, IntArray
from replibandit.estimators.glm import GLMFit, rep_glm
from replibandit.estimators.mean import rep_mean, rep_mean_of
from replibandit.estimators.ridge import RidgeFit, rep_ridge, rep_ridge_of
from replibandit.estimators.whitening import WHITENINGS

BUDGET: dict[str, Any] = {"rho": 0.1, "delta": 0.01, "seed": "lab-7"}
LINKS = ["identity", "logistic", "probit", "log"]
DOMAINS: list[dict[str, Any]] = [{"norm_bound": 0.5}, {"box": (-0.25, 0.5)}, {"min_slope": 0.125}]

links, whitenings = st.sampled_from(LINKS), st.sampled_from(list(WHITENINGS))
powers = st.integers(-60, 60)


@st.composite
def tables(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Return features and 0/1 responses; small seeds make the features, so that a failure shrinks to few rows."""
    n, d, seed = draw(st.integers(1, 30)), draw(st.integers(1, 4)), draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if draw(st.booleans()) else rng.integers(-1, 2, size=(n, d)).astype(np.float64)
    return X, rng.integers(0, 2, size=n).astype(np.float64)


def same(one: RidgeFit | GLMFit, other: RidgeFit | GLMFit) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in one.__slots__)


def permutation(data: st.DataObject, size: int) -> IntArray:
    return np.array(data.draw(st.permutations(range(size))), dtype=np.int64)


@given(tables(), whitenings, st.data())
def test_ridge_depends_on_no_order_and_no_split(
    table: tuple[FloatArray, FloatArray], whitening: str, data: st.DataObject
) -> None:
    X, y = table
    order = permutation(data, len(y))
    fit = rep_ridge(X, y, **BUDGET, noise=1.0, whitening=whitening)
    assert same(rep_ridge(X[order], y[order], **BUDGET, noise=1.0, whitening=whitening), fit)
    parts = np.split(order, sorted(data.draw(st.lists(st.integers(0, len(y)), max_size=3))))
    sums = [moments(X[rows], y[rows], scale=scale_of(X, y)) for rows in parts]
    assert same(rep_ridge_of(sum(sums[1:], sums[0]), **BUDGET, noise=1.0, whitening=whitening), fit)


@given(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=20), st.data())
def test_mean_depends_on_no_order_and_no_split(values: list[float], data: st.DataObject) -> None:
    x = np.where(np.array(values) < 1e-100, 0.0, values)
    order, fit = permutation(data, len(x)), rep_mean(x, **BUDGET)
    assert rep_mean(x[order], **BUDGET) == fit
    ones = np.ones((len(x), 1))
    cut = data.draw(st.integers(0, len(x)))
    parts = [moments(ones[rows], x[rows], scale=scale_of(ones, x)) for rows in (order[:cut], order[cut:])]
    assert rep_mean_of(parts[0] + parts[1], **BUDGET) == fit


@settings(max_examples=40)
@given(tables(), links, st.sampled_from(DOMAINS), st.data())
def test_glm_depends_on_no_order(
    table: tuple[FloatArray, FloatArray], link: str, domain: dict[str, Any], data: st.DataObject
) -> None:
    X, y = table
    order = permutation(data, len(y))
    fit = rep_glm(X, y, link=link, **BUDGET, noise=0.5, **domain)
    assert same(rep_glm(X[order], y[order], link=link, **BUDGET, noise=0.5, **domain), fit)


@settings(max_examples=40)
@given(tables(), links, st.sampled_from(DOMAINS), st.data())
def test_counts_are_repeated_rows(
    table: tuple[FloatArray, FloatArray], link: str, domain: dict[str, Any], data: st.DataObject
) -> None:
    """The responses are whole numbers, so that their sums lie on every grid."""
    X, y = table
    counts = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(y), max_size=len(y))), dtype=np.int64)
    rows = np.repeat(np.arange(len(y)), counts)
    assert same(
        rep_ridge(X, counts * y, **BUDGET, noise=1.0, counts=counts), rep_ridge(X[rows], y[rows], **BUDGET, noise=1.0)
    )
    grouped = rep_glm(X, counts * y, link=link, **BUDGET, noise=0.5, **domain, counts=counts)
    assert same(grouped, rep_glm(X[rows], y[rows], link=link, **BUDGET, noise=0.5, **domain))


@given(tables(), whitenings, powers)
def test_units_of_the_responses_change_the_units_of_the_estimate(
    table: tuple[FloatArray, FloatArray], whitening: str, power: int
) -> None:
    """(y, noise, norm_bound) times k, a power of two, gives theta times k, in the same cell."""
    (X, y), k = table, 2.0**power
    fit = rep_ridge(X, y, **BUDGET, noise=1.0, norm_bound=1.0, whitening=whitening)
    scaled = rep_ridge(X, k * y, **BUDGET, noise=k, norm_bound=k, whitening=whitening)
    assert (scaled.theta == k * fit.theta).all()
    assert (scaled.raw == k * fit.raw).all()
    assert (scaled.cell == fit.cell).all()
    assert (scaled.width, scaled.radius) == (k * fit.width, k * fit.radius)


@given(tables(), whitenings, powers)
def test_units_of_the_features_change_the_units_of_the_estimate(
    table: tuple[FloatArray, FloatArray], whitening: str, power: int
) -> None:
    """X times k, with penalty times k**2 and norm_bound over k, gives theta over k, in the same cell.

    Here k is a power of four: the way back from the symmetric root factors that root, which is of the size of k.
    """
    (X, y), k = table, 4.0**power
    fit = rep_ridge(X, y, **BUDGET, noise=1.0, penalty=3.0, norm_bound=1.0, whitening=whitening)
    scaled = rep_ridge(k * X, y, **BUDGET, noise=1.0, penalty=3.0 * k * k, norm_bound=1.0 / k, whitening=whitening)
    assert (k * scaled.theta == fit.theta).all()
    assert (k * scaled.raw == fit.raw).all()
    assert (scaled.cell == fit.cell).all()
    assert (scaled.width, scaled.radius) == (fit.width, fit.radius)


@settings(max_examples=40)
@given(tables(), links, powers)
def test_units_of_the_features_of_a_glm(table: tuple[FloatArray, FloatArray], link: str, power: int) -> None:
    (X, y), k = table, 2.0**power
    fit = rep_glm(X, y, link=link, **BUDGET, noise=0.5, penalty=1.0, norm_bound=0.5)
    scaled = rep_glm(k * X, y, link=link, **BUDGET, noise=0.5, penalty=k * k, norm_bound=0.5 / k)
    assert (k * scaled.theta == fit.theta).all()
    assert (k * scaled.raw == fit.raw).all()
    assert (scaled.cell == fit.cell).all()


@given(tables(), st.data())
def test_the_order_of_the_columns_permutes_the_unrounded_estimate(
    table: tuple[FloatArray, FloatArray], data: st.DataObject
) -> None:
    """The radius, and with it the width, is that of the determinant: the same up to rounding."""
    X, y = table
    order = permutation(data, X.shape[1])
    fit, other = rep_ridge(X, y, **BUDGET, noise=1.0), rep_ridge(X[:, order], y, **BUDGET, noise=1.0)
    assert np.allclose(other.raw, fit.raw[order], rtol=0, atol=1e-12)
    assert (other.gram == fit.gram[np.ix_(order, order)]).all()
    assert other.width == pytest.approx(fit.width, rel=1e-12)
    glm, moved = (rep_glm(Z, y, link="logistic", **BUDGET, noise=0.5) for Z in (X, X[:, order]))
    assert np.allclose(moved.raw, glm.raw[order], rtol=0, atol=1e-9)


@given(tables(), st.data())
def test_the_order_of_the_columns_permutes_the_symmetric_coordinates(
    table: tuple[FloatArray, FloatArray], data: st.DataObject
) -> None:
    """So the cells are permuted too, if the shift is and no boundary lies between two roundings of one number."""
    X, y = table
    order = permutation(data, X.shape[1])
    fit, other = rep_ridge(X, y, **BUDGET, noise=1.0), rep_ridge(X[:, order], y, **BUDGET, noise=1.0)
    there, here = (WHITENINGS["symmetric"](f.gram, cholesky(f.gram)) for f in (other, fit))
    assert np.allclose(there.whiten(other.raw), here.whiten(fit.raw)[order], rtol=0, atol=1e-10)
    assert np.allclose(there.unwhiten(fit.raw[order]), here.unwhiten(fit.raw)[order], rtol=0, atol=1e-10)


def test_negative_control_cholesky_coordinates_depend_on_the_order_of_the_columns() -> None:
    X = np.array([[1.0, 1.0], [0.0, 1.0]])
    fit, other = rep_ridge(X, X[:, 0], **BUDGET, noise=1.0), rep_ridge(X[:, ::-1], X[:, 0], **BUDGET, noise=1.0)
    there, here = (WHITENINGS["cholesky"](f.gram, cholesky(f.gram)) for f in (other, fit))
    assert abs(there.whiten(other.raw) - here.whiten(fit.raw)[::-1]).max() > 0.1


@given(tables(), whitenings)
def test_a_root_preserves_the_norm_and_its_inverse_undoes_it(
    table: tuple[FloatArray, FloatArray], whitening: str
) -> None:
    X, _ = table
    V = np.eye(X.shape[1]) + X.T @ X
    root, x = WHITENINGS[whitening](V, cholesky(V)), X[0]
    assert np.sum(root.whiten(x) ** 2) == pytest.approx(x @ V @ x, rel=1e-9, abs=1e-12)
    assert np.allclose(root.unwhiten(root.whiten(x)), x, rtol=0, atol=1e-9)


@given(tables(), whitenings)
def test_rounding_moves_by_at_most_the_inflation(table: tuple[FloatArray, FloatArray], whitening: str) -> None:
    """||theta - raw||_V <= (width/2) sqrt(d) = inflated_radius - radius."""
    X, y = table
    fits = (
        rep_ridge(X, y, **BUDGET, noise=1.0, whitening=whitening),
        rep_glm(X, y, link="logistic", **BUDGET, noise=0.5, whitening=whitening),
    )
    for fit in fits:
        moved = fit.theta - fit.raw
        assert np.sqrt(moved @ fit.gram @ moved) <= (fit.inflated_radius - fit.radius) * (1 + 1e-9)
