"""Levels and their certificate: upper sums that no position exceeds, and shapes that no law exceeds."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.levels import Shape, blur, certified_level, commitment, elimination, levels, mismatch
from replibandit.testing import assert_rate_at_least, assert_rate_at_most

GROWTHS = [2, 3, 4, 9, 16]
SHAPES = {
    "two": commitment(2, "sharp", variance=1.0),
    "five": commitment(5, "sharp", variance=2.5),
    "vectors": commitment(20, "sharp", variance=math.inf),
    "gaussian": commitment(7, "gaussian", variance=math.inf),
    "elimination": elimination(5, "sharp", variance=2.5),
}

GOLDEN = [12.140625, 16.921875, 22.234375, 10.0625, 27.65625]


def density(x: float, a: float, growth: int) -> float:
    """Return the density of the level: the mean over the edge of uniform densities, by its four corners."""
    s, root = blur(growth), math.sqrt(growth)
    height = 2.0 / ((s + 1.0) * a * (root - 1.0))
    return float(np.interp(x, [a, s * a, root * a, root * s * a], [0.0, height, height, 0.0], left=0.0, right=0.0))


def curve(shape: Shape, x: float) -> float:
    """Return the shape between its cells, from below: the value at the far end."""
    side = shape.above if x > 0 else shape.below
    i = min(math.ceil(abs(x) * 16), len(side) - 1)
    return side[i]


@pytest.mark.parametrize("growth", GROWTHS)
def test_levels_have_the_density_of_the_trapezoid(growth: int) -> None:
    """Quarters of 20,000 levels, each off by more than 1/40 with a probability below 1e-6."""
    a, s, root = 3.0, blur(growth), math.sqrt(growth)
    drawn = levels(a, growth, Key("levels").uniform(40_000).reshape(-1, 2))
    assert drawn.min() >= a
    assert drawn.max() < a * s * root
    for low, high in pairwise([a, s * a, 0.5 * (s + root) * a, root * a, s * root * a]):
        if high > low:
            share = quad(density, low, high, args=(a, growth))[0]
            inside = int(((drawn >= low) & (drawn < high)).sum())
            assert_rate_at_most(inside, len(drawn), rate=share)
            assert_rate_at_least(inside, len(drawn), rate=share)


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.area == math.inf])
def test_no_position_exceeds_the_certificate(name: str, growth: int) -> None:
    """The sum over all phases, integrated at positions over a period, is below the certificate, and not far below."""
    shape, a = SHAPES[name], 12.0
    certified = mismatch(shape, a, growth=growth, decisions=10)
    grid = np.linspace(a, a * math.sqrt(growth) * blur(growth), 4001)
    weight = np.array([density(x, a, growth) for x in grid])

    def total(first: float) -> float:
        positions = [first * growth ** (j / 2) for j in range(-4, 5)]
        parts = (weight * np.array([curve(shape, x - d) for x in grid]) for d in positions)
        return float(sum(np.trapezoid(part, grid) for part in parts))

    sums = [total(a * growth ** (i / 80)) for i in range(0, 40, 4 if growth > 2 else 8)]
    assert max(sums) <= certified <= 1.35 * max(sums)


def test_shapes_bound_gaussian_and_two_point_laws() -> None:
    """P(X >= x) of a centred law with variance proxy 1: normal, and two points at the worst place."""
    x = np.arange(161) / 16
    for tail in (norm.sf(x), two_point(x)):
        assert (2 * tail * (1 - tail) <= np.array(SHAPES["two"].above) + 1e-12).all()
    exact = 2 * norm.sf(x) * norm.cdf(x)
    assert np.allclose(SHAPES["gaussian"].above, exact, rtol=1e-12, atol=1e-300)


def two_point(x: FloatArray) -> FloatArray:
    """Return the largest P(X >= x) of laws on two points with mean 0, variance proxy 1."""
    chance = np.linspace(1e-4, 0.5, 4000)[:, None]
    # the optimal variance proxy of a Bernoulli law with chance p is (1 - 2p) / (2 log((1 - p)/p)) (Kearns and Saul)
    with np.errstate(invalid="ignore", divide="ignore"):
        proxy = np.where(chance == 0.5, 0.25, (1 - 2 * chance) / (2 * np.log((1 - chance) / chance)))
    high = (1 - chance) / np.sqrt(proxy)
    return np.asarray(np.max(np.where(high >= x, chance, 0.0), axis=0))


@pytest.mark.parametrize("arms", [2, 3, 5])
def test_areas_bound_the_mean_difference(arms: int) -> None:
    """E|M - M'| of the least lead, for skewed two-point rewards of which the best arm is one: far below the area."""
    rng, n = np.random.default_rng(0), 40_000
    p = 0.1
    proxy = (1 - 2 * p) / (2 * math.log((1 - p) / p))
    means = ((rng.random((2, n, arms)) < p) - p) / math.sqrt(proxy)
    least = ((means[..., :1] - means[..., 1:]) / math.sqrt(2)).min(axis=-1)
    spread = abs(least[0] - least[1])
    assert spread.mean() + 6 * spread.std() / math.sqrt(n) < commitment(arms, "sharp", variance=0.5 * arms).area


@pytest.mark.parametrize("rho", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("name", SHAPES)
def test_the_level_is_the_least_on_its_grid(name: str, rho: float) -> None:
    shape = SHAPES[name]
    a = certified_level(shape, growth=4, rho=rho, decisions=12, miss=0.5)
    assert (a * 64).is_integer()
    assert mismatch(shape, a, growth=4, decisions=12) <= rho
    least = math.sqrt(2 * math.log(max(1.0, 0.5 * shape.wrong * 12 / 0.5)))
    assert a - 1 / 64 < max(least, 1.0) or mismatch(shape, a - 1 / 64, growth=4, decisions=12) > rho


def test_a_small_miss_raises_the_level() -> None:
    shape = SHAPES["gaussian"]
    a = certified_level(shape, growth=9, rho=0.5, decisions=20, miss=1e-15)
    # (K - 1) D e^(-a^2/2) / 2 <= miss
    assert 0.5 * 6 * 20 * math.exp(-a * a / 2) <= 1e-15 * (1 + 1e-9) < 0.5 * 6 * 20 * math.exp(-((a - 1 / 64) ** 2) / 2)


def test_levels_are_the_same_bits() -> None:
    found = [certified_level(SHAPES[name], growth=4, rho=0.1, decisions=10, miss=1e-6) for name in SHAPES]
    assert found == GOLDEN


def test_rho_may_be_too_small() -> None:
    with pytest.raises(InvalidInput, match=r"rho is 1e-09; it is too small"):
        certified_level(SHAPES["two"], growth=4, rho=1e-9, decisions=10, miss=0.5)
