"""Damped Newton for the penalised quasi-likelihood: over all of R^d, in a ball, in a box.

A step is halved until the size of the score falls by at least a quarter of the step's length; a Newton direction
reduces every fixed norm of the score, so this ends.  The answer is certified: at a point whose residual is r,
||theta - theta^||_V <= r / min(1, c_mu), and on the sphere, whose radius is met up to r too, <= 2.5 r / min(1, c_mu).
"""

from dataclasses import dataclass

import numpy as np

from replibandit.arithmetic import cholesky, solve_lower, squared_norm
from replibandit.arrays import BoolArray, FloatArray
from replibandit.errors import NotConverged
from replibandit.estimators.likelihood import Likelihood, newton_step

TARGET = 2.0**-36  # where the iteration stops: the residual, relative to `unit`
ACCEPTED = 2.0**-24  # what is accepted where rounding errors keep the residual from the target
_STEPS = 200
_PINS = 4  # more steps for each coordinate of a box, which may have to be pinned and released
_HALVINGS = 40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """The maximiser of each lane, the residual of its optimality conditions, and the ball's multiplier."""

    theta: FloatArray
    residual: FloatArray
    multiplier: FloatArray
    steps: int


def solve_free(data: Likelihood, penalty: FloatArray, unit: FloatArray, start: FloatArray | None = None) -> Solution:
    """Maximise over all of R^d."""
    theta = np.zeros_like(data.target) if start is None else start.copy()
    everywhere = np.ones_like(theta, dtype=np.bool_)
    score = data.score(theta, penalty)
    size = data.size(score)
    # From a given point at least one step is taken, lest a point good enough for a near-by penalty pass for the answer.
    going = np.flatnonzero(size > TARGET * unit) if start is None else np.arange(len(theta))
    for steps in range(_STEPS):
        if not len(going):
            _check(size, unit)
            return Solution(theta=theta, residual=size, multiplier=np.zeros_like(size), steps=steps)
        part, old, free = data.take(going), size[going], everywhere[going]
        step = newton_step(part, theta[going], score[going], penalty[going], free)
        longest = np.ones(len(going))
        theta[going], score[going] = _damped(part, theta[going], score[going], step, penalty[going], free, longest)
        size[going] = part.size(score[going])
        going = going[(size[going] > TARGET * unit[going]) & (size[going] < old)]
    raise _endless()


def solve_ball(data: Likelihood, penalty: FloatArray, unit: FloatArray, radius: float) -> Solution:
    """Maximise over ||theta||_2 <= radius.

    Where the free solution lies outside, the answer is the free solution theta(nu) of a larger penalty lambda + nu with
    ||theta(nu)||_2 = radius: one equation in nu, solved by More and Sorensen's step inside a bracket.
    """
    free = solve_free(data, penalty, unit)
    theta, residual, nu, steps = free.theta.copy(), free.residual.copy(), np.zeros_like(penalty), free.steps
    low, high, rest = np.zeros_like(penalty), np.full_like(penalty, np.inf), np.zeros_like(penalty)
    going = np.flatnonzero(squared_norm(theta) > radius * radius)
    for _ in range(_STEPS):
        if not len(going):
            residual = np.maximum(residual, rest)
            _check(residual, unit)
            return Solution(theta=theta, residual=residual, multiplier=nu, steps=steps)
        part, here, now = data.take(going), theta[going], nu[going]
        norm = np.sqrt(squared_norm(here))
        low[going] = np.where(norm > radius, now, low[going])
        high[going] = np.where(norm > radius, high[going], now)
        factor = cholesky(part.hessian(here, penalty[going] + now))
        unit_point = here / norm[:, None]
        dual = squared_norm(solve_lower(factor, unit_point[..., None])[..., 0])  # theta^T H^-1 theta / ||theta||^2
        # An error of ||theta|| moves theta by |norm - S| ||theta|| / ||theta||_{H^-1} in the norm of H.
        rest[going] = abs(norm - radius) / np.sqrt(dual)
        # nu <- nu + (||theta|| - S)/S ||theta||^2 / (theta^T H^-1 theta)
        after = now + (norm - radius) / radius / dual
        inside = (after > low[going]) & (after < high[going])
        after = np.where(inside, after, 0.5 * (low[going] + high[going]))
        more = (rest[going] > TARGET * unit[going]) & (after != now)
        going, after, here, part = going[more], after[more], here[more], part.take(np.flatnonzero(more))
        inner = solve_free(part, penalty[going] + after, unit[going], here)
        theta[going], residual[going], nu[going] = inner.theta, inner.residual, after
        steps += inner.steps
    raise _endless()


