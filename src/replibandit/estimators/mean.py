"""RepMean: the replicable mean (Prop. 3.1 and its box in App. A), the random-offset statistical query.

Guarantee: P(two runs with the same seed return the same number) >= 1 - rho, and |theta - mu| <= tau with probability
at least 1 - delta, where with tau' = sigma sqrt(2 log(2/delta) / n)
    tau = tau' (1 + rho - 2 delta) / (rho - 2 delta).
With calibration="sharp" (docs/theory.md, R0) any delta will do, and tau = tau' + sigma / (sqrt(3) rho sqrt(n)).

Departures
* The paper calls RepMean as an oracle with an unnamed constant C_ME; this is the query of Impagliazzo, Lei, Pitassi and
  Sorrell (2022) with its explicit constant (`calibration.mean_constant`), for sigma-sub-Gaussian values.
* The grid covers the real line, not [0, 1]: the tolerance of a few samples is far above 1.
"""

import math
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arithmetic import Moments, moments
from replibandit.arrays import FloatArray
from replibandit.calibration import CALIBRATIONS, PAIR, grid_width, inflated, sharp_width
from replibandit.errors import InvalidInput, OutOfRange
from replibandit.fingerprint import fingerprint
from replibandit.grid import cell_of, midpoint
from replibandit.key import Key, as_key
from replibandit.radius import hoeffding

_MOST = 2**1000


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanFit:
    """A replicable mean: `theta`, from the unrounded `raw`, the `cell` of a grid of `width` and `shift`.

    |raw - mu| <= radius and |theta - mu| <= inflated_radius, at once, with probability at least 1 - delta.
    """

    theta: float
    raw: float
    cell: int
    width: float
    shift: float
    radius: float
    inflated_radius: float
    fingerprint: str


def rep_mean(
    x: FloatArray, *, rho: float, delta: float, seed: Key | str | int, noise: float = 0.5, calibration: str = "paper"
) -> MeanFit:
    """Average `x`, then move to the middle of a cell of a randomly shifted grid.

    `noise` is the sub-Gaussian parameter of one value: 0.5 for values in [0, 1].

    >>> a, b = np.random.default_rng(1), np.random.default_rng(2)
    >>> first = rep_mean(a.random(10_000), rho=0.1, delta=0.01, seed="lab-7")
    >>> again = rep_mean(b.random(10_000), rho=0.1, delta=0.01, seed="lab-7")
    >>> first.raw == again.raw, first.theta == again.theta
    (False, True)
    """
    values = checks.vector("x", x)
    ones = np.broadcast_to(1.0, (len(values), 1))
    sums = moments(ones, values)
    return rep_mean_of(sums, rho=rho, delta=delta, seed=seed, noise=noise, calibration=calibration)


def rep_mean_of(
    sums: Moments, *, rho: float, delta: float, seed: Key | str | int, noise: float = 0.5, calibration: str = "paper"
) -> MeanFit:
    """Do as `rep_mean`, from the exact moments of the values beside a column of ones."""
    rho, delta, noise = _checked(rho, delta, noise, calibration)
    if len(sums.scale.features) != 1:
        raise InvalidInput(f"the moments have {len(sums.scale.features)} columns; a mean needs one column of ones.")
    if sums.rows == 0:
        raise InvalidInput("x is empty; a mean needs at least one value.")
    key = as_key(seed)
    raw = float(sums.cross[0]) / sums.rows
    radius = hoeffding(sums.rows, noise=noise, delta=delta)  # tau'
    width = _width(sums.rows, rho, delta, noise, calibration)
    shift = width * key.child("estimate").uniform(1)
    cell = cell_of(np.array([raw]), width=width, shift=shift)
    words: dict[str, str | int] = {"calibration": calibration, "seed": repr(key), "rows": sums.rows}
    return MeanFit(
        theta=float(midpoint(cell, width=width, shift=shift)[0]),
        raw=raw,
        cell=int(cell[0]),
        width=width,
        shift=float(shift[0]),
        radius=radius,
        inflated_radius=float(inflated(radius, width=width, dim=1)),  # tau = tau' + width/2
        fingerprint=fingerprint("RepMean", {"rho": rho, "delta": delta, "noise": noise, **words}, cell),
    )


def mean_tolerance(n: int, *, rho: float, delta: float, noise: float = 0.5, calibration: str = "paper") -> float:
    """Return tau(n): the error of `rep_mean` on n values, with probability at least 1 - delta."""
    rho, delta, noise = _checked(rho, delta, noise, calibration)
    if checks.positive_integer("n", n) > _MOST:
        raise OutOfRange(f"n has {int(n).bit_length()} bits; at most 2**1000 values are counted.")
    return _tolerance(int(n), rho, delta, noise, calibration)


def mean_sample_size(tau: float, *, rho: float, delta: float, noise: float = 0.5, calibration: str = "paper") -> int:
    """Return the smallest n with `mean_tolerance(n)` <= tau: C_ME log(1/delta) / (tau^2 (rho - delta)^2), rounded."""
    rho, delta, noise = _checked(rho, delta, noise, calibration)
    # tau(n) = tau(1) / sqrt(n)
    ratio = _tolerance(1, rho, delta, noise, calibration) / checks.positive("tau", tau)
    about = ratio * ratio
    if not about < math.inf:
        raise OutOfRange(f"tau is {tau!r}; the number of values it needs is beyond the range of doubles. Raise tau.")
    # The formula is exact up to rounding: settle the last units with the tolerance itself, which falls with n.
    low, high = math.floor(about * (1.0 - 2.0**-40)) - 1, math.ceil(about * (1.0 + 2.0**-40)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        enough = middle > 0 and _tolerance(middle, rho, delta, noise, calibration) <= tau
        low, high = (low, middle) if enough else (middle, high)
    return high


def _checked(rho: float, delta: float, noise: float, calibration: str) -> tuple[float, float, float]:
    """Check the settings at the door; sharp widths leave delta out."""
    sharp = checks.one_of("calibration", calibration, CALIBRATIONS) == "sharp"
    rho, delta = checks.rho_above_delta(rho, delta, factor=0 if sharp else 2)
    return rho, delta, checks.positive("noise", noise)


def _width(n: int, rho: float, delta: float, noise: float, calibration: str) -> float:
    """Return the width of the grid for the mean of n values."""
    if calibration == "sharp":
        # alpha = (2/sqrt 3) sigma / (rho sqrt(n))
        return float(sharp_width(1.0 / math.sqrt(n), runs=PAIR, noise=noise, rho=rho))
    # width = 2 tau / (1 + rho - 2 delta) = 2 tau' / (rho - 2 delta)
    return float(grid_width(hoeffding(n, noise=noise, delta=delta), dim=1, rho=rho, delta=delta))


def _tolerance(n: int, rho: float, delta: float, noise: float, calibration: str) -> float:
    """Return tau' + width/2."""
    radius = hoeffding(n, noise=noise, delta=delta)
    if calibration == "sharp":
        return radius + 0.5 * _width(n, rho, delta, noise, calibration)
    # tau = tau' (1 + rho - 2 delta) / (rho - 2 delta)
    return radius * (1.0 + rho - 2.0 * delta) / (rho - 2.0 * delta)
