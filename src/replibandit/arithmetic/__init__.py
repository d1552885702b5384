"""The strict arithmetic: everything between data and decision, the same bits on every machine.

`dyadic`      numbers on a grid of powers of two
`wide`        exact integers of 180 bits, many at once
`sums`        exact Gram matrices and cross moments
`moments`     the sufficient statistics of a linear model: mergeable, order-free
`triangular`  Cholesky, solves, determinants, square roots in a fixed order
`elementary`  log, exp, softplus and the normal distribution without the C library
`quantile`    normal variates from uniforms

The rules are in `docs/numerics.md`: integers; + - * / and sqrt, elementwise, in a fixed order; comparisons.
"""

from replibandit.arithmetic.dyadic import cells, exponent_above
from replibandit.arithmetic.elementary import exp, log, normal_cdf, normal_pdf, softplus
from replibandit.arithmetic.moments import Moments, Scale, moments, no_moments, scale_of
from replibandit.arithmetic.quantile import normals
from replibandit.arithmetic.sums import FEATURE_BITS, RESPONSE_BITS, exact_cross, exact_gram
from replibandit.arithmetic.triangular import (
    apply,
    cholesky,
    log_det_ratio,
    multiply,
    solve,
    solve_lower,
    solve_upper,
    squared_norm,
    symmetric_root,
)
from replibandit.arithmetic.wide import add, to_float, wide

__all__ = [
    "FEATURE_BITS",
    "RESPONSE_BITS",
    "Moments",
    "Scale",
    "add",
    "apply",
    "cells",
    "cholesky",
    "exact_cross",
    "exact_gram",
    "exp",
    "exponent_above",
    "log",
    "log_det_ratio",
    "moments",
    "multiply",
    "no_moments",
    "normal_cdf",
    "normal_pdf",
    "normals",
    "scale_of",
    "softplus",
    "solve",
    "solve_lower",
    "solve_upper",
    "squared_norm",
    "symmetric_root",
    "to_float",
    "wide",
]
