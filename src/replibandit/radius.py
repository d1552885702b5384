"""Confidence radii: how far an unrounded estimate is from the truth, with probability at least 1 - delta."""

import math

import numpy as np

from replibandit.arithmetic import log
from replibandit.arrays import FloatArray


def hoeffding(n: int, *, noise: float, delta: float) -> float:
    """Return the radius of the mean of n independent noise-sub-Gaussian values ([0, 1]: noise 1/2).

    |mean_n - mu| <= sigma sqrt(2 log(2/delta) / n) with probability at least 1 - delta.
    """
    return noise * math.sqrt(2.0 * log(2.0 / delta) / n)


def self_normalized(
    log_det: FloatArray, *, noise: float, delta: float, penalty: float, norm_bound: float
) -> FloatArray:
    """Return beta_n(delta) of Alg. 2, line 3, given log_det = log(det V_n / det(lambda I)).

    ||theta^ - theta*||_{V_n} <= beta_n(delta) with probability at least 1 - delta, for all n at once.
    """
    # beta = sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta))) + sqrt(lambda) S
    spread = np.sqrt(log_det + 2.0 * log(1.0 / delta))
    return np.asarray(noise * spread + math.sqrt(penalty) * norm_bound)
