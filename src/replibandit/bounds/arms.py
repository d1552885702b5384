"""Regret over K arms: RepUCB (Lemma A.2) and UCB1, from the gaps of the arms.

Departures
* The paper's last term 1/2 uses gaps of at most 1.  Here it is max{1, Delta_max}/2, which is the same for such gaps:
  where an estimate is off the regret is at most T Delta_max, and that happens with probability at most 1/(2T).
* The explicit display of step 4 is kept; what follows it there bounds 1/(rho_1 - delta_1)^2 by 4/rho_1^2.
"""

import math
from collections.abc import Callable
from typing import Any

from replibandit.arithmetic import log
from replibandit.arrays import FloatArray
from replibandit.bounds.bound import IN_EXPECTATION, Bounds, named
from replibandit.calibration import mean_constant
from replibandit.policies.rep_ucb import RepUCB
from replibandit.policies.schedule import Schedule, paper_budgets, paper_radius
from replibandit.policies.ucb1 import UCB1


def rep_ucb(spec: RepUCB, gaps: FloatArray) -> Bounds:
    """Return the right-hand side of Lemma A.2, step 4."""
    arms, largest = len(gaps), float(gaps.max())
    calls, rho, delta = paper_budgets(spec, arms)
    constant = mean_constant(rho=rho, delta=delta, noise=spec.noise)
    total, inverse = _sums(gaps)
    # 18 C_ME log(1/delta_1) / (rho_1 - delta_1)^2 = 18 tau(1)^2
    factor = 18.0 * constant * log(1.0 / delta) / ((rho - delta) * (rho - delta))
    last = max(1.0, largest) / 2.0
    return Bounds(
        # E[Reg] <= sum_a Delta_a + 18 C_ME log(1/delta_1) / (rho_1 - delta_1)^2 sum_a 1/Delta_a + 1/2
        regret=total + factor * inverse + last,
        trivial=spec.horizon * largest,
        holds=IN_EXPECTATION,
        formula=(
            "Thm. thm:repubc-main, Lemma A.2, step 4: sum_a Delta_a + 18 C_ME log(1/delta_1)/(rho_1 - delta_1)^2 "
            "sum_a 1/Delta_a + max(1, Delta_max)/2"
        ),
        ingredients=named(
            arms=arms,
            calls=calls,
            rho_1=rho,
            delta_1=delta,
            mean_constant=constant,
            radius_1=paper_radius(spec, arms),
            factor=factor,
            sum_of_gaps=total,
            sum_of_inverse_gaps=inverse,
            largest_gap=largest,
            last_term=last,
        ),
    )


def sharp_rep_ucb(spec: RepUCB, gaps: FloatArray) -> Bounds:
    """Return the bound of R3 in docs/theory.md: an arm is not played again once 2 r(n) is below its gap."""
    arms, largest = len(gaps), float(gaps.max())
    schedule = spec.schedule(arms)
    last = max(1.0, largest) / 2.0
    # every other arm is played n_0 times, whatever happens
    most = spec.horizon - (arms - 1) * schedule.pulls[0]
    counts = [_plays(schedule, gap, most) for gap in gaps.tolist()]
    if schedule.calls == 0:  # every arm is played equally often
        counts, last = [schedule.pulls[0]] * arms, 0.0
    return Bounds(
        # E[Reg] <= sum_a Delta_a n_(k(a)) + max(1, Delta_max)/2, k(a) = min{k: 2 r(n_k) < Delta_a}
        regret=math.fsum(gap * n for gap, n in zip(gaps.tolist(), counts, strict=True)) + last,
        trivial=spec.horizon * largest,
        holds=IN_EXPECTATION,
        formula="docs/theory.md, R3: sum_a Delta_a min{n_k: 2 r(n_k) < Delta_a} + max(1, Delta_max)/2",
        ingredients=named(
            arms=arms,
            calls=schedule.calls,
            first_pulls=schedule.pulls[0],
            rho_1=schedule.rho[0],
            # r(n) sqrt(n) at the first count
            radius_1=schedule.bonuses[0] * math.sqrt(schedule.pulls[0]),
            largest_gap=largest,
            last_term=last,
        ),
    )


def _plays(schedule: Schedule, gap: float, most: int) -> int:
    """Return how often an arm with this gap is played at most, while the estimates are within their radii."""
    if gap <= 0:
        return 0
    for n, radius in zip(schedule.pulls, schedule.bonuses, strict=True):
        if 2.0 * radius < gap:
            return n
    return most


def ucb1(spec: UCB1, gaps: FloatArray) -> Bounds:
    """Return the right-hand side of Theorem 1 of Auer, Cesa-Bianchi and Fischer (2002), for sigma-sub-Gaussian rewards.

    Their 8 log(T)/Delta_a is 32 sigma^2 log(T)/Delta_a with sigma = 1/2: a sub-optimal arm is chosen while its radius
    sigma sqrt(8 log T/n) is at least Delta_a/2, and a radius fails with probability at most t^-4.
    """
    largest = float(gaps.max())
    total, inverse = _sums(gaps)
    factor, weight = 32.0 * spec.noise * spec.noise * log(float(spec.horizon)), 1.0 + math.pi * math.pi / 3.0
    return Bounds(
        # E[Reg] <= 32 sigma^2 log(T) sum_a 1/Delta_a + (1 + pi^2/3) sum_a Delta_a
        regret=factor * inverse + weight * total,
        trivial=spec.horizon * largest,
        holds=IN_EXPECTATION,
        formula="Auer et al. (2002), Thm. 1: 32 sigma^2 log(T) sum_a 1/Delta_a + (1 + pi^2/3) sum_a Delta_a",
        ingredients=named(
            arms=len(gaps), factor=factor, sum_of_gaps=total, sum_of_inverse_gaps=inverse, largest_gap=largest
        ),
    )


ARMS: dict[tuple[type[Any], str | None], Callable[[Any, FloatArray], Bounds]] = {
    (RepUCB, "paper"): rep_ucb,
    (RepUCB, "sharp"): sharp_rep_ucb,
    (UCB1, None): ucb1,
}


def _sums(gaps: FloatArray) -> tuple[float, float]:
    """Return the sums of Delta_a and of 1/Delta_a over the sub-optimal arms."""
    lost: list[float] = gaps[gaps > 0].tolist()
    return math.fsum(lost), math.fsum(1.0 / gap for gap in lost)
