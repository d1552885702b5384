"""Confidence radii against their formulas in 50 digits."""

import itertools
import math

import numpy as np
import pytest
from mpmath import mp, mpf

from replibandit.radius import hoeffding, self_normalized


@pytest.mark.parametrize("n", [1, 7, 10**6, 10**14])
@pytest.mark.parametrize("delta", [0.5, 0.01, 1e-12, 1e-200])
@pytest.mark.parametrize("noise", [0.5, 1e-100, 1e100])
def test_hoeffding(n: int, delta: float, noise: float) -> None:
    with mp.workdps(50):
        exact = mpf(noise) * mp.sqrt(2 * mp.log(2 / mpf(delta)) / n)
    assert hoeffding(n, noise=noise, delta=delta) == pytest.approx(float(exact), rel=1e-15)


@pytest.mark.parametrize("log_det", [0.0, 1.0, 1e4])
@pytest.mark.parametrize("penalty", [1.0, 1e-8, 1e8])
def test_self_normalized(log_det: float, penalty: float) -> None:
    noise, delta, norm_bound = 0.7, 0.01, 3.0
    with mp.workdps(50):
        # sigma sqrt(2 log(det(V)^(1/2) det(lambda I)^(-1/2) / delta)) + sqrt(lambda) S
        spread = mp.sqrt(2 * mp.log(mp.exp(mpf(log_det) / 2) / mpf(delta)))
        exact = mpf(noise) * spread + mp.sqrt(mpf(penalty)) * norm_bound
    found = self_normalized(np.array(log_det), noise=noise, delta=delta, penalty=penalty, norm_bound=norm_bound)
    assert float(found) == pytest.approx(float(exact), rel=1e-15)


def test_self_normalized_in_lanes() -> None:
    log_det = np.array([[0.0, 2.0], [5.0, 80.0]])
    lanes = self_normalized(log_det, noise=1.0, delta=0.1, penalty=2.0, norm_bound=0.5)
    for place in np.ndindex(2, 2):
        single = self_normalized(log_det[place], noise=1.0, delta=0.1, penalty=2.0, norm_bound=0.5)
        assert lanes[place] == single


def test_radii_scale_exactly_with_powers_of_two() -> None:
    assert hoeffding(12, noise=2.0**40, delta=0.01) == 2.0**40 * hoeffding(12, noise=1.0, delta=0.01)
    assert hoeffding(4 * 12, noise=1.0, delta=0.01) == hoeffding(12, noise=1.0, delta=0.01) / 2
    one = self_normalized(np.array(3.0), noise=0.3, delta=0.01, penalty=5.0, norm_bound=0.7)
    assert self_normalized(np.array(3.0), noise=0.6, delta=0.01, penalty=5.0, norm_bound=1.4) == 2 * one


def test_radii_grow_as_they_should() -> None:
    radii = [hoeffding(n, noise=0.5, delta=0.01) for n in range(1, 200)]
    assert all(a > b for a, b in itertools.pairwise(radii))
    grown = self_normalized(np.linspace(0, 50, 99), noise=1.0, delta=0.01, penalty=1.0, norm_bound=1.0)
    assert (np.diff(grown) > 0).all()
    assert grown[0] == pytest.approx(math.sqrt(2 * math.log(100)) + 1)
