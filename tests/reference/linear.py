"""What Algorithms 3 and 5 share: settings of the theorems, the radius, and the rounding of an estimate."""

import math
from dataclasses import dataclass

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.key import Key
from tests.reference.closeness import Closeness


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The symbols of the theorems, and the schedule that they choose."""

    T: int
    rho: float
    delta: float
    sigma: float
    lam: float = 1.0
    S: float = 1.0
    L: float = 1.0
    own: tuple[float, list[float], list[float]] | None = None  # q and the budgets delta_b and rho_b of another schedule

    def schedule(self, d: int) -> tuple[int, float, list[float], list[float]]:
        """Return B, q, delta_b and rho_b."""
        if self.own is not None:
            return len(self.own[1]), *self.own
        volume = 1 + self.T * self.L**2 / (self.lam * d)
        B = math.ceil(d * math.log(volume))
        return B, volume ** (d / B), [self.delta / B] * B, [self.rho / B] * B


def ridge_radius(V: FloatArray, at: Settings, delta: float) -> float:
    """Return sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta))) + sqrt(lambda) S."""
    d = len(V)
    ratio = math.sqrt(float(np.linalg.det(V))) / (math.sqrt(at.lam**d) * delta)
    return at.sigma * math.sqrt(2 * math.log(ratio)) + math.sqrt(at.lam) * at.S


def round_to_grid(
    theta: FloatArray, V: FloatArray, radius: float, rho: float, delta: float, key: Key, close: Closeness
) -> FloatArray:
    """Whiten with z = L^T theta, round every coordinate on the shifted grid, and map back."""
    d = len(theta)
    L = np.linalg.cholesky(V)
    z = L.T @ theta
    alpha = 2 * radius * math.sqrt(d) / (rho - 2 * delta)
    u = alpha * key.uniform(d)
    rounded = np.zeros(d)
    for j in range(d):
        position = float((z[j] - u[j]) / alpha)
        close.cell(position)
        rounded[j] = alpha * math.floor(position) + u[j] + alpha / 2
    return np.asarray(np.linalg.solve(L.T, rounded))
