"""Beta variates from normal ones and uniforms, in strict arithmetic: the same bits on every machine.

beta_odds    X/(1 - X) for Beta variates X, from two gamma variates by Marsaglia and Tsang's method (ACM
             Transactions on Mathematical Software 26, 2000)
"""

from collections.abc import Callable

import numpy as np

from replibandit.arithmetic import normals
from replibandit.arithmetic.logarithm import logs
from replibandit.arrays import BoolArray, FloatArray, IntArray

Redraw = Callable[[IntArray, int], FloatArray]


def beta_odds(shapes: FloatArray, z: FloatArray, u: FloatArray, redraw: Redraw) -> FloatArray:
    """Return X/(1 - X) for Beta variates X: one from each pair `shapes[0]`, `shapes[1]` >= 1, normals z and uniform u.

    X/(1 - X) is the quotient of two gamma variates; both are accepted or rejected together.  A pair is rejected once in
    a dozen times at shapes 1 and 1, and less often at larger ones.  Then `redraw(places, i)` gives the uniforms of try
    i = 1, 2, ... at flat places: (places, 3), those of both normals and the acceptance's.
    """
    # d = a - 1/3, c = 1/sqrt(9 d), and the variate is d v with v = (1 + c z)^3
    d = shapes - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    odds = np.asarray(_quotient(d, c, z))
    places, tries = np.flatnonzero(~_surely(c, z, u)), 0
    d, c, z = (part.reshape(2, -1)[:, places] for part in (d, c, z))
    u = u.reshape(-1)[places]
    while len(places):
        good = _accepted(d, c, z, u)
        odds.reshape(-1)[places[good]] = _quotient(d[:, good], c[:, good], z[:, good])
        places, d, c, tries = places[~good], d[:, ~good], c[:, ~good], tries + 1
        if len(places):
            draws = redraw(places, tries)
            z, u = normals(draws[:, :2].T), draws[:, 2]
    return odds


def _quotient(d: FloatArray, c: FloatArray, z: FloatArray) -> FloatArray:
    root = 1.0 + c * z
    gamma = d * (root * root * root)
    with np.errstate(all="ignore"):  # not above 0 where the pair is going to be rejected
        return np.asarray(gamma[0] / gamma[1])


def _surely(c: FloatArray, z: FloatArray, u: FloatArray) -> BoolArray:
    """Return whether acceptance is certain without a logarithm.

    A gamma's acceptance probability, as a function of y = 1/c^2 with c z held fixed, is e^(-y r); Marsaglia and Tsang's
    1 - 0.0331 z^4 bounds it from below at y = 6, the least y.  e^(-y r) is convex and 1 at y = 0, so that for y >= 6 it
    is at least 1 - (c z^2)^2 / 5, which is 1 - z^4/30 at y = 6.
    """
    x = c * z * z
    return np.asarray(u < 1.0 - 0.2 * (x[0] * x[0] + x[1] * x[1]))


def _accepted(d: FloatArray, c: FloatArray, z: FloatArray, u: FloatArray) -> BoolArray:
    """Return whether log u is below the sum of z^2/2 + d - d v + d log v over both gammas, with both v > 0."""
    accepted = _surely(c, z, u)
    open_ = np.flatnonzero(~accepted)
    if not len(open_):
        return accepted
    d, c, z, u = d[:, open_], c[:, open_], z[:, open_], u[open_]
    root = 1.0 + c * z
    inside = (root > 0.0).all(axis=0)
    root = np.where(inside, root, 1.0)
    numbers = np.concatenate([np.maximum(u, 2.0**-54)[None], root])  # a uniform of 0 stands for less than 2**-53
    # NumPy's logarithm, whose last bits depend on the machine, decides where they cannot matter
    ahead, margin = _ahead(np.log(numbers), d, z, root)
    close = np.flatnonzero(abs(ahead) <= margin)
    if len(close):
        exact = logs(numbers[:, close], np.zeros((len(numbers), len(close)), dtype=np.int64))
        ahead[close] = _ahead(exact, d[:, close], z[:, close], root[:, close])[0]
    accepted[open_] = inside & (ahead > 0.0)
    return accepted


def _ahead(logarithms: FloatArray, d: FloatArray, z: FloatArray, root: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return by how much log u is below its limit, and hundreds of times the rounding errors of that."""
    log_u, *log_root = logarithms
    v, log_v = root * root * root, 3.0 * np.array(log_root)
    first, second = 0.5 * (z * z) + d * (1.0 - v + log_v)
    size = (0.5 * (z * z) + d * (1.0 + v + abs(log_v))).sum(axis=0)
    return np.asarray(first + second - log_u), 2.0**-44 * (size + abs(log_u) + 1.0)
