"""A real data set: clicks on 34 items of a fashion shop, as arms.

The table `data/clicks.csv` is made from the sample of the Open Bandit Dataset (ZOZO, campaign "men") that ships inside
the Python package obp 0.4.1 (Saito, Aihara, Matsutani and Narita, "Open Bandit Dataset and Pipeline", 2021; the package
is under the Apache License 2.0):

    python -m studies.logged path/to/obp-0.4.1-py3-none-any.whl

For each item it has how often it was shown, and clicked on, in the logs of two policies, uniform and Thompson.
"""

import csv
import io
import sys
import zipfile
from collections import Counter

import numpy as np

import replibandit as rb
from studies.figure import panels
from studies.play import interval, measure
from studies.systems import ARMS, SYSTEMS
from studies.table import DATA, Row, completed, read

POLICIES = {"random": "uniform", "bts": "thompson"}
PRIOR = 300.0  # impressions that the overall rate counts for: few clicks say little about one item
RHO, PAIRS = 0.1, 200
POWERS = (6, 8, 10, 12, 14)


def extract(wheel: str) -> None:
    """Write the table of impressions and clicks."""
    shown, clicked = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    with zipfile.ZipFile(wheel) as archive:
        for folder, policy in POLICIES.items():
            text = archive.read(f"obp/dataset/obd/{folder}/men/men.csv").decode("utf-8")
            for row in csv.DictReader(io.StringIO(text)):
                shown[policy, int(row["item_id"])] += 1
                clicked[policy, int(row["item_id"])] += int(row["click"])
    items = sorted({item for _, item in shown})
    with (DATA / "clicks.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["item", *(f"{what}_{policy}" for policy in POLICIES.values() for what in ("shown", "clicked"))]
        )
        for item in items:
            counts = [count[policy, item] for policy in POLICIES.values() for count in (shown, clicked)]
            writer.writerow([item, *counts])


def environment() -> rb.BernoulliArms:
    """Return arms whose means are the click rates of the items, drawn to the overall rate as by `PRIOR` impressions."""
    table = read("clicks")
    shown = np.array([row["shown_uniform"] + row["shown_thompson"] for row in table], dtype=float)
    clicked = np.array([row["clicked_uniform"] + row["clicked_thompson"] for row in table], dtype=float)
    overall = clicked.sum() / shown.sum()
    return rb.BernoulliArms(means=(clicked + PRIOR * overall) / (shown + PRIOR))


def noise() -> float:
    """Return the sub-Gaussian parameter of the largest click rate (Kearns and Saul, 1998): far below 1/2."""
    p = float(environment().means.max())
    return float(np.sqrt((1.0 - 2.0 * p) / (2.0 * np.log((1.0 - p) / p))))


def play(row: Row) -> Row:
    """Play a system on the items."""
    spec = SYSTEMS[row["system"]](row["horizon"], row["rho"], row["noise"])
    return measure(spec, environment(), row["pairs"])


def settings() -> list[Row]:
    """Return what is played: every system for rewards in [0, 1], and for the noise that clicks have."""
    return [
        {"system": system, "horizon": 10**power, "rho": RHO, "noise": round(sigma, 6), "pairs": PAIRS}
        for sigma in (0.5, noise())
        for system in (*ARMS, "Plain")
        for power in POWERS
    ]


def main() -> list[Row]:
    """Play, and draw."""
    rows = completed("logged", settings(), play)
    for row in rows:
        row["low"], row["high"] = interval(row["apart"], row["pairs"])
    data: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    for row in rows:
        panel = data.setdefault(f"noise {row['noise']:.3g}", {})
        panel.setdefault(row["system"], []).append((row["horizon"], row["regret"]))
    title = "34 items of a shop: clicks lost, rho = 0.1"
    panels("logged", title, data, x="horizon T", y="regret", order=list(SYSTEMS), columns=2)
    return rows


if __name__ == "__main__":
    if len(sys.argv) > 1:
        extract(sys.argv[1])
    for each in main():
        print(each)
