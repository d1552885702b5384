"""Play a system on an instance: its regret, and how often two runs with one seed differ."""

from typing import Any

import numpy as np

import replibandit as rb
from replibandit.intervals import clopper_pearson
from studies.instances import instance, noise_of
from studies.systems import SYSTEMS
from studies.table import Row


def play(row: Row) -> Row:
    """Play `pairs` keys twice each; return the mean regret, its standard error over keys, and the pairs that differ."""
    spec = SYSTEMS[row["system"]](row["horizon"], row["rho"], noise_of(row["instance"]))
    return measure(spec, instance(row["instance"]), row["pairs"])


def measure(spec: Any, env: Any, pairs: int, seed: str = "study") -> Row:
    """Do as `play`, for a spec and an environment."""
    keys = [rb.Key(seed).child("pair", i) for i in range(pairs)]
    runs = rb.simulate_many(spec, env, seeds=[k for k in keys for _ in range(2)], rng=np.random.default_rng(7))
    lost = np.array([float(rb.regret(run, env)[-1]) for run in runs]).reshape(pairs, 2)
    apart = sum(rb.first_divergence(a, b) is not None for a, b in zip(runs[::2], runs[1::2], strict=True))
    by_key = lost.mean(axis=1)
    return {"regret": float(by_key.mean()), "error": float(by_key.std(ddof=1) / np.sqrt(pairs)), "apart": apart}


def interval(apart: int, pairs: int) -> tuple[float, float]:
    """Return the exact 95 % interval of the chance that two runs differ."""
    return clopper_pearson(apart, pairs)
