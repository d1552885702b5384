"""The planner recommends what an exhaustive simulation finds best, on settings that it was not built on.

For each setting, every candidate is simulated with many pairs on every instance of the family, with other seeds than
the planner's.  The regret of the recommendation must be within three standard errors of the least regret among the
candidates that a theorem backs and that were not refuted.

python benchmarks/planner.py [SETTINGS]
"""

import sys
import time
from typing import Any

import numpy as np

import replibandit as rb
from replibandit.findings import mean_of
from replibandit.planner.answer import averaged
from replibandit.planner.candidates import THEOREM, candidates, guarantee
from replibandit.planner.family import family
from replibandit.planner.measure import measure
from replibandit.planner.question import question

PAIRS = 120


def unit_rows(count: int, dim: int, seed: int) -> Any:
    """Return random unit vectors."""
    rows = np.random.default_rng(seed).standard_normal((count, dim))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


SETTINGS: list[dict[str, Any]] = [
    {"arms": 2, "gap": 0.15, "horizon": 30_000, "rho": 0.25},
    {"arms": 2, "gap": 0.03, "horizon": 10**7, "rho": 0.1},
    {"arms": 2, "gap": 0.2, "horizon": 10**6, "rho": 0.02},
    {"arms": 3, "gap": 0.2, "horizon": 10**5, "rho": 0.3},
    {"arms": 4, "gap": 0.08, "horizon": 3 * 10**6, "rho": 0.15},
    {"arms": 6, "gap": 0.15, "horizon": 10**6, "rho": 0.1, "means": (0.2, 0.7)},
    {"arms": 10, "gap": 0.1, "horizon": 2 * 10**7, "rho": 0.05},
    {"arms": 5, "gap": 0.5, "horizon": 10**5, "rho": 0.1, "rewards": "gaussian", "noise": 1.0},
    {"arms": 2, "gap": 2.0, "horizon": 10**4, "rho": 0.2, "rewards": "gaussian", "noise": 3.0},
    {"actions": unit_rows(8, 2, 3), "gap": 0.1, "horizon": 10**6, "rho": 0.2},
    {"actions": unit_rows(15, 4, 4), "gap": 0.15, "horizon": 10**7, "rho": 0.1},
]


def exhaustive(setting: dict[str, Any]) -> dict[str, tuple[Any, float, float]]:
    """Return the spec, the mean regret and its standard error of every candidate that a theorem backs, by digest."""
    known = {"arms": None, "actions": None, "noise": 0.5, "rewards": None, "means": None, "norm_bound": 1.0}
    asked = question(**{**known, **setting})
    found = {}
    for spec in candidates(asked):
        if guarantee(spec, asked) == THEOREM:
            parts = [measure(spec, case, rb.Key("held out"), PAIRS) for case in family(asked)]
            total = averaged([mean_of(part.regret) for part in parts])
            found[rb.digest(spec)] = (spec, total.value, total.error)
    return found


def main(settings: list[dict[str, Any]]) -> None:
    """Print, for each setting, what was recommended and what is best."""
    agreed = 0
    for setting in settings:
        shown = {name: value for name, value in setting.items() if name != "actions"}
        start = time.perf_counter()
        plan = rb.plan(**setting, pairs=PAIRS)
        seconds = time.perf_counter() - start
        found = exhaustive(setting)
        best, least, error = min(found.values(), key=lambda row: row[1])
        _, ours, own = found[plan.best.digest]
        within = ours - least <= 3.0 * float(np.hypot(error, own))
        agreed += within
        word = "within" if within else "NOT within"
        print(f"{shown}")
        print(f"  recommended {plan.best.spec}: {ours:,.0f} +- {own:,.0f}")
        print(f"  best        {best}: {least:,.0f} +- {error:,.0f}")
        print(f"  {word} three standard errors; planned in {seconds:.0f} s", flush=True)
    print(f"{agreed} of {len(settings)} recommendations are best within the error")


if __name__ == "__main__":
    main(SETTINGS[: int(sys.argv[1])] if len(sys.argv) > 1 else SETTINGS)
