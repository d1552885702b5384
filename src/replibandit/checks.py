"""Checks at the door: what came, what is needed, what to do.  Called once, before any work."""

import math
from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput

_SHOWN = 3
_LEAST = 1e-300
_MOST_ROUNDS = 2**50
_MOST_GROWTH = 1024


def number(name: str, value: float) -> float:
    """Return `value` as a float if it is a real number; NaN and infinity pass."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InvalidInput(f"{name} is {value!r}; it must be a real number.")
    try:
        return float(value)
    except OverflowError:
        raise InvalidInput(
            f"{name} is a whole number of {len(hex(int(value)))} hexadecimal digits; it is too large."
        ) from None


def positive(name: str, value: float) -> float:
    """Return `value` as a float if it is a finite number above 0."""
    x = number(name, value)
    if not 0 < x < np.inf:
        raise InvalidInput(f"{name} is {value!r}; it must be a finite number above 0.")
    return x


def nonnegative(name: str, value: float) -> float:
    """Return `value` as a float if it is a finite number, 0 or above."""
    x = number(name, value)
    if not 0 <= x < np.inf:
        raise InvalidInput(f"{name} is {value!r}; it must be a finite number, 0 or above.")
    return x


def probability(name: str, value: float) -> float:
    """Return `value` as a float if it lies strictly between 0 and 1."""
    x = number(name, value)
    if not 0 < x < 1:
        raise InvalidInput(f"{name} is {value!r}; it must lie strictly between 0 and 1.")
    return x


def positive_integer(name: str, value: int) -> int:
    """Return `value` as an int if it is a whole number, 1 or above."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidInput(f"{name} is {value!r}; it must be a whole number, 1 or above.")
    return int(value)


def workers(n_jobs: int) -> int:
    """Return a number of processes as an int: 1 or above, or a negative one as joblib counts from all of them."""
    if isinstance(n_jobs, bool | np.bool_) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise InvalidInput(f"n_jobs is {n_jobs!r}; it must be a number of processes, or -1 for all processors.")
    return int(n_jobs)


def above_one(name: str, value: float) -> float:
    """Return `value` as a float if it is a finite number above 1."""
    if not positive(name, value) > 1:
        raise InvalidInput(f"{name} is {value!r}; it must be above 1.")
    return float(value)


