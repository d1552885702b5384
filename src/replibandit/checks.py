"""Checks at the door: what came, what is needed, what to do.  Called once, before any work."""

from collections.abc import Collection
from typing import Any

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput

_SHOWN = 3


def positive(name: str, value: float) -> float:
    """Return `value` as a float if it is a finite number above 0."""
    number = _number(name, value)
    if not 0 < number < np.inf:
        raise InvalidInput(f"{name} is {value!r}; it must be a finite number above 0.")
    return number


def nonnegative(name: str, value: float) -> float:
    """Return `value` as a float if it is a finite number, 0 or above."""
    number = _number(name, value)
    if not 0 <= number < np.inf:
        raise InvalidInput(f"{name} is {value!r}; it must be a finite number, 0 or above.")
    return number


def probability(name: str, value: float) -> float:
    """Return `value` as a float if it lies strictly between 0 and 1."""
    number = _number(name, value)
    if not 0 < number < 1:
        raise InvalidInput(f"{name} is {value!r}; it must lie strictly between 0 and 1.")
    return number


def positive_integer(name: str, value: int) -> int:
    """Return `value` as an int if it is a whole number, 1 or above."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidInput(f"{name} is {value!r}; it must be a whole number, 1 or above.")
    return int(value)


def one_of(name: str, value: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise InvalidInput(f"{name} is {value!r}; choose one of {known}.")
    return value


def rho_above_delta(rho: float, delta: float, factor: int) -> None:
    """Check 0 < delta, rho < 1 and rho > factor * delta."""
    probability("rho", rho)
    probability("delta", delta)
    if not rho > factor * delta:
        raise InvalidInput(
            f"rho is {rho!r} and delta is {delta!r}; the theorem needs rho > {factor} delta. "
            f"Lower delta below {rho / factor:.2g} or raise rho above {factor * delta:.2g}."
        )


def matrix(name: str, values: Any) -> FloatArray:
    """Return `values` as a two-dimensional float64 array; no copy if it is one already."""
    array = _floats(name, values)
    if array.ndim != 2 or array.shape[1] == 0:
        raise InvalidInput(
            f"{name} has shape {array.shape}; it must be (rows, columns) with at least one column. "
            f"For a single column use {name}.reshape(-1, 1)."
        )
    return array


def vector(name: str, values: Any, length: int | None = None) -> FloatArray:
    """Return `values` as a one-dimensional finite float64 array, of `length` if that is given."""
    array = _floats(name, values)
    if array.ndim != 1:
        raise InvalidInput(f"{name} has shape {array.shape}; it must have one dimension.")
    if length is not None and len(array) != length:
        raise InvalidInput(f"{name} has {len(array)} entries; {length} are needed, one for each row.")
    finite(name, array)
    return array


def finite(name: str, array: FloatArray) -> None:
    """Check that no entry is NaN or infinite, and name the first ones that are."""
    bad = ~np.isfinite(array)
    if bad.any():
        places = [tuple(int(i) for i in place) for place in np.argwhere(bad)[:_SHOWN]]
        shown = ", ".join(f"{name}{list(place)} = {array[place]}" for place in places)
        more = f" and {int(bad.sum()) - _SHOWN} more" if bad.sum() > _SHOWN else ""
        raise InvalidInput(f"{shown}{more}; every entry must be a finite number. Drop or impute those rows.")


def data(X: Any, y: Any, repeats: Any) -> tuple[FloatArray, FloatArray, IntArray | None]:
    """Return a design, its responses and the repetition counts of its rows, if there are any."""
    rows = matrix("X", X)
    return rows, vector("y", y, length=len(rows)), None if repeats is None else counts("counts", repeats, len(rows))


def counts(name: str, values: Any, length: int) -> IntArray:
    """Return repetition counts as int64: whole numbers, 0 or above, one for each row."""
    array = np.asarray(values)
    if array.shape != (length,):
        raise InvalidInput(f"{name} has shape {array.shape}; it must be ({length},), one count for each row.")
    if array.dtype.kind == "f" and (np.isfinite(array) & (np.rint(array) == array) & (abs(array) < 2**53)).all():
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or (array.size and (array.min() < 0 or array.max() >= 2**53)):
        raise InvalidInput(f"{name} must hold whole numbers from 0 to 2**53 - 1; came {array[:_SHOWN]} ...")
    return array.astype(np.int64)


def _number(name: str, value: float) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidInput(f"{name} is {value!r}; it must be a real number.")
    return float(value)


def _floats(name: str, values: Any) -> FloatArray:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            array = array.astype(object)
        if array.dtype.kind == "c":
            raise TypeError
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} is {type(values).__name__}; it must be an array of real numbers.") from None
