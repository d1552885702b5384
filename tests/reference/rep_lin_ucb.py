"""Algorithm 3 (RepLinUCB) with Algorithm 2 (RepRidge), transcribed line by line; rounds are counted from 0."""

import math
from collections.abc import Callable

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.key import Key
from tests.reference.closeness import Closeness
from tests.reference.linear import Settings, ridge_radius, round_to_grid


def rep_lin_ucb(
    at: Settings, d: int, sets: Callable[[int], FloatArray], seed: str, reward: Callable[[int, int], float]
) -> tuple[list[int], list[int], float]:
    """Return the action of every round, the first rounds of the batches, and how close it came to a tie.

    `sets(t)` is A_t, one candidate a row (a row of NaN is not there); `reward(t, i)` is the reward of candidate i.
    """
    B, q, deltas, rhos = at.schedule(d)
    close = Closeness()
    V = at.lam * np.eye(d)  # line 1
    rows: list[FloatArray] = []
    rewards: list[float] = []
    chosen: list[int] = []
    starts = [0]  # t_b; b is len(starts) - 1
    for t in range(at.T):
        A = sets(t)
        if t == starts[-1]:
            delta_b, rho_b = deltas[len(starts) - 1], rhos[len(starts) - 1]
            V_b = V.copy()
            moment = np.zeros(d)
            for x, r in zip(rows, rewards, strict=True):
                moment += x * r
            beta = ridge_radius(V_b, at, delta_b)  # line 6
            key = Key(seed).child("batch", len(starts) - 1)
            raw = np.asarray(np.linalg.solve(V_b, moment), dtype=np.float64)
            theta = round_to_grid(raw, V_b, beta, rho_b, delta_b, key, close)  # line 5
            beta *= 1 + d / (rho_b - 2 * delta_b)  # line 7
            inverse = np.linalg.inv(V_b)
        scores = {}
        for i, a in enumerate(A):
            if not np.isnan(a).any():
                scores[i] = float(a @ theta) + beta * math.sqrt(float(a @ inverse @ a))
        close.choice(list(scores.values()))
        best = max(scores, key=lambda i: (scores[i], -i))  # line 9, the lowest index of the best
        chosen.append(best)
        rows.append(A[best])
        rewards.append(reward(t, best))
        V = V + np.outer(A[best], A[best])  # line 10
        if len(starts) - 1 <= B - 2:
            growth = float(np.linalg.det(V) / np.linalg.det(V_b))
            close.note(abs(growth / q - 1))
            if growth > q:  # line 11
                starts.append(t + 1)
    return chosen, starts, close.least