def factor(name: str, value: int) -> int:
    """Return `value` as an int if it is a whole number from 2 to 1024."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or not 2 <= value <= _MOST_GROWTH:
        raise InvalidInput(f"{name} is {value!r}; it must be a whole number from 2 to {_MOST_GROWTH}.")
    return int(value)


def shares(field: str, values: Any, *, whole: float, name: str, count: int | None) -> tuple[float, ...]:
    """Return `values` as a tuple of positive floats that add up to at most `whole`, the setting called `name`."""
    if not isinstance(values, list | tuple | np.ndarray) or len(values) == 0:
        raise InvalidInput(f"{field} is {values!r}; it must be a sequence of numbers, one for each batch.")
    parts = tuple(positive(f"{field}[{i}]", part) for i, part in enumerate(values))
    if count is not None and len(parts) != count:
        raise InvalidInput(f"{field} has {len(parts)} entries for {count} batches; give one for each batch.")
    if math.fsum(parts) > whole * (1.0 + 2.0**-40):
        raise InvalidInput(f"{field} add up to {math.fsum(parts)!r}; they must add up to {name} = {whole!r} at most.")
    return parts


def horizon(value: int) -> int:
    """Return a number of rounds as an int if it is 1 to 2**50."""
    if positive_integer("horizon", value) > _MOST_ROUNDS:
        raise InvalidInput(f"horizon is {value}; at most 2**50, about 1.1e15, rounds are counted exactly.")
    return int(value)


def one_of(name: str, value: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise InvalidInput(f"{name} is {value!r}; choose one of {known}.")
    return value


def rho_above_delta(rho: float, delta: float, factor: int) -> tuple[float, float]:
    """Return rho and delta as floats if 0 < delta, rho < 1 and rho > factor * delta."""
    rho, delta = probability("rho", rho), probability("delta", delta)
    if delta < _LEAST:
        raise InvalidInput(f"delta is {delta!r}; it must be at least {_LEAST}.")
    if not rho > factor * delta:
        raise InvalidInput(
            f"rho is {rho!r} and delta is {delta!r}; the theorem needs rho > {factor} delta. "
            f"Lower delta below {rho / factor:.6g} or raise rho above {factor * delta:.6g}."
        )
    return rho, delta


def matrix(name: str, values: Any) -> FloatArray:
    """Return `values` as a two-dimensional float64 array; no copy if it is one already."""
    array = reals(name, values)
    if array.ndim != 2 or array.shape[1] == 0:
        raise InvalidInput(
            f"{name} has shape {array.shape}; it must be (rows, columns) with at least one column. "
            f"For a single column use {name}.reshape(-1, 1)."
        )
    return array


def vector(name: str, values: Any, length: int | None = None) -> FloatArray:
    """Return `values` as a one-dimensional finite float64 array, of `length` if that is given."""
    array = reals(name, values)
    if array.ndim != 1:
        raise InvalidInput(f"{name} has shape {array.shape}; it must have one dimension.")
    if length is not None and len(array) != length:
        raise InvalidInput(f"{name} has {len(array)} entries; {length} are needed, one for each row.")
    finite(name, array)
    return array


def means(values: Any) -> FloatArray:
    """Return the means of arms as a finite float64 vector, of one arm at least."""
    array = vector("means", values)
    if len(array) == 0:
        raise InvalidInput("means is empty; give a mean for each arm, one at least.")
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
    responses = vector("y", y, length=len(rows))
    if repeats is None:
        return rows, responses, None
    times = counts("counts", repeats, len(rows))
    observed = times > 0
    if (responses[~observed] != 0).any():
        i = int(np.flatnonzero(~observed & (responses != 0))[0])
        raise InvalidInput(f"counts[{i}] is 0 and y[{i}] is {float(responses[i])!r}; a sum over no observations is 0.")
    if observed.all():
        return rows, responses, times
    return rows[observed], responses[observed], times[observed]


def counts(name: str, values: Any, length: int) -> IntArray:
    """Return repetition counts as int64: whole numbers, 0 or above, one for each row."""
    array = _array(values)
    if array is None or array.dtype.kind not in "iuf":
        raise InvalidInput(f"{name} is {values!r:.80}; counts must be whole numbers from 0 to 2**53 - 1.")
    if array.shape != (length,):
        raise InvalidInput(f"{name} has shape {array.shape}; it must be ({length},), one count for each row.")
    if not ((array >= 0) & (array < 2**53) & (np.rint(array) == array)).all():
        span = f"{array.dtype} entries from {array.min()} to {array.max()}"
        raise InvalidInput(f"{name} has {span}; counts must be whole numbers from 0 to 2**53 - 1.")
    return array.astype(np.int64)


def reals(name: str, values: Any) -> FloatArray:
    """Return `values` as float64 if they are real numbers; masks, text, dates and complex numbers are errors."""
    array = None if isinstance(values, np.ma.MaskedArray) else _array(values)
    if (
        array is not None
        and array.dtype.kind == "O"
        and all(item is None or isinstance(item, Real) for item in array.flat)
    ):
        array = _array(values, np.float64)
    if array is None or array.dtype.kind not in "biuf":
        kind = type(values).__name__ if array is None else f"{type(values).__name__} of {array.dtype}"
        raise InvalidInput(f"{name} is a {kind}; it must be an array of real numbers, without masks.")
    return np.asarray(array, dtype=np.float64)


def _array(values: Any, dtype: type | None = None) -> npt.NDArray[Any] | None:
    """Return `values` as an array, or None if they are ragged or too large."""
    try:
        return np.asarray(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        return None