def solve_box(data: Likelihood, penalty: FloatArray, unit: FloatArray, low: FloatArray, high: FloatArray) -> Solution:
    """Maximise over low <= theta <= high, for one lane, by an active set.

    Coordinates that a step brings to their bound are pinned there; when the rest is solved, the pinned coordinate that
    the score pulls inwards most is released.
    """
    theta = np.clip(np.zeros_like(data.target), low, high)
    free = np.ones_like(theta, dtype=np.bool_)
    for steps in range(_STEPS + _PINS * theta.shape[1]):
        score = data.score(theta, penalty)
        inwards = ~free & np.where(theta <= low, score < 0.0, score > 0.0)
        residual = data.size(np.where(free | inwards, score, 0.0))
        before = data.size(np.where(free, score, 0.0))
        if residual <= TARGET * unit:
            return Solution(theta=theta, residual=residual, multiplier=np.zeros_like(unit), steps=steps)
        if before <= TARGET * unit:
            free = free.copy()
            free[0, np.argmax(np.where(inwards, abs(score), 0.0))] = True
            before = data.size(np.where(free, score, 0.0))
        step = newton_step(data, theta, score, penalty, free)
        bound = np.where(step > 0, high, low)
        moving = step != 0
        lengths = np.where(moving, (bound - theta) / np.where(moving, step, 1.0), np.inf)
        longest = np.minimum(lengths.min(axis=-1), 1.0)
        edge = np.where(lengths <= longest[:, None], bound, theta + longest[:, None] * step)
        there = data.score(edge, penalty)
        if longest < 1.0 and np.isfinite(there).all() and _slope(step, there) <= 0.0:
            theta, free = edge, free & (lengths > longest[:, None])
            continue
        theta, score = _damped(data, theta, score, step, penalty, free, longest)
        theta = np.clip(theta, low, high)  # a step of the longest length may end an ulp beyond its bound
        if data.size(np.where(free, score, 0.0)) >= before:
            _check(residual, unit)
            return Solution(theta=theta, residual=residual, multiplier=np.zeros_like(unit), steps=steps)
    raise _endless()


def _damped(
    data: Likelihood,
    theta: FloatArray,
    score: FloatArray,
    step: FloatArray,
    penalty: FloatArray,
    free: BoolArray,
    longest: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the point and the score after the longest of the halved steps that reduces the size of the score enough.

    Where no step does, the point stays: rounding errors are all that is left.
    """
    theta, score = theta.copy(), score.copy()
    size = data.size(np.where(free, score, 0.0))
    length = longest
    going = np.arange(len(theta))
    for _ in range(_HALVINGS):
        part = data.take(going)
        trial = theta[going] + length[going, None] * step[going]
        found = part.score(trial, penalty[going])
        smaller = part.size(np.where(free[going], found, 0.0)) <= (1.0 - 0.25 * length[going]) * size[going]
        theta[going[smaller]], score[going[smaller]] = trial[smaller], found[smaller]
        going = going[~smaller]
        if not len(going):
            break
        length = 0.5 * length
    return theta, score


def _slope(step: FloatArray, score: FloatArray) -> float:
    """Return the slope of the objective along `step`, summed from the first coordinate to the last."""
    total = 0.0
    for a, b in zip(step[0].tolist(), score[0].tolist(), strict=True):
        total = total + a * b  # the built-in sum is compensated from Python 3.12 on
    return total


def _check(residual: FloatArray, unit: FloatArray) -> None:
    worst = float(np.max(residual / unit, initial=0.0))
    if not worst <= ACCEPTED:
        raise NotConverged(
            f"Newton's iteration stopped at a relative residual of {worst:.2g}; {ACCEPTED:.2g} is needed. Rescale the "
            "columns of X or raise the penalty."
        )


def _endless() -> NotConverged:
    return NotConverged(
        f"Newton's iteration did not end in {_STEPS} steps. Rescale the columns of X or raise the penalty."
    )
