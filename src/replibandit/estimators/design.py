"""A nearly G-optimal design on few actions (Assumption 4.2, "Core-set design"), the same on every machine.

A design is a probability vector pi over the actions.  With V(pi) = sum_a pi(a) a a^T, its certificate is
    g(pi) = max_a ||a||^2_{V(pi)^-1} >= d,
and equality holds exactly where det V(pi) is largest (Kiefer and Wolfowitz, 1960).

Guarantee: g(pi) <= approximation * d for the weights that are returned; with the default approximation of 4, on at most
d (5 + log log(d + 2)) actions.

The ascent is that of Kumar and Yildirim (2005) and of Todd and Yildirim (2007): start from d actions that span well,
then move towards the action of the largest norm, or away from that of the smallest.  Why so few actions suffice:
* The coordinates, in a pivoted Gram-Schmidt basis, are at most 1 in size, and unit triangular for the start.  So
  det V = d^-d at the start, det V <= prod_j V_jj <= 1 everywhere, and log det V lacks at most d log d.
* At a design with g(pi) = x d it lacks at most d log x, since log det(V^-1 V*) <= d log(tr(V^-1 V*)/d) <= d log x, and
  the best step towards the worst action gains d log x - (d-1) log((x d - 1)/(d-1)) >= log x - 1 + 1/x.
* Only such steps add an action, one each, and only while x > 4.  With d t for what is lacking, a step lowers t by at
  least max(t - 1 + e^-t, log 4 - 3/4)/d, so that there are at most d int_0^(log d) dt/max(...) + 1 of them.

Departures
* Actions that span a subspace of rank r < d have a design in it: r takes the place of d, and V(pi)^-1 is the inverse
  on the span.  A direction in which no action is longer than 2**-36 of the longest counts as rounding error, as it does
  in the Gram sums (columns scaled by powers of two).
* Weights are multiples of 2**-53: their sum is exactly 1.
"""

from dataclasses import dataclass

import numpy as np

from replibandit import checks
from replibandit.arithmetic import apply, cholesky, exponent_above, multiply, solve_lower, solve_upper, squared_norm
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput, NotConverged
from replibandit.estimators.span import span_of

_GRID = 2.0**53
_STEPS = 64  # before the inverse is computed afresh
_REFRESHES = 2000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """Weights above 0 on the rows `indices` of the actions, in ascending order; they sum to exactly 1.

    `certificate` is max_a ||a||^2_{V(pi)^-1} over all the actions, and `rank` the dimension of their span.
    """

    indices: IntArray
    weights: FloatArray
    certificate: float
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Iterate:
    """A design on the way: the support in the order of entry, and what follows from it and its weights."""

    support: IntArray
    weights: FloatArray
    inverse: FloatArray  # V(pi)^-1
    norms: FloatArray  # ||a||^2_{V(pi)^-1}, for every action


def g_optimal(actions: FloatArray, *, approximation: float = 4.0) -> Design:
    """Find weights whose certificate is at most `approximation` times the rank; ties go to the lowest index.

    Tight designs have more actions and take more steps; `NotConverged` is raised where those allowed are too few.

    >>> design = g_optimal([[1, 0], [0.5, 0], [0, 2], [1, 0]], approximation=1.01)
    >>> design.indices.tolist(), design.weights.tolist(), round(design.certificate, 9), design.rank
    ([0, 2], [0.5, 0.5], 2.0, 2)
    """
    if not checks.positive("approximation", approximation) > 1:
        raise InvalidInput(f"approximation is {approximation!r}; it must be above 1. Take 4, or 1.01 for a tight one.")
    span = span_of(_scaled(actions))
    rank = span.rank
    best = _ascend(span.coordinates, span.pivots, np.full(rank, 1.0 / rank), approximation * rank)
    order = np.argsort(best.support)
    return Design(
        indices=best.support[order],
        weights=best.weights[order],
        certificate=float(best.norms.max()),
        rank=rank,
    )


