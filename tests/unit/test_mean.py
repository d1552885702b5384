"""RepMean to the letter of the statistical query, its sample size both ways, and what it refuses."""

import itertools
import math
import sys
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from replibandit.arithmetic import Scale, moments, scale_of
from replibandit.calibration import mean_constant
from replibandit.errors import InvalidInput, OutOfRange
from replibandit.estimators.mean import mean_sample_size, mean_tolerance, rep_mean, rep_mean_of
from replibandit.key import Key
from replibandit.radius import hoeffding

RNG = np.random.default_rng(7)
BUDGETS = [(0.1, 0.01), (0.05, 0.0125), (0.9, 1e-9), (1e-3, 1e-6)]
SETTINGS: dict[str, Any] = {"rho": 0.1, "delta": 0.01, "seed": "lab-7"}


@pytest.mark.parametrize(("rho", "delta"), BUDGETS)
@pytest.mark.parametrize("noise", [0.5, 3.0])
@pytest.mark.parametrize("n", [1, 10, 12_345])
def test_is_the_statistical_query(rho: float, delta: float, noise: float, n: int) -> None:
    """Width 2 tau/(rho + 1 - 2 delta), a shift uniform over a cell, the midpoint of the cell of the sample mean."""
    x = RNG.random(n)
    fit = rep_mean(x, rho=rho, delta=delta, seed="lab-7", noise=noise)
    inner = noise * math.sqrt(2 * math.log(2 / delta) / n)  # tau'
    tau = inner * (rho + 1 - 2 * delta) / (rho - 2 * delta)
    assert fit.raw == pytest.approx(math.fsum(x) / n, rel=1e-14)
    assert fit.radius == pytest.approx(inner, rel=1e-14)
    assert fit.width == pytest.approx(2 * tau / (rho + 1 - 2 * delta), rel=1e-14)
    assert fit.inflated_radius == pytest.approx(tau, rel=1e-14)
    assert fit.shift == fit.width * Key("lab-7").child("estimate").uniform(1)[0]
    assert fit.cell == math.floor((fit.raw - fit.shift) / fit.width)
    assert fit.theta == fit.width * fit.cell + fit.shift + fit.width / 2
    assert abs(fit.theta - fit.raw) <= fit.width / 2
    assert fit.inflated_radius == pytest.approx(mean_tolerance(n, rho=rho, delta=delta, noise=noise), rel=1e-14)


@pytest.mark.parametrize(
    "values", [[0.5], [1, 0, 1, 1], (True, False), np.array([0.25, 0.5], np.float32), [1e100, -1e100]]
)
def test_takes_every_real_sequence(values: Any) -> None:
    noise = 0.5 * float(np.max(np.abs(np.asarray(values, dtype=np.float64))))
    fit = rep_mean(values, **SETTINGS, noise=noise)
    assert fit.raw == float(np.mean(np.asarray(values, dtype=np.float64)))
    assert [type(value) for value in (fit.theta, fit.raw, fit.cell, fit.width)] == [float, float, int, float]


def test_equal_values() -> None:
    for value in (0.0, 0.5, 1.0):
        assert rep_mean(np.full(10_001, value), **SETTINGS).raw == value


def test_moments_give_the_same_fit() -> None:
    x = RNG.random(1000)
    scale = scale_of(np.ones((1, 1)), x)
    parts = [moments(np.ones((len(part), 1)), part, scale=scale) for part in np.split(x, [1, 400])]
    fit = rep_mean(x, **SETTINGS)
    assert rep_mean_of(parts[2] + parts[0] + parts[1], **SETTINGS) == fit


def test_fingerprint_names_the_settings_and_the_cell() -> None:
    x = RNG.random(1000)
    fit = rep_mean(x, **SETTINGS)
    assert rep_mean(x[::-1], **SETTINGS).fingerprint == fit.fingerprint
    others: list[dict[str, Any]] = [{"rho": 0.11}, {"delta": 0.011}, {"noise": 0.51}, {"seed": "lab-8"}]
    assert len({fit.fingerprint, *(rep_mean(x, **{**SETTINGS, **other}).fingerprint for other in others)}) == 5
    assert rep_mean(x[:-1], **SETTINGS).fingerprint != fit.fingerprint


def test_one_setting_in_two_types_is_one_setting() -> None:
    x = RNG.random(100)
    assert rep_mean(x, **SETTINGS, noise=1) == rep_mean(x, **SETTINGS, noise=1.0)


