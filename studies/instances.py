"""The instances by name: `arms 5`, `equal 5`, `gap 3 0.05`, `finite 10`, `ball 5`, `changing 5`, `logistic 5`."""

from functools import lru_cache
from typing import Any

import numpy as np

import replibandit as rb

SIGMA, QUIET = 0.5, 0.005  # the noise of every instance, and that of the quiet ones: 10,000 times the horizon


def noise_of(name: str) -> float:
    """Return the noise level of an instance."""
    return QUIET if name.startswith("quiet") else SIGMA


@lru_cache(maxsize=64)
def instance(name: str) -> Any:
    """Return an environment."""
    kind, *sizes = name.split()
    return _KINDS[kind](*(float(size) if "." in size else int(size) for size in sizes))


def _arms(K: int) -> Any:
    """Return K arms: the best in the middle, with 0.7, the others from 0.3 to 0.6."""
    means = np.insert(np.linspace(0.3, 0.6, K - 1) if K > 2 else np.array([0.6]), K // 2, 0.7)
    return rb.BernoulliArms(means=means)


def _equal(K: int) -> Any:
    """Return K arms, all but the one in the middle behind it by 1/5."""
    means = np.full(K, 0.4)
    means[K // 2] = 0.6
    return rb.BernoulliArms(means=means)


def _gap(K: int, gap: float) -> Any:
    """Return K arms: two that differ by a gap, and the others far behind."""
    means = np.full(K, 0.2)
    means[K // 2], means[K // 2 - 1] = 0.5 + gap / 2.0, 0.5 - gap / 2.0
    return rb.BernoulliArms(means=means)


def _theta(d: int) -> Any:
    return np.concatenate([[0.6], np.full(d - 1, 0.1 / np.sqrt(max(1, d - 1)))])


def _table(d: int) -> Any:
    """Return the unit vectors, their opposites, and the middles of neighbours: 3d actions."""
    eye = np.eye(d)
    return np.concatenate([-eye, (eye + np.roll(eye, 1, axis=0)) / np.sqrt(2.0), eye])


def _quiet(K: int) -> Any:
    """Return the arms of `equal` with a hundredth of the noise."""
    return rb.GaussianArms(means=_equal(K).means, sd=QUIET)


def _quiet_finite(d: int) -> Any:
    return rb.LinearArms(theta=_theta(d), actions=_table(d), noise=QUIET)


def _axes(d: int, gap: float) -> Any:
    """Return orthogonal vectors, which are arms, too; the last one is better than the others by a gap."""
    means = np.full(d, -gap / 2.0)
    means[-1] = gap / 2.0
    return rb.LinearArms(theta=means, actions=np.eye(d), noise=SIGMA)


def _finite(d: int) -> Any:
    return rb.LinearArms(theta=_theta(d), actions=_table(d), noise=SIGMA)


def _ball(d: int) -> Any:
    return rb.LinearArms(theta=_theta(d), actions=rb.Ball(1.0, d), noise=SIGMA)


def _changing(d: int) -> Any:
    """Return sets of ten actions, new in every round; they repeat after 10007 rounds."""
    sets = np.random.default_rng(d).standard_normal((10007, 10, d))
    sets /= np.linalg.norm(sets, axis=2, keepdims=True)

    def block(start: int, stop: int) -> Any:
        return sets[np.arange(start, stop) % len(sets)]

    return rb.LinearArms(theta=_theta(d), actions=rb.Contexts(block, 10, d), noise=SIGMA)


def _logistic(d: int) -> Any:
    return rb.GLMArms(theta=_theta(d), actions=_table(d), link="logistic")


_KINDS: dict[str, Any] = {
    "arms": _arms,
    "equal": _equal,
    "gap": _gap,
    "quiet": _quiet,
    "quietfinite": _quiet_finite,
    "axes": _axes,
    "finite": _finite,
    "ball": _ball,
    "changing": _changing,
    "logistic": _logistic,
}
