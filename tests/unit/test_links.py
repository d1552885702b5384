"""The links against mpmath, their constants against a dense grid, and what is said about wrong arguments."""

import copy
import itertools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from replibandit.errors import InvalidInput
from replibandit.links import LINKS, Link, as_link

# b is the one reference for each link: mu is its first and mu' its second derivative, by mpmath's finite differences.
# Phi'(30) is 1e-196, the small second difference of numbers near 30: hence the digits.
DIGITS = 300
ANTIDERIVATIVES: dict[str, Callable[[mpf], mpf]] = {
    "identity": lambda eta: eta * eta / 2,
    "logistic": lambda eta: mp.log1p(mp.exp(eta)),
    "probit": lambda eta: eta * mp.erfc(-eta / mp.sqrt(2)) / 2 + mp.npdf(eta),
    "log": mp.exp,
}
POINTS = np.concatenate([np.linspace(-30.0, 30.0, 25), np.random.default_rng(7).normal(size=12), [1e-9, -1e-9]])
EVERY_LINK = pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)


def relative_error(value: float, exact: mpf) -> float:
    return 0.0 if value == exact else float(abs(value / exact - 1))


@EVERY_LINK
@pytest.mark.parametrize(("word", "order"), [("antiderivative", 0), ("mean", 1), ("slope", 2)])
def test_values_are_the_derivatives_of_the_antiderivative(link: Link, word: str, order: int) -> None:
    values = getattr(link, word)(POINTS)
    with mp.workdps(DIGITS):
        for eta, value in zip(POINTS.tolist(), values.tolist(), strict=True):
            exact = mp.diff(ANTIDERIVATIVES[link.name], mpf(eta), order)
            # the two terms of the probit's b cancel on the left
            lost = max(1.0, eta * eta) if (link.name, word) == ("probit", "antiderivative") and eta < 0 else 1.0
            assert relative_error(value, exact) < 1.2e-15 * lost, eta


@EVERY_LINK
def test_slopes_do_not_vanish_early(link: Link) -> None:
    eta = np.array([-700.0, 700.0]) if link.name == "logistic" else np.array([-37.0, 37.0])
    assert (link.slope(eta) > 0).all()


@EVERY_LINK
def test_extremes_are_limits(link: Link) -> None:
    eta = np.array([-np.inf, -1e300, 1e300, np.inf, np.nan])
    growing = [0, 0, np.inf, np.inf]
    limits: dict[str, dict[str, list[float]]] = {
        "identity": {"mean": [-np.inf, -1e300, 1e300, np.inf], "slope": [1] * 4, "antiderivative": [np.inf] * 4},
        "logistic": {"mean": [0, 0, 1, 1], "slope": [0] * 4, "antiderivative": [0, 0, 1e300, np.inf]},
        "probit": {"mean": [0, 0, 1, 1], "slope": [0] * 4, "antiderivative": [0, 0, 1e300, np.inf]},
        "log": {"mean": growing, "slope": growing, "antiderivative": growing},
    }
    for word, expected in limits[link.name].items():
        assert np.array_equal(getattr(link, word)(eta), [*expected, np.nan], equal_nan=True)


def test_logistic_mean_keeps_both_tails() -> None:
    mean = LINKS["logistic"].mean(np.array([-500.0, 500.0]))
    assert math.isclose(mean[0], math.exp(-500), rel_tol=1e-14)
    assert mean[1] == 1.0


INTERVALS = [
    (low, high)
    for low, high in itertools.product([-6.0, -2.5, -0.0, 0.0, 0.3, 4.0], [-3.0, 0.0, 0.3, 5.5])
    if low <= high
]


@EVERY_LINK
@pytest.mark.parametrize(("low", "high"), INTERVALS)
def test_constants_are_the_extremes_over_a_dense_grid(link: Link, low: float, high: float) -> None:
    grid = np.linspace(low, high, 4_001)
    slopes = link.slope(np.append(grid, 0.0) if low <= 0 <= high else grid)
    assert link.lipschitz(low, high) == pytest.approx(slopes.max(), rel=1e-15)
    assert link.min_slope(low, high) == pytest.approx(slopes.min(), rel=1e-15)


@EVERY_LINK
def test_constants_of_a_single_point(link: Link) -> None:
    for eta in (-1.5, 0.0, 2.0):
        slope = float(link.slope(np.array(eta)))
        assert link.lipschitz(eta, eta) == link.min_slope(eta, eta) == slope


def test_constants_by_hand() -> None:
    assert LINKS["identity"].lipschitz(-9.0, 9.0) == LINKS["identity"].min_slope(-9.0, 9.0) == 1.0
    assert LINKS["logistic"].lipschitz(-3.0, 3.0) == 0.25
    assert LINKS["probit"].lipschitz(-3.0, 3.0) == 1 / math.sqrt(2 * math.pi)
    assert LINKS["log"].lipschitz(-1.0, 0.0) == LINKS["log"].min_slope(0.0, 1.0) == 1.0
    assert LINKS["log"].lipschitz(-1.0, 1.0) == math.e


def test_vanishing_slope_is_0() -> None:
    assert LINKS["probit"].min_slope(-40.0, 1.0) == LINKS["logistic"].min_slope(-1.0, 800.0) == 0.0


@EVERY_LINK
@pytest.mark.parametrize(
    "interval", [(1.0, -1.0), (-math.inf, 0.0), (0.0, math.inf), (math.nan, 0.0), (0.0, math.nan), (math.inf, math.inf)]
)
def test_intervals_are_checked(link: Link, interval: tuple[float, float]) -> None:
    for constant in (link.lipschitz, link.min_slope):
        with pytest.raises(InvalidInput, match=r"the interval is \[.*\]; it must have finite ends, low <= high\. For"):
            constant(*interval)


@EVERY_LINK
def test_a_link_is_its_name(link: Link) -> None:
    assert LINKS[link.name] is as_link(link.name) is as_link(link) is link
    assert repr(link) == f"Link(name={link.name!r})"
    assert pickle.loads(pickle.dumps(link)) == copy.deepcopy(link) == link
    assert [other for other in LINKS.values() if other == link] == [link]
    assert len({link, copy.deepcopy(link)}) == 1


@pytest.mark.parametrize("wrong", ["cloglog", "Logistic", "", None, 3, ["log"]])
def test_unknown_links_are_told_the_choices(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match=r"link is .*; choose one of 'identity', 'logistic', 'probit', 'log'\."):
        as_link(wrong)


def test_a_link_of_ones_own() -> None:
    mine = Link(name="shifted", mean=LINKS["log"].mean, slope=LINKS["log"].slope, antiderivative=np.exp, peak=math.inf)
    assert as_link(mine) is mine
    assert mine != LINKS["log"]
