"""Algorithm 1 (RepUCB), transcribed line by line; arms are counted from 0, rounds from 0."""

import math
from collections.abc import Callable

from replibandit.key import Key
from tests.reference.closeness import Closeness


def rep_ucb(
    arms: int, horizon: int, rho: float, noise: float, seed: str, reward: Callable[[int, int], float]
) -> tuple[list[int], float]:
    """Return the arm of every round, and how close the run came to a tie; `reward(t, a)` is r_t(a)."""
    calls = arms * (1 + math.ceil(math.log2(horizon)))  # M
    rho_1, delta_1 = rho / calls, 1 / (2 * calls * horizon)
    close = Closeness()

    def tau(n: int) -> float:
        # the accuracy of the statistical query behind RepMean: tau'(n) (1 + rho_1 - 2 delta_1) / (rho_1 - 2 delta_1)
        sampling = math.sqrt(2 * noise**2 * math.log(2 / delta_1) / n)
        return sampling * (rho_1 + 1 - 2 * delta_1) / (rho_1 - 2 * delta_1)

    def rep_mean(arm: int, samples: list[float]) -> float:
        # a grid of width 2 tau / (rho + 1 - 2 delta), shifted by a uniform part of a cell; the middle of the cell
        n = len(samples)
        width = 2 * tau(n) / (rho_1 + 1 - 2 * delta_1)
        shift = width * float(Key(seed).child("arm", arm, "pulls", n).uniform(1)[0])
        position = (sum(samples) / n - shift) / width
        close.cell(position)
        return width * math.floor(position) + shift + width / 2

    chosen: list[int] = []
    samples: list[list[float]] = [[] for _ in range(arms)]
    index = [0.0] * arms
    for a in range(arms):  # lines 2 to 7
        samples[a].append(reward(len(chosen), a))
        chosen.append(a)
        index[a] = rep_mean(a, samples[a]) + 2 * tau(1)
    while len(chosen) < horizon:  # line 9, t <= T
        close.choice(index)
        best = index.index(max(index))
        length = min(len(samples[best]), horizon - len(chosen))  # line 11, B = min{N_a, T - t + 1}
        for _ in range(length):
            samples[best].append(reward(len(chosen), best))
            chosen.append(best)
        index[best] = rep_mean(best, samples[best]) + 2 * tau(len(samples[best]))  # lines 18 and 19
    return chosen, close.least
