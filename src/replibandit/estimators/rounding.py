"""The step that RepRidge and RepGLM share: whiten, round on the shifted grid, map back (Alg. 2 and 4, last lines)."""

from dataclasses import dataclass

from replibandit import checks
from replibandit.arrays import FloatArray, IntArray
from replibandit.calibration import CALIBRATIONS, grid_width, inflated
from replibandit.estimators.whitening import WHITENINGS, Root
from replibandit.grid import cell_of, midpoint
from replibandit.key import Key


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded:
    """An estimate after rounding, and where the grid lay."""

    theta: FloatArray
    cell: IntArray
    width: float
    shift: FloatArray
    inflated_radius: float


def round_estimate(raw: FloatArray, root: Root, *, radius: float, rho: float, delta: float, key: Key) -> Rounded:
    """Move `raw` to the middle of its cell, at most (width/2) sqrt(d) away in the norm of V."""
    d = len(raw)
    z = root.whiten(raw)  # z = V^(1/2) theta^
    width = float(grid_width(radius, dim=d, rho=rho, delta=delta))  # alpha = 2 beta sqrt(d) / (rho - 2 delta)
    shift = width * key.child("estimate").uniform(d)  # u ~ Unif([0, alpha)^d)
    cell = cell_of(z, width=width, shift=shift)  # floor((z_j - u_j) / alpha)
    return Rounded(
        theta=root.unwhiten(midpoint(cell, width=width, shift=shift)),  # theta~ = V^(-1/2) Q(z)
        cell=cell,
        width=width,
        shift=shift,
        inflated_radius=float(inflated(radius, width=width, dim=d)),  # beta + (alpha/2) sqrt(d)
    )


def check_settings(*, rho: float, delta: float, whitening: str, calibration: str, **above_zero: float) -> None:
    """Check the settings of an estimator at the door."""
    checks.rho_above_delta(rho, delta, factor=2)
    for name, value in above_zero.items():
        checks.positive(name, value)
    checks.one_of("whitening", whitening, WHITENINGS)
    checks.one_of("calibration", calibration, CALIBRATIONS)
