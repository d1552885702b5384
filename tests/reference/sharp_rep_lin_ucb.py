"""RepLinUCB with the sharp calibration (docs/theory.md, R2, D and B), transcribed line by line."""

import math
from collections.abc import Callable

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.key import Key
from tests.reference.closeness import Closeness
from tests.reference.linear import Settings, ridge_radius


def plan(at: Settings, d: int, q: float, budgets: str) -> tuple[int, list[float]]:
    """Return B and rho_b, b = 1, ..., B - 1 (rho_0 = 0: nothing is rounded): section B."""
    B = math.ceil(d * math.log(1 + at.T * at.L**2 / (at.lam * d)) / math.log(q))
    uniform = [1 / (B - 1)] * (B - 1)
    powers = [q ** (b / (4 * d)) for b in range(1, B)]
    geometric = [power / sum(powers) for power in powers]
    mixed = [(a + b) / 2 for a, b in zip(uniform, geometric, strict=True)]
    parts = {"uniform": uniform, "geometric": geometric, "mixed": mixed}[budgets]
    return B, [0.0, *(at.rho * part for part in parts)]


def dither(d: int, delta: float, B: int, candidates: int | None) -> tuple[float, float]:
    """Return c of section D, and what is left of delta."""
    each = delta / (2 * (B - 1))  # delta'
    numbers = [math.sqrt(d / 12 + math.sqrt(d * math.log(1 / each) / 32))]
    if candidates is not None:
        numbers.append(math.sqrt(math.log(2 * candidates / each) / 6))
    if math.sqrt(d) / 2 <= min(numbers):
        return math.sqrt(d) / 2, delta
    return min(numbers), delta / 2


def leverages(L: FloatArray, rows: list[FloatArray]) -> list[float]:
    """Return h_j = sum_s <w_j, x_s>^2, w_j being the rows of L^-1."""
    whitened = [np.linalg.solve(L, x) for x in rows]
    return [math.fsum(float(x[j]) ** 2 for x in whitened) for j in range(len(L))]


def sharp_rep_lin_ucb(
    at: Settings,
    d: int,
    sets: Callable[[int], FloatArray],
    seed: str,
    reward: Callable[[int, int], float],
    *,
    candidates: int | None,
    q: float = math.e**2,
    budgets: str = "mixed",
) -> tuple[list[int], list[int], float]:
    """Return the action of every round, the first rounds of the batches, and how close it came to a tie.

    `sets(t)` is A_t, one candidate a row (a row of NaN is not there); `reward(t, i)` is the reward of candidate i;
    `candidates` is K if the set is always the same.
    """
    B, rhos = plan(at, d, q, budgets)
    c, delta = dither(d, at.delta, B, candidates)
    close = Closeness()
    V = at.lam * np.eye(d)
    rows: list[FloatArray] = []
    moment = np.zeros(d)
    chosen: list[int] = []
    starts = [0]  # t_b; b is len(starts) - 1
    for t in range(at.T):
        A = sets(t)
        if t == starts[-1]:
            b, V_b = len(starts) - 1, V.copy()
            L = np.asarray(np.linalg.cholesky(V_b), dtype=np.float64)
            theta = np.asarray(np.linalg.solve(V_b, moment), dtype=np.float64)
            radius = ridge_radius(V_b, at, delta)  # beta_{t_b}: delta once, not delta/B
            if b > 0:  # batch 0 has no data
                # alpha_b = sqrt(7/3) sigma sum_j sqrt(h_bj) / rho_b
                alpha = math.sqrt(7 / 3) * at.sigma * sum(math.sqrt(h) for h in leverages(L, rows)) / rhos[b]
                shift = alpha * Key(seed).child("batch", b).uniform(d)
                position = (L.T @ theta - shift) / alpha
                for coordinate in position.tolist():
                    close.cell(coordinate)
                theta = np.asarray(np.linalg.solve(L.T, alpha * np.floor(position) + shift + alpha / 2))
                radius += c * alpha
            inverse = np.linalg.inv(V_b)
        scores = {}
        for i, a in enumerate(A):
            if not np.isnan(a).any():
                scores[i] = float(a @ theta) + radius * math.sqrt(float(a @ inverse @ a))
        close.choice(list(scores.values()))
        best = max(scores, key=lambda i: (scores[i], -i))  # the lowest index of the best
        chosen.append(best)
        rows.append(A[best])
        moment = moment + A[best] * reward(t, best)
        V = V + np.outer(A[best], A[best])
        if b <= B - 2:
            growth = float(np.linalg.det(V) / np.linalg.det(V_b))
            close.note(abs(growth / q - 1))
            if growth > q:
                starts.append(t + 1)
    return chosen, starts, close.least
