"""The errors that the theorems allow to the estimators: RepMean, RepRidge, and RepRidge on a core set."""

import math

import numpy as np

from replibandit import checks
from replibandit.arithmetic import log, squared_norm
from replibandit.arrays import FloatArray
from replibandit.bounds.bound import WITH_CONFIDENCE, ErrorBound, named
from replibandit.bounds.linear import largest_log_det
from replibandit.calibration import PAIR, dither, grid_width, mean_constant, sharp_width
from replibandit.estimators.core_set import core_set
from replibandit.estimators.mean import mean_tolerance
from replibandit.estimators.rounding import Settings
from replibandit.estimators.span import span_of
from replibandit.radius import hoeffding, self_normalized


def mean_bound(n: int, *, rho: float, delta: float, noise: float = 0.5, calibration: str = "paper") -> ErrorBound:
    """Return tau(n), the error of RepMean on n values; `mean_sample_size` is its inverse.

    >>> f"{mean_bound(10_000, rho=0.1, delta=0.01).error:.4f}"
    '0.2197'
    >>> f"{mean_bound(10_000, rho=0.1, delta=0.01, calibration='sharp').error:.4f}"
    '0.0451'
    """
    error = mean_tolerance(n, rho=rho, delta=delta, noise=noise, calibration=calibration)
    radius = hoeffding(n, noise=noise, delta=delta)
    if calibration == "sharp":
        formula = "docs/theory.md, R0: sigma sqrt(2 log(2/delta)/n) + sigma/(sqrt(3) rho sqrt(n))"
        return ErrorBound(
            error=error,
            holds=WITH_CONFIDENCE,
            formula=formula,
            ingredients=named(radius=radius, width=2.0 * (error - radius)),
        )
    return ErrorBound(
        error=error,
        holds=WITH_CONFIDENCE,
        formula="Prop. 3.1: tau(n) = sqrt(C_ME log(1/delta)/(n (rho - delta)^2))",
        ingredients=named(
            mean_constant=mean_constant(rho=rho, delta=delta, noise=noise),
            radius=radius,
            width=float(grid_width(radius, dim=1, rho=rho, delta=delta)),
        ),
    )


def ridge_bound(
    rows: int,
    *,
    dim: int,
    rho: float,
    delta: float,
    noise: float,
    penalty: float = 1.0,
    norm_bound: float = 1.0,
    action_bound: float = 1.0,
    calibration: str = "paper",
) -> ErrorBound:
    """Return the largest radius of RepRidge in the norm of V, over all designs of rows of norm `action_bound` at most.

    >>> bound = ridge_bound(1000, dim=5, rho=0.1, delta=0.01, noise=0.5)
    >>> f"{bound.ingredients['radius']:.3f}, rounded {bound.error:.1f}"
    '3.989, rounded 253.3'
    """
    s = Settings.checked(rho, delta, noise, penalty, norm_bound, "cholesky", calibration)
    longest = checks.positive("action_bound", action_bound)
    n, d = checks.positive_integer("rows", rows), checks.positive_integer("dim", dim)
    log_det = largest_log_det(n, d, penalty=s.penalty, action_bound=longest)
    volume = "det V = det(lambda I) (1 + n L^2/(lambda d))^d"
    if calibration == "sharp":
        reach, rest = dither(d, delta=s.delta)
        # sum_j sqrt(h_j) <= d
        width = float(sharp_width(d, runs=PAIR, noise=s.noise, rho=s.rho))
        formula = f"docs/theory.md, R1: beta + c alpha, alpha = (2/sqrt 3) sigma d/rho, {volume}"
    else:
        reach, rest = math.sqrt(d) / 2.0, s.delta
        width = float(grid_width(_ridge_radius(s, log_det, rest), dim=d, rho=s.rho, delta=s.delta))
        # ||theta~ - theta*||_V <= beta (1 + d / (rho - 2 delta))
        formula = f"Thm. 4.1, Lemma B.1: beta (1 + d/(rho - 2 delta)), {volume}"
    beta = _ridge_radius(s, log_det, rest)
    return ErrorBound(
        error=beta + reach * width,
        holds=WITH_CONFIDENCE,
        formula=formula,
        ingredients=named(log_det=log_det, radius=beta, width=width, dim=d),
    )


def _ridge_radius(s: Settings, log_det: float, delta: float) -> float:
    return float(
        self_normalized(np.array(log_det), noise=s.noise, delta=delta, penalty=s.penalty, norm_bound=s.norm_bound)
    )


def core_set_bound(
    actions: FloatArray,
    *,
    epsilon: float,
    rho: float,
    delta: float,
    noise: float = 1.0,
    norm_bound: float = 1.0,
    calibration: str = "paper",
) -> ErrorBound:
    """Return the error of RepRidge on a core set before it is simplified to epsilon, with N, M and B_N.

    `core_set` plans the pulls themselves.

    >>> bound = core_set_bound(np.eye(2), epsilon=0.1, rho=0.2, delta=0.05)
    >>> bound.ingredients["scale"], bound.ingredients["rounds"], f"{bound.error:.4f}"
    (59634217.0, 59634218.0, '0.0566')
    """
    core = core_set(
        actions, epsilon=epsilon, rho=rho, delta=delta, noise=noise, norm_bound=norm_bound, calibration=calibration
    )
    A, size, N = checks.matrix("actions", actions), len(core.pulls), core.scale
    d, longest = A.shape[1], math.sqrt(float(squared_norm(A).max()))
    if calibration == "sharp":
        r = span_of(A).rank
        reach, rest = dither(d, delta=core.delta, candidates=core.candidates)
        # beta + c (2/sqrt 3) sigma sqrt(d r)/rho
        rounding = reach * float(sharp_width(math.sqrt(d * r), runs=PAIR, noise=core.noise, rho=core.rho))
        formula = "docs/theory.md, R1: 2 sqrt(r/N) (sigma sqrt(B_N) + S + c (2/sqrt 3) sigma sqrt(d r)/rho)"
    else:
        r, rest, rounding = d, min(core.delta, core.rho / 4.0), 0.0
        formula = "Prop. 4.1, between eq. (3) and (4): 2 sqrt(d/N) (1 + d/(rho - 2 delta_0)) (sigma sqrt(B_N) + S)"
    # B_N = d log(1 + L^2 (N + |C|)/d) + 2 log(1/delta_0)
    B = largest_log_det(N + size, r, penalty=1.0, action_bound=longest) + 2.0 * log(1.0 / rest)
    beta = core.noise * math.sqrt(B) + core.norm_bound
    inflation = 1.0 if calibration == "sharp" else 1.0 + d / (core.rho - 2.0 * rest)
    return ErrorBound(
        # |<a, theta~ - theta*>| <= 2 sqrt(d/N) (1 + d/(rho - 2 delta_0)) beta
        error=2.0 * math.sqrt(r / N) * (inflation * beta + rounding),
        holds=WITH_CONFIDENCE,
        formula=formula,
        ingredients=named(
            scale=N,
            rounds=core.rounds,
            most_rounds=N + size,
            core_size=size,
            delta_0=rest,
            spread=B,
            radius=beta,
            dim=d,
        ),
    )
