"""Grid widths and their constants against the paper's formulas."""

import itertools
import math

import numpy as np
import pytest
from mpmath import mp, mpf

from replibandit.calibration import grid_width, inflated, mean_constant
from replibandit.radius import hoeffding

RHOS = [1e-6, 0.01, 0.1, 0.3, 0.9, 1 - 1e-9]
SHARES = [1e-9, 0.01, 0.1, 0.2, 0.25]  # delta over rho


@pytest.mark.parametrize("dim", [1, 2, 20, 1000])
@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("share", SHARES)
def test_width_and_inflated_radius(dim: int, rho: float, share: float) -> None:
    radius, delta = 1.7, share * rho
    width = grid_width(radius, dim=dim, rho=rho, delta=delta)
    with mp.workdps(50):
        gap = mpf(rho) - 2 * mpf(delta)
        # alpha = 2 beta sqrt(d) / (rho - 2 delta);  beta + (alpha/2) sqrt(d) = beta (1 + d/(rho - 2 delta))
        assert float(width) == pytest.approx(float(2 * mpf(radius) * mp.sqrt(dim) / gap), rel=1e-14)
        expected = float(mpf(radius) * (1 + dim / gap))
    assert float(inflated(radius, width=width, dim=dim)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(("rho", "delta"), [(0.1, 0.01), (0.5, 0.2), (0.01, 1e-9)])
def test_the_budget_is_spent_and_not_exceeded(rho: float, delta: float) -> None:
    """Alg. 2: two estimates within beta of the truth are 2 beta apart in V, 2 beta sqrt(d) in the 1-norm."""
    radius, dim = 2.5, 7
    width = float(grid_width(radius, dim=dim, rho=rho, delta=delta))
    assert 2 * radius * math.sqrt(dim) / width + 2 * delta == pytest.approx(rho, rel=1e-14)


@pytest.mark.parametrize(("rho", "delta"), [(0.1, 0.01), (0.5, 0.2), (0.01, 1e-9)])
def test_width_of_the_mean_is_that_of_the_statistical_query(rho: float, delta: float) -> None:
    """The query's width is 2 tau/(rho + 1 - 2 delta), where tau' = tau (rho - 2 delta)/(rho + 1 - 2 delta)."""
    tau = 0.3
    inner = tau * (rho - 2 * delta) / (rho + 1 - 2 * delta)
    width = float(grid_width(inner, dim=1, rho=rho, delta=delta))
    assert width == pytest.approx(2 * tau / (rho + 1 - 2 * delta), rel=1e-14)
    assert float(inflated(inner, width=width, dim=1)) == pytest.approx(tau, rel=1e-14)
    assert 2 * inner / width + 2 * delta == pytest.approx(rho, rel=1e-14)


def test_lanes() -> None:
    radius = np.array([1.0, 2.0, 3.0])
    width = grid_width(radius, dim=4, rho=0.1, delta=0.01)
    assert width.tolist() == [float(grid_width(r, dim=4, rho=0.1, delta=0.01)) for r in radius.tolist()]
    assert inflated(radius, width=width, dim=4).tolist() == [
        float(inflated(r, width=w, dim=4)) for r, w in zip(radius.tolist(), width.tolist(), strict=True)
    ]


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("noise", [0.5, 1.0, 3.0])
def test_mean_constant_is_the_written_formula(rho: float, share: float, noise: float) -> None:
    delta = share * rho
    with mp.workdps(50):
        r, e = mpf(rho), mpf(delta)
        c = (1 + r - 2 * e) ** 2 / 2 * mp.log(2 / e) / mp.log(1 / e) * ((r - e) / (r - 2 * e)) ** 2
        expected = float(4 * mpf(noise) ** 2 * c)
    assert mean_constant(rho=rho, delta=delta, noise=noise) == pytest.approx(expected, rel=1e-13)


def test_mean_constant_gives_the_samples_of_the_statistical_query() -> None:
    rho, delta, tau = 0.1, 0.01, 0.05
    n = mean_constant(rho=rho, delta=delta) * math.log(1 / delta) / (tau**2 * (rho - delta) ** 2)
    inner = tau * (rho - 2 * delta) / (rho + 1 - 2 * delta)
    assert n == pytest.approx(math.log(2 / delta) / (2 * inner**2), rel=1e-13)
    assert hoeffding(1, noise=0.5, delta=delta) / math.sqrt(n) == pytest.approx(inner, rel=1e-13)


def test_mean_constant_stays_below_its_bound() -> None:
    """C_ME <= 243/64 for delta <= rho/4 < 1/4; the bound is approached at the corner, about 1/2 at the other."""
    grid = itertools.product(np.geomspace(1e-9, 1, 60, endpoint=False), np.geomspace(1e-12, 0.25, 60))
    found = [mean_constant(rho=float(rho), delta=float(rho * share)) for rho, share in grid]
    assert max(found) <= 243 / 64
    assert mean_constant(rho=1 - 1e-12, delta=0.25 * (1 - 1e-12)) == pytest.approx(243 / 64, rel=1e-9)
    assert mean_constant(rho=1e-9, delta=1e-300) == pytest.approx(0.5, rel=2e-3)
