"""What the batched linear policies share before the first round: their settings, their batches and their budgets."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from replibandit import checks
from replibandit.arithmetic import exp, log
from replibandit.calibration import CALIBRATIONS
from replibandit.errors import InvalidInput


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
    @property
    def batches(self) -> int | None: ...
    @property
    def growth(self) -> float | None: ...
    @property
    def budgets(self) -> tuple[float, ...] | None: ...
    @property
    def delta_budgets(self) -> tuple[float, ...] | None: ...


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
    plain: dict[str, float | tuple[float, ...]] = {"rho": rho, "delta": delta}
    for name in ("noise", "penalty", "norm_bound", "action_bound"):
        plain[name] = checks.positive(name, getattr(spec, name))
    plain["horizon"] = checks.horizon(spec.horizon)
    checks.one_of("calibration", spec.calibration, CALIBRATIONS)
    if spec.batches is not None:
        plain["batches"] = checks.positive_integer("batches", spec.batches)
    if spec.growth is not None:
        plain["growth"] = checks.above_one("growth", spec.growth)
    if spec.budgets is not None:
        plain["budgets"] = checks.shares("budgets", spec.budgets, whole=rho, name="rho", count=spec.batches)
    if spec.delta_budgets is not None:
        count = len(spec.budgets) if spec.budgets is not None else spec.batches
        plain["delta_budgets"] = checks.shares(
            "delta_budgets", spec.delta_budgets, whole=delta, name="delta", count=count
        )
    for name, value in plain.items():
        object.__setattr__(spec, name, value)


def theorem_plan(spec: Settings, dim: int) -> Plan:
    """Return the plan of the theorems: B = ceil(d log(1 + T L^2/(lambda d))) batches with equal budgets.

    Batches, growth and budgets that the spec names take the place of the theorems'; any with rho_b > 2 delta_b will do.
    """
    size = dim * log(1.0 + spec.horizon * spec.action_bound * spec.action_bound / (spec.penalty * dim))
    given = spec.budgets or spec.delta_budgets
    batches = len(given) if given else spec.batches or max(1, math.ceil(size))
    rho, delta = (
        spec.budgets or (spec.rho / batches,) * batches,
        spec.delta_budgets or (spec.delta / batches,) * batches,
    )
    for b, (rho_b, delta_b) in enumerate(zip(rho, delta, strict=True)):
        if not rho_b > 2.0 * delta_b:
            raise InvalidInput(
                f"batch {b} has the budgets rho_b = {rho_b!r} and delta_b = {delta_b!r}; the theorem needs rho_b > "
                "2 delta_b. Change budgets or delta_budgets, or lower delta."
            )
    # q = (1 + T L^2/(lambda d))^(d/B)
    growth = spec.growth or float(exp(np.array(size / batches)))
    return Plan(batches=batches, growth=growth, rho=rho, delta=delta)
