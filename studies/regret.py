"""Regret against the horizon: arms, finite sets, balls, sets that change, logistic rewards."""

from typing import Any

import replibandit as rb
from replibandit.errors import InvalidInput
from studies.figure import panels
from studies.instances import SIGMA, instance
from studies.play import play
from studies.systems import ARMS, SYSTEMS, VECTORS
from studies.table import Row, completed

RHO = 0.1
LINEAR, LOGISTIC = ("RepLinUCB", "RepLinUCB sharp"), ("RepGLMUCB", "RepGLMUCB sharp", "RepUCB", "RepUCB sharp")
PANELS = {
    "arms": "{} arms",
    "finite": "3d vectors, d = {}",
    "ball": "ball, d = {}",
    "changing": "changing sets, d = {}",
    "logistic": "logistic, d = {}",
}


def settings() -> list[Row]:
    """Return what is played."""
    rows: list[Row] = []

    def add(name: str, systems: tuple[str, ...], powers: Any, pairs: int) -> None:
        rows.extend(
            {"instance": name, "system": system, "horizon": 10**power, "rho": RHO, "pairs": pairs}
            for system in systems
            for power in powers
        )

    for K in (2, 5, 20):
        add(f"arms {K}", (*ARMS, "Plain"), range(3, 15), 40)
        add(f"arms {K}", ("UCB1", "Thompson"), (3, 4), 5)
    for d in (2, 5, 10, 20):
        add(f"finite {d}", (*VECTORS, "Plain"), (4, 6, 8, 10, 12, 14), 12)
    for d in (2, 5, 10):
        add(f"ball {d}", LINEAR, (4, 6, 8, 10, 12), 4)
    add("ball 2", ("EsfandiariNet",), (4, 6, 8, 10, 12), 4)
    for d in (2, 5):
        add(f"changing {d}", (*LINEAR, "LinUCB"), (2, 3, 4), 2)
        add(f"logistic {d}", LOGISTIC, (6, 8, 10, 12), 4)
    return rows


def with_bound(row: Row) -> Row:
    """Play, and put the theorem's bound beside it where there is one."""
    spec, env = SYSTEMS[row["system"]](row["horizon"], row["rho"], SIGMA), instance(row["instance"])
    try:
        bound: Any = float(rb.bounds(spec, env).regret)
    except InvalidInput:  # no theorem of this package speaks about it
        bound = ""
    return {**play(row), "bound": bound}


def main() -> list[Row]:
    """Play, and draw."""
    rows = completed("regret", settings(), with_bound)
    data: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    bounds: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    for row in sorted(rows, key=lambda row: list(PANELS).index(row["instance"].split()[0])):
        kind, size = row["instance"].split()
        panel = PANELS[kind].format(size)
        data.setdefault(panel, {}).setdefault(row["system"], []).append((row["horizon"], row["regret"]))
        if row["bound"] != "":
            bounds.setdefault(panel, {}).setdefault(row["system"], []).append((row["horizon"], row["bound"]))
    title = f"Mean regret at the horizon, rho = {RHO}; dotted: the theorem's bound"
    panels("regret", title, data, x="horizon T", y="regret", order=list(SYSTEMS), bounds=bounds)
    return rows


if __name__ == "__main__":
    main()
