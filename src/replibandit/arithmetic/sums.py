"""Exact Gram matrices and cross moments: order-free, mergeable, the same bits on every machine.

Features and responses are put on dyadic grids (`dyadic.py`).  A feature cell of 36 bits is split into two limbs of 18,
and sums of products of limbs over a block of rows are integers below 2**53: a BLAS product of such doubles is exact
whatever its kernel, its order of summation and its number of threads.  Blocks are added as wide integers (`wide.py`).

All functions broadcast over leading axes.
"""

from collections.abc import Iterator

import numpy as np

from replibandit.arithmetic.dyadic import cells
from replibandit.arithmetic.wide import LIMBS, add, wide
from replibandit.arrays import FloatArray, IntArray

FEATURE_BITS = 36
RESPONSE_BITS = 52
_LIMB = 18
# A limb of a feature is at most 2**18 in size, the sum of its two limbs at most 1.5 * 2**18, a limb of a response at
# most 2**17: every sum of products is below 2**53 as long as rows * weight <= 2**15.
_ROOM = 15
_ROWS = 1 << 13  # blocks large enough that BLAS threads do not spend their time waiting for each other
_WEIGHTED_ROWS = 1 << 9
_CHUNK = 1 << 9  # rows split at a time, few enough to stay in the cache
_BLOCKS = 1 << 9  # that many sums below 2**53 fit one int64


def exact_gram(X: FloatArray, exponents: IntArray, counts: IntArray | None = None) -> IntArray:
    """Return sum_i counts_i k_i k_i^T, where k_i are the cells of row i of X: wide, of shape (limbs, ..., d, d)."""
    n, d = X.shape[-2:]
    total = np.zeros((LIMBS, *X.shape[:-2], d, d), dtype=np.int64)
    for shift, weights, rows in _digits(counts, n):
        for span in spans(n, rows * _BLOCKS):
            high, both, low = _gram_sums(X[..., span, :], exponents, _rows(weights, span), rows)
            mixed = both - high - low  # h l^T + l h^T = (h + l)(h + l)^T - h h^T - l l^T: one symmetric product
            total = add(total, wide(high, shift + 2 * _LIMB), wide(mixed, shift + _LIMB), wide(low, shift))
    return total


def exact_cross(
    X: FloatArray, exponents: IntArray, y: FloatArray, exponent: IntArray, counts: IntArray | None = None
) -> IntArray:
    """Return sum_i counts_i k_i c_i, where k_i and c_i are the cells of row i of X and y: wide, (limbs, ..., d)."""
    n, d = X.shape[-2:]
    total = np.zeros((LIMBS, *np.broadcast_shapes(X.shape[:-2], y.shape[:-1]), d), dtype=np.int64)
    for shift, weights, rows in _digits(counts, n):
        for span in spans(n, rows):
            high, _, low = _feature_limbs(X[..., span, :], exponents)
            responses = _response_limbs(y[..., span], exponent, _rows(weights, span))
            for limbs, place in ((low, 0), (high, 1)):
                sums = (responses @ limbs).astype(np.int64)
                total = add(total, *(wide(sums[..., k, :], shift + (place + k) * _LIMB) for k in range(3)))
    return total


def _gram_sums(X: FloatArray, exponents: IntArray, weights: FloatArray | None, rows: int) -> list[IntArray]:
    """Return the sums of h h^T, (h + l)(h + l)^T and l l^T over at most _BLOCKS blocks."""
    n, d = X.shape[-2:]
    sums = [np.zeros((*X.shape[:-2], d, d), dtype=np.int64) for _ in range(3)]
    buffers = np.empty((3, *X.shape[:-2], min(n, rows), d))
    for span in spans(n, rows):
        for total, limbs in zip(sums, _feature_limbs(X[..., span, :], exponents, buffers), strict=True):
            left = limbs if weights is None else limbs * weights[..., span, None]
            total += (np.swapaxes(left, -1, -2) @ limbs).astype(np.int64)
    return sums


def _feature_limbs(X: FloatArray, exponents: IntArray, buffers: FloatArray | None = None) -> list[FloatArray]:
    """Split the cells of X = high 2**18 + low into [high, high + low, low], all integers."""
    n = X.shape[-2]
    if buffers is None:
        buffers = np.empty((3, *X.shape))
    for rows in spans(n, _CHUNK):
        high, both, low = buffers[..., rows, :]
        cell = cells(X[..., rows, :], exponents, FEATURE_BITS, out=both)
        np.rint(np.multiply(cell, 2.0**-_LIMB, out=high), out=high)
        np.add(np.multiply(high, -(2.0**_LIMB), out=low), cell, out=low)
        np.add(high, low, out=both)
    return list(buffers[..., :n, :])


def _response_limbs(y: FloatArray, exponent: IntArray, weights: FloatArray | None) -> FloatArray:
    """Split the cells of y into three limbs of 18 bits, lowest first, times the weights: shape (..., 3, n)."""
    cell = cells(y, exponent, RESPONSE_BITS)
    high = np.rint(cell * 2.0 ** (-2 * _LIMB))
    rest = cell - high * 2.0 ** (2 * _LIMB)
    middle = np.rint(rest * 2.0**-_LIMB)
    limbs = np.stack([rest - middle * 2.0**_LIMB, middle, high], axis=-2)
    return limbs if weights is None else limbs * weights[..., None, :]


def _digits(counts: IntArray | None, n: int) -> Iterator[tuple[int, FloatArray | None, int]]:
    """Write counts in base 2**bits: yield (shift, digit, rows in a block) with rows * 2**bits <= 2**_ROOM."""
    if counts is None:
        yield 0, None, _ROWS
        return
    rows = min(_WEIGHTED_ROWS, max(n, 1))
    bits = _ROOM - (rows - 1).bit_length()
    largest = int(counts.max(initial=0))
    for shift in range(0, largest.bit_length(), bits):
        yield shift, ((counts >> shift) & ((1 << bits) - 1)).astype(np.float64), rows


def spans(n: int, step: int) -> Iterator[slice]:
    """Yield slices of `step` rows that cover range(n)."""
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _rows(weights: FloatArray | None, span: slice) -> FloatArray | None:
    return None if weights is None else weights[..., span]
