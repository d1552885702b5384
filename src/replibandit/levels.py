"""How clear a decision must be: random levels, shared by two runs, and what they promise, certified.

A statistic is known at the phases p = 0, 1, ..., and a decision is made at the first one where it reaches a level.  Its
position d_p grows by sqrt(g) a phase or more.  The level is random, the same in both runs:

    level = a sqrt(1 + (s^2 - 1) V) (1 + (sqrt(g) - 1) U),    U, V uniform,    s = min(3/2, sqrt(g)).

Given V it is uniform between an edge and sqrt(g) times it, so that one phase, whatever the position, lies in between;
V blurs the edges.  The density of the level is the trapezoid with the corners a, s a, sqrt(g) a, sqrt(g) s a.

If F_p(l) is the probability that the statistic reaches l, two runs decide differently at p with probability
E[2 F_p (1 - F_p)] over the level.  A `Shape` bounds 2 F (1 - F) at a distance x above or below the position, and its
integral; where actions are dropped, it bounds what takes the place of 2 F (1 - F).  The certificate is the largest sum
over the phases that any positions allow (docs/theory-decisions.md): an upper sum over cells, in the strict arithmetic,
so that the levels are the same bits on every machine.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from replibandit.arithmetic import exp, log, normal_cdf
from replibandit.arrays import FloatArray
from replibandit.calibration import PAIR
from replibandit.errors import InvalidInput

_STEP = 2.0**-4  # of the cells around a position
_CELLS = 160  # on either side of it
_X: FloatArray = _STEP * np.arange(_CELLS + 1, dtype=np.float64)
_POSITIONS = 32  # cells from a to sqrt(g) a
_NEIGHBOURS = 4  # phases before and after the one that lies there
_SHARES = 8
_FINENESS = 64.0  # levels are multiples of 1/64
_LARGEST = 2.0**20
_SLACK = 1.0 + 2.0**-30  # for the rounding errors of the sums


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How far a statistic strays from its position.

    `above` bounds 2 F (1 - F) from x on above the position, x = 0, 1/16, ..., and `below` below it; `area` bounds its
    integral.  `wrong` e^(-l^2/2) bounds the probability of two runs that one of them decides wrongly at the level l.
    """

    above: tuple[float, ...]
    below: tuple[float, ...]
    area: float
    wrong: float


@lru_cache(maxsize=64)
def commitment(actions: int, calibration: str, *, variance: float, proportional: bool = True) -> Shape:
    """Return the shape of the least standardised lead of one of `actions`.

    `variance` bounds that of the least lead (infinite: not known), in squares of the error of one; `proportional` if
    the errors of all phases have one law but for size.
    """
    others, normal = actions - 1, calibration == "gaussian"
    tails = _distances_normal() if normal else _tails()
    # the lead over one action, and one of K - 1 leads; with proportional normal errors |Phi^-1(F)| is at least the
    # distance from the median, since the least lead is 1-Lipschitz in the errors
    above, below = _pairs(tails), _pairs(tails if normal and proportional else others * tails)
    # E|M - M'| <= (2/sqrt 3) sd(M), Gini's mean difference
    return Shape(above=above, below=below, area=PAIR * math.sqrt(variance), wrong=others * (1.0 if normal else 2.0))


@lru_cache(maxsize=64)
def elimination(actions: int, calibration: str, *, variance: float) -> Shape:
    """Return the shape of the standardised distance of one of `actions` to the leader, on the canonical path.

    `variance` bounds that of the distance, likewise.
    """
    others = actions - 1
    tails = _distances_normal() if calibration == "gaussian" else _tails()
    # some action leads by more, and the best one leads by less.  2 e - e^2 in place of 2 F (1 - F), e = min(F, 1 - F)
    above, below = (tuple((e * (2.0 - e)).tolist()) for e in (np.minimum(0.5, q) for q in (others * tails, tails)))
    # 2 E|M - median| <= 2 sd(M)
    return Shape(above=above, below=below, area=2.0 * math.sqrt(variance), wrong=2.0 * others)


@lru_cache(maxsize=4096)
def certified_level(shape: Shape, *, growth: int, rho: float, decisions: int, miss: float) -> float:
    """Return the least a, a multiple of 1/64, for which the certificate is at most `rho`.

    It is also so large that a wrong decision is made in one of the phases with probability `miss` at most.
    """
    # (wrong/2) D e^(-a^2/2) <= miss
    odds = 0.5 * shape.wrong * decisions / miss
    least = math.sqrt(2.0 * log(odds)) if odds > 1.0 else 1.0
    low, high = 0, max(1, math.ceil(least * _FINENESS))
    low = high - 1
    while mismatch(shape, high / _FINENESS, growth=growth, decisions=decisions) > rho:
        low, high = high, 2 * high
        if high > _LARGEST * _FINENESS:
            raise InvalidInput(f"rho is {rho!r}; it is too small for levels up to 2**20. Raise rho.")
    while high - low > 1:
        middle = (low + high) // 2
        kept = mismatch(shape, middle / _FINENESS, growth=growth, decisions=decisions) <= rho
        low, high = (low, middle) if kept else (middle, high)
    return high / _FINENESS


