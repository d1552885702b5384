"""What can be registered: the replicable policies of the catalogue, in each calibration, growth, budget and grid."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from replibandit.actions import Finite
from replibandit.catalog import POLICIES
from replibandit.errors import ReplibanditError
from replibandit.key import Key
from replibandit.planner.question import Question

THEOREM, MEASURED = "theorem", "calibrated on these instances"
_CALIBRATIONS = ("paper", "sharp", "gaussian")
_GROWTHS: tuple[int | str, ...] = (2, 3, 4, 9, 16)
_GRIDS = ("lattice",)
_BUDGETS = ("uniform", "geometric", "mixed")


def candidates(asked: Question, *, variants: bool = True) -> list[Any]:
    """Return the specs that are admissible; without `variants` one for each policy and calibration."""
    found: list[Any] = []
    for policy in POLICIES.values():
        for spec in _calibrated(policy, asked):
            for each in (spec, *(_variants(spec) if variants else ())):
                if each not in found and _fits(each, asked):
                    found.append(each)
    return found


def guarantee(spec: Any, asked: Question) -> str:
    """Say what backs the rho of a spec: a theorem, if the rewards are those that it is about."""
    normal_only = getattr(spec, "calibration", None) == "gaussian"
    return MEASURED if normal_only and asked.rewards != "gaussian" else THEOREM


def _calibrated(policy: type[Any], asked: Question) -> Iterator[Any]:
    known = {field.name for field in fields(policy)}
    if "rho" not in known:
        return
    given = {name: value for name, value in _settings(asked).items() if name in known}
    for calibration in _CALIBRATIONS if "calibration" in known else (None,):
        settings = given if calibration is None else {**given, "calibration": calibration}
        spec = _made(policy, settings)
        if spec is None and "spread" in settings:  # for sharp counts only
            spec = _made(policy, {name: value for name, value in settings.items() if name != "spread"})
        if spec is not None:
            yield spec


def _settings(asked: Question) -> dict[str, Any]:
    """Return what the question says about the settings of any policy."""
    given: dict[str, Any] = {"horizon": asked.horizon, "rho": asked.rho, "noise": asked.noise}
    given["delta"] = min(0.01, asked.rho / 10.0)
    if isinstance(asked.actions, Finite):
        size = float(np.sqrt((asked.actions.vectors**2).sum(axis=1).max()))
        return {**given, "norm_bound": asked.norm_bound, "action_bound": size * (1.0 + 2.0**-30)}
    return {**given, "spread": asked.means[1] - asked.means[0]}


def _variants(spec: Any) -> Iterator[Any]:
    known = {field.name for field in fields(spec)}
    for name, values in (("growth", _GROWTHS), ("budgets", _BUDGETS), ("grid", _GRIDS)):
        if name in known:
            for value in values:
                typed = value if isinstance(value, str) or isinstance(getattr(spec, name), int) else float(value)
                made = _made(lambda n=name, v=typed: replace(spec, **{n: v}), {})
                if made is not None:
                    yield made


def _made(policy: Any, settings: dict[str, Any]) -> Any:
    """Return a spec, or None where these settings are refused."""
    try:
        return policy(**settings)
    except (ReplibanditError, TypeError):
        return None


def _fits(spec: Any, asked: Question) -> bool:
    """Say whether a policy plays these actions, as what they are, for so many rounds."""
    dim = asked.actions.dim if isinstance(asked.actions, Finite) else 0
    try:
        return bool(spec.choose(spec.init(asked.actions, [Key("planner")])).vectors.shape[1] == dim)
    except ReplibanditError:
        return False
