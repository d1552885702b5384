"""Regret over K arms: RepUCB (Lemma A.2) and UCB1, from the gaps of the arms.

Departures
* The paper's last term 1/2 uses gaps of at most 1.  Here it is max{1, Delta_max}/2, which is the same for such gaps:
  where an estimate is off the regret is at most T Delta_max, and that happens with probability at most 1/(2T).
* The explicit display of step 4 is kept; what follows it there bounds 1/(rho_1 - delta_1)^2 by 4/rho_1^2.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from replibandit.arithmetic import log
from replibandit.arrays import FloatArray
from replibandit.bounds.bound import IN_EXPECTATION, Bounds, named
from replibandit.calibration import mean_constant
from replibandit.policies.rep_ucb import RepUCB
from replibandit.policies.ucb1 import UCB1


def rep_ucb(spec: RepUCB, gaps: FloatArray) -> Bounds:
    """Return the right-hand side of Lemma A.2, step 4."""
    arms, largest = len(gaps), float(gaps.max())
    rho, delta = spec.budgets(arms)
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
            calls=spec.calls(arms),
            rho_1=rho,
            delta_1=delta,
            mean_constant=constant,
            radius_1=float(spec.radius(np.array([1]), arms)[0]),
            factor=factor,
            sum_of_gaps=total,
            sum_of_inverse_gaps=inverse,
            largest_gap=largest,
            last_term=last,
        ),
    )


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
    (UCB1, None): ucb1,
}


def _sums(gaps: FloatArray) -> tuple[float, float]:
    """Return the sums of Delta_a and of 1/Delta_a over the sub-optimal arms."""
    lost: list[float] = gaps[gaps > 0].tolist()
    return math.fsum(lost), math.fsum(1.0 / gap for gap in lost)
