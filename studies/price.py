"""The price of replicability: regret beside that of the twin without it, and the horizon from which it is below 2."""

import numpy as np

from replibandit.policies.base import Pull
from studies.figure import panels
from studies.instances import instance
from studies.play import play
from studies.systems import ARMS, SYSTEMS, VECTORS
from studies.table import Row, completed

RHOS = (0.05, 0.1, 0.2, 0.4)
POWERS = range(4, 16)
PAIRS = 30
TWICE, LEARNED = 2.0, 0.1
AT = 10**10
INSTANCES = {"equal 2": ARMS, "equal 5": ARMS, "finite 5": VECTORS}


def settings() -> list[Row]:
    """Return what is played."""
    rows = []
    for name, systems in INSTANCES.items():
        for system in systems:
            rows += [
                {"instance": name, "system": system, "horizon": 10**p, "rho": rho, "pairs": PAIRS}
                for rho in RHOS
                for p in (POWERS if name != "finite 5" else (6, 8, 10, 12, 14))
            ]
        rows += [{"instance": name, "system": "Plain", "horizon": 10**p, "rho": 0.5, "pairs": PAIRS} for p in POWERS]
    return rows


def ratios(rows: list[Row]) -> list[Row]:
    """Return every row with its regret over that of the twin at the same horizon."""
    twin = {(row["instance"], row["horizon"]): row["regret"] for row in rows if row["system"] == "Plain"}
    return [
        {**row, "ratio": row["regret"] / twin[row["instance"], row["horizon"]]}
        for row in rows
        if row["system"] != "Plain"
    ]


def horizons(rows: list[Row]) -> list[Row]:
    """Return the smallest horizon played at which the ratio is below 2, 0 if there is none.

    Horizons at which the twin has not learned yet, and loses a tenth or more of what random play loses, do not count.
    """
    found: dict[tuple[str, str, float], int] = {}
    for row in sorted(rows, key=lambda row: int(row["horizon"])):
        place = (row["instance"], row["system"], row["rho"])
        learned = row["regret"] / row["ratio"] < LEARNED * row["horizon"] * mean_gap(row["instance"])
        if not found.get(place) and learned and row["ratio"] < TWICE:
            found[place] = row["horizon"]
        found.setdefault(place, 0)
    return [
        {"instance": name, "system": system, "rho": rho, "horizon": horizon}
        for (name, system, rho), horizon in found.items()
    ]


def mean_gap(name: str) -> float:
    """Return what a round of random play loses."""
    env = instance(name)
    arms = np.arange(env.actions if isinstance(env.actions, int) else len(env.actions.vectors))
    vectors = np.zeros((len(arms), 0)) if isinstance(env.actions, int) else env.actions.vectors
    pull = Pull(arms=arms, times=np.ones_like(arms), vectors=vectors)
    return float(env.gaps(pull, np.zeros_like(arms)).mean())


def main() -> tuple[list[Row], list[Row]]:
    """Play, and draw."""
    rows = ratios(completed("price", settings(), play))
    data: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    names = {"equal 2": "2 arms", "equal 5": "5 arms", "finite 5": "vectors, d = 5"}
    for row in rows:
        if row["horizon"] == AT:
            panel = data.setdefault(names[row["instance"]], {})
            panel.setdefault(row["system"], []).append((row["rho"], row["ratio"]))
    title = "Regret over that of the twin that is not replicable, T = 10^10"
    panels("price", title, data, x="rho", y="ratio", order=list(SYSTEMS))
    return rows, horizons(rows)


if __name__ == "__main__":
    for each in main()[1]:
        print(each)
