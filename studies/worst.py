"""The worst gap: how the largest regret over all gaps grows with rho and T, which is what worst-case theorems bound."""

from studies.exponents import slope
from studies.figure import panels
from studies.play import play
from studies.systems import SYSTEMS
from studies.table import Row, completed

PLAYED = ("RepUCB", "RepUCB sharp", "EsfandiariThreshold", "RepLinUCB", "RepLinUCB sharp", "EsfandiariLinear")
GAPS = tuple(2.0**-k for k in range(1, 15))
RHOS, POWERS, DIMENSIONS = (0.05, 0.1, 0.2, 0.4), (11, 12, 13, 14), (2, 4, 8, 16)
LINEAR = ("RepLinUCB", "RepLinUCB sharp", "EsfandiariLinear")
LONG, RHO, PAIRS = 10**14, 0.2, 10


def settings() -> list[Row]:
    """Return what is played: two actions, orthogonal where they are vectors; then d of them."""
    points = [("rho", rho, LONG) for rho in RHOS] + [("T", RHO, 10**power) for power in POWERS]
    pairs = [
        {"axis": axis, "instance": f"axes 2 {gap}", "system": system, "horizon": T, "rho": rho, "pairs": PAIRS}
        for system in PLAYED
        for axis, rho, T in points
        for gap in GAPS
    ]
    more = [
        {"axis": "d", "instance": f"axes {d} {gap}", "system": system, "horizon": LONG, "rho": RHO, "pairs": 5}
        for system in LINEAR
        for d in DIMENSIONS
        for gap in GAPS
    ]
    return pairs + more


def largest(rows: list[Row]) -> list[Row]:
    """Return the largest regret over the gaps, for each system and each point."""
    found: dict[tuple[str, str, float], Row] = {}
    for row in rows:
        x = {"rho": row["rho"], "T": row["horizon"], "d": int(row["instance"].split()[1])}[row["axis"]]
        place = (row["axis"], row["system"], x)
        if place not in found or row["regret"] > found[place]["regret"]:
            found[place] = {**row, "x": x}
    return list(found.values())


def main() -> list[Row]:
    """Play, draw, and return the slopes."""
    rows = largest(completed("worst", settings(), play))
    data: dict[str, dict[str, list[tuple[float, ...]]]] = {"rho": {}, "T": {}, "d": {}}
    for row in rows:
        data[row["axis"]].setdefault(row["system"], []).append((row["x"], row["regret"]))
    title = "Orthogonal actions: the largest mean regret over all gaps"
    panels("worst", title, data, x="", y="regret", order=list(SYSTEMS))
    found = []
    for axis, lines in data.items():
        for system, points in lines.items():
            b, half = slope([x for x, _ in points], [y for _, y in points])
            found.append({"axis": axis, "system": system, "slope": b, "half": half})
    return found


if __name__ == "__main__":
    for each in main():
        print(each)
