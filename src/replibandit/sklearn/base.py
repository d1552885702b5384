"""What the three estimators share: fit, partial_fit and merge, over data that add up exactly."""

import copy
from collections.abc import Callable
from dataclasses import fields
from functools import update_wrapper, wraps
from types import MethodType
from typing import Any, Protocol, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput

Method = TypeVar("Method", bound=Callable[..., Any])


class Addable(Protocol):
    """What has been seen: exact moments or rows, put together with `+` in any order."""

    def __add__(self, other: Any) -> Any:
        """Return both together."""


class NotOffered(InvalidInput, AttributeError):
    """A method that these parameters do not have: for `hasattr` it is not there."""


class _Offered:
    """A method that is there unless `refusal(estimator)` gives a reason, which becomes the error.

    scikit-learn's `available_if` keeps the reason in the error's cause, where few people look.
    """

    def __init__(self, method: Callable[..., Any], refusal: Callable[[Any], str]) -> None:
        self.method, self.refusal = method, refusal
        update_wrapper(cast(Any, self), method)

    def __get__(self, estimator: Any, owner: type | None = None) -> Callable[..., Any]:
        if estimator is None:
            return self.method
        reason = self.refusal(estimator)
        if reason:
            raise NotOffered(reason)
        return MethodType(self.method, estimator)


def offered_unless(refusal: Callable[[Any], str]) -> Callable[[Method], Method]:
    """Offer a method unless `refusal(estimator)` returns a reason."""

    def offered(method: Method) -> Method:
        return cast(Method, _Offered(method, refusal))

    return offered


def all_or_nothing(method: Method) -> Method:
    """Leave the estimator as it was when the method raises.  (Attributes are values: none is changed in place.)"""

    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, guarded)


def undeclared(estimator: "Replicable") -> str:
    """Say which bounds are missing for partial_fit and merge, if any."""
    missing = [name for name in estimator._bounds() if getattr(estimator, name) is None]
    if not missing:
        return ""
    return (
        f"{' and '.join(missing)} must be declared before partial_fit and merge, which add up rows on a grid that is "
        f"known before the data. Write {type(estimator).__name__}({', '.join(f'{name}=...' for name in missing)})."
    )


class Replicable(BaseEstimator):  # type: ignore[misc]
    """Fit, add rows and merge.  An estimator says which `_bounds` it needs, what to `_collect` and how to `_solve`."""

    def _bounds(self) -> tuple[str, ...]:
        """Return the names of the bounds to declare."""
        return ("feature_bound", "response_bound")

    def _collect(self, X: FloatArray, y: FloatArray) -> Addable:
        """Return what the fit needs to know of these rows."""
        raise NotImplementedError

    def _solve(self, seen: Any) -> Any:
        """Return the fit, a frozen dataclass."""
        raise NotImplementedError

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Fit to X and y, and forget what was seen before."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)
        return self._extend(*self._validated(X, y))

    @offered_unless(undeclared)
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Fit to these rows and all that were seen before, as if they had come at once."""
        return self._extend(*self._validated(X, y))

    @offered_unless(undeclared)
    def merge(self, other: Self) -> Self:
        """Return a new estimator, fitted to the rows of both; neither of the two is changed."""
        check_alike(self, other)
        return copy.copy(self)._conclude(self._seen() + other._seen())

    def _validated(self, X: Any, y: Any) -> tuple[FloatArray, FloatArray]:
        X, y = validate_data(self, X, y, reset=self._is_new(), dtype=np.float64, y_numeric=True)
        return X, np.asarray(y, dtype=np.float64)

    def _extend(self, X: FloatArray, y: FloatArray) -> Self:
        rows = self._collect(X, y)
        return self._conclude(rows if self._is_new() else self._seen() + rows)

    def _conclude(self, seen: Addable) -> Self:
        """Solve, and publish each field of the fit: `theta` becomes `theta_`."""
        self.fit_ = self._solve(seen)
        for field in fields(self.fit_):
            setattr(self, f"{field.name}_", getattr(self.fit_, field.name))
        if not undeclared(self):
            self.seen_ = seen
        return self

    def _is_new(self) -> bool:
        return not hasattr(self, "fit_")

    def _seen(self) -> Any:
        if not hasattr(self, "seen_"):
            raise InvalidInput("the bounds were declared after the fit, which kept no sums. Fit again first.")
        return self.seen_


def check_alike(one: Replicable, other: Any) -> None:
    """Check that two estimators may be merged: one type, both fitted, equal parameters, columns and classes."""
    if type(other) is not type(one):
        raise InvalidInput(f"other is a {type(other).__name__}; merge needs another {type(one).__name__}.")
    for estimator in (one, other):
        check_is_fitted(estimator)
    here, there = (estimator.get_params() | _traits(estimator) for estimator in (one, other))
    for name, value in here.items():
        if not _equal(value, there[name]):
            raise InvalidInput(f"{name} is {value!r} here and {there[name]!r} there; merge needs the same in both.")


def _traits(estimator: Any) -> dict[str, Any]:
    return {name: getattr(estimator, name, None) for name in ("n_features_in_", "feature_names_in_", "classes_")}


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return np.array_equal(a, b)
