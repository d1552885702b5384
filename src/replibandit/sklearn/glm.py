"""RepGLM as a scikit-learn estimator: a classifier for the logistic and probit links, else a regressor."""

from typing import Any, Self

import numpy as np
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.estimators.glm import GLMFit, rep_glm
from replibandit.key import Key
from replibandit.links import Link, as_link
from replibandit.sklearn.base import Addable, all_or_nothing, offered_unless, undeclared
from replibandit.sklearn.labels import codes, two_labels
from replibandit.sklearn.linear import Linear
from replibandit.sklearn.rows import Rows


def _regresses(estimator: "RepGLM") -> str:
    name = getattr(estimator.link, "name", estimator.link)
    if isinstance(name, str) and name in ("logistic", "probit"):
        return ""
    return f"RepGLM with the {name!r} link is a regressor; classes are for link='logistic' and link='probit'."


class RepGLM(Linear):
    """Replicable generalised linear model: `replibandit.rep_glm` (App. E, Alg. 4, Thm. E.1).

    With link="logistic" or "probit" it is a classifier of two classes, any two labels; with "identity" or "log" a
    regressor.  `noise` is the sub-Gaussian parameter of y given x: 0.5 for two classes; state it for other responses.
    `norm_bound`, `box` and `min_slope` say where theta is sought, as for the function.  With `fit_intercept` a column
    of ones is put behind X: a coordinate like the others, penalised, counted in d, in `norm_bound` and in `box`.

    With `feature_bound` and `response_bound` (a classifier needs only the first) there are `partial_fit` and `merge`.
    They keep every row and fit again to all of them, so pass large chunks; pickles then hold the data.

    Fitted: `coef_`, `intercept_`, `classes_` (classifier), `fit_` (a GLMFit) and each of its fields, as `theta_`
    (with the intercept at the end), `raw_`, `cell_`, `radius_`, `inflated_radius_`, `fingerprint_`.

    >>> X = np.random.default_rng(0).normal(size=(1000, 3)) / 2
    >>> p = 1 / (1 + np.exp(-X @ [0.5, -0.2, 0.1]))
    >>> lab = [np.where(np.random.default_rng(k).random(1000) < p, "yes", "no") for k in (1, 2)]
    >>> a, b = (RepGLM(seed="lab-7").fit(X, y) for y in lab)
    >>> bool((a.raw_ == b.raw_).any()), bool((a.predict(X) == b.predict(X)).all()), a.fingerprint_ == b.fingerprint_
    (False, True, True)
    """

    def __init__(
        self,
        *,
        link: Link | str = "logistic",
        rho: float = 0.1,
        delta: float = 0.01,
        noise: float = 0.5,
        seed: Key | str | int = 0,
        penalty: float = 1.0,
        norm_bound: float = 1.0,
        box: tuple[Any, Any] | None = None,
        min_slope: float | None = None,
        whitening: str = "cholesky",
        calibration: str = "paper",
        grid: str = "cube",
        fit_intercept: bool = False,
        feature_bound: float | None = None,
        response_bound: float | None = None,
    ) -> None:
        self.link = link
        self.rho = rho
        self.delta = delta
        self.noise = noise
        self.seed = seed
        self.penalty = penalty
        self.norm_bound = norm_bound
        self.box = box
        self.min_slope = min_slope
        self.whitening = whitening
        self.calibration = calibration
        self.grid = grid
        self.fit_intercept = fit_intercept
        self.feature_bound = feature_bound
        self.response_bound = response_bound

    @offered_unless(undeclared)
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Fit to these rows and all that were seen before, as if they had come at once.

        A classifier needs `classes`, both labels, in the first call.
        """
        return self._extend(*self._validated(X, y, self._expected(classes)))

    def predict(self, X: Any) -> Any:
        """Return the mean mu(<x, theta~>) for the rows of X, or the class that is more likely than the other."""
        eta = self._linear(X)
        if _regresses(self):
            return as_link(self.link).mean(eta)
        return self.classes_[(eta > 0).astype(np.int64)]  # mu(0) = 1/2

    @offered_unless(_regresses)
    def decision_function(self, X: Any) -> FloatArray:
        """Return <x, theta~> for the rows of X: above 0 where `classes_[1]` is predicted."""
        return self._linear(X)

    @offered_unless(_regresses)
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of `classes_[0]` and `classes_[1]` for the rows of X."""
        eta, mean = self._linear(X), as_link(self.link).mean
        return np.column_stack([mean(-eta), mean(eta)])  # both links are symmetric: 1 - mu(eta) = mu(-eta)

    def interval(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper ends of the certified band for the mean mu(<x, theta*>): P(`classes_[1]` | x).

        mu is monotone and |<x, theta~ - theta*>| <= inflated_radius ||x||_{V^-1} (Thm. E.1): with probability at least
        1 - delta it holds for every x at once.
        """
        low, high = self._band(X)
        mean = as_link(self.link).mean
        return mean(low), mean(high)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier, the R^2 of a regressor: minus infinity where a mean overflows."""
        if not _regresses(self):
            return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))
        means = np.minimum(self.predict(X), np.finfo(np.float64).max)
        with np.errstate(over="ignore"):
            return float(r2_score(y, means, sample_weight=sample_weight))

    def _bounds(self) -> tuple[str, ...]:
        return super()._bounds() if _regresses(self) else ("feature_bound",)

    def _response_bound(self) -> Any:
        return self.response_bound if _regresses(self) else 1.0

    def _expected(self, classes: Any) -> Any:
        """Return the labels that partial_fit goes by."""
        if _regresses(self):
            if classes is not None:
                raise InvalidInput(_regresses(self))
            return None
        if classes is not None:
            classes = two_labels(np.unique(classes))
        if self._is_new():
            if classes is None:
                raise InvalidInput("classes is None; the first partial_fit of a classifier needs both labels.")
            return classes
        if classes is not None and not np.array_equal(classes, self.classes_):
            came, known = classes.tolist(), self.classes_.tolist()
            raise InvalidInput(f"classes is {came}; the first call had {known}. Pass the same or none.")
        return self.classes_

    def _validated(self, X: Any, y: Any, classes: Any = None) -> tuple[FloatArray, FloatArray]:
        if _regresses(self):
            return super()._validated(X, y)
        X, y = validate_data(self, X, y, reset=self._is_new(), dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = two_labels(np.unique(y)) if classes is None else classes
        return X, codes(y, self.classes_)

    def _conclude(self, seen: Addable) -> Self:
        super()._conclude(seen)
        if not _regresses(self):  # the shapes of scikit-learn's classifiers
            self.coef_, self.intercept_ = self.coef_[None], np.array([self.intercept_])
        return self

    def _collect(self, X: FloatArray, y: FloatArray) -> Rows:
        design = self._design(X)
        keep = np.asarray if undeclared(self) else np.array  # rows that stay must not be the caller's
        return Rows(scale=self._scale(design, y), X=keep(design), y=keep(y))

    def _solve(self, seen: Rows) -> GLMFit:
        return rep_glm(
            seen.X,
            seen.y,
            link=self.link,
            rho=self.rho,
            delta=self.delta,
            noise=self.noise,
            seed=self.seed,
            penalty=self.penalty,
            norm_bound=self.norm_bound,
            box=self.box,
            min_slope=self.min_slope,
            whitening=self.whitening,
            calibration=self.calibration,
            grid=self.grid,
            scale=seen.scale,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if _regresses(self):
            tags.estimator_type = "regressor"
            tags.regressor_tags = RegressorTags(poor_score=True)
        else:
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(poor_score=True, multi_class=False)
        return tags
