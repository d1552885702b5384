"""RepMean as a scikit-learn regressor."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from replibandit.arithmetic import Moments, Scale, moments, scale_of
from replibandit.arrays import FloatArray
from replibandit.estimators.mean import MeanFit, rep_mean_of
from replibandit.key import Key
from replibandit.sklearn.base import Replicable


class RepMean(RegressorMixin, Replicable):  # type: ignore[misc]
    """Predict the replicable mean of y for every row: `replibandit.rep_mean` (Prop. 3.1).  X is checked, then ignored.

    The values of y are independent and `noise`-sub-Gaussian around one mean: 0.5 for values in [0, 1].  With
    `response_bound` there are `partial_fit` and `merge`.  Fitted: `fit_` (a MeanFit) and each of its fields, as
    `theta_`, `raw_`, `cell_`, `width_`, `shift_`, `radius_`, `inflated_radius_`, `fingerprint_`.

    >>> X, y = np.zeros((10_000, 1)), np.random.default_rng(1).random((2, 10_000))
    >>> a, b = (RepMean(seed="lab-7").fit(X, values) for values in y)
    >>> a.raw_ == b.raw_, a.predict(X[:1]) == b.predict(X[:1])
    (False, array([ True]))
    """

    def __init__(
        self,
        *,
        rho: float = 0.1,
        delta: float = 0.01,
        noise: float = 0.5,
        seed: Key | str | int = 0,
        calibration: str = "paper",
        response_bound: float | None = None,
    ) -> None:
        self.rho = rho
        self.delta = delta
        self.noise = noise
        self.seed = seed
        self.calibration = calibration
        self.response_bound = response_bound

    def predict(self, X: Any) -> FloatArray:
        """Return the replicable mean, once for each row of X."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return np.full(len(rows), self.theta_)

    def _bounds(self) -> tuple[str, ...]:
        return ("response_bound",)

    def _collect(self, X: FloatArray, y: FloatArray) -> Moments:
        ones = np.broadcast_to(1.0, (len(y), 1))
        if self.response_bound is None:
            return moments(ones, y, scale=scale_of(ones, y))
        return moments(ones, y, scale=Scale.declared(1, feature_bound=1.0, response_bound=self.response_bound))

    def _solve(self, seen: Moments) -> MeanFit:
        return rep_mean_of(
            seen, rho=self.rho, delta=self.delta, seed=self.seed, noise=self.noise, calibration=self.calibration
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # one number for all rows
        return tags
