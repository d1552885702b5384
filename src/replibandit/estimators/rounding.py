"""The step that RepRidge and RepGLM share: whiten, round on the shifted grid, map back (Alg. 2 and 4, last lines)."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

from replibandit import checks
from replibandit.arithmetic import apply
from replibandit.arrays import FloatArray, IntArray
from replibandit.calibration import CALIBRATIONS
from replibandit.errors import InvalidInput
from replibandit.estimators import lattice
from replibandit.estimators.grids import Design, Grid, lattice_grid, paper_grid, sharp_grid
from replibandit.estimators.whitening import WHITENINGS, Root
from replibandit.grid import cell_of, midpoint
from replibandit.key import Key

SHAPES = ("cube", "lattice")


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


def round_on_lattice(raw: FloatArray, root: Root, *, width: float, key: Key) -> Rounded:
    """Move `raw` to the nearest point of a lattice A_d* of scale `width`, shifted and turned by the key."""
    d = len(raw)
    turn = lattice.rotation(key, d)
    z = apply(turn, root.whiten(raw))
    shift = width * key.uniform(d)
    cell = lattice.cell_of(z, width=width, shift=shift)
    theta = root.unwhiten(apply(turn.T, lattice.point(cell, width=width, shift=shift)))
    return Rounded(theta=theta, z=z, cell=cell, width=np.array(width), shift=shift)


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
    grid: str | None

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
        grid: str = "cube",
    ) -> "Settings":
        """Check the settings of an estimator at the door."""
        calibration = checks.one_of("calibration", calibration, CALIBRATIONS)
        if checks.one_of("grid", grid, SHAPES) == "lattice" and calibration == "paper":
            raise InvalidInput("grid is 'lattice' and calibration is 'paper'; a lattice is calibrated sharply only.")
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
            grid=None if grid == "cube" else grid,
        )

    def named(self) -> dict[str, str | float]:
        """Return the settings that a fingerprint takes in; a grid of cubes goes without saying."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def grid_of(self, design: Design) -> Grid:
        """Return the grid of a stand-alone estimate."""
        return GRIDS[self.grid or self.calibration](self, design, rho=self.rho, delta=self.delta)

    def round(self, raw: FloatArray, root: Root, grid: Grid, key: Key) -> Rounded:
        """Round a stand-alone estimate."""
        if self.grid == "lattice":
            return round_on_lattice(raw, root, width=float(grid.width), key=key.child("estimate"))
        return round_estimate(raw, root, width=grid.width, draws=key.child("estimate").uniform(len(raw)))


GRIDS: dict[str, Callable[..., Grid]] = {"paper": paper_grid, "sharp": sharp_grid, "lattice": lattice_grid}
