"""Sums of many independent rewards, drawn at once."""

import numpy as np

from replibandit.arrays import FloatArray, IntArray

_DIRECT = 2**31


def binomial(n: IntArray, p: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return binomial numbers for n of any size below 2**53.

    Up to 2**31 trials NumPy's sampler is used.  Beyond, trials are halved exactly: the i-th smallest of n uniforms is
    Beta(i, n + 1 - i), and given its value B, the uniforms below p are all i of those up to B and a binomial number of
    the rest if B <= p, or a binomial number of the i - 1 below B otherwise.
    """
    n, p = n.astype(np.int64).copy(), np.broadcast_to(p, n.shape).astype(np.float64).copy()
    total = np.zeros(n.shape)
    while (large := np.flatnonzero(n > _DIRECT)).size:
        i = n[large] // 2 + 1
        value = rng.beta(i, n[large] + 1 - i)
        below = value <= p[large]
        total[large] += np.where(below, i, 0)
        left = np.where(below, n[large] - i, i - 1)
        share = np.where(below, (p[large] - value) / (1.0 - value), p[large] / value)
        n[large], p[large] = left, np.clip(share, 0.0, 1.0)
    return np.asarray(total + rng.binomial(n, p))
