"""The older replicable policies in plain loops, decision by decision; actions are counted from 0, batches from 1.

A run is a list of (action, times); `total(action, start, times)` are the rewards of a decision.  Designs and core sets
are given: they have tests of their own.  Estimates are by `numpy.linalg`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.key import Key
from tests.reference.closeness import Closeness

Total = Callable[[int, int, int], float]


@dataclass(kw_only=True)
class Play:
    """A run so far: T rounds, the shared key, the pulls and sums of each action, and those of the batch."""

    T: int
    rho: float
    sigma: float
    seed: str
    actions: int
    total: Total
    run: list[tuple[int, int]] = field(default_factory=list)
    pulls: dict[int, int] = field(default_factory=dict)
    sums: dict[int, float] = field(default_factory=dict)
    batch: dict[int, float] = field(default_factory=dict)
    close: Closeness = field(default_factory=Closeness)

    @property
    def played(self) -> int:
        return sum(times for _, times in self.run)

    def uniform(self, i: int, size: int = 1) -> FloatArray:
        return Key(self.seed).child("phase", i).uniform(size)

    def pull(self, times: dict[int, int]) -> None:
        """Play actions in ascending order, to the horizon at most; note the means of the batch."""
        self.batch = {}
        for a in sorted(times):
            n = min(times[a], self.T - self.played)
            if n > 0:
                got = self.total(a, self.played, n)
                self.run.append((a, n))
                self.pulls[a], self.sums[a] = self.pulls.get(a, 0) + n, self.sums.get(a, 0.0) + got
                self.batch[a] = got / n

    def fits(self, times: dict[int, int]) -> bool:
        return sum(times.values()) <= self.T - self.played

    def mean(self, a: int) -> float:
        return self.sums[a] / self.pulls[a]

    def below(self, value: float, threshold: float) -> bool:
        self.close.note(abs(value - threshold) / max(abs(value), abs(threshold)))
        return value < threshold

    def finish(self, left: list[int], value: dict[int, float]) -> None:
        """Play the action of the largest value to the end."""
        self.pull({max(left, key=lambda a: (round(value.get(a, 0.0), 9), -a)): self.T})

    def share(self, left: list[int]) -> None:
        """Play the actions left equally often to the end."""
        self.pull(dict.fromkeys(left, math.ceil((self.T - self.played) / len(left))))


def lengths(T: int) -> tuple[int, list[int]]:
    """Return B = ceil(log T), and floor(q^i), by powers of whole numbers."""
    B = math.ceil(math.log(T))
    powers = []
    for i in range(1, B):
        n = round(T ** (i / B)) + 2
        while n**B > T**i:
            n -= 1
        powers.append(n)
    return B, powers


def esfandiari_mean(play: Play) -> list[int]:
    """Play Algorithm 1; return how many arms were left after each batch."""
    (B, powers), K, left, value = lengths(play.T), play.actions, list(range(play.actions)), dict[int, float]()
    rho, delta, sizes, c = play.rho / (K * B), 1 / (2 * K * play.T * B), list[int](), 0
    for i, n in enumerate(powers, start=1):
        times = dict.fromkeys(left, n)
        if len(left) == 1 or not play.fits(times):
            break
        play.pull(times)
        c += n
        # tau' = sigma sqrt(2 log(2/delta)/c), width = 2 tau'/(rho' - 2 delta), tau = tau' + width/2
        radius = play.sigma * math.sqrt(2 * math.log(2 / delta) / c)
        width = 2 * radius / (rho - 2 * delta)
        shifts = width * play.uniform(i, K)
        value = {a: width * math.floor((play.mean(a) - shifts[a]) / width) + shifts[a] + width / 2 for a in left}
        most = max(value.values())
        left = [a for a in left if not play.below(value[a], most - 2 * (radius + width / 2))]
        sizes.append(len(left))
    play.finish(left, value)
    return sizes


def esfandiari_threshold(play: Play, beta: int) -> list[int]:
    """Play Algorithm 2 with a given beta."""
    (B, powers), K, left, value = lengths(play.T), play.actions, list(range(play.actions)), dict[int, float]()
    tail, sizes, c = 2 * math.log(2 * K * play.T * B), list[int](), 0
    for i, n in enumerate(powers, start=1):
        times = dict.fromkeys(left, beta * n)
        if len(left) == 1 or not play.fits(times):
            break
        play.pull(times)
        c += n
        narrow, wide = (2 * play.sigma * math.sqrt(tail / count) for count in (beta * c, c))
        value = {a: play.mean(a) for a in left}
        threshold = wide / 2 + wide / 2 * float(play.uniform(i)[0])
        most = max(value.values())
        left = [a for a in left if not play.below(value[a] + narrow, most - threshold)]
        sizes.append(len(left))
    play.finish(left, {})
    return sizes


def esfandiari_linear(
    play: Play, beta: int, vectors: FloatArray, design: Callable[[list[int], int], dict[int, int]]
) -> list[int]:
    """Play Algorithm 3 with a given beta; `design(left, N)` are the pulls."""
    (_, powers), left, value = lengths(play.T), list(range(play.actions)), dict[int, float]()
    (K, d), sizes = vectors.shape, list[int]()
    tail = math.log(K) + 2 * math.log(play.T)
    for i, n in enumerate(powers, start=1):
        times = design(left, 10 * beta * n)
        if len(left) == 1 or not play.fits(times):
            break
        play.pull(times)
        value = _least_squares(vectors, times, play.batch)
        wide = play.sigma * math.sqrt(d * tail / n)
        threshold = wide / 2 + wide / 2 * float(play.uniform(i)[0])
        most = max(value[a] for a in left)
        left = [a for a in left if not play.below(value[a] + wide / math.sqrt(beta), most - threshold)]
        sizes.append(len(left))
    play.finish(left, {})
    return sizes


def esfandiari_net(
    play: Play, net: FloatArray, core: Callable[[list[int], float, float, float], tuple[dict[int, float], int]]
) -> list[int]:
    """Play Algorithm 4; `core(left, eps, rho, delta)` are the weights of a core set and the pulls of each action."""
    (B, powers), left, value = lengths(play.T), list(range(len(net))), dict[int, float]()
    points, d = net.shape
    sizes, delta = list[int](), 1 / (2 * points * play.T**2)
    for i, n in enumerate(powers, start=1):
        eps = play.sigma * d * math.sqrt(math.log(play.T) / n)
        weights, pulls = core(left, min(eps, 1), play.rho / B, delta)
        times = dict.fromkeys(weights, pulls)
        if len(left) == 1 or not play.fits(times):
            break
        play.pull(times)
        rho_a, delta_a = play.rho / B / len(weights), min(delta, play.rho / B / 4) / len(weights)
        radius = play.sigma * math.sqrt(2 * math.log(2 / delta_a) / pulls)
        width = 2 * radius / (rho_a - 2 * delta_a)
        shifts = width * play.uniform(i, points)
        means = {a: width * math.floor((m - shifts[a]) / width) + shifts[a] + width / 2 for a, m in play.batch.items()}
        value = _least_squares(net, weights, means)
        most = max(value[a] for a in left)
        left = [a for a in left if not play.below(value[a], most - 2 * eps)]
        sizes.append(len(left))
    play.finish(left, value)
    return sizes


def in_phases(
    play: Play,
    *,
    commit: bool,
    design: Callable[[list[int], int], dict[int, int]] | None = None,
    vectors: FloatArray | None = None,
) -> list[int]:
    """Play EliminateInPhases or CommitInPhases."""
    K, T, sizes = play.actions, play.T, list[int]()
    P, left, value = sum(4**p < T for p in range(64)), list(range(K)), dict[int, float]()
    root = math.sqrt(2 * math.log(2 * K))
    for p in range(1, P + 1):
        N = 4 ** (p - 1)
        s = 2 * play.sigma * math.sqrt(2 * math.log(2 * K * P * T) / N)
        B = 3 * math.sqrt(2) * K * play.sigma * (1 + root) / (play.rho * math.sqrt(N))
        if commit:
            B = 6 * math.sqrt(2) * play.sigma * root / ((play.rho - 2 / T) * math.sqrt(N))
        if design is None or vectors is None:
            times = {a: N - play.pulls.get(a, 0) for a in left}
        else:
            times = design(left, math.ceil(1.1 * vectors.shape[1] * N))
        if len(left) == 1 or not play.fits(times):
            break
        play.pull(times)
        value = {a: play.mean(a) for a in left} if vectors is None else _least_squares(vectors, times, play.batch)
        threshold = max(2 * s, B) + float(play.uniform(p)[0]) * B
        order = sorted(left, key=lambda a: -value[a])
        if commit:
            clear = play.below(threshold, value[order[0]] - value[order[1]])
            left = order[:1] if clear else left
        else:
            left = [a for a in left if not play.below(threshold, value[order[0]] - value[a])]
        sizes.append(len(left))
    play.share(left)
    return sizes


def _least_squares(
    vectors: FloatArray, weights: dict[int, int] | dict[int, float], means: dict[int, float]
) -> dict[int, float]:
    """Return the estimated mean of every action."""
    rows = [a for a in means if weights[a] > 0]
    X, w = vectors[rows], np.array([float(weights[a]) for a in rows])
    w = w / w.sum()
    theta = np.linalg.pinv((X.T * w) @ X, rcond=1e-9) @ (X.T @ (w * np.array([means[a] for a in rows])))
    return {a: float(m) for a, m in enumerate(vectors @ theta)}
