"""Coordinates in the span of a finite set of vectors: pivoted Gram-Schmidt in a fixed order."""

from dataclasses import dataclass

import numpy as np

from replibandit.arithmetic import apply, squared_norm
from replibandit.arrays import FloatArray, IntArray

_NEGLIGIBLE = 2.0**-36


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Span:
    """An orthogonal basis b_1, ..., b_r: b_j is what the vectors before it leave of vector `pivots[j]`.

    `coordinates` (vectors, r) are <a, b_j>/||b_j||^2, at most 1 in size, and `lengths` are the ||b_j||.
    """

    coordinates: FloatArray
    pivots: IntArray
    lengths: FloatArray

    @property
    def rank(self) -> int:
        """Return the dimension of the span."""
        return len(self.pivots)


def span_of(vectors: FloatArray) -> Span:
    """Find a basis; a direction in which no vector is longer than 2**-36 of the longest counts as rounding error."""
    rest = np.asfortranarray(vectors)
    least = _NEGLIGIBLE * _NEGLIGIBLE * squared_norm(rest).max()
    columns, pivots, squares = [], [], []
    for _ in range(vectors.shape[1]):
        sizes = squared_norm(rest)
        pivot = int(np.argmax(sizes))
        if not sizes[pivot] > least:
            break
        column = apply(rest, rest[pivot]) / sizes[pivot]  # <a, b_j> / ||b_j||^2
        rest = rest - column[:, None] * rest[pivot]
        columns.append(column)
        pivots.append(pivot)
        squares.append(sizes[pivot])
    coordinates = np.array(columns).reshape(len(pivots), len(vectors)).T
    return Span(coordinates=coordinates, pivots=np.array(pivots, dtype=np.int64), lengths=np.sqrt(np.array(squares)))


def in_own_dimension(vectors: FloatArray) -> FloatArray:
    """Return vectors of the same inner products in as many dimensions as they span; themselves if they span all."""
    span = span_of(vectors)
    if span.rank in (0, vectors.shape[1]):
        return vectors
    return np.asarray(span.coordinates * span.lengths)  # <a, b_j> / ||b_j||
