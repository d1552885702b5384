"""The theorems' explicit right-hand sides: what regret, or what error, the proofs allow, with every constant.

`bounds`               the regret that a theorem allows to a spec, and what the number is made of
`realised_bound`       the same for the batches of one run
`informative_horizon`  how many rounds it takes until a theorem says more than that no round loses more than the worst
`mean_bound`, `ridge_bound`, `core_set_bound`    the errors of the estimators

A statement is that of its theorem: it holds where the theorem's conditions do, so `noise`, `norm_bound` and
`action_bound` must be at least those of the environment.
"""

from replibandit.bounds.bound import Bounds, ErrorBound
from replibandit.bounds.estimates import core_set_bound, mean_bound, ridge_bound
from replibandit.bounds.horizon import informative_horizon
from replibandit.bounds.realised import realised_bound
from replibandit.bounds.regret import bounds

__all__ = [
    "Bounds",
    "ErrorBound",
    "bounds",
    "core_set_bound",
    "informative_horizon",
    "mean_bound",
    "realised_bound",
    "ridge_bound",
]
