"""RepRidge against its algorithm written in NumPy, against scikit-learn, on odd data, and at the door."""

import sys
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from replibandit.arithmetic import Scale, moments, no_moments, scale_of
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput, NotPositiveDefinite, OutOfRange
from replibandit.estimators.ridge import RidgeFit, band, rep_ridge, rep_ridge_of
from replibandit.key import Key

RNG = np.random.default_rng(20_240_817)
SETTINGS: dict[str, Any] = {"rho": 0.1, "delta": 0.01, "noise": 1.0, "seed": "lab-7"}
X = RNG.normal(size=(200, 3))
Y = X @ [0.5, -0.2, 0.1] + RNG.normal(size=200)


def assert_same(one: RidgeFit, other: RidgeFit) -> None:
    for name in ("theta", "raw", "cell", "width", "shift", "radius", "inflated_radius", "gram", "fingerprint"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def root_of(gram: FloatArray, whitening: str) -> FloatArray:
    if whitening == "cholesky":
        return np.asarray(np.linalg.cholesky(gram).T)
    values, vectors = np.linalg.eigh(gram)
    return np.asarray((vectors * np.sqrt(values)) @ vectors.T)


@pytest.mark.parametrize("whitening", ["cholesky", "symmetric"])
@pytest.mark.parametrize("penalty", [1.0, 0.03, 40.0])
@pytest.mark.parametrize("d", [1, 2, 8])
def test_is_algorithm_2(whitening: str, penalty: float, d: int) -> None:
    X, noise, norm_bound, rho, delta = RNG.normal(size=(50, d)), 0.7, 2.0, 0.2, 0.03
    y = RNG.normal(size=50)
    fit = rep_ridge(
        X, y, rho=rho, delta=delta, noise=noise, seed=7, penalty=penalty, norm_bound=norm_bound, whitening=whitening
    )
    V = penalty * np.eye(d) + X.T @ X
    raw, W = np.linalg.solve(V, X.T @ y), root_of(V, whitening)
    ratio = np.linalg.slogdet(V)[1] - d * np.log(penalty)
    radius = noise * np.sqrt(ratio + 2 * np.log(1 / delta)) + np.sqrt(penalty) * norm_bound
    width = 2 * radius * np.sqrt(d) / (rho - 2 * delta)
    cell = np.floor((W @ raw - fit.shift) / width)
    assert np.allclose(fit.gram, V, rtol=0, atol=1e-8 * abs(V).max())
    assert np.allclose(fit.raw, raw, rtol=0, atol=1e-8)
    assert fit.radius == pytest.approx(radius, rel=1e-9)
    assert fit.width == pytest.approx(width, rel=1e-9)
    assert fit.inflated_radius == pytest.approx(radius * (1 + d / (rho - 2 * delta)), rel=1e-9)
    assert (fit.shift == fit.width * Key(7).child("estimate").uniform(d)).all()
    assert (fit.cell == cell).all()
    assert np.allclose(fit.theta, np.linalg.solve(W, width * cell + fit.shift + width / 2), rtol=1e-8)
    moved = fit.theta - fit.raw
    assert np.sqrt(moved @ V @ moved) <= fit.width / 2 * np.sqrt(d) * (1 + 1e-12)


@pytest.mark.parametrize(("n", "d"), [(30, 1), (500, 5), (20_000, 20)])
@pytest.mark.parametrize("penalty", [1.0, 0.01, 100.0])
def test_raw_is_that_of_scikit_learn(n: int, d: int, penalty: float) -> None:
    X = RNG.normal(size=(n, d)) + 0.3
    y = X @ RNG.normal(size=d) + RNG.normal(size=n)
    reference = Ridge(alpha=penalty, fit_intercept=False, solver="cholesky").fit(X, y).coef_
    assert abs(rep_ridge(X, y, **SETTINGS, penalty=penalty).raw - reference).max() < 1e-8


@pytest.mark.parametrize("whitening", ["cholesky", "symmetric"])
@pytest.mark.parametrize("responses", ["binary", "integers"])
def test_counts_are_rows_written_out(whitening: str, responses: str) -> None:
    X, counts = RNG.normal(size=(40, 3)), RNG.integers(0, 30, 40, dtype=np.int64)
    group = np.repeat(np.arange(40), counts)
    y = RNG.integers(0, 2 if responses == "binary" else 1000, size=len(group)).astype(np.float64)
    sums = np.bincount(group, weights=y, minlength=40).astype(np.float64)
    kept = counts > 0  # the largest size of a column is that of its rows
    grouped = rep_ridge(X[kept], sums[kept], counts=counts[kept], **SETTINGS, whitening=whitening)
    assert_same(grouped, rep_ridge(X[group], y, **SETTINGS, whitening=whitening))


def test_counts_of_one_change_nothing() -> None:
    assert_same(rep_ridge(X, Y, **SETTINGS, counts=np.ones(200, dtype=np.int64)), rep_ridge(X, Y, **SETTINGS))


def test_huge_counts() -> None:
    sums = 10.0**13 * Y
    fit = rep_ridge(X, sums, counts=np.full(200, 10**13), **SETTINGS)
    assert abs(fit.raw - np.linalg.lstsq(X, Y, rcond=None)[0]).max() < 1e-8


def test_moments_give_the_same_fit() -> None:
    scale = scale_of(X, Y)
    parts = [moments(X[rows], Y[rows], scale=scale) for rows in np.array_split(RNG.permutation(200), 5)]
    merged = sum(parts[1:], parts[0])
    assert_same(rep_ridge_of(merged, **SETTINGS), rep_ridge(X, Y, **SETTINGS))


def test_no_rows_give_the_prior() -> None:
    """With nothing seen, V = lambda I and the estimate is 0, rounded: the radius is that of delta and S alone."""
    fit = rep_ridge(np.empty((0, 3)), np.empty(0), **SETTINGS, penalty=4.0, norm_bound=3.0)
    assert fit.raw.tolist() == [0.0, 0.0, 0.0]
    assert fit.gram.tolist() == (4 * np.eye(3)).tolist()
    assert fit.radius == pytest.approx(np.sqrt(2 * np.log(100)) + 2 * 3.0, rel=1e-12)
    assert_same(
        fit, rep_ridge_of(no_moments(Scale(features=(0,) * 3, response=0)), **SETTINGS, penalty=4.0, norm_bound=3.0)
    )


@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 5), (3, 20)])
def test_fewer_rows_than_columns(n: int, d: int) -> None:
    X, y = RNG.normal(size=(n, d)), RNG.normal(size=n)
    dual = X.T @ np.linalg.solve(X @ X.T + np.eye(n), y)  # the same estimate, from the n x n system
    for whitening in ("cholesky", "symmetric"):
        assert abs(rep_ridge(X, y, **SETTINGS, whitening=whitening).raw - dual).max() < 1e-8


