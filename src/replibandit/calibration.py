"""How wide the grid is: the widths and the inflated radii of the paper, with their constants written out."""

import math

import numpy as np

from replibandit.arithmetic import log
from replibandit.arrays import FloatArray

CALIBRATIONS = ("paper",)


def grid_width(radius: FloatArray | float, *, dim: int, rho: float, delta: float) -> FloatArray:
    """Return alpha of Alg. 2, line 5: estimates within `radius` of the truth part with probability rho - 2 delta."""
    # alpha = 2 beta sqrt(d) / (rho - 2 delta)
    return np.asarray(2.0 * radius * math.sqrt(dim) / (rho - 2.0 * delta))


def inflated(radius: FloatArray | float, *, width: FloatArray | float, dim: int) -> FloatArray:
    """Return the radius of the rounded estimate: beta + (alpha/2) sqrt(d) = beta (1 + d/(rho - 2 delta))."""
    return np.asarray(radius + 0.5 * width * math.sqrt(dim))


def mean_constant(*, rho: float, delta: float, noise: float = 0.5) -> float:
    """Return C_ME of Prop. 3.1, explicit: RepMean needs C_ME log(1/delta) / (tau^2 (rho - delta)^2) samples.

    Follows from the random-offset statistical query (see `estimators.mean`); at most 243/64 for delta <= rho/4 and
    values in [0, 1], and multiplied by 4 sigma^2 for sigma-sub-Gaussian ones.
    """
    # C_ME = (1 + rho - 2 delta)^2 / 2 * log(2/delta) / log(1/delta) * ((rho - delta) / (rho - 2 delta))^2
    tail = log(2.0 / delta) / log(1.0 / delta)
    ratio = (rho - delta) / (rho - 2.0 * delta)
    spread = 1.0 + rho - 2.0 * delta
    return 4.0 * noise * noise * (spread * spread / 2.0) * tail * (ratio * ratio)
