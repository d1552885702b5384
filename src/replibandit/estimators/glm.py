"""RepGLM: replicable generalised linear estimation by randomised grid rounding (App. E, Alg. 4, Thm. E.1).

Guarantee, for a fixed design, E[y_i] = mu(x_i^T theta*) and conditionally sigma-sub-Gaussian noise:
    P(theta~(1) = theta~(2)) >= 1 - rho    and    ||theta~ - theta*||_V <= beta (1 + d/(rho - 2 delta))
with probability at least 1 - delta, where beta is the radius of RepRidge divided by min(1, c_mu).

Departures
* The whitening root is the Cholesky factor by default; the symmetric root of the paper is whitening="symmetric".
* The maximiser is known up to a stated tolerance: ||raw - theta^||_V <= 2.5 residual / min(1, c_mu), where `residual`
  is at most 2**-24 of min(1, c_mu) times the radius, or the grid's width if that is less, and usually 2**-36 of it; it
  adds as little to the probability that two runs part.
"""

from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arithmetic import Scale, cholesky, log_det_ratio, moments
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.domains import Bounds, domain_of
from replibandit.estimators.grids import Design
from replibandit.estimators.likelihood import Likelihood
from replibandit.estimators.rounding import Settings
from replibandit.estimators.whitening import WHITENINGS
from replibandit.fingerprint import fingerprint
from replibandit.key import Key, as_key
from replibandit.links import Link, as_link


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GLMFit:
    """A replicable GLM estimate: `theta`, from the unrounded `raw`, the `cell` of a grid of `width` and `shift`.

    ||raw - theta*||_V <= radius and ||theta - theta*||_V <= inflated_radius, where V is `gram`, at once, with
    probability at least 1 - delta.  `residual` is what is left of the optimality conditions of `raw`, in the norm of
    V^-1, and `min_slope` is c_mu.  Two fits with the same `fingerprint` are the same fit.
    """

    theta: FloatArray
    raw: FloatArray
    cell: IntArray
    width: float
    shift: FloatArray
    radius: float
    inflated_radius: float
    gram: FloatArray
    min_slope: float
    residual: float
    steps: int
    fingerprint: str


def rep_glm(
    X: FloatArray,
    y: FloatArray,
    *,
    link: Link | str,
    rho: float,
    delta: float,
    noise: float,
    seed: Key | str | int,
    penalty: float = 1.0,
    norm_bound: float = 1.0,
    box: Bounds | None = None,
    min_slope: float | None = None,
    counts: IntArray | None = None,
    whitening: str = "cholesky",
    calibration: str = "paper",
    grid: str = "cube",
    scale: Scale | None = None,
) -> GLMFit:
    """Fit a penalised GLM and round it, in whitened coordinates, on a randomly shifted grid.

    The parameter is sought in the ball of radius `norm_bound`; with `box=(low, high)` in that box; with `min_slope`, a
    lower bound on mu' that you vouch for, in all of R^d.  In every case ||theta*||_2 <= norm_bound.

    With `counts`, row i of X was observed counts_i times and y_i is the sum of its responses: the same bits as with the
    rows written out, if the sums are exact (those of whole numbers are).  `scale` is a grid declared before the data
    (`Scale.declared`); by default the finest that holds them.

    >>> X = np.random.default_rng(0).normal(size=(1000, 3)) / 2
    >>> p = 1 / (1 + np.exp(-X @ [0.5, -0.2, 0.1]))
    >>> lab = [(np.random.default_rng(k).random(1000) < p).astype(float) for k in (1, 2)]
    >>> a, b = (rep_glm(X, y, link="logistic", rho=0.1, delta=0.01, noise=0.5, seed="lab-7") for y in lab)
    >>> bool((a.raw == b.raw).any()), bool((a.theta == b.theta).all()), a.fingerprint == b.fingerprint
    (False, True, True)
    """
    s = Settings.checked(rho, delta, noise, penalty, norm_bound, whitening, calibration, grid)
    mu, key = as_link(link), as_key(seed)
    X, y, repeats = checks.data(X, y, counts)
    domain = domain_of(X.shape[1], s.norm_bound, box, min_slope)
    sums = moments(X, y, scale=scale, counts=repeats)
    V = s.penalty * np.eye(X.shape[1]) + sums.gram  # line 1: V = lambda I + sum_i x_i x_i^T
    L = cholesky(V)
    c = domain.min_slope(mu, X)
    root = WHITENINGS[s.whitening](V, L)  # departure: L^T by default, V^(1/2) on request
    # line 3: beta = (sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta))) + sqrt(lambda) S) / min(1, c_mu)
    gram, log_det = V - s.penalty * np.eye(len(V)), log_det_ratio(L, s.penalty)
    rounding = s.grid_of(Design(root=root, gram=gram, log_det=log_det, slope=_divisor(c, mu)))
    # line 2: theta^ = argmax over Theta of sum_i (y_i x_i^T theta - b(x_i^T theta)) - (lambda/2) ||theta||^2
    solution = domain.maximise(Likelihood.of(X, sums, repeats, L, mu), np.array([s.penalty]), rounding.unit[None])
    raw = solution.theta[0]
    rounded = s.round(raw, root, rounding, key)  # to line 7
    kind, corners = domain.identity
    settings = {**s.named(), "link": mu.name, "domain": kind, "c_mu": c, "rows": sums.rows, "seed": repr(key)}
    return GLMFit(
        theta=rounded.theta,
        raw=raw,
        cell=rounded.cell,
        width=float(rounded.width),
        shift=rounded.shift,
        radius=float(rounding.radius),
        inflated_radius=float(rounding.inflated_radius),
        gram=V,
        min_slope=c,
        residual=float(solution.residual[0]),
        steps=solution.steps,
        fingerprint=fingerprint("RepGLM", settings, *sums.design, corners, rounded.cell),
    )


def _divisor(slope: float, link: Link) -> float:
    """Return min(1, c_mu)."""
    # the smallest c_mu that leaves the radius finite, with room for the grid
    if not slope > 2.0**-500:
        raise InvalidInput(
            f"c_mu, the least slope of the {link.name} link over all rows and parameters, is {slope}; it must be above "
            "0. Lower norm_bound, shrink the box, or scale X down."
        )
    return min(1.0, slope)
