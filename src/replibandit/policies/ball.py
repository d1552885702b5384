"""The maximiser of the linear score over a ball: an optimistic action among infinitely many.

max over ||a|| <= R of <a, theta> + beta ||a||_{V^-1}  =  R max { ||x||_2 : ||x - theta||_V <= beta },
attained at a = R x/||x||.  The farthest point of the ellipsoid is x(s) = theta + s (V - s I)^-1 theta for the s in
(0, lambda_min(V)) with ||x(s) - theta||_V = beta: one increasing equation in s, solved by Newton's step on its
reciprocal, kept inside a bracket whose upper end is where the Cholesky factor ceases to exist.
"""

import numpy as np

from replibandit.arithmetic import apply, solve
from replibandit.arithmetic.triangular import try_cholesky
from replibandit.arrays import FloatArray

_STEPS = 100
_CLOSE = 2.0**-40


def farthest_point(theta: FloatArray, beta: FloatArray, V: FloatArray) -> FloatArray:
    """Return the farthest point from the origin of { x : ||x - theta||_V <= beta }, for each lane."""
    m, d = theta.shape
    theta = np.where((theta == 0).all(axis=-1, keepdims=True), np.eye(d)[0], theta)
    low, high = np.zeros(m), np.diagonal(V, axis1=-2, axis2=-1).min(axis=-1)
    found, s = theta.copy(), 0.5 * high
    going = np.arange(m)
    for _ in range(_STEPS):
        if not len(going):
            break
        here = s[going]
        size, slope, point = _reach(theta[going], V[going], here)
        short = size < beta[going]  # NaN where V - s I has no factor: not short
        low[going] = np.where(short, here, low[going])
        high[going] = np.where(short, high[going], here)
        found[going] = np.where(short[:, None], point, found[going])
        with np.errstate(all="ignore"):
            # Newton on 1/beta - 1/size(s), which is nearly linear near the pole
            after = here + size / slope * ((beta[going] - size) / beta[going])
        inside = (after > low[going]) & (after < high[going])
        s[going] = np.where(inside, after, 0.5 * (low[going] + high[going]))
        wide = high[going] - low[going] > _CLOSE * high[going]
        far = ~(short & (beta[going] - size <= _CLOSE * beta[going]))
        going = going[wide & far]
    return found


def _reach(theta: FloatArray, V: FloatArray, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return ||x(s) - theta||_V, its derivative, and x(s); NaN where V - s I is not positive definite."""
    factor, pivots = try_cholesky(V - s[:, None, None] * np.eye(V.shape[-1]))
    with np.errstate(all="ignore"):  # without a factor the rest is meaningless, and may overflow
        y = solve(factor, theta)
        step = s[:, None] * y
        rate = y + s[:, None] * solve(factor, y)
        image = apply(V, step)
        size = np.where(pivots > 0, np.sqrt(dot(step, image)), np.nan)
        return size, dot(rate, image) / size, theta + step


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the inner product over the last axis, summed from the first term to the last."""
    return apply(a[..., None, :], b)[..., 0]
