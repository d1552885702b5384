"""Regret of linear and generalised linear policies, from the growth of the design: Lemmas D.2 and E.5.

With probability at least 1 - delta, for every sequence of action sets,
    Reg(T) <= max{range, 2 beta~_max} M_T sqrt(2 T D_T),    D_T = log(det V_{T+1} / det(lambda I)).
A `Design` says how the determinant grew: in a run, or at worst, where every determinant is at most
(1 + T L^2/(lambda d))^d.  The theorems of RepLinUCB and RepGLMUCB are the lemma in the worst case.

Departures
* `range` stands for the paper's 1, the largest loss of one round: mean rewards of size up to L S lose 2 L S at most, or
  mu(L S) - mu(-L S), and in a known environment its largest gap.  The proof needs min{r, k u} <= max{r, k} min{1, u},
  which holds for every r, k, u >= 0.
* max{range, 2 beta~} is kept.  The theorems' last step, "absorbing constants", drops it and is false as it stands.
* 1 + d/(rho_b - 2 delta_b) is kept; the theorems bound it by 3 (1 + d B/rho), and M_T by sqrt(e).
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import repeat
from operator import itemgetter
from typing import Any

import numpy as np

from replibandit.arithmetic import log
from replibandit.bounds.bound import WITH_CONFIDENCE, Bounds, named
from replibandit.calibration import PATH, dither, grid_width, inflated, sharp_width
from replibandit.errors import InvalidInput
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.plan import Plan
from replibandit.policies.rep_glm_ucb import RepGLMUCB
from replibandit.policies.rep_lin_ucb import RepLinUCB
from replibandit.radius import self_normalized

_SLACK = 2.0**-30  # a gap may exceed the range by rounding errors
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """How log(det V / det(lambda I)) grew in `rounds` rounds: its values at the batch `starts`, and its `end`, D_T.

    `gap` is the largest gap of the instance, None if it is not known; `text` says what D_T is.  `candidates` is the
    number of actions if one finite set is played throughout.
    """

    dim: int
    rounds: int
    starts: Iterable[float]
    end: float
    gap: float | None
    text: str
    candidates: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """k_mu, c_mu, and the largest loss of one round that the spec allows."""

    lipschitz: float
    min_slope: float
    span: float


def linear(spec: RepLinUCB | LinUCB) -> Model:
    """Return the model of linear rewards: |<a, theta*>| <= L S."""
    return Model(lipschitz=1.0, min_slope=1.0, span=2.0 * spec.action_bound * spec.norm_bound)


def generalised(spec: RepGLMUCB | GLMUCB) -> Model:
    """Return the model of a link, over |<a, theta*>| <= L S."""
    low, high = spec.mu().mean(np.array([-spec.reach(), spec.reach()])).tolist()
    return Model(lipschitz=spec.lipschitz(), min_slope=spec.min_slope(), span=high - low)


def largest_log_det(rows: int, dim: int, *, penalty: float, action_bound: float) -> float:
    """Return the largest log(det V / det(lambda I)) after so many rows: by the arithmetic and the geometric mean."""
    # D_T <= d log(1 + T L^2 / (lambda d))
    share = rows * action_bound * action_bound / (penalty * dim)
    return dim * (log(1.0 + share) if share > _SLACK else share)  # log(1 + x) <= x, and 1 + x may be 1


def worst_case(spec: Any, dim: int, gap: float | None, candidates: int | None = None) -> Design:
    """Return a design that no run exceeds: every determinant is the largest there can be."""
    end = largest_log_det(spec.horizon, dim, penalty=spec.penalty, action_bound=spec.action_bound)
    text = "D_T = d log(1 + T L^2/(lambda d))"
    return Design(dim=dim, rounds=spec.horizon, starts=repeat(end), end=end, gap=gap, text=text, candidates=candidates)


def rep_lin_ucb(spec: RepLinUCB, design: Design) -> Bounds:
    """Return the right-hand side of Lemma D.2; in the worst case, that of Thm. `thm:replinucb_main`."""
    return _batched(spec, linear(spec), design, "Thm. thm:replinucb_main, Lemma D.2")


def rep_glm_ucb(spec: RepGLMUCB, design: Design) -> Bounds:
    """Return the right-hand side of Lemma E.5; in the worst case, that of Thm. `thm:repglmucb_main`."""
    return _batched(spec, generalised(spec), design, "Thm. thm:repglmucb_main, Lemma E.5")


def sharp_rep_lin_ucb(spec: RepLinUCB, design: Design) -> Bounds:
    """Return the bound of R2 in docs/theory.md: Lemma D.2 with the sharp radii."""
    return _sharp(spec, linear(spec), design, "docs/theory.md, R2 and Lemma D.2")


def sharp_rep_glm_ucb(spec: RepGLMUCB, design: Design) -> Bounds:
    """Return the bound of R4 in docs/theory.md: Lemma E.5 with the sharp radii."""
    return _sharp(spec, generalised(spec), design, "docs/theory.md, R4 and Lemma E.5")


def lin_ucb(spec: LinUCB, design: Design) -> Bounds:
    """Return the right-hand side in the proof of Theorem 3 of Abbasi-Yadkori, Pal and Szepesvari (2011)."""
    return _every_round(spec, linear(spec), design, "Abbasi-Yadkori et al. (2011), proof of Thm. 3")


def glm_ucb(spec: GLMUCB, design: Design) -> Bounds:
    """Return the same for a link: Lemma E.5 without rounding, V being that of the round."""
    return _every_round(spec, generalised(spec), design, "Lemma E.5 without rounding")


LINEAR: dict[tuple[type[Any], str | None], Callable[[Any, Design], Bounds]] = {
    (RepLinUCB, "paper"): rep_lin_ucb,
    (RepGLMUCB, "paper"): rep_glm_ucb,
    (RepLinUCB, "sharp"): sharp_rep_lin_ucb,
    (RepGLMUCB, "sharp"): sharp_rep_glm_ucb,
    (LinUCB, None): lin_ucb,
    (GLMUCB, None): glm_ucb,
}


def _batched(spec: RepLinUCB | RepGLMUCB, model: Model, design: Design, lemma: str) -> Bounds:
    """Return the bound of a policy that estimates at batch starts, and rounds."""
    plan, d = spec.plan(design.dim), design.dim
    # beta~_b grows with det V_{t_b}: among batches of equal budgets the latest has the largest
    latest = dict(zip(zip(plan.rho, plan.delta, strict=True), design.starts, strict=False))
    radii = []
    for (rho, delta), log_det in latest.items():
        beta = _radius(spec, model, log_det, delta)
        # beta~_b = k_mu beta_b (1 + d / (rho_b - 2 delta_b))
        width = grid_width(beta, dim=d, rho=rho, delta=delta)
        made_of = {"rho_b": rho, "delta_b": delta, "radius": beta}
        radii.append((model.lipschitz * float(inflated(beta, width=width, dim=d)), made_of))
    return _stale(model, design, plan, max(radii, key=itemgetter(0)), lemma)


def _sharp(spec: RepLinUCB | RepGLMUCB, model: Model, design: Design, lemma: str) -> Bounds:
    """Return the bound of a sharp policy: sum_j sqrt(h_j) is d at most, and batch 0 is not rounded."""
    plan, d = spec.plan(design.dim), design.dim
    reach, rest = dither(d, delta=spec.delta, roundings=max(1, plan.batches - 1), candidates=design.candidates)
    radii = []
    for rho, log_det in dict(zip(plan.rho, design.starts, strict=False)).items():
        beta = _radius(spec, model, log_det, rest)
        # alpha_b = sqrt(7/3) sigma d / (min(1, c_mu) rho_b)
        slope = min(1.0, model.min_slope)
        width = float(sharp_width(d / slope, runs=PATH, noise=spec.noise, rho=rho)) if rho > 0 else 0.0
        made_of = {"rho_b": rho, "delta": rest, "radius": beta, "width": width, "reach": reach}
        radii.append((model.lipschitz * (beta + reach * width), made_of))  # beta~_b = k_mu (beta + c alpha_b)
    return _stale(model, design, plan, max(radii, key=itemgetter(0)), lemma)


def _stale(model: Model, design: Design, plan: Plan, largest: tuple[float, dict[str, float]], lemma: str) -> Bounds:
    """Return the bound with the largest radius of all batches, and what that radius is made of."""
    # M_T = max{sqrt(q), sqrt(det V_{T+1} / (q^(B-1) det(lambda I)))}
    log_growth = math.log(plan.growth)
    stale = _exp(max(log_growth, design.end - (plan.batches - 1) * log_growth) / 2.0)
    made_of = {"batches": plan.batches, "growth": plan.growth, "staleness": stale, **largest[1]}
    return _statement(model, design, largest[0], stale, f"{lemma}: max(range, 2 beta~) M_T sqrt(2 T D_T)", made_of)


def _every_round(spec: LinUCB | GLMUCB, model: Model, design: Design, lemma: str) -> Bounds:
    """Return the bound of a policy that estimates in every round: nothing is stale, and the last radius is largest."""
    beta = _radius(spec, model, design.end, spec.delta)
    largest = model.lipschitz * beta
    formula = f"{lemma}: max(range, 2 beta) sqrt(2 T D_T)"
    return _statement(model, design, largest, 1.0, formula, {"radius": beta})


def _radius(spec: Any, model: Model, log_det: float, delta: float) -> float:
    # beta = (sigma sqrt(2 log(det(V)^(1/2) / (det(lambda I)^(1/2) delta))) + sqrt(lambda) S) / min(1, c_mu)
    unit = self_normalized(
        np.array(log_det), noise=spec.noise, delta=delta, penalty=spec.penalty, norm_bound=spec.norm_bound
    )
    return float(unit) / min(1.0, model.min_slope)


def _statement(
    model: Model, design: Design, radius: float, stale: float, formula: str, made_of: dict[str, float]
) -> Bounds:
    if design.gap is not None and design.gap > model.span * (1.0 + _SLACK):
        raise InvalidInput(
            f"an action of the environment loses {design.gap:.6g} a round; for this spec it can be {model.span:.6g} at "
            "most. Raise norm_bound or action_bound to those of the environment."
        )
    loss = model.span if design.gap is None else design.gap
    return Bounds(
        # Reg <= max{range, 2 beta~_max} M_T sqrt(2 T D_T)
        regret=max(loss, 2.0 * radius) * stale * math.sqrt(2.0 * design.rounds * design.end),
        trivial=design.rounds * loss,
        holds=WITH_CONFIDENCE,
        formula=f"{formula}, {design.text}",
        ingredients=named(
            **made_of,
            largest_radius=radius,
            log_det=design.end,
            range=loss,
            lipschitz=model.lipschitz,
            min_slope=model.min_slope,
            dim=design.dim,
        ),
    )


def _exp(x: float) -> float:
    return math.exp(x) if x < _LARGEST_EXPONENT else math.inf
