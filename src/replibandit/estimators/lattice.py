"""Rounding on the lattice A_d*, turned at random: rounder cells than the cube's, so that less is added to the error.

With n = d + 1, A_d* is Z^n seen along (1, ..., 1).  Its Voronoi cell, a permutohedron, has volume 1/sqrt(n), covering
radius sqrt(d (d + 2)/(12 n)), and for every k = 1, ..., d facets C(n, k) in number, of area
k^(k - 3/2) (n - k)^(n - k - 3/2) / n^(n - 2) each (docs/theory.md, section L).
"""

import math

import numpy as np

from replibandit.arithmetic import apply, exp, log, normals, squared_norm
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import OutOfRange
from replibandit.key import Key

_LARGEST = 2.0**50  # as for cubes: from here on a point of the lattice may not be told from its neighbour


def covering_radius(d: int) -> float:
    """Return how far from the nearest point of A_d* a vector can be."""
    return math.sqrt(d * (d + 2) / (12.0 * (d + 1)))


def crossing_rate(d: int) -> float:
    """Return S/(2 V): how many cell walls a segment of unit length in a random direction meets, over E|cos| of it."""
    n = d + 1
    # S = sum_k C(n, k) k^(k - 3/2) (n - k)^(n - k - 3/2) / n^(n - 2), V = 1/sqrt(n)
    powers = [_log_comb(n, k) + (k - 1.5) * log(float(k)) + (n - k - 1.5) * log(float(n - k)) for k in range(1, n)]
    areas = exp(np.array(powers) - (n - 2) * log(float(n)))
    return math.fsum(areas.tolist()) * math.sqrt(n) / 2.0


def _log_comb(n: int, k: int) -> float:
    """Return log C(n, k) of a number that a double may not hold."""
    number = math.comb(n, k)
    beyond = max(0, number.bit_length() - 64)
    return log(float(number >> beyond), beyond)


def rotation(key: Key, d: int) -> FloatArray:
    """Return a uniformly distributed orthogonal matrix: the rows of normal variates, made orthonormal one by one."""
    rows: list[FloatArray] = []
    for i in range(d):
        row = normals(key.child("rotation", i).uniform(d))
        for _ in range(2):  # once more, against rounding errors
            for other in rows:
                row = row - _dot(other, row) * other
        rows.append(np.asarray(row / np.sqrt(squared_norm(row))))
    return np.array(rows)


def cell_of(z: FloatArray, *, width: float, shift: FloatArray) -> IntArray:
    """Return the point of the shifted lattice that is nearest to z, as d integers."""
    x = apply(_plane(len(z)).T, z) / width - np.append(shift / width, 0.0)
    if not (abs(x) < _LARGEST).all():
        raise OutOfRange(
            f"an estimate of size {np.max(abs(z)):.3g} lies 2**50 or more grid cells of width {width:.3g} from the "
            "origin: the responses are too large for the noise and norm_bound that were stated. Raise these."
        )
    near = np.rint(x)
    rest = x - near
    order = np.argsort(-rest, kind="stable")
    # raise the coordinates by 1 one after the other, the largest rest first: one of these points is the nearest
    sums = np.cumsum(np.concatenate([[_sum(rest)], -np.ones(len(z))]))
    squares = np.cumsum(np.concatenate([[squared_norm(rest)], 1.0 - 2.0 * rest[order[:-1]]]))
    best = int(np.argmin(squares - sums * sums / len(x)))
    near[order[:best]] += 1.0
    return np.asarray((near[:-1] - near[-1]).astype(np.int64))


def point(cell: IntArray, *, width: float, shift: FloatArray) -> FloatArray:
    """Return the point of the shifted lattice."""
    return np.asarray(width * apply(_plane(len(cell))[:, :-1], cell + shift / width))


def _plane(d: int) -> FloatArray:
    """Return an orthonormal basis of the vectors in R^(d+1) that are orthogonal to (1, ..., 1), Helmert's, as rows."""
    basis = np.zeros((d, d + 1))
    for i in range(1, d + 1):
        length = math.sqrt(i * (i + 1))
        basis[i - 1, :i] = 1.0 / length
        basis[i - 1, i] = -i / length
    return basis


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(apply(a[None], b)[0])


def _sum(values: FloatArray) -> FloatArray:
    return _dot(np.ones_like(values), values)
