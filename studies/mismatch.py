"""How often two runs differ, beside the rho that was promised: the worst of several gaps, and ties."""

from studies.figure import panels
from studies.play import interval, play
from studies.systems import ARMS, SYSTEMS, VECTORS
from studies.table import Row, completed

PAIRS = 400
RHOS = (0.05, 0.1, 0.2, 0.4)
GAPS = (0.0, 0.02, 0.05, 0.1, 0.2)
HORIZON = 10**11
_VECTORS = tuple(name for name in VECTORS if name != "EsfandiariNet")


def settings() -> list[Row]:
    """Return what is played."""
    common = {"horizon": HORIZON, "pairs": PAIRS}
    arms = [
        {"instance": f"gap {K} {gap}", "system": system, "rho": rho, **common}
        for system in ARMS
        for rho in RHOS
        for K in (2, 5)
        for gap in GAPS
    ]
    vectors = [
        {"instance": f"finite {d}", "system": system, "rho": rho, **common}
        for system in _VECTORS
        for rho in RHOS
        for d in (2, 5)
    ]
    return arms + vectors


def worst(rows: list[Row]) -> list[Row]:
    """Return, for arms and vectors, each system and each rho, the instance on which most pairs differ."""
    found: dict[tuple[str, str, float], Row] = {}
    for row in rows:
        kind = "vectors" if row["instance"].startswith("finite") else "arms"
        place = (kind, row["system"], row["rho"])
        if place not in found or row["apart"] > found[place]["apart"]:
            low, high = interval(row["apart"], row["pairs"])
            found[place] = {**row, "kind": kind, "rate": row["apart"] / row["pairs"], "low": low, "high": high}
    return list(found.values())


def main() -> list[Row]:
    """Play, and draw."""
    rows = worst(completed("mismatch", settings(), play))
    data: dict[str, dict[str, list[tuple[float, ...]]]] = {"arms": {}, "vectors": {}}
    for row in rows:
        point = (row["rho"], row["rate"], max(row["low"], 1e-4), row["high"])
        data[row["kind"]].setdefault(row["system"], []).append(point)
    title = "Pairs that differ, worst instance (dashed: promised)"
    panels("mismatch", title, data, x="rho", y="share of pairs", order=list(SYSTEMS), columns=2, diagonal=True)
    return rows


if __name__ == "__main__":
    for each in main():
        print(each)
