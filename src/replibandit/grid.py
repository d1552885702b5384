"""The randomly shifted grid Q_{alpha,u} of Alg. 2, line 6: cell, midpoint, residual.

Two estimates that lie close together fall into the same cell unless one of the grid's boundaries u + k alpha separates
them, which happens with probability at most |z1 - z2| / alpha for a coordinate; every estimate is moved to the middle
of its cell, by at most alpha/2 in each coordinate.
"""

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import OutOfRange

_LARGEST = 2.0**50  # from here on, the middle of a cell may fall into its neighbour


def cell_of(z: FloatArray, *, width: FloatArray | float, shift: FloatArray) -> IntArray:
    """Return the index of the cell that holds z, coordinate by coordinate."""
    # floor((z_j - u_j) / alpha)
    index = np.floor((z - shift) / width)
    if not (abs(index) < _LARGEST).all():
        raise OutOfRange(
            f"an estimate of size {np.max(abs(z)):.3g} lies 2**50 or more grid cells of width {np.min(width):.3g} from "
            "the origin: the responses are too large for the noise and norm_bound that were stated. Raise these."
        )
    return np.asarray(index.astype(np.int64))


def midpoint(cell: IntArray, *, width: FloatArray | float, shift: FloatArray) -> FloatArray:
    """Return the middle of a cell."""
    # alpha floor((z_j - u_j) / alpha) + u_j + alpha/2
    return np.asarray(width * cell + shift + 0.5 * width)


def residual(z: FloatArray, *, width: FloatArray | float, shift: FloatArray) -> FloatArray:
    """Return Q(z) - z: uniform on [-alpha/2, alpha/2] and independent of z when the shift is uniform."""
    return midpoint(cell_of(z, width=width, shift=shift), width=width, shift=shift) - z
