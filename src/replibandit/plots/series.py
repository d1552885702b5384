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
_PROMISED = {"policy", "horizon", "rho", "delta"}  # what is named anyway, or goes with rho
_LONGEST = 24  # letters of a setting


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


def by_name(audits: Sequence[Audit]) -> list[tuple[str, list[int]]]:
    """Return names, and the places of the audits that differ in rho and delta only, by increasing rho.

    A name has the policy, its reference, the horizon, and the settings in which audits of that policy differ.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, audit in enumerate(audits):
        reference = "" if audit.reference is None else f" / {json.loads(audit.reference)['policy']}"
        policy = json.loads(audit.spec)["policy"]
        groups.setdefault((policy, reference, power(audit.horizon), *_others(audit, audits)), []).append(i)
    return [
        (
            f"{policy}{reference}, T = {rounds}{''.join(map(_shortened, others))}",
            sorted(at, key=lambda i: audits[i].rho),
        )
        for (policy, reference, rounds, *others), at in groups.items()
    ]


def _others(audit: Audit, audits: Sequence[Audit]) -> list[str]:
    """Return the settings of an audit, as text, that are not the same in all audits of its policy."""
    own = json.loads(audit.spec)
    specs = [spec for spec in (json.loads(other.spec) for other in audits) if spec["policy"] == own["policy"]]
    differing = [name for name in own if any(spec.get(name) != own[name] for spec in specs)]
    return [f"{name} = {json.dumps(own[name])}" for name in differing if name not in _PROMISED]


def _shortened(setting: str) -> str:
    return f", {setting if len(setting) <= _LONGEST else setting[:_LONGEST] + '…'}".replace('"', "")
