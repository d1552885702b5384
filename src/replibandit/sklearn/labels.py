"""The two labels of a binary classifier, and the responses 0 and 1 that they stand for."""

from typing import Any

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput


def two_labels(labels: Any) -> Any:
    """Return the sorted labels if they are two."""
    if len(labels) == 2:
        return labels
    if len(labels) > 2:
        raise InvalidInput(
            f"Only binary classification is supported. y has {len(labels)} classes; RepGLM needs two. Wrap it in "
            "sklearn.multiclass.OneVsRestClassifier, with rho and delta divided by the number of classes."
        )
    only = labels.tolist()[0]
    raise InvalidInput(
        f"y holds one class only, {only!r}; RepGLM needs two. If the other one is known, declare feature_bound and "
        "call partial_fit(X, y, classes=[...])."
    )


def codes(y: Any, classes: Any) -> FloatArray:
    """Return 0.0 for the first class and 1.0 for the second."""
    second = np.asarray(y == classes[1])
    unknown = ~(second | (y == classes[0]))
    if unknown.any():
        came, known = y[unknown].tolist()[0], classes.tolist()
        raise InvalidInput(f"y holds {came!r}; the classes are {known}. Declare both before the first data.")
    return second.astype(np.float64)
