"""RepMean, RepRidge and RepGLM as scikit-learn estimators: the same words as the functions, the same bits.

The guarantee is that of the functions, and it is about *one fit with a fixed design*: two runs that share the
parameters, the seed and X, but see independent y, have the same `fingerprint_` with probability at least 1 - rho.

* The fixed design is shared by both runs.  A transformer in front that learns from X alone (StandardScaler) is covered
  when X is the same in both runs; one that learns from y (SelectKBest, TargetEncoder) is not.
* Cross-validation chooses by y.  `GridSearchCV` works, but its choice is not replicable and the theorem does not cover
  what is fitted after it: choose rho and the rest before the data.
* One seed serves one fit.  Of k fits to growing data (k calls of `partial_fit`, each of them looked at) all agree with
  probability at least 1 - k rho.
* `sample_weight` is not offered: a weight on a row changes the noise that the theorem asks for.  For repeated rows the
  functions take `counts`, which do not.

With `feature_bound` and `response_bound` declared before the data (|x_j| <= feature_bound, |y| <= response_bound), the
estimators have `partial_fit` and `merge`: any order of chunks and merges gives the bits of one `fit` to all rows.
"""

try:
    from sklearn.utils.validation import validate_data as _since_1_6  # noqa: F401
except ImportError as error:
    raise ImportError(
        "replibandit.sklearn needs scikit-learn 1.6 or newer. Install it with: pip install 'replibandit[sklearn]'"
    ) from error

from replibandit.sklearn.glm import RepGLM
from replibandit.sklearn.mean import RepMean
from replibandit.sklearn.ridge import RepRidge

__all__ = ["RepGLM", "RepMean", "RepRidge"]
