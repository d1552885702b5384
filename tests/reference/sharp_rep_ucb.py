"""RepUCB with the sharp calibration (docs/theory.md, R3), transcribed line by line; arms and rounds count from 0."""

import math
from collections.abc import Callable

from replibandit.key import Key
from tests.reference.closeness import Closeness


def counts_from(n_0: int, arms: int, horizon: int, growth: float) -> list[int]:
    """Return n_0 and n_{k+1} = n_k + ceil((g - 1) n_k), those with n_k + (K - 1) n_0 < T."""
    counts = []
    n = n_0
    while n + (arms - 1) * n_0 < horizon:
        counts.append(n)
        n += math.ceil((growth - 1) * n)
    return counts


def shares(rho: float, m: int, growth: float, words: str) -> list[float]:
    """Return the budgets of the counts of one arm, which add up to `rho`: section B with d = 1."""
    uniform = [1 / m] * m
    powers = [growth ** (k / 4) for k in range(m)]
    geometric = [power / sum(powers) for power in powers]
    mixed = [(a + b) / 2 for a, b in zip(uniform, geometric, strict=True)]
    return [rho * share for share in {"uniform": uniform, "geometric": geometric, "mixed": mixed}[words]]


def sharp_rep_ucb(
    arms: int,
    horizon: int,
    rho: float,
    noise: float,
    spread: float,
    seed: str,
    reward: Callable[[int, int], float],
    growth: float = 8.0,
    budgets: str = "uniform",
) -> tuple[list[int], int, float]:
    """Return the arm of every round, n_0, and how close the run came to a tie; `reward(t, a)` is r_t(a)."""
    close = Closeness()
    widths: dict[int, float] = {}
    radii: dict[int, float] = {}
    n_0 = 0
    while not radii:  # the smallest n_0 with 2 r(n_0) <= spread, by trying them all
        n_0 += 1
        if arms * n_0 >= horizon:  # no call can tell anything: round-robin, -(-T/K) rounds each
            n_0 = math.ceil(horizon / arms)
            break
        counts = counts_from(n_0, arms, horizon, growth)
        m = len(counts)
        for n, rho_n in zip(counts, shares(rho / arms, m, growth, budgets), strict=True):
            widths[n] = 2 / math.sqrt(3) * noise / (rho_n * math.sqrt(n))
            # r(n) = sigma sqrt(2 log(2 K m/delta)/n) + alpha(n)/2, delta = 1/(2T)
            radii[n] = noise * math.sqrt(2 * math.log(2 * arms * m * 2 * horizon) / n) + widths[n] / 2
        close.note(abs(2 * radii[n_0] / spread - 1))
        if 2 * radii[n_0] > spread:
            radii.clear()

    chosen: list[int] = []
    samples: list[list[float]] = [[] for _ in range(arms)]
    index = [math.inf] * arms
    while len(chosen) < horizon:
        finite = [value for value in index if value < math.inf]
        if len(finite) == arms:
            close.choice(finite)
        best = index.index(max(index))
        n = len(samples[best])
        later = [count for count in sorted(radii) if count > n]
        until = n_0 if n == 0 else later[0] if later else horizon
        while len(samples[best]) < until and len(chosen) < horizon:
            samples[best].append(reward(len(chosen), best))
            chosen.append(best)
        if len(chosen) == horizon or not radii:  # after the last round nothing is estimated
            index[best] = -1.0
            continue
        n = len(samples[best])
        shift = widths[n] * float(Key(seed).child("arm", best, "pulls", n).uniform(1)[0])
        position = (sum(samples[best]) / n - shift) / widths[n]
        close.cell(position)
        index[best] = widths[n] * math.floor(position) + shift + widths[n] / 2 + radii[n]
    return chosen, n_0, close.least
