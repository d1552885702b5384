"""The grid of an estimate: its width, and the confidence radius before and after rounding, in either calibration."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from replibandit.arithmetic import apply
from replibandit.arrays import FloatArray
from replibandit.calibration import PAIR, dither, grid_width, inflated, sharp_width
from replibandit.estimators.lattice import covering_radius, crossing_rate
from replibandit.estimators.whitening import Root
from replibandit.radius import self_normalized


class Model(Protocol):
    """The settings that a radius depends on."""

    @property
    def noise(self) -> float: ...
    @property
    def penalty(self) -> float: ...
    @property
    def norm_bound(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """What a grid depends on, in lanes: the root of V = lambda I + G, G, and log(det V / det(lambda I)).

    `slope` is min(1, c_mu) of a generalised linear model, None for a linear one.
    """

    root: Root
    gram: FloatArray
    log_det: FloatArray
    slope: float | None = None

    def spread(self) -> FloatArray:
        """Return a bound on sum_j sd(z_j)/sigma, z being the whitened estimate: R1, and R4 for a link."""
        if self.slope is None:
            return _sum(np.sqrt(self.root.leverages(self.gram)))  # sum_j sqrt(h_j)
        # sqrt(d sum_j h_j) / min(1, c_mu)
        return np.asarray(np.sqrt(self.gram.shape[-1]) * self.size())

    def size(self) -> FloatArray:
        """Return a bound on the root of E||z - E z||^2, over sigma: sqrt(sum_j h_j), over min(1, c_mu) for a link."""
        size = np.sqrt(_sum(self.root.leverages(self.gram)))
        return size if self.slope is None else np.asarray(size / self.slope)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grid:
    """How an estimate is rounded, in lanes: ||theta^ - theta*||_V <= radius before, `inflated_radius` after.

    `unit` is what a solver's tolerance is measured in: min(1, c_mu) times the radius or, where that is less, the width.
    """

    unit: FloatArray
    radius: FloatArray
    width: FloatArray
    inflated_radius: FloatArray


def paper_grid(model: Model, design: Design, *, rho: float, delta: float) -> Grid:
    """Return the grid of Alg. 2, lines 3 to 5, and Alg. 4."""
    d = design.gram.shape[-1]
    unit = _unit(model, design, delta)
    radius = _divided(unit, design)
    width = grid_width(radius, dim=d, rho=rho, delta=delta)  # alpha = 2 beta sqrt(d) / (rho - 2 delta)
    # beta + (alpha/2) sqrt(d)
    return Grid(unit=unit, radius=radius, width=width, inflated_radius=inflated(radius, width=width, dim=d))


def sharp_grid(
    model: Model,
    design: Design,
    *,
    rho: float,
    delta: float,
    runs: float = PAIR,
    roundings: int = 1,
    candidates: int | None = None,
) -> Grid:
    """Return the grid of R1, R2 and R4, on which `roundings` estimates are rounded in all.

    With `candidates`, the inflated radius holds for <a, theta> - <a, theta*> over ||a||_{V^-1}, for so many actions.
    """
    reach, rest = dither(design.gram.shape[-1], delta=delta, roundings=roundings, candidates=candidates)
    unit = _unit(model, design, rest)
    radius = _divided(unit, design)
    width = sharp_width(design.spread(), runs=runs, noise=model.noise, rho=rho)
    # beta + c alpha
    return Grid(unit=_finer(unit, design, width), radius=radius, width=width, inflated_radius=radius + reach * width)


def lattice_grid(model: Model, design: Design, *, rho: float, delta: float) -> Grid:
    """Return the scale of a turned lattice A_d*, section L of docs/theory.md, and the radii; for one estimate."""
    d = design.gram.shape[-1]
    unit = _unit(model, design, delta)
    radius = _divided(unit, design)
    # scale = S/(2V) (2/sqrt 3) sigma sqrt(sum_j h_j / d) / rho
    width = sharp_width(crossing_rate(d) * design.size() / np.sqrt(d), runs=PAIR, noise=model.noise, rho=rho)
    inflated_radius = radius + covering_radius(d) * width
    return Grid(unit=_finer(unit, design, width), radius=radius, width=width, inflated_radius=inflated_radius)


def _unit(model: Model, design: Design, delta: float) -> FloatArray:
    return self_normalized(
        design.log_det, noise=model.noise, delta=delta, penalty=model.penalty, norm_bound=model.norm_bound
    )


def _finer(unit: FloatArray, design: Design, width: FloatArray) -> FloatArray:
    """Return the unit or, where that is less, min(1, c_mu) times the width: sqrt(lambda) S can be far above it."""
    return np.where(width > 0, np.minimum(unit, (design.slope or 1.0) * width), unit)


def _divided(unit: FloatArray, design: Design) -> FloatArray:
    return unit if design.slope is None else np.asarray(unit / design.slope)  # beta / min(1, c_mu)


def _sum(rows: FloatArray) -> FloatArray:
    """Return the sum over the last axis, from the first term to the last."""
    return apply(rows[..., None, :], np.ones(rows.shape[-1]))[..., 0]
