"""RepGLM: replicable generalised linear estimation by randomised grid rounding (App. E, Alg. 4, Thm. E.1).

Guarantee, for a fixed design, E[y_i] = mu(x_i^T theta*) and conditionally sigma-sub-Gaussian noise:
    P(theta~(1) = theta~(2)) >= 1 - rho    and    ||theta~ - theta*||_V <= beta (1 + d/(rho - 2 delta))
with probability at least 1 - delta, where beta is the radius of RepRidge divided by min(1, c_mu).

Departures
* The whitening root is the Cholesky factor by default; the symmetric root of the paper is whitening="symmetric".
* The maximiser is known up to a stated tolerance: ||raw - theta^||_V <= residual / min(1, c_mu), at most 2**-24 of the
  radius and usually 2**-36 of it, which adds as little to the probability that two runs part.
"""

from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arithmetic import Scale, cholesky, log_det_ratio, moments, scale_of
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.domains import Bounds, domain_of
from replibandit.estimators.likelihood import Likelihood
from replibandit.estimators.rounding import check_settings, round_estimate
from replibandit.estimators.whitening import WHITENINGS
from replibandit.fingerprint import Setting, fingerprint
from replibandit.key import Key, as_key
from replibandit.links import Link, as_link
from replibandit.radius import self_normalized


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
    scale: Scale | None = None,
) -> GLMFit:
    """Fit a penalised GLM and round it, in whitened coordinates, on a randomly shifted grid.

    The parameter is sought in the ball of radius `norm_bound`; with `box=(low, high)` in that box; with `min_slope`, a
    lower bound on mu' that you vouch for, in all of R^d.  In every case ||theta*||_2 <= norm_bound.  With `counts`,
    row i of X was observed counts_i times and y_i is the sum of its responses: the same bits as with the rows written
    out.  `scale` is a grid declared before the data (`Scale.declared`); by default the finest that holds them.

    >>> X = np.random.default_rng(0).normal(size=(1000, 3)) / 2
    >>> p = 1 / (1 + np.exp(-X @ [0.5, -0.2, 0.1]))
    >>> lab = [(np.random.default_rng(k).random(1000) < p).astype(float) for k in (1, 2)]
    >>> a, b = (rep_glm(X, y, link="logistic", rho=0.1, delta=0.01, noise=0.5, seed="lab-7") for y in lab)
    >>> bool((a.raw == b.raw).any()), bool((a.theta == b.theta).all()), a.fingerprint == b.fingerprint
    (False, True, True)
    """
    positive = {"noise": noise, "penalty": penalty, "norm_bound": norm_bound}
    check_settings(rho=rho, delta=delta, whitening=whitening, calibration=calibration, **positive)
    mu, key = as_link(link), as_key(seed)
    X, y, repeats = checks.data(X, y, counts)
    domain = domain_of(X.shape[1], norm_bound, box, min_slope)
    sums = moments(X, y, scale=scale or scale_of(X, y), counts=repeats)
    V = penalty * np.eye(X.shape[1]) + sums.gram  # line 1: V = lambda I + sum_i x_i x_i^T
    L = cholesky(V)
    # line 3: beta = (sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta))) + sqrt(lambda) S) / min(1, c_mu)
    log_det = log_det_ratio(L, penalty)
    unit = self_normalized(log_det, noise=noise, delta=delta, penalty=penalty, norm_bound=norm_bound)
    c = _positive_slope(domain.min_slope(mu, X), mu)
    radius = float(unit) / min(1.0, c)
    # line 2: theta^ = argmax over Theta of sum_i (y_i x_i^T theta - b(x_i^T theta)) - (lambda/2) ||theta||^2
    data = Likelihood.of(X, sums, repeats, L, mu)
    solution = domain.maximise(data, np.array([penalty]), unit[None])
    raw = solution.theta[0]
    root = WHITENINGS[whitening](V, L)  # departure: L^T by default, V^(1/2) on request
    rounded = round_estimate(raw, root, radius=radius, rho=rho, delta=delta, key=key)  # lines 4 to 7
    numbers: dict[str, Setting] = {"rho": rho, "delta": delta, "c_mu": c, "rows": sums.rows, **positive}
    words = {"link": mu.name, "whitening": whitening, "calibration": calibration, "seed": repr(key)}
    return GLMFit(
        theta=rounded.theta,
        raw=raw,
        cell=rounded.cell,
        width=rounded.width,
        shift=rounded.shift,
        radius=radius,
        inflated_radius=rounded.inflated_radius,
        gram=V,
        min_slope=c,
        residual=float(solution.residual[0]),
        steps=solution.steps,
        fingerprint=fingerprint("RepGLM", {**numbers, **words}, *sums.design, rounded.cell),
    )


def _positive_slope(slope: float, link: Link) -> float:
    if not slope > 0:
        raise InvalidInput(
            f"c_mu, the least slope of the {link.name} link over all rows and parameters, is {slope}; it must be above "
            "0. Lower norm_bound, shrink the box, or scale X down."
        )
    return slope
