"""Means with their intervals, and audits that belong together."""

import json
import math
from collections.abc import Sequence

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.findings import Audit
from replibandit.plots.axes import power

LEVEL = 0.95
_POINTS = 200


def standard_errors(keys: int) -> float:
    """Return how many standard errors the interval of a mean over independent keys reaches; NaN for a single one."""
    from scipy.special import stdtrit

    # mean -+ t_{n - 1} s/sqrt(n)
    return float(stdtrit(keys - 1, (1.0 + LEVEL) / 2.0)) if keys > 1 else math.nan


def rounds_to(horizon: int) -> FloatArray:
    """Return numbers of rounds from 1 to the horizon, evenly spaced on a logarithmic axis."""
    return np.unique(np.minimum(np.rint(np.geomspace(1.0, horizon, num=_POINTS)), horizon))


def promises(audit: Audit) -> bool:
    """Tell whether the policy promises a rho, or was held against one that it does not know."""
    return "rho" in json.loads(audit.spec)


def by_name(audits: Sequence[Audit]) -> dict[str, list[int]]:
    """Return the places of the audits of one policy, horizon and reference, by increasing rho."""
    groups: dict[str, list[int]] = {}
    for i, audit in enumerate(audits):
        policy, reference = (spec and json.loads(spec)["policy"] for spec in (audit.spec, audit.reference))
        against = f" / {reference}" if reference else ""
        groups.setdefault(f"{policy}{against}, T = {power(audit.horizon)}", []).append(i)
    return {name: sorted(places, key=lambda i: audits[i].rho) for name, places in groups.items()}
