"""What RepRidge and RepGLM share: the constant column, the declared grid, the linear predictor and its band."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from replibandit.arithmetic import Scale, apply, scale_of
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.estimators.ridge import band
from replibandit.sklearn.base import Addable, Replicable, undeclared


class Linear(Replicable):
    """An estimator of theta* through <x, theta*>."""

    fit_intercept: bool
    feature_bound: Any
    response_bound: Any
    coef_: FloatArray
    intercept_: Any  # a float, for a classifier an array of one

    def _conclude(self, seen: Addable) -> Self:
        super()._conclude(seen)
        d = self.n_features_in_
        self.coef_ = self.theta_[:d]
        self.intercept_ = float(self.theta_[d]) if self.fit_intercept else 0.0
        return self

    def _design(self, X: FloatArray) -> FloatArray:
        """Return X, with a column of ones at the end if an intercept is fitted."""
        return np.column_stack([X, np.ones(len(X))]) if self.fit_intercept else X

    def _scale(self, design: FloatArray, y: FloatArray) -> Scale:
        """Return the declared grid, by default the finest that holds the data."""
        if all(getattr(self, name) is None for name in self._bounds()):
            return scale_of(design, y)
        if undeclared(self):
            raise InvalidInput(undeclared(self))
        features, responses = self.feature_bound, self._response_bound()
        scale = Scale.declared(self.n_features_in_, feature_bound=features, response_bound=responses)
        if not self.fit_intercept:
            return scale
        one = Scale.declared(1, feature_bound=1.0, response_bound=responses)
        return replace(scale, features=scale.features + one.features)

    def _response_bound(self) -> Any:
        return self.response_bound

    def _points(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return self._design(validate_data(self, X, reset=False, dtype=np.float64))

    def _linear(self, X: Any) -> FloatArray:
        """Return <x, theta~> for the rows of X, summed from the first column to the last: the same bits everywhere."""
        return apply(self._points(X), self.theta_)

    def _band(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the certified band for <x, theta*>."""
        return band(self.fit_, self._points(X))
