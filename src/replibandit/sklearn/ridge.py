"""RepRidge as a scikit-learn regressor."""

from typing import Any

from sklearn.base import RegressorMixin

from replibandit.arithmetic import Moments, moments
from replibandit.arrays import FloatArray
from replibandit.estimators.ridge import RidgeFit, rep_ridge_of
from replibandit.key import Key
from replibandit.sklearn.linear import Linear


class RepRidge(RegressorMixin, Linear):  # type: ignore[misc]
    """Replicable ridge regression: `replibandit.rep_ridge` (Alg. 2, Thm. 4.1).

    `noise` is the sub-Gaussian parameter of y given x, `norm_bound` bounds ||theta*||_2.  With `fit_intercept` a
    column of ones is put behind X: a coordinate like the others, penalised, counted in d and in `norm_bound`.  With
    `feature_bound` and `response_bound` there are `partial_fit` and `merge`.

    Fitted: `coef_`, `intercept_`, `fit_` (a RidgeFit) and each of its fields, as `theta_` (with the intercept at the
    end), `raw_`, `cell_`, `radius_`, `inflated_radius_`, `fingerprint_`; `seen_`, the exact moments, if bounds are
    declared.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> lab = [X @ [0.5, -0.2, 0.1] + np.random.default_rng(k).normal(size=1000) for k in (1, 2)]
    >>> a, b = (RepRidge(noise=1.0, seed="lab-7").fit(X, y) for y in lab)
    >>> bool((a.raw_ == b.raw_).any()), bool((a.coef_ == b.coef_).all()), a.fingerprint_ == b.fingerprint_
    (False, True, True)
    """

    def __init__(
        self,
        *,
        rho: float = 0.1,
        delta: float = 0.01,
        noise: float = 1.0,
        seed: Key | str | int = 0,
        penalty: float = 1.0,
        norm_bound: float = 1.0,
        whitening: str = "cholesky",
        calibration: str = "paper",
        grid: str = "cube",
        fit_intercept: bool = False,
        feature_bound: float | None = None,
        response_bound: float | None = None,
    ) -> None:
        self.rho = rho
        self.delta = delta
        self.noise = noise
        self.seed = seed
        self.penalty = penalty
        self.norm_bound = norm_bound
        self.whitening = whitening
        self.calibration = calibration
        self.grid = grid
        self.fit_intercept = fit_intercept
        self.feature_bound = feature_bound
        self.response_bound = response_bound

    def predict(self, X: Any) -> FloatArray:
        """Return <x, theta~> for the rows of X: the same bits on every machine."""
        return self._linear(X)

    def interval(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper ends of the certified band for <x, theta*> (`replibandit.band`).

        With probability at least 1 - delta it holds for every x at once.  It is about the mean, not about single
        responses.
        """
        return self._band(X)

    def _collect(self, X: FloatArray, y: FloatArray) -> Moments:
        design = self._design(X)
        return moments(design, y, scale=self._scale(design, y))

    def _solve(self, seen: Moments) -> RidgeFit:
        return rep_ridge_of(
            seen,
            rho=self.rho,
            delta=self.delta,
            noise=self.noise,
            seed=self.seed,
            penalty=self.penalty,
            norm_bound=self.norm_bound,
            whitening=self.whitening,
            calibration=self.calibration,
            grid=self.grid,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # the grid of a few hundred rows is wider than their coefficients
        return tags
