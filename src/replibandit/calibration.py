"""How wide the grid is, and how far rounding moves an estimate: the paper's constants, and the sharp ones.

"paper" is the theorem to the letter: the distance of two estimates is bounded by twice their confidence radius.
"sharp" is docs/theory.md: what parts two runs is the expected distance of their estimates, in which the bias cancels,
and what rounding adds to an error is a dither, independent of the estimate.  Both carry a proof.
"""

import math

import numpy as np

from replibandit.arithmetic import log
from replibandit.arrays import FloatArray

CALIBRATIONS = ("paper", "sharp")

PAIR = 2.0 / math.sqrt(3.0)  # two runs of one design: E|z - z'| <= (2/sqrt 3) s, Gini's mean difference
PATH = math.sqrt(7.0 / 3.0)  # two runs beside a canonical path: E range{0, z, z'} <= sqrt(7/3) s


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


def sharp_width(spread: FloatArray | float, *, runs: float, noise: float, rho: float) -> FloatArray:
    """Return alpha of R0 to R4: `spread` bounds sum_j sd(z_j)/sigma, and `runs` is PAIR or PATH."""
    # alpha = runs sigma sum_j sqrt(h_j) / rho
    return np.asarray(runs * noise * spread / rho)


def dither(dim: int, *, delta: float, roundings: int = 1, candidates: int | None = None) -> tuple[float, float]:
    """Return (c, rest): rounding moves <x, theta> by at most c alpha ||x||_{V^-1}, and `rest` of delta is not spent.

    Lemma D.  The error e is uniform on the cell and independent of the estimate.  For `candidates` vectors x fixed
    beforehand Hoeffding's inequality holds for each; for all x at once ||e|| concentrates, and is sqrt(d)/2 at most.
    """
    share = delta / 2.0
    tail = log(roundings / share)
    # ||e||^2 <= alpha^2 (d/12 + sqrt(d log(1/delta')/32)), delta' = delta/2 over the number of roundings
    chance = [math.sqrt(dim / 12.0 + math.sqrt(dim * tail / 32.0))]
    if candidates is not None:
        # |<x, W^-1 e>| <= ||x||_{V^-1} alpha sqrt(log(2 N/delta')/6)
        chance.append(math.sqrt((tail + log(2.0 * candidates)) / 6.0))
    surely = math.sqrt(dim) / 2.0
    return (surely, delta) if surely <= min(chance) else (min(chance), share)