def blur(growth: int) -> float:
    """Return s."""
    return min(1.5, math.sqrt(growth))


def levels(least: FloatArray | float, growth: int, draws: FloatArray) -> FloatArray:
    """Return the levels of pairs of uniforms (U, V), the last axis of `draws`."""
    s, step = blur(growth), math.sqrt(growth) - 1.0
    return np.asarray(least * np.sqrt(1.0 + (s * s - 1.0) * draws[..., 1]) * (1.0 + step * draws[..., 0]))


def mismatch(shape: Shape, least: float, *, growth: int, decisions: int) -> float:
    """Return the certificate: the probability that two runs decide differently is at most this, for every position."""
    root, n, J = math.sqrt(growth), _POSITIONS, _NEIGHBOURS
    # cells of the positions from a g^(-J/2) to a g^((J + 1)/2), in order, and one beyond either end
    base = least * (1.0 + (root - 1.0) * np.arange(n) / n)
    edges = np.concatenate([base * _power(root, j) for j in range(-J, J + 1)] + [[least * _power(root, J + 1)]])
    low, high = np.append(edges[:-1], [edges[0], edges[-1]]), np.append(edges[1:], [edges[0], edges[-1]])
    inside, wrong = _integrals(shape, least, growth, low, high)
    before, after = float(inside[-2]), float(inside[-1])
    # positions grow by sqrt(g) or more: after one in cell i the next is in cell i + n or later
    most = [0.0] * (len(inside) - 2 + n)
    for i, here in reversed(list(enumerate(inside[:-2].tolist()))):
        most[i] = max(most[i + 1], here + most[i + n])
    return _SLACK * (most[0] + decisions * (before + after + wrong))


def _integrals(shape: Shape, least: float, growth: int, low: FloatArray, high: FloatArray) -> tuple[FloatArray, float]:
    """Return upper bounds of int w(l) 2 F (1 - F) dl for positions between `low` and `high`, and of the wrong ones."""
    s, root = blur(growth), math.sqrt(growth)
    height = 2.0 / ((s + 1.0) * least * (root - 1.0))
    corner, slope = s * least, height / (s - 1.0)

    def density(left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the largest density of a level between `left` and `right`."""
        at = np.minimum(np.maximum(left, corner), right) / least
        return np.asarray(slope * np.maximum(np.minimum(s, at) - np.maximum(1.0, at / root), 0.0))

    # int w b <= share * area + int (w - share)^+ b, for any share
    shares = height * np.arange(_SHARES + 1)[:, None] / _SHARES if shape.area < math.inf else np.zeros((1, 1))
    total = np.broadcast_to(shares * shape.area if shape.area < math.inf else 0.0, (len(shares), len(low)))
    errors = 0.0
    for i in range(_CELLS):
        near, far = i * _STEP, (i + 1) * _STEP
        up, down = density(low + near, high + far), density(low - far, high - near)
        total = total + _STEP * shape.above[i] * np.maximum(up - shares, 0.0)
        total = total + _STEP * shape.below[i] * np.maximum(down - shares, 0.0)
        errors += _STEP * float(density(np.array(near), np.array(far))) * _TAILS[i]
    # beyond the cells both b and the normal tail are below their values there, integrals included
    rest = height * (shape.above[-1] + shape.below[-1])
    return np.asarray(total.min(axis=0) + rest), shape.wrong * (errors + height * _TAILS[-1])


def _power(root: float, j: int) -> float:
    value = 1.0
    for _ in range(abs(j)):
        value = value * root if j > 0 else value / root
    return value


def _tails() -> FloatArray:
    """Return e^(-x^2/2), or 1/(1 + x^2) where that is less: P(Z >= x) for variance proxy 1 (Chernoff, Cantelli)."""
    return np.asarray(np.minimum(exp(-0.5 * (_X * _X)), 1.0 / (1.0 + _X * _X)))


def _distances_normal() -> FloatArray:
    return np.asarray(normal_cdf(-_X), dtype=np.float64)


def _pairs(tails: FloatArray) -> tuple[float, ...]:
    """Return the bound of 2 F (1 - F) where F or 1 - F is at most `tails`."""
    q = np.minimum(tails, 0.5)
    return tuple((2.0 * q * (1.0 - q)).tolist())


_TAILS = tuple(exp(-0.5 * (_X * _X)).tolist())