@pytest.mark.parametrize("whitening", ["cholesky", "symmetric"])
def test_columns_of_zeros_and_copies(whitening: str) -> None:
    wide = np.column_stack([X, np.zeros(200), X[:, 0], np.ones(200)])
    fit = rep_ridge(wide, Y, **SETTINGS, whitening=whitening)
    assert fit.raw[3] == 0.0
    assert fit.raw[4] == pytest.approx(fit.raw[0], abs=1e-9)
    V = np.eye(6) + wide.T @ wide
    moved = fit.theta - fit.raw
    assert np.sqrt(moved @ V @ moved) <= fit.width / 2 * np.sqrt(6) * (1 + 1e-9)


def test_collinear_columns_without_a_penalty_to_speak_of_are_refused() -> None:
    with pytest.raises(NotPositiveDefinite, match="collinear to double precision: raise the penalty or drop a column"):
        rep_ridge(X[:, [0, 1, 0]], Y, **SETTINGS, penalty=1e-30)


@pytest.mark.parametrize("value", [0.0, 1.0, -3.5])
def test_equal_responses(value: float) -> None:
    fit = rep_ridge(np.ones((999, 1)), np.full(999, value), **SETTINGS, penalty=1.0)
    assert fit.raw.tolist() == [pytest.approx(0.999 * value, rel=1e-15)]


