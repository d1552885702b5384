"""Algorithm 5 (RepGLMUCB) with Algorithm 4 (RepGLM), transcribed line by line; rounds are counted from 0."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.key import Key
from tests.reference.closeness import Closeness
from tests.reference.linear import Settings, ridge_radius, round_to_grid


@dataclass(frozen=True)
class Model:
    """An inverse link and its slope, with k_mu and c_mu over |x'theta| <= L S."""

    mean: Callable[[float], float]
    slope: Callable[[float], float]

    def constants(self, reach: float) -> tuple[float, float]:
        ends = [self.slope(-reach), self.slope(reach)]
        return max(*ends, self.slope(0.0)), min(ends)


MODELS = {
    "logistic": Model(lambda x: (1 + math.tanh(x / 2)) / 2, lambda x: (1 - math.tanh(x / 2) ** 2) / 4),
    "probit": Model(
        lambda x: math.erfc(-x / math.sqrt(2)) / 2, lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    ),
    "log": Model(math.exp, math.exp),
    "identity": Model(lambda x: x, lambda x: 1.0),
}


def maximiser(X: FloatArray, y: FloatArray, lam: float, model: Model) -> FloatArray:
    """Maximise sum_i (y_i x_i'theta - b(x_i'theta)) - (lam/2) |theta|^2 over R^d, by damped Newton steps."""
    theta = np.zeros(X.shape[1])

    def slope_at(theta: FloatArray) -> FloatArray:
        return np.asarray(X.T @ (y - np.array([model.mean(x) for x in X @ theta])) - lam * theta)

    for _ in range(200):
        gradient = slope_at(theta)
        hessian = lam * np.eye(len(theta)) + X.T @ (X * np.array([model.slope(x) for x in X @ theta])[:, None])
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while size > 1e-12 and np.linalg.norm(slope_at(theta + size * step)) > np.linalg.norm(gradient):
            size /= 2
        theta = theta + size * step
        if np.linalg.norm(size * step) < 1e-15 * (1 + np.linalg.norm(theta)):
            break
    return theta


def maximiser_in_ball(X: FloatArray, y: FloatArray, lam: float, S: float, model: Model) -> FloatArray:
    """Maximise over |theta| <= S: where the ball binds, a larger penalty lam + nu brings the norm down to S."""
    theta = maximiser(X, y, lam, model)
    if np.linalg.norm(theta) <= S:
        return theta
    low, high = 0.0, 1.0
    while np.linalg.norm(maximiser(X, y, lam + high, model)) > S:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        theta = maximiser(X, y, lam + middle, model)
        low, high = (middle, high) if np.linalg.norm(theta) > S else (low, middle)
    return theta


def rep_glm_ucb(
    at: Settings,
    link: str,
    d: int,
    sets: Callable[[int], FloatArray],
    seed: str,
    reward: Callable[[int, int], float],
) -> tuple[list[int], list[int], float]:
    """Return the action of every round, the first rounds of the batches, and how close it came to a tie."""
    model = MODELS[link]
    k_mu, c_mu = model.constants(at.L * at.S)
    B, q, deltas, rhos = at.schedule(d)
    close = Closeness()
    V = at.lam * np.eye(d)  # line 1
    rows: list[FloatArray] = []
    rewards: list[float] = []
    chosen: list[int] = []
    starts = [0]
    for t in range(at.T):
        A = sets(t)
        if t == starts[-1]:
            delta_b, rho_b = deltas[len(starts) - 1], rhos[len(starts) - 1]
            V_b = V.copy()
            raw = maximiser_in_ball(np.array(rows).reshape(-1, d), np.array(rewards), at.lam, at.S, model)
            beta = ridge_radius(V_b, at, delta_b) / min(1.0, c_mu)  # line 7
            key = Key(seed).child("batch", len(starts) - 1)
            theta = round_to_grid(raw, V_b, beta, rho_b, delta_b, key, close)  # line 6
            beta *= k_mu * (1 + d / (rho_b - 2 * delta_b))  # line 8
            inverse = np.linalg.inv(V_b)
        scores = {}
        for i, a in enumerate(A):
            if not np.isnan(a).any():
                eta = float(a @ theta)
                if link == "log":  # not Lipschitz on the line: <a, theta~> is brought to where <a, theta*> lies
                    eta = min(max(eta, -at.L * at.S), at.L * at.S)
                scores[i] = model.mean(eta) + beta * math.sqrt(float(a @ inverse @ a))
        close.choice(list(scores.values()))
        best = max(scores, key=lambda i: (scores[i], -i))  # line 10
        chosen.append(best)
        rows.append(A[best])
        rewards.append(reward(t, best))
        V = V + np.outer(A[best], A[best])  # line 11
        if len(starts) - 1 <= B - 2:
            growth = float(np.linalg.det(V) / np.linalg.det(V_b))
            close.note(abs(growth / q - 1))
            if growth > q:  # line 12
                starts.append(t + 1)
    return chosen, starts, close.least
