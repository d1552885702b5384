"""The step that RepRidge and RepGLM share: whiten, round on the shifted grid, map back (Alg. 2 and 4, last lines)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arrays import FloatArray, IntArray
from replibandit.calibration import CALIBRATIONS
from replibandit.estimators.grids import Design, Grid, paper_grid, sharp_grid
from replibandit.estimators.whitening import WHITENINGS, Root
from replibandit.grid import cell_of, midpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded:
    """Estimates after rounding, the whitened `z` before it, and where the grids lay."""

    theta: FloatArray
    z: FloatArray
    cell: IntArray
    width: FloatArray
    shift: FloatArray


def round_estimate(raw: FloatArray, root: Root, *, width: FloatArray | float, draws: FloatArray) -> Rounded:
    """Move `raw` to the middle of its cell, at most (width/2) sqrt(d) away in the norm of V; `draws` are uniform.

    Broadcasts over leading axes: raw and draws (..., d), width (...).
    """
    z = root.whiten(raw)  # z = V^(1/2) theta^
    width = np.asarray(width)
    side = width[..., None]
    shift = side * draws  # u ~ Unif([0, alpha)^d)
    cell = cell_of(z, width=side, shift=shift)  # floor((z_j - u_j) / alpha)
    theta = root.unwhiten(midpoint(cell, width=side, shift=shift))  # theta~ = V^(-1/2) Q(z)
    return Rounded(theta=theta, z=z, cell=cell, width=width, shift=shift)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings that RepRidge and RepGLM share, as plain floats and words, so that equal ones look equal."""

    rho: float
    delta: float
    noise: float
    penalty: float
    norm_bound: float
    whitening: str
    calibration: str

    @classmethod
    def checked(
        cls,
        rho: float,
        delta: float,
        noise: float,
        penalty: float,
        norm_bound: float,
        whitening: str,
        calibration: str,
    ) -> "Settings":
        """Check the settings of an estimator at the door."""
        calibration = checks.one_of("calibration", calibration, CALIBRATIONS)
        # sharp widths leave delta out
        rho, delta = checks.rho_above_delta(rho, delta, factor=2 if calibration == "paper" else 0)
        return cls(
            rho=rho,
            delta=delta,
            noise=checks.positive("noise", noise),
            penalty=checks.positive("penalty", penalty),
            norm_bound=checks.positive("norm_bound", norm_bound),
            whitening=checks.one_of("whitening", whitening, WHITENINGS),
            calibration=calibration,
        )

    def grid(self, design: Design) -> Grid:
        """Return the grid of a stand-alone estimate."""
        return GRIDS[self.calibration](self, design, rho=self.rho, delta=self.delta)


GRIDS: dict[str, Callable[..., Grid]] = {"paper": paper_grid, "sharp": sharp_grid}
