"""The sufficient statistics of a linear model: sum x x^T and sum x y, exact, order-free and mergeable.

m = moments(X, y, scale=scale_of(X, y))
merge(moments(X1, y1, scale=s), moments(X2, y2, scale=s)) == moments of all rows, to the bit, in any order
"""

import math
from dataclasses import dataclass

import numpy as np

from replibandit.arithmetic.dyadic import exponent_above, power_of_two
from replibandit.arithmetic.sums import FEATURE_BITS, RESPONSE_BITS, exact_cross, exact_gram, spans
from replibandit.arithmetic.wide import LIMBS, add, to_float
from replibandit.arrays import FloatArray, IntArray
from replibandit.checks import finite, positive
from replibandit.errors import InvalidInput

_ROWS = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The grids: column j is rounded to multiples of 2**(features[j] - 36), responses to 2**(response - 52).

    `bounds` are the largest sizes of a feature and of a response (with counts: of a sum of responses), where they were
    declared before the data.
    """

    features: tuple[int, ...]
    response: int
    bounds: tuple[float, float] | None = None

    @classmethod
    def declared(cls, dim: int, *, feature_bound: float, response_bound: float) -> "Scale":
        """Return the grids for |x_j| <= feature_bound and |y| <= response_bound, known before the data."""
        bounds = positive("feature_bound", feature_bound), positive("response_bound", response_bound)
        feature, response = (int(e) for e in exponent_above(np.array(bounds)))
        return cls(features=(feature,) * dim, response=response, bounds=bounds)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """Exact sums over `rows` observations; two of the same scale are merged with `+`."""

    scale: Scale
    rows: int
    gram_cells: IntArray
    cross_cells: IntArray

    @property
    def gram(self) -> FloatArray:
        """Return sum x x^T, every entry the double nearest to the exact sum."""
        e = np.array(self.scale.features, dtype=np.int64)
        return to_float(self.gram_cells, e[:, None] + e[None, :] - 2 * FEATURE_BITS)

    @property
    def cross(self) -> FloatArray:
        """Return sum x y, every entry the double nearest to the exact sum."""
        e = np.array(self.scale.features, dtype=np.int64)
        return to_float(self.cross_cells, e + self.scale.response - FEATURE_BITS - RESPONSE_BITS)

    @property
    def design(self) -> tuple[IntArray, IntArray]:
        """Return what identifies the design, in integers: the exponents of the columns and the Gram cells."""
        return np.array(self.scale.features, dtype=np.int64), self.gram_cells

    def __add__(self, other: "Moments") -> "Moments":
        if self.scale != other.scale:
            raise InvalidInput(
                f"moments on the grids {self.scale} and {other.scale} cannot be merged. Declare the same feature_bound "
                "and response_bound before both."
            )
        return Moments(
            scale=self.scale,
            rows=self.rows + other.rows,
            gram_cells=add(self.gram_cells, other.gram_cells),
            cross_cells=add(self.cross_cells, other.cross_cells),
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Moments)
            and (self.scale, self.rows) == (other.scale, other.rows)
            and np.array_equal(self.gram_cells, other.gram_cells)
            and np.array_equal(self.cross_cells, other.cross_cells)
        )

    __hash__ = None  # type: ignore[assignment]


def no_moments(scale: Scale) -> Moments:
    """Return the sums over no observations: the identity of `+`."""
    d = len(scale.features)
    gram, cross = np.zeros((LIMBS, d, d), dtype=np.int64), np.zeros((LIMBS, d), dtype=np.int64)
    return Moments(scale=scale, rows=0, gram_cells=gram, cross_cells=cross)


def moments(X: FloatArray, y: FloatArray, *, scale: Scale | None = None, counts: IntArray | None = None) -> Moments:
    """Sum up the rows of X and y, on the grids of `scale` or, by default, on the finest that hold them.

    With `counts`, row i stands for counts_i observations of the same x, and y_i is the sum of their responses.
    """
    if scale is None:
        scale = scale_of(X, y)
    else:
        _check_within(X, y, scale)
    e = np.array(scale.features, dtype=np.int64)
    return Moments(
        scale=scale,
        rows=len(X) if counts is None else sum(map(int, counts)),
        gram_cells=exact_gram(X, e, counts),
        cross_cells=exact_cross(X, e, y, np.array(scale.response)),
    )


def scale_of(X: FloatArray, y: FloatArray) -> Scale:
    """Return the finest grids that hold the data: a function of the largest sizes only, hence of no order."""
    features = exponent_above(largest_sizes("X", X))
    return Scale(features=tuple(int(e) for e in features), response=int(exponent_above(largest_sizes("y", y))))


def largest_sizes(name: str, values: FloatArray) -> FloatArray:
    """Return the largest absolute value of each column; NaN and infinity are errors."""
    sizes = np.zeros(values.shape[1:])
    for rows in spans(len(values), _ROWS):
        block = values[rows]
        np.maximum(sizes, np.maximum(block.max(axis=0), -block.min(axis=0)), out=sizes)
    if not np.isfinite(sizes).all():
        finite(name, values)
    return sizes


def _check_within(X: FloatArray, y: FloatArray, scale: Scale) -> None:
    """Check that X and y fit the declared grids, before anything is summed."""
    if X.shape[1] != len(scale.features):
        raise InvalidInput(
            f"X has {X.shape[1]} columns; the moments have {len(scale.features)}. Pass the same columns."
        )
    bounds = scale.bounds or (math.inf, math.inf)
    exponents = np.array(scale.features), np.array(scale.response)
    for name, values, bound, exponent in zip(("X", "y"), (X, y), bounds, exponents, strict=True):
        sizes = largest_sizes(name, values)
        allowed = np.minimum(bound, power_of_two(exponent))
        if (sizes > allowed).any():
            worst = int(np.argmax(np.atleast_1d(sizes / allowed)))
            raise InvalidInput(
                f"{name} reaches {np.atleast_1d(sizes)[worst]:.9g} in size; the declared bound is "
                f"{np.atleast_1d(allowed)[worst]:.9g}. Declare a larger bound before the first data."
            )
