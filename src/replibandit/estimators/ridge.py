"""RepRidge: replicable ridge regression by randomised grid rounding (Alg. 2, Thm. 4.1).

Guarantee, for a fixed design and conditionally sigma-sub-Gaussian noise:
    P(theta~(1) = theta~(2)) >= 1 - rho    and    ||theta~ - theta*||_V <= beta (1 + d/(rho - 2 delta))
with probability at least 1 - delta.

Departures
* The whitening root is the Cholesky factor by default; the symmetric root of the paper is whitening="symmetric".
* Thm. 4.1 asks rho > 3 delta; its proof and Alg. 2 ask rho > 2 delta, which is what is checked.
* Features and responses lie on dyadic grids, and the sums are exact (docs/numerics.md): without that, two machines
  disagree in the last bits and the estimates are never equal.
"""

from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arithmetic import (
    Moments,
    apply,
    cholesky,
    log_det_ratio,
    moments,
    solve,
    solve_lower,
    squared_norm,
)
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.grids import Design
from replibandit.estimators.rounding import Settings
from replibandit.estimators.whitening import WHITENINGS
from replibandit.fingerprint import fingerprint
from replibandit.key import Key, as_key


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RidgeFit:
    """A replicable ridge estimate: `theta`, from the unrounded `raw`, the `cell` of a grid of `width` and `shift`.

    ||raw - theta*||_V <= radius and ||theta - theta*||_V <= inflated_radius, where V is `gram`, at once, with
    probability at least 1 - delta.  Two fits with the same `fingerprint` are the same fit.
    """

    theta: FloatArray
    raw: FloatArray
    cell: IntArray
    width: float
    shift: FloatArray
    radius: float
    inflated_radius: float
    gram: FloatArray
    fingerprint: str


def rep_ridge(
    X: FloatArray,
    y: FloatArray,
    *,
    rho: float,
    delta: float,
    noise: float,
    seed: Key | str | int,
    penalty: float = 1.0,
    norm_bound: float = 1.0,
    counts: IntArray | None = None,
    whitening: str = "cholesky",
    calibration: str = "paper",
    grid: str = "cube",
) -> RidgeFit:
    """Fit a ridge regression and round it, in whitened coordinates, on a randomly shifted grid.

    With `counts`, row i of X was observed counts_i times and y_i is the sum of its responses: the same bits as with
    the rows written out, if the sums are exact (those of whole numbers are).

    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> lab = [X @ [0.5, -0.2, 0.1] + np.random.default_rng(k).normal(size=1000) for k in (1, 2)]
    >>> a, b = (rep_ridge(X, y, rho=0.1, delta=0.01, noise=1.0, seed="lab-7") for y in lab)
    >>> bool((a.raw == b.raw).any()), bool((a.theta == b.theta).all()), a.fingerprint == b.fingerprint
    (False, True, True)
    """
    settings = Settings.checked(rho, delta, noise, penalty, norm_bound, whitening, calibration, grid)
    key = as_key(seed)
    X, y, repeats = checks.data(X, y, counts)
    return _fit(moments(X, y, counts=repeats), settings, key)


def rep_ridge_of(
    sums: Moments,
    *,
    rho: float,
    delta: float,
    noise: float,
    seed: Key | str | int,
    penalty: float = 1.0,
    norm_bound: float = 1.0,
    whitening: str = "cholesky",
    calibration: str = "paper",
    grid: str = "cube",
) -> RidgeFit:
    """Do as `rep_ridge`, from exact moments: merged from several sites, or kept up to date as data come in."""
    settings = Settings.checked(rho, delta, noise, penalty, norm_bound, whitening, calibration, grid)
    return _fit(sums, settings, as_key(seed))


def _fit(sums: Moments, s: Settings, key: Key) -> RidgeFit:
    """Do what Alg. 2 says."""
    d = len(sums.scale.features)
    V = s.penalty * np.eye(d) + sums.gram  # line 1: V = lambda I + sum_i x_i x_i^T
    L = cholesky(V)
    raw = solve(L, sums.cross)  # line 2: theta^ = V^-1 sum_i x_i y_i
    root = WHITENINGS[s.whitening](V, L)  # departure: L^T by default, V^(1/2) on request
    # line 3: beta = sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta))) + sqrt(lambda) S; lines 4, 5: alpha
    grid = s.grid_of(Design(root=root, gram=V - s.penalty * np.eye(d), log_det=log_det_ratio(L, s.penalty)))
    rounded = s.round(raw, root, grid, key)  # lines 6 and 7
    settings = {**s.named(), "rows": sums.rows, "seed": repr(key)}
    return RidgeFit(
        theta=rounded.theta,
        raw=raw,
        cell=rounded.cell,
        width=float(rounded.width),
        shift=rounded.shift,
        radius=float(grid.radius),
        inflated_radius=float(grid.inflated_radius),
        gram=V,
        fingerprint=fingerprint("RepRidge", settings, *sums.design, rounded.cell),
    )


def band(fit: RidgeFit, X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper ends of the certified band for <x, theta*>, for the rows of X.

    <x, theta~> -+ inflated_radius ||x||_{V^-1}: with probability at least 1 - delta it holds for every x at once.
    """
    rows = checks.matrix("X", X)
    if rows.shape[1] != len(fit.theta):
        raise InvalidInput(f"X has {rows.shape[1]} columns; the fit has {len(fit.theta)}. Pass the same columns.")
    checks.finite("X", rows)
    half = fit.inflated_radius * np.sqrt(squared_norm(solve_lower(cholesky(fit.gram), rows.T).T))
    centre = apply(rows, fit.theta)
    return centre - half, centre + half
