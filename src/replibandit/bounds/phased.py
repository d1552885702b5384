"""Regret of the policies that decide in phases, RepCommit and RepEliminate, from the gaps (docs/theory-decisions.md).

A phase is begun only if the decision before it was not made.  Given the level L, and with d_a the distance of the best
action to action a in standard errors, that has probability min(1, sum_a e^(-((d_a - L)^+)^2/2)) at most.  So
    E[regret] <= sum over the phases of E_L[that probability] times what the phase loses, + Delta_max,
where Delta_max = T Delta_max / T pays for wrong decisions.  The sum is evaluated as it stands; the mean over the level
is taken at the upper ends of cells, where the probability is largest.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.bounds.bound import IN_EXPECTATION, Bounds, named
from replibandit.bounds.instance import Instance
from replibandit.errors import InvalidInput
from replibandit.levels import levels
from replibandit.policies.exploration import leads
from replibandit.policies.rep_commit import RepCommit
from replibandit.policies.rep_eliminate import RepEliminate

_CELLS = 64, 8  # of U and of V
_FORMULA = "docs/theory-decisions.md, {}: sum over the phases of P(it is begun) times its loss, + Delta_max"


def rep_commit(spec: RepCommit, instance: Instance) -> Bounds:
    """Return the right-hand side of the theorem on RepCommit."""
    gaps = _gaps(spec, instance)
    vectors = np.zeros((len(gaps), 0)) if instance.vectors is None else instance.vectors
    plan, least = spec.prepare(vectors)
    # d_a = Delta_a / (sigma ||best - a||) after phase 0
    distance = leads(plan, -gaps[None], np.array([int(np.argmin(gaps))]))[0] / spec.noise
    counted, above = distance[np.isfinite(distance)], _ends(least, spec.growth)
    loss, rounds = float(gaps @ plan.base), int(plan.base.sum())
    total, before, chance = 0.0, 0, 1.0
    for p, multiple in enumerate(_multiples(spec.growth, rounds, spec.horizon)):
        step = multiple - (multiple // spec.growth if p else 0)
        # the last phase is cut at the horizon
        total += chance * min(step * loss, (spec.horizon - before) * float(gaps.max()))
        before += step * rounds
        chance = _undecided(counted * np.sqrt(multiple), above)
    return _statement(
        spec, gaps, total, "Thm. 1", {"least_level": least, "decisions": plan.decisions(spec.growth, spec.horizon)}
    )


def rep_eliminate(spec: RepEliminate, instance: Instance) -> Bounds:
    """Return the right-hand side of the theorem on RepEliminate, for arms."""
    if instance.vectors is not None:
        raise InvalidInput("the bound of RepEliminate is stated for arms; for vectors take RepCommit, or audit it.")
    gaps = _gaps(spec, instance)
    commit, drop = spec.least_levels(len(gaps), arms=True)
    above, own, distance = _ends(commit, spec.growth), _ends(drop, spec.growth), gaps / spec.noise
    total, before, left = 0.0, 0, np.ones(len(gaps))
    for p, multiple in enumerate(_multiples(spec.growth, 1, spec.horizon)):
        step = 2 * (multiple - (multiple // spec.growth if p else 0))
        # an arm is played in a phase if neither it was dropped nor was there a commitment; both arms left at least
        total += float((left * gaps).sum()) * min(step, spec.horizon - before)
        before += 2 * step
        if before >= spec.horizon:
            break
        standard = distance * np.sqrt(multiple)
        undecided = _undecided(np.delete(standard, int(np.argmin(gaps))), above)
        left = np.minimum(undecided, np.array([_undecided(np.array([d]), own) for d in standard]))
    return _statement(spec, gaps, total, "Thm. 2", {"least_level": commit, "least_elimination_level": drop})


PHASED: dict[tuple[type[Any], str | None], Callable[[Any, Instance], Bounds]] = {
    (policy, calibration): bound
    for policy, bound in ((RepCommit, rep_commit), (RepEliminate, rep_eliminate))
    for calibration in ("sharp", "gaussian")
}


def _gaps(spec: Any, instance: Instance) -> FloatArray:
    if instance.gaps is None:
        raise InvalidInput(
            f"the bound of {type(spec).__name__} needs the gap of every action; give an environment with arms or one "
            "finite set, or gaps=."
        )
    return instance.gaps


def _multiples(growth: int, rounds: int, horizon: int) -> list[int]:
    """Return 1, g, g^2, ..., of the phases that begin before the horizon."""
    powers = [1]
    while powers[-1] * rounds < horizon:
        powers.append(growth * powers[-1])
    return powers


def _ends(least: float, growth: int) -> FloatArray:
    """Return the levels at the upper ends of cells of (U, V) that are equally likely."""
    if not np.isfinite(least):
        return np.array([np.inf])
    u, v = (np.arange(1, n + 1) / n for n in _CELLS)
    return levels(least, growth, np.stack(np.meshgrid(u, v), axis=-1)).ravel()


def _undecided(distance: FloatArray, level: FloatArray) -> float:
    """Return E_L min(1, sum_a e^(-((d_a - L)^+)^2/2))."""
    ahead = np.maximum(distance - level[:, None], 0.0)
    return float(np.minimum(1.0, np.exp(-0.5 * ahead * ahead).sum(axis=1)).mean())


def _statement(spec: Any, gaps: FloatArray, total: float, theorem: str, made_of: dict[str, float]) -> Bounds:
    largest = float(gaps.max())
    return Bounds(
        regret=total + largest,
        trivial=spec.horizon * largest,
        holds=IN_EXPECTATION,
        formula=_FORMULA.format(theorem),
        ingredients=named(**made_of, exploration=total, largest_gap=largest, arms=len(gaps)),
    )
