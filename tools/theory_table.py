"""Measure what the sharp calibration saves, and write the table into docs/theory.md.

python tools/theory_table.py            rewrite the table
python tools/theory_table.py --print    print it only
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import replibandit as rb
from replibandit.findings import Estimate, mean_of

PAGE = Path(__file__).parent.parent / "docs" / "theory.md"
BEGIN, END = "<!-- table: tools/theory_table.py -->", "<!-- end of table -->"
RUNS = 40
LINEAR: dict[str, Any] = {"rho": 0.1, "delta": 0.01, "noise": 0.5}


@dataclass(frozen=True, eq=False)
class Row:
    """An instance, a spec without horizon and calibration, and the horizons."""

    name: str
    policy: type[Any]
    settings: dict[str, Any]
    env: Any
    horizons: tuple[int, ...]


def unit_vectors(K: int, d: int) -> Any:
    A = np.random.default_rng([K, d]).standard_normal((K, d))
    return A / np.linalg.norm(A, axis=1, keepdims=True)


def linear(K: int, d: int, actions: Any = None) -> rb.LinearArms:
    truth = unit_vectors(1, d)[0]
    return rb.LinearArms(theta=truth, actions=unit_vectors(K, d) if actions is None else actions, noise=0.5)


def flat(K: int, d: int) -> Any:
    """Return K unit vectors in a plane of R^d."""
    return unit_vectors(K, 2) @ np.linalg.qr(unit_vectors(d, d)[:, :2])[0].T


def near(K: int, d: int) -> Any:
    """Return K vectors that differ from one of them by a thousandth."""
    return 0.99 * (unit_vectors(1, d) + 1e-3 * unit_vectors(K, d))


ARMS = rb.BernoulliArms(means=np.array([0.75, 0.25]))
LOGISTIC: dict[str, Any] = {**LINEAR, "link": "logistic"}
SETS = rb.Contexts.of(unit_vectors(50_000, 3).reshape(10_000, 5, 3))
LONG = (10**6, 10**8, 10**10, 10**12)
QUIET = LINEAR | {"noise": 1e-3, "penalty": 1e-6}
CHANGING = rb.LinearArms(theta=unit_vectors(1, 3)[0], actions=SETS, noise=1e-3)
GLM = rb.GLMArms(theta=unit_vectors(1, 2)[0], actions=unit_vectors(5, 2), link="logistic")
FIVE = rb.BernoulliArms(means=np.array([0.6, 0.5, 0.4, 0.3, 0.2]))
MAB: dict[str, Any] = {"rho": 0.1}
ROWS = [
    Row("2 arms, gap 0.5", rb.RepUCB, MAB, ARMS, (10**6, 10**9, 10**12)),
    Row("5 arms, gaps 0.1 to 0.4", rb.RepUCB, MAB, FIVE, (10**6, 10**9, 10**12)),
    Row("d = 2, K = 5", rb.RepLinUCB, LINEAR, linear(5, 2), LONG),
    Row("d = 5, K = 20", rb.RepLinUCB, LINEAR, linear(20, 5), LONG),
    Row("d = 10, K = 50", rb.RepLinUCB, LINEAR, linear(50, 10), LONG[1:]),
    Row("20 actions in a plane of R^10", rb.RepLinUCB, LINEAR, linear(20, 10, flat(20, 10)), LONG),
    Row("10 nearly equal actions in R^5", rb.RepLinUCB, LINEAR, linear(10, 5, near(10, 5)), LONG),
    Row("disk", rb.RepLinUCB, LINEAR, linear(0, 2, rb.Ball(1.0, 2)), LONG[:3]),
    Row("changing sets, d = 3", rb.RepLinUCB, QUIET, CHANGING, (10**3, 10**4)),
    Row("logistic, d = 2, K = 5", rb.RepGLMUCB, LOGISTIC, GLM, LONG),
]


def mean_regret(row: Row, horizon: int, calibration: str) -> Estimate:
    """Return the mean regret of runs with different keys."""
    spec = row.policy(horizon=horizon, calibration=calibration, **row.settings)
    runs = 5 if isinstance(row.env.actions, rb.Contexts) else RUNS
    seeds = [f"theory-{i}" for i in range(runs)]
    played = rb.simulate_many(spec, row.env, seeds=seeds, rng=np.random.default_rng(0))
    return mean_of(np.array([rb.regret(run, row.env)[-1] for run in played]))


def line(row: Row, horizon: int) -> str:
    """Return a line of the table."""
    paper, sharp = (mean_regret(row, horizon, calibration) for calibration in ("paper", "sharp"))
    name = f"{row.policy.__name__}, {row.name}"
    regrets = " | ".join(f"{mean.value:.2e} ± {mean.error:.0e}" for mean in (paper, sharp))
    return f"| {name} | {horizon:.0e} | {regrets} | {paper.value / sharp.value:.3g} |"


def table() -> str:
    """Return the table as Markdown."""
    head = "| policy and instance | T | regret, paper | regret, sharp | ratio |\n|---|---|---|---|---|"
    return "\n".join([head, *(line(row, horizon) for row in ROWS for horizon in row.horizons)])


def main() -> None:
    """Write the table into the page, or print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print", action="store_true", help="print the table, and leave the page as it is")
    made = table()
    if parser.parse_args().print:
        print(made)
        return
    before, rest = PAGE.read_text().split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}")


if __name__ == "__main__":
    main()
