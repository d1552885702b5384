"""What the batched linear policies share before the first round: their settings, their batches and their budgets."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from replibandit import checks
from replibandit.arithmetic import exp, log
from replibandit.calibration import CALIBRATIONS


class Settings(Protocol):
    """The settings of a batched linear policy."""

    @property
    def horizon(self) -> int: ...
    @property
    def rho(self) -> float: ...
    @property
    def delta(self) -> float: ...
    @property
    def noise(self) -> float: ...
    @property
    def penalty(self) -> float: ...
    @property
    def norm_bound(self) -> float: ...
    @property
    def action_bound(self) -> float: ...
    @property
    def calibration(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The batches of a run: how many at most, the growth of the determinant, and the budgets of each."""

    batches: int
    growth: float
    rho: tuple[float, ...]
    delta: tuple[float, ...]


def check_settings(spec: Settings) -> None:
    """Check the settings at the door, and keep them as plain numbers."""
    rho, delta = checks.rho_above_delta(spec.rho, spec.delta, factor=3)
    plain: dict[str, float] = {"rho": rho, "delta": delta}
    for name in ("noise", "penalty", "norm_bound", "action_bound"):
        plain[name] = checks.positive(name, getattr(spec, name))
    plain["horizon"] = checks.horizon(spec.horizon)
    checks.one_of("calibration", spec.calibration, CALIBRATIONS)
    for name, value in plain.items():
        object.__setattr__(spec, name, value)


def theorem_plan(spec: Settings, dim: int) -> Plan:
    """Return the plan of the theorems: B = ceil(d log(1 + T L^2/(lambda d))) batches with equal budgets."""
    size = dim * log(1.0 + spec.horizon * spec.action_bound * spec.action_bound / (spec.penalty * dim))
    batches = max(1, math.ceil(size))
    # q = (1 + T L^2/(lambda d))^(d/B)
    growth = float(exp(np.array(size / batches)))
    return Plan(
        batches=batches, growth=growth, rho=(spec.rho / batches,) * batches, delta=(spec.delta / batches,) * batches
    )