def test_takes_lists_integers_and_short_floats() -> None:
    whole = RNG.integers(-5, 5, size=(30, 2))
    y = RNG.integers(-9, 9, size=30)
    fit = rep_ridge(whole.astype(np.float64), y.astype(np.float64), **SETTINGS)
    odd: list[tuple[Any, Any]] = [
        (whole, y),
        (whole.tolist(), y.tolist()),
        (whole.astype(np.float32), y.astype(np.int8)),
        (np.asfortranarray(whole), y[::-1].copy()[::-1]),
    ]
    for features, responses in odd:
        assert_same(rep_ridge(features, responses, **SETTINGS), fit)


@pytest.mark.parametrize("size", [1e100, 1e-100])
def test_huge_and_tiny_scales(size: float) -> None:
    fit = rep_ridge(size * X, Y, **SETTINGS, penalty=size * size, norm_bound=1 / size)
    assert np.allclose(fit.raw * size, rep_ridge(X, Y, **SETTINGS).raw, rtol=1e-8)
    fit = rep_ridge(X, size * Y, **{**SETTINGS, "noise": size}, norm_bound=size)
    assert np.allclose(fit.raw / size, rep_ridge(X, Y, **SETTINGS).raw, rtol=1e-8)
    mixed = rep_ridge(X * [size, 1.0, 1.0], Y, **SETTINGS)
    assert np.isfinite(mixed.theta).all()


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_scales_beyond_the_range_are_refused(size: float) -> None:
    for features, responses in ((size * X, Y), (X, size * Y)):
        with pytest.raises(InvalidInput, match=r"sizes must lie between 2\*\*-400 and 2\*\*400"):
            rep_ridge(features, responses, **SETTINGS)


def test_responses_too_large_for_the_noise_are_refused() -> None:
    with pytest.raises(OutOfRange, match="grid cells of width"):
        rep_ridge(X, 1e30 * Y, **SETTINGS)


def test_one_setting_in_two_types_is_one_setting() -> None:
    fit = rep_ridge(X, Y, **SETTINGS, penalty=2.0, norm_bound=3.0)
    others: list[dict[str, Any]] = [
        {"noise": 1, "penalty": 2, "norm_bound": 3},
        {"noise": np.int64(1), "penalty": np.float32(2), "norm_bound": np.float64(3)},
        {"seed": Key("lab-7"), "penalty": 2.0, "norm_bound": 3.0},
    ]
    for other in others:
        assert_same(rep_ridge(X, Y, **{**SETTINGS, **other}), fit)


def test_fingerprint_names_the_settings_the_design_and_the_cell() -> None:
    fit = rep_ridge(X, Y, **SETTINGS)
    others: list[dict[str, Any]] = [
        {"rho": 0.11},
        {"delta": 0.011},
        {"noise": 1.1},
        {"seed": "lab-8"},
        {"penalty": 1.1},
        {"norm_bound": 1.1},
        {"whitening": "symmetric"},
    ]
    prints = {rep_ridge(X, Y, **{**SETTINGS, **other}).fingerprint for other in others}
    prints |= {rep_ridge(2 * X, Y, **SETTINGS).fingerprint, rep_ridge(X, Y + 1e6 * X[:, 0], **SETTINGS).fingerprint}
    assert len(prints | {fit.fingerprint}) == 10
    near = rep_ridge(X, Y + 1e-9 * RNG.normal(size=200), **SETTINGS)
    assert (near.fingerprint, near.raw.tolist() == fit.raw.tolist()) == (fit.fingerprint, False)


def test_is_frozen_and_leaves_its_arguments_alone() -> None:
    features, responses = X.copy(), Y.copy()
    fit = rep_ridge(features, responses, **SETTINGS)
    with pytest.raises(FrozenInstanceError):
        fit.width = 1.0  # type: ignore[misc]
    assert (features == X).all()
    assert (responses == Y).all()
    assert [fit.theta.dtype, fit.cell.dtype] == [np.dtype(np.float64), np.dtype(np.int64)]
    assert [type(value) for value in (fit.width, fit.radius, fit.inflated_radius)] == [float] * 3


