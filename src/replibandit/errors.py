"""What can go wrong, as a tree.

    ReplibanditError
    ├── InvalidInput         (ValueError)       an argument: what came, what is needed, what to do
    ├── OutOfRange           (OverflowError)    a number beyond the range of the exact arithmetic
    ├── NotPositiveDefinite  (ArithmeticError)  a matrix without a Cholesky factor in double precision
    ├── NotConverged         (ArithmeticError)  a solver that did not reach its stated tolerance
    ├── NotReproducible      (RuntimeError)     a machine that computes other bits than the published ones
    ├── AwaitingRewards      (RuntimeError)     a session whose next decision needs rewards not yet told
    └── HorizonReached       (RuntimeError)     a session that has made all its decisions

Every error is raised before anything is changed: states are values, and no function returns half of one.
"""


class ReplibanditError(Exception):
    """The root of every error that replibandit raises on purpose."""


class InvalidInput(ReplibanditError, ValueError):
    """An argument is not what the algorithm needs."""


class OutOfRange(ReplibanditError, OverflowError):
    """A number does not fit the exact integer arithmetic."""


class NotPositiveDefinite(ReplibanditError, ArithmeticError):
    """A matrix is not positive definite to double precision."""


class NotConverged(ReplibanditError, ArithmeticError):
    """An iteration stopped short of its stated tolerance."""


class NotReproducible(ReplibanditError, RuntimeError):
    """This machine does not compute the published bits."""


class AwaitingRewards(ReplibanditError, RuntimeError):
    """The next decision needs rewards that have not been told."""


class HorizonReached(ReplibanditError, RuntimeError):
    """All decisions up to the horizon have been made."""
