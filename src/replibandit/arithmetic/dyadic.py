"""Numbers on a dyadic grid: the integers from which exact sums are made.

A value x with |x| <= 2**exponent is replaced by the integer `cell` nearest to x 2**(bits - exponent): an absolute error
of at most 2**(exponent - bits - 1).  Scaling by a power of two and rounding to an integer are exact operations of IEEE
arithmetic, so the cell is the same on every machine.
"""

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput

EXPONENTS = 400  # column scales from 2**-400 to 2**400, so that products of two cells stay normal doubles


def exponent_above(bound: FloatArray) -> IntArray:
    """Return the smallest e with bound < 2**e, for each entry; 0 for a bound of 0."""
    exponent = np.frexp(bound)[1].astype(np.int64)
    if (abs(exponent) > EXPONENTS).any():
        raise InvalidInput(
            f"a column's largest size is {np.max(bound):.3g}, its smallest {np.min(bound):.3g}; sizes must lie between "
            f"2**-{EXPONENTS} and 2**{EXPONENTS}. Rescale the column."
        )
    return exponent


def power_of_two(exponent: IntArray) -> FloatArray:
    """Return 2.0**exponent exactly, for exponents of normal doubles."""
    return np.asarray(np.ldexp(1.0, np.asarray(exponent).astype(np.int32)))


def cells(values: FloatArray, exponent: IntArray, bits: int, out: FloatArray | None = None) -> FloatArray:
    """Return the integers (as doubles) nearest to values * 2**(bits - exponent)."""
    scaled = np.multiply(values, power_of_two(bits - exponent), out=out)
    return np.asarray(np.rint(scaled, out=scaled))