BAD_SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"rho": 0.02}, r"rho is 0\.02 and delta is 0\.01; the theorem needs rho > 2 delta\. Lower delta below 0\.01"),
    ({"rho": 1.5}, r"rho is 1\.5; it must lie strictly between 0 and 1"),
    ({"delta": np.nan}, "delta is nan; it must lie strictly between 0 and 1"),
    ({"noise": 0}, r"noise is 0.*; it must be a finite number above 0"),
    ({"noise": "1"}, "noise is '1'; it must be a real number"),
    ({"penalty": -1.0}, r"penalty is -1\.0; it must be a finite number above 0"),
    ({"norm_bound": np.inf}, "norm_bound is inf; it must be a finite number above 0"),
    ({"whitening": "pca"}, "whitening is 'pca'; choose one of 'cholesky', 'symmetric'"),
    ({"calibration": None}, "calibration is None; choose one of 'paper'"),
    ({"seed": None}, "seed is None; it must be text or a whole number"),
]


@pytest.mark.parametrize(("setting", "text"), BAD_SETTINGS)
def test_refuses_settings_before_any_work(setting: dict[str, Any], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["replibandit.arithmetic.moments"], "exact_gram", lambda *_: pytest.fail("summed"))
    with pytest.raises(InvalidInput, match=text):
        rep_ridge(X, Y, **{**SETTINGS, **setting})


@pytest.mark.parametrize(
    ("features", "responses", "counts", "text"),
    [
        (Y, Y, None, r"X has shape \(200,\); it must be \(rows, columns\).* use X\.reshape\(-1, 1\)"),
        (X[:, :0], Y, None, r"X has shape \(200, 0\); it must be .* at least one column"),
        (X, Y[:-1], None, "y has 199 entries; 200 are needed, one for each row"),
        (X, X, None, r"y has shape \(200, 3\); it must have one dimension"),
        (np.full((2, 2), np.nan), np.ones(2), None, r"X\[0, 0\] = nan, .* and 1 more; every entry must be a finite"),
        (np.ones((2, 2)), [1.0, -np.inf], None, r"y\[1\] = -inf; every entry must be a finite number"),
        (X + 1j, Y, None, "X .*real numbers"),
        (X, Y, [1, 2], r"counts has shape \(2,\); it must be \(200,\), one count for each row"),
        (X, Y, np.full(200, -1), r"counts .* whole numbers from 0 to 2\*\*53 - 1"),
        (X, Y, np.full(200, 0.5), r"counts .* whole numbers from 0 to 2\*\*53 - 1"),
    ],
)
def test_refuses_data(features: Any, responses: Any, counts: Any, text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        rep_ridge(features, responses, **SETTINGS, counts=counts)


def test_settings_go_by_name() -> None:
    with pytest.raises(TypeError, match="positional"):
        rep_ridge(X, Y, 0.1, 0.01, 1.0, "lab-7")  # type: ignore[call-arg]


def test_band_is_the_inflated_radius_in_each_direction() -> None:
    fit, rows = rep_ridge(X, Y, **SETTINGS), RNG.normal(size=(7, 3))
    low, high = band(fit, rows)
    V = np.eye(3) + X.T @ X
    half = fit.inflated_radius * np.sqrt(np.einsum("ij,ji->i", rows, np.linalg.solve(V, rows.T)))
    assert np.allclose(low, rows @ fit.theta - half, rtol=1e-8)
    assert np.allclose(high, rows @ fit.theta + half, rtol=1e-8)
    one_low, one_high = band(fit, rows[2:3])
    assert (one_low[0], one_high[0]) == (pytest.approx(low[2], rel=1e-14), pytest.approx(high[2], rel=1e-14))


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (np.ones((4, 2)), r"X has 2 columns; the fit has 3\. Pass the same columns"),
        (np.ones(3), r"X has shape \(3,\); it must be \(rows, columns\)"),
        ([[0.0, np.nan, 0.0]], r"X\[0, 1\] = nan; every entry must be a finite number"),
    ],
)
def test_band_refuses_rows(rows: Any, text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        band(rep_ridge(X, Y, **SETTINGS), rows)


def test_band_of_no_rows() -> None:
    assert [end.shape for end in band(rep_ridge(X, Y, **SETTINGS), np.empty((0, 3)))] == [(0,), (0,)]
