"""Samples for one error over all actions: the core sets of RepRidge, and Lemma 9, over d.

The plans are computed, and their true errors measured: errors of all three fall as the root of the samples, so that a
plan for epsilon whose error has the 95 % quantile e would need (e/epsilon)^2 times its samples.
"""

from typing import Any

import numpy as np

import replibandit as rb
from studies.figure import panels
from studies.instances import SIGMA
from studies.table import Row, completed

EPSILON, RHO, DELTA, DRAWS = 0.1, 0.1, 0.05, 200
DIMENSIONS = (2, 4, 8, 16, 32)
ESTIMATORS = ("core set", "core set, sharp", "Lemma 9")
COMMON: dict[str, Any] = {"epsilon": EPSILON, "rho": RHO, "delta": DELTA, "noise": SIGMA}


def settings() -> list[Row]:
    """Return what is planned and measured."""
    return [
        {"estimator": name, "d": d, "epsilon": EPSILON, "rho": RHO, "delta": DELTA, "draws": DRAWS}
        for name in ESTIMATORS
        for d in DIMENSIONS
    ]


def measure(row: Row) -> Row:
    """Plan, and measure the largest error over all actions in pairs of estimates with one seed."""
    d, rng = row["d"], np.random.default_rng(row["d"])
    A = rng.standard_normal((10 * d, d))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    truth = np.full(d, 0.5 / np.sqrt(d))
    plan, fit = _planned(row["estimator"], A)
    counts = plan.pulls * np.ones(len(plan.actions))
    errors, apart = [], 0
    for i in range(row["draws"]):
        noise = SIGMA * np.sqrt(counts) * rng.standard_normal((2, len(counts)))
        first, second = (fit(counts * (plan.actions @ truth) + each, f"study-{i}") for each in noise)
        errors.append(float(abs(A @ (first - truth)).max()))
        apart += bool((first != second).any())
    quantile = float(np.quantile(errors, 1.0 - row["delta"]))
    needed = plan.rounds * (quantile / row["epsilon"]) ** 2
    size = {"core": len(plan.actions), "certificate": float(plan.certificate)}
    return {**size, "rounds": plan.rounds, "error": quantile, "needed": needed, "apart": apart}


def _planned(name: str, A: Any) -> Any:
    if name == "Lemma 9":
        plan = rb.least_squares_plan(A, **COMMON)
        return plan, lambda sums, seed: rb.rep_least_squares(plan, sums, seed=seed).theta
    calibration = "sharp" if "sharp" in name else "paper"
    core = rb.core_set(A, **COMMON, calibration=calibration)
    return core, lambda sums, seed: rb.rep_core_set(core, sums, seed=seed).ridge.theta


def main() -> list[Row]:
    """Measure, and draw."""
    rows = completed("samples", settings(), measure, version=3)
    data: dict[str, dict[str, list[tuple[float, ...]]]] = {"planned": {}, "measured": {}}
    for row in rows:
        data["planned"].setdefault(row["estimator"], []).append((row["d"], row["rounds"]))
        data["measured"].setdefault(row["estimator"], []).append((row["d"], row["needed"]))
    title = f"Samples for an error of {EPSILON} over all actions, rho = {RHO}"
    panels("samples", title, data, x="dimension d", y="samples", order=ESTIMATORS, columns=2)
    return rows


if __name__ == "__main__":
    for each in main():
        print(each)