def span_coordinates(actions: FloatArray) -> FloatArray:
    """Return the coordinates of the actions in a basis of their span, (actions, rank); equal actions have equal ones.

    >>> span_coordinates([[3, 3], [6, 6], [0, 0]]).tolist()
    [[0.5], [1.0], [0.0]]
    """
    return span_of(_scaled(actions)).coordinates


def _scaled(actions: FloatArray) -> FloatArray:
    """Return the actions with every column scaled by a power of two, its largest size being in [1/2, 1)."""
    A = checks.matrix("actions", actions)
    checks.finite("actions", A)
    if not A.any():
        raise InvalidInput(f"actions has shape {A.shape} and no entry but 0; a design needs an action to pull.")
    return np.asarray(np.ldexp(A, -exponent_above(np.abs(A).max(axis=0)).astype(np.int32)))


def _ascend(points: FloatArray, support: IntArray, weights: FloatArray, target: float) -> _Iterate:
    """Raise log det V(pi) until the largest norm, computed afresh, is at most `target`."""
    for _ in range(_REFRESHES):
        here = _afresh(points, *_on_grid(support, weights))
        if here.norms.max() <= target:
            return here
        for _ in range(_STEPS):
            here = _moved(points, here, *_best_step(here))
            if here.norms.max() <= target:
                break
        support, weights = here.support, here.weights
    raise NotConverged(
        f"the design reached {float(here.norms.max()):.9g} for a target of {target:.9g} after {_REFRESHES * _STEPS} "
        "steps. Raise the approximation."
    )


def _on_grid(support: IntArray, weights: FloatArray) -> tuple[IntArray, FloatArray]:
    """Round the weights to multiples of 2**-53 that sum to exactly 1, and drop the zeros."""
    units = np.rint(weights * _GRID).astype(np.int64)
    units[np.argmax(units)] += int(_GRID) - units.sum()
    kept = units > 0
    return support[kept], units[kept] / _GRID


def _afresh(points: FloatArray, support: IntArray, weights: FloatArray) -> _Iterate:
    """Compute the inverse and the norms from the weights."""
    rows = points[support]
    L = cholesky(multiply(rows.T * weights, rows))  # V(pi) = sum_a pi(a) a a^T
    inverse = solve_upper(L, solve_lower(L, np.eye(len(L))))
    return _Iterate(support=support, weights=weights, inverse=inverse, norms=squared_norm(solve_lower(L, points.T).T))


def _best_step(here: _Iterate) -> tuple[int, float]:
    """Return the action to move towards, or away from if the step is negative, and the step that maximises det V."""
    rank = len(here.inverse)
    highest, lowest = int(np.argmax(here.norms)), int(np.argmin(here.norms[here.support]))
    g, least = float(here.norms[highest]), float(here.norms[here.support[lowest]])
    if g - rank >= rank - least:
        return highest, (g / rank - 1.0) / (g - 1.0)
    weight = float(here.weights[lowest])
    drop = -weight / (1.0 - weight)
    step = drop if least <= 1.0 else max(drop, (least / rank - 1.0) / (least - 1.0))
    return int(here.support[lowest]), step


def _moved(points: FloatArray, here: _Iterate, action: int, step: float) -> _Iterate:
    """Return the design (1 - step) pi + step e_a, with V^-1 and the norms by the formula of Sherman and Morrison."""
    support, weights = here.support, (1.0 - step) * here.weights
    if action not in support:
        support, weights = np.append(support, action), np.append(weights, 0.0)
    weights = np.where(support == action, weights + step, weights)
    kept = weights * _GRID > 0.5
    # ((1 - s) V + s a a^T)^-1 = (V^-1 - c u u^T) / (1 - s), u = V^-1 a, c = s / (1 - s + s ||a||^2_{V^-1})
    u = apply(here.inverse, points[action])
    c = step / (1.0 - step + step * here.norms[action])
    along = apply(points, u)
    return _Iterate(
        support=support[kept],
        weights=weights[kept],
        inverse=(here.inverse - c * u[:, None] * u) / (1.0 - step),
        norms=(here.norms - c * along * along) / (1.0 - step),
    )
