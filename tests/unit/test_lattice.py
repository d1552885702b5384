"""The lattice A_d* as a grid: nearest points, cells, constants, and rotations."""

import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput, OutOfRange
from replibandit.estimators import lattice
from replibandit.estimators.lattice import cell_of, covering_radius, crossing_rate, point, rotation


def nearest(z: FloatArray, shift: FloatArray) -> float:
    """Return the distance of z from the shifted lattice of scale 1, by looking at all points around it."""
    d = len(z)
    plane = lattice._plane(d)
    around = np.rint((plane.T @ z)[:-1] - (plane.T @ z)[-1] - shift)
    points = (around + np.array(k) + shift for k in itertools.product(range(-2, 3), repeat=d))
    return min(float(np.linalg.norm(plane[:, :-1] @ p - z)) for p in points)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_nearest_point_is_found(d: int) -> None:
    rng = np.random.default_rng(d)
    for _ in range(60):
        z, shift = 3.0 * rng.standard_normal(d), rng.random(d)
        found = point(cell_of(z, width=1.0, shift=shift), width=1.0, shift=shift)
        assert np.linalg.norm(found - z) == pytest.approx(nearest(z, shift), abs=1e-12)
        assert np.linalg.norm(found - z) <= covering_radius(d) * (1 + 1e-12)


@pytest.mark.parametrize("d", [1, 2, 5, 40])
def test_points_are_their_own_cells(d: int) -> None:
    rng = np.random.default_rng(d)
    for width in (1e-3, 1.0, 700.0):
        cell, shift = rng.integers(-1000, 1000, d), width * rng.random(d)
        assert (cell_of(point(cell, width=width, shift=shift), width=width, shift=shift) == cell).all()


def test_the_constants() -> None:
    """In one dimension cells are intervals of length 1/sqrt(2); in two, hexagons."""
    assert crossing_rate(1) == pytest.approx(math.sqrt(2))
    assert covering_radius(1) == pytest.approx(math.sqrt(2) / 4)
    # A hexagon of circumradius R has perimeter 6 R and area 1.5 sqrt(3) R^2.
    R = covering_radius(2)
    assert crossing_rate(2) == pytest.approx(6 * R / (2 * 1.5 * math.sqrt(3) * R * R))
    assert 1 / math.sqrt(3) == pytest.approx(1.5 * math.sqrt(3) * R * R)  # the volume 1/sqrt(n)
    assert math.isfinite(crossing_rate(2000))


def test_the_gains_are_those_of_the_theory_page() -> None:
    gains = {d: d * math.sqrt(d) / 2 / (covering_radius(d) * crossing_rate(d)) for d in (2, 4, 8, 16)}
    words = ", ".join(f"{gain:.1f} at $d = {d}$" for d, gain in gains.items())
    assert words in (Path(__file__).parents[2] / "docs" / "theory.md").read_text()


@pytest.mark.parametrize("d", [3, 5, 9])
def test_facets_enclose_the_volume(d: int) -> None:
    """The cell is made of pyramids over its facets, of height |v|/2, |v|^2 = k (n - k)/n: V = sum area height / d."""
    n = d + 1
    volume = sum(
        math.comb(n, k) * k ** (k - 1.5) * (n - k) ** (n - k - 1.5) / n ** (n - 2) * math.sqrt(k * (n - k) / n) / 2 / d
        for k in range(1, n)
    )
    assert volume == pytest.approx(1 / math.sqrt(n))
    assert sum(Fraction(math.comb(n, k)) for k in range(1, n)) == 2**n - 2  # facets in all


@pytest.mark.parametrize("d", [2, 4, 8])
def test_segments_cross_walls_as_often_as_said(d: int) -> None:
    """Two points at a small distance, in a random direction, part with probability crossing_rate times E|cos|."""
    rng, n, length = np.random.default_rng(d), 6000, 0.05
    parted = 0
    for _ in range(n):
        z, step, shift = rng.standard_normal(d), rng.standard_normal(d), rng.random(d)
        other = z + length * step / np.linalg.norm(step)
        parted += bool((cell_of(z, width=1.0, shift=shift) != cell_of(other, width=1.0, shift=shift)).any())
    cosine = math.gamma(d / 2) / (math.sqrt(math.pi) * math.gamma((d + 1) / 2))
    expected = crossing_rate(d) * length * cosine
    assert abs(parted / n - expected) < 5 * math.sqrt(expected / n) + 0.05 * expected


def test_rotations_are_orthogonal_and_their_own() -> None:
    first = rotation(rb.Key(1), 12)
    assert abs(first @ first.T - np.eye(12)).max() < 1e-14
    assert (first == rotation(rb.Key(1), 12)).all()
    assert not np.allclose(first, rotation(rb.Key(2), 12))
    means = np.mean([rotation(rb.Key(seed), 3) for seed in range(2000)], axis=0)
    assert abs(means).max() < 5 / math.sqrt(3 * 2000)


@pytest.mark.parametrize("whitening", ["cholesky", "symmetric"])
def test_a_fit_on_a_lattice(whitening: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    y = X @ [0.5, 0.1, 0.0, -0.3] + rng.standard_normal(200)
    fits = {
        grid: rb.rep_ridge(
            X, y, rho=0.1, delta=0.01, noise=1.0, seed=3, calibration="sharp", grid=grid, whitening=whitening
        )
        for grid in ("cube", "lattice")
    }
    cube, fit = fits["cube"], fits["lattice"]
    assert fit.raw.tobytes() == cube.raw.tobytes()
    moved = fit.theta - fit.raw
    assert math.sqrt(moved @ fit.gram @ moved) <= fit.inflated_radius - fit.radius
    assert fit.inflated_radius - fit.radius < (cube.inflated_radius - cube.radius) / 1.4
    assert fit.cell.shape == (4,)
    assert fit.fingerprint != cube.fingerprint


def test_bad_settings_are_refused() -> None:
    X, y = np.eye(3), np.ones(3)
    with pytest.raises(InvalidInput, match="grid is 'hexagon'; choose one of 'cube', 'lattice'"):
        rb.rep_ridge(X, y, rho=0.1, delta=0.01, noise=1.0, seed=1, calibration="sharp", grid="hexagon")
    with pytest.raises(InvalidInput, match="a lattice is calibrated sharply only"):
        rb.rep_ridge(X, y, rho=0.1, delta=0.01, noise=1.0, seed=1, grid="lattice")
    with pytest.raises(OutOfRange, match="lies 2\\*\\*50 or more grid cells"):
        cell_of(np.full(2, 1e20), width=1.0, shift=np.zeros(2))
