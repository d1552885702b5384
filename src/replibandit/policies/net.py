"""Nets of a ball: finitely many actions of which one is near every action."""

import math

import numpy as np

from replibandit.actions import Ball
from replibandit.arithmetic import squared_norm
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput

_MOST = 2**13
_MOST_CELLS = 2**20


def net_of_ball(ball: Ball, resolution: float) -> FloatArray:
    """Return points of a ball, (points, dim), one of them within `resolution` of every point; refuse more than 8192.

    >>> net_of_ball(Ball(1.0, 1), 0.5).ravel().tolist()
    [-1.0, 0.0, 1.0]
    """
    # half the diagonal of a cell is sqrt(d) spacing/2 = resolution; going back to the ball brings no point farther away
    spacing = 2.0 * resolution / math.sqrt(ball.dim)
    reach = ball.radius + resolution
    side = 2 * math.floor(reach / spacing) + 1 if reach / spacing < _MOST else 2 * _MOST
    if side > _MOST or side**ball.dim > _MOST_CELLS:
        raise _too_many(ball, resolution, _about(ball.dim, reach / spacing))
    axis = spacing * (np.arange(side) - side // 2)
    points = np.stack(np.meshgrid(*[axis] * ball.dim, indexing="ij"), axis=-1).reshape(-1, ball.dim)
    norms = np.sqrt(squared_norm(points))
    points, norms = points[norms <= reach], norms[norms <= reach]
    inside = np.where(norms > ball.radius, ball.radius / np.maximum(norms, spacing), 1.0)
    net = np.unique(points * inside[:, None] + 0.0, axis=0)
    if len(net) > _MOST:
        raise _too_many(ball, resolution, f"{len(net)}")
    return np.ascontiguousarray(net)


def _too_many(ball: Ball, resolution: float, points: str) -> InvalidInput:
    return InvalidInput(
        f"a net of resolution {resolution:.6g} of the ball of radius {ball.radius:g} in {ball.dim} dimensions needs "
        f"{points} points; at most {_MOST} are played. Lower the horizon (a net of 1/T is the default), give a coarser "
        "`resolution`, or take RepLinUCB, which needs no net."
    )


def _about(dim: int, radius: float) -> str:
    """Return about how many whole points a ball has, as text."""
    digits = (dim * (math.log(radius) + 0.5 * math.log(math.pi)) - math.lgamma(dim / 2 + 1)) / math.log(10)
    return f"about 10^{digits:.1f}"
