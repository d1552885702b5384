"""The errors that the theorems allow to the estimators: RepMean, RepRidge, and RepRidge on a core set."""

import math

import numpy as np

from replibandit import checks
from replibandit.arithmetic import log, squared_norm
from replibandit.arrays import FloatArray
from replibandit.bounds.bound import WITH_CONFIDENCE, ErrorBound, named
from replibandit.bounds.linear import largest_log_det
from replibandit.calibration import grid_width, inflated, mean_constant
from replibandit.estimators.core_set import core_set
from replibandit.estimators.mean import mean_tolerance
from replibandit.estimators.rounding import Settings
from replibandit.radius import hoeffding, self_normalized


def mean_bound(n: int, *, rho: float, delta: float, noise: float = 0.5) -> ErrorBound:
    """Return tau(n), the error of RepMean on n values; `mean_sample_size` is its inverse.

    >>> f"{mean_bound(10_000, rho=0.1, delta=0.01).error:.4f}"
    '0.2197'
    """
    error = mean_tolerance(n, rho=rho, delta=delta, noise=noise)
    radius = hoeffding(n, noise=noise, delta=delta)
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
) -> ErrorBound:
    """Return the largest radius of RepRidge in the norm of V, over all designs of rows of norm `action_bound` at most.

    >>> bound = ridge_bound(1000, dim=5, rho=0.1, delta=0.01, noise=0.5)
    >>> f"{bound.ingredients['radius']:.3f}, rounded {bound.error:.1f}"
    '3.989, rounded 253.3'
    """
    s = Settings.checked(rho, delta, noise, penalty, norm_bound, "cholesky", "paper")
    longest = checks.positive("action_bound", action_bound)
    n, d = checks.positive_integer("rows", rows), checks.positive_integer("dim", dim)
    log_det = largest_log_det(n, d, penalty=s.penalty, action_bound=longest)
    beta = self_normalized(np.array(log_det), noise=s.noise, delta=s.delta, penalty=s.penalty, norm_bound=s.norm_bound)
    width = grid_width(beta, dim=d, rho=s.rho, delta=s.delta)
    return ErrorBound(
        # ||theta~ - theta*||_V <= beta (1 + d / (rho - 2 delta))
        error=float(inflated(beta, width=width, dim=d)),
        holds=WITH_CONFIDENCE,
        formula="Thm. 4.1, Lemma B.1: beta (1 + d/(rho - 2 delta)), det V = det(lambda I) (1 + n L^2/(lambda d))^d",
        ingredients=named(log_det=log_det, radius=float(beta), width=float(width), dim=d),
    )


def core_set_bound(
    actions: FloatArray, *, epsilon: float, rho: float, delta: float, noise: float = 1.0, norm_bound: float = 1.0
) -> ErrorBound:
    """Return the error of RepRidge on a core set before it is simplified to epsilon, with N, M and B_N.

    `core_set` plans the pulls themselves.

    >>> bound = core_set_bound(np.eye(2), epsilon=0.1, rho=0.2, delta=0.05)
    >>> bound.ingredients["scale"], bound.ingredients["rounds"], f"{bound.error:.4f}"
    (59634217.0, 59634218.0, '0.0566')
    """
    core = core_set(actions, epsilon=epsilon, rho=rho, delta=delta, noise=noise, norm_bound=norm_bound)
    A, size, N = checks.matrix("actions", actions), len(core.pulls), core.scale
    d, longest, delta_0 = A.shape[1], math.sqrt(float(squared_norm(A).max())), min(core.delta, core.rho / 4.0)
    # B_N = d log(1 + L^2 (N + |C|)/d) + 2 log(1/delta_0)
    B = largest_log_det(N + size, d, penalty=1.0, action_bound=longest) + 2.0 * log(1.0 / delta_0)
    beta = core.noise * math.sqrt(B) + core.norm_bound
    return ErrorBound(
        # |<a, theta~ - theta*>| <= 2 sqrt(d/N) (1 + d/(rho - 2 delta_0)) beta
        error=2.0 * math.sqrt(d / N) * (1.0 + d / (core.rho - 2.0 * delta_0)) * beta,
        holds=WITH_CONFIDENCE,
        formula="Prop. 4.1, between eq. (3) and (4): 2 sqrt(d/N) (1 + d/(rho - 2 delta_0)) (sigma sqrt(B_N) + S)",
        ingredients=named(
            scale=N,
            rounds=core.rounds,
            most_rounds=N + size,
            core_size=size,
            delta_0=delta_0,
            spread=B,
            radius=beta,
            dim=d,
        ),
    )