def test_is_frozen() -> None:
    fit = rep_mean(np.array([0.5]), **SETTINGS)
    with pytest.raises(FrozenInstanceError):
        fit.theta = 0.0  # type: ignore[misc]
    assert replace(fit, theta=0.0) != fit


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "x is empty; a mean needs at least one value"),
        ([[1.0]], r"x has shape \(1, 1\); it must have one dimension"),
        (0.5, r"x has shape \(\); it must have one dimension"),
        ([0.5, np.nan], r"x\[1\] = nan; every entry must be a finite number"),
        ([np.inf], r"x\[0\] = inf; every entry must be a finite number"),
        (["a"], "x .*real numbers"),
        ([1e200], r"between 2\*\*-400 and 2\*\*400"),
    ],
)
def test_refuses_values(values: Any, text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        rep_mean(values, **SETTINGS)


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"rho": 0.02}, r"rho is 0\.02 and delta is 0\.01; the theorem needs rho > 2 delta"),
        ({"rho": 1}, "rho is 1; it must lie strictly between 0 and 1"),
        ({"delta": 0}, "delta is 0; it must lie strictly between 0 and 1"),
        ({"noise": 0}, r"noise is 0.*; it must be a finite number above 0"),
        ({"calibration": "best"}, "calibration is 'best'; choose one of 'paper'"),
        ({"seed": 1.5}, r"seed is 1\.5; it must be text or a whole number"),
    ],
)
def test_refuses_settings(setting: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        rep_mean(np.array([0.5]), **{**SETTINGS, **setting})


def test_refuses_moments_of_something_else() -> None:
    with pytest.raises(InvalidInput, match="column"):
        rep_mean_of(moments(np.ones((3, 2)), np.ones(3), scale=Scale(features=(1, 1), response=1)), **SETTINGS)


def test_refuses_values_too_far_for_the_grid() -> None:
    with pytest.raises(OutOfRange, match="grid cells of width"):
        rep_mean(np.array([1e30]), **SETTINGS)


@pytest.mark.parametrize(("rho", "delta"), BUDGETS)
@pytest.mark.parametrize("noise", [0.5, 2.0])
@pytest.mark.parametrize("tau", [1e-5, 0.01, 0.3, 20.0, 1e6])
def test_sample_size_is_the_smallest(rho: float, delta: float, noise: float, tau: float) -> None:
    n = mean_sample_size(tau, rho=rho, delta=delta, noise=noise)
    assert mean_tolerance(n, rho=rho, delta=delta, noise=noise) <= tau
    assert n == 1 or mean_tolerance(n - 1, rho=rho, delta=delta, noise=noise) > tau


@pytest.mark.parametrize(("rho", "delta"), BUDGETS)
@pytest.mark.parametrize("n", [1, 2, 3, 1000, 999_999, 10**12])
def test_sample_size_undoes_tolerance(rho: float, delta: float, n: int) -> None:
    assert mean_sample_size(mean_tolerance(n, rho=rho, delta=delta), rho=rho, delta=delta) == n


@pytest.mark.parametrize(("rho", "delta"), BUDGETS)
@pytest.mark.parametrize("tau", [1e-4, 0.02])
def test_sample_size_is_the_propositions(rho: float, delta: float, tau: float) -> None:
    """Prop. 3.1: C_ME log(1/delta) / (tau^2 (rho - delta)^2) samples."""
    n = mean_sample_size(tau, rho=rho, delta=delta)
    constant = mean_constant(rho=rho, delta=delta)
    assert n == pytest.approx(constant * math.log(1 / delta) / (tau**2 * (rho - delta) ** 2), rel=1e-12, abs=1)
    with mp.workdps(40):
        inner = mpf(tau) * (mpf(rho) - 2 * mpf(delta)) / (mpf(rho) + 1 - 2 * mpf(delta))
        assert n == pytest.approx(int(mp.ceil(mp.log(2 / mpf(delta)) / (2 * inner**2))), rel=1e-14, abs=1)


def test_a_huge_sample_size_is_found_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond 2**53 many n share one tolerance; the answer must not be found by counting through them."""
    calls = itertools.count()

    def counted(n: int, *, noise: float, delta: float) -> float:
        assert next(calls) < 300
        return hoeffding(n, noise=noise, delta=delta)

    monkeypatch.setattr(sys.modules[mean_sample_size.__module__], "hoeffding", counted)
    assert mean_sample_size(1e-12, rho=0.1, delta=0.01) == pytest.approx(4.828e26, rel=1e-3)


@pytest.mark.parametrize("tau", [0, -1, np.nan, np.inf, "1", None, 1e-300])
def test_sample_size_refuses_tolerances(tau: Any) -> None:
    with pytest.raises((InvalidInput, OutOfRange), match="tau is"):
        mean_sample_size(tau, rho=0.1, delta=0.01)


@pytest.mark.parametrize("n", [0, -1, 1.0, True, None])
def test_tolerance_refuses_sizes(n: Any) -> None:
    with pytest.raises(InvalidInput, match=r"n is .*; it must be a whole number, 1 or above"):
        mean_tolerance(n, rho=0.1, delta=0.01)


@pytest.mark.parametrize("function", [mean_sample_size, mean_tolerance])
def test_both_ways_check_the_settings(function: Any) -> None:
    with pytest.raises(InvalidInput, match="the theorem needs rho > 2 delta"):
        function(1, rho=0.1, delta=0.05)
    with pytest.raises(InvalidInput, match="noise is -1; it must be a finite number above 0"):
        function(1, rho=0.1, delta=0.01, noise=-1)
