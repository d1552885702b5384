"""How regret grows with rho, K, d and T: slopes on logarithmic axes, with Student's intervals, beside theory."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import t as student

from studies.figure import panels
from studies.play import play
from studies.systems import ARMS, SYSTEMS, VECTORS
from studies.table import Row, completed

LONG = 10**14
# those that are still exploring at 10^14 are played with a hundredth of the noise, too
QUIET_ARMS = ("RepUCB", "EsfandiariMean", "RepUCB sharp")
QUIET_VECTORS = ("RepLinUCB", "RepLinUCB sharp", "EsfandiariNet")
PAIRS = 60
# what the theorems say of the power of each, up to logarithms; a dash where they do not say it
THEORY: dict[str, dict[str, str]] = {
    "RepUCB": {"rho": "-2", "K": "3", "T": "log^3"},
    "RepUCB sharp": {"rho": "-2", "K": "3", "T": "log^3"},
    "RepCommit": {"rho": "-2", "K": "1, log", "d": "-", "T": "0"},
    "RepEliminate": {"rho": "-2", "K": "3", "d": "-", "T": "log"},
    "EsfandiariMean": {"rho": "-2", "K": "3", "T": "log^3"},
    "EsfandiariThreshold": {"rho": "-2", "K": "3", "T": "log"},
    "EliminateInPhases": {"rho": "-2", "K": "3", "d": "-", "T": "log"},
    "CommitInPhases": {"rho": "-2", "K": "1, log", "T": "log"},
    "RepLinUCB": {"rho": "-1", "d": "3", "T": "1/2"},
    "RepLinUCB sharp": {"rho": "-1", "d": "3", "T": "1/2"},
    "EsfandiariLinear": {"rho": "-2", "d": "1/2", "T": "1/2"},
    "EsfandiariNet": {"rho": "-2", "d": "4", "T": "1/2"},
}

PANELS = {
    "rho": "5 arms: rho",
    "K": "arms: K",
    "T": "5 arms: T",
    "rho, vectors": "vectors, d = 5: rho",
    "d": "vectors: d",
    "T, vectors": "vectors, d = 5: T",
}


def settings() -> list[Row]:
    """Return what is played: one of rho, K, d and T moves."""
    rows: list[Row] = []

    def add(axis: str, systems: tuple[str, ...], name: str, at: Sequence[tuple[float, str, float, int]]) -> None:
        rows.extend(
            {"axis": axis, "x": x, "instance": name_, "system": system, "horizon": T, "rho": rho, "pairs": PAIRS}
            for system in systems
            for x, name_, rho, T in ((x, where or name, rho, T) for x, where, rho, T in at)
        )

    rhos = (0.05, 0.1, 0.2, 0.4)
    decades = [(10**p, "", 0.2, 10**p) for p in (10, 11, 12, 13, 14)]
    for arms, vectors, words, first, second in (
        ("equal", "finite", "", ARMS, VECTORS),
        ("quiet", "quietfinite", "quiet ", QUIET_ARMS, QUIET_VECTORS),
    ):
        add(f"{words}rho", first, f"{arms} 5", [(rho, "", rho, LONG) for rho in rhos])
        add(f"{words}K", first, "", [(K, f"{arms} {K}", 0.2, LONG) for K in (2, 4, 8, 16, 32)])
        add(f"{words}T", first, f"{arms} 5", decades)
        add(f"{words}rho, vectors", second, f"{vectors} 5", [(rho, "", rho, LONG) for rho in rhos])
        add(f"{words}d", second, "", [(d, f"{vectors} {d}", 0.2, LONG) for d in (2, 4, 8, 16)])
        add(f"{words}T, vectors", second, f"{vectors} 5", decades)
    return rows


def slope(x: list[float], y: list[float]) -> tuple[float, float]:
    """Return the least squares slope of log y in log x, and half of its 95 % interval by Student."""
    u, v = np.log(np.array(x, dtype=float)), np.log(np.array(y, dtype=float))
    u = u - u.mean()
    b = float(u @ v / (u @ u))
    rest = v - v.mean() - b * u
    error = np.sqrt(float(rest @ rest) / (len(u) - 2) / float(u @ u))
    return b, float(student.ppf(0.975, len(u) - 2) * error)


def slopes(rows: list[Row]) -> list[Row]:
    """Return a slope for every axis and system."""
    lines: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        lines.setdefault((row["axis"], row["system"]), []).append(row)
    found = []
    for (axis, system), points in lines.items():
        b, half = slope([p["x"] for p in points], [p["regret"] for p in points])
        theory = THEORY[system].get(axis.removeprefix("quiet ").split(",")[0], "-")
        found.append({"axis": axis, "system": system, "slope": b, "half": half, "theory": theory})
    return found


def main() -> list[Row]:
    """Play, and draw."""
    rows = completed("exponents", settings(), play)
    data: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    for row in rows:
        data.setdefault(row["axis"], {}).setdefault(row["system"], []).append((row["x"], row["regret"]))
    panels(
        "exponents",
        "Mean regret as one of rho, K, d and T moves",
        {PANELS[axis]: data[axis] for axis in PANELS},
        x="",
        y="regret",
        order=list(SYSTEMS),
    )
    return slopes(rows)


if __name__ == "__main__":
    for each in main():
        print(each)
