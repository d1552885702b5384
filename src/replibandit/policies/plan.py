"""What the batched linear policies share before the first round: their settings, their batches and their budgets."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from replibandit import checks
from replibandit.arithmetic import exp, log
from replibandit.calibration import CALIBRATIONS
from replibandit.errors import InvalidInput
from replibandit.estimators.grids import Model

_LARGEST_EXPONENT = 700.0  # a determinant that grows by more is not waited for


class Settings(Model, Protocol):
    """The settings of a batched linear policy."""

    @property
    def horizon(self) -> int: ...
    @property
    def rho(self) -> float: ...
    @property
    def delta(self) -> float: ...
    @property
    def action_bound(self) -> float: ...
    @property
    def calibration(self) -> str: ...
    @property
    def batches(self) -> int | None: ...
    @property
    def growth(self) -> float | None: ...
    @property
    def budgets(self) -> tuple[float, ...] | str | None: ...
    @property
    def delta_budgets(self) -> tuple[float, ...] | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The batches of a run: how many at most, the growth of the determinant, and the budgets of each.

    In a sharp plan batch 0, which has no data, has the budget 0, and there are no delta budgets: delta is spent once.
    """

    batches: int
    growth: float
    rho: tuple[float, ...]
    delta: tuple[float, ...]


def check_settings(spec: Settings) -> None:
    """Check the settings at the door, and keep them as plain numbers."""
    sharp = checks.one_of("calibration", spec.calibration, CALIBRATIONS) == "sharp"
    # sharp widths leave delta out
    rho, delta = checks.rho_above_delta(spec.rho, spec.delta, factor=0 if sharp else 3)
    plain: dict[str, float | str | tuple[float, ...]] = {"rho": rho, "delta": delta}
    for name in ("noise", "penalty", "norm_bound", "action_bound"):
        plain[name] = checks.positive(name, getattr(spec, name))
    plain["horizon"] = checks.horizon(spec.horizon)
    if spec.batches is not None:
        plain["batches"] = checks.positive_integer("batches", spec.batches)
    if spec.growth is not None:
        plain["growth"] = checks.above_one("growth", spec.growth)
    plain |= _sharp_budgets(spec, rho) if sharp else _paper_budgets(spec, rho, delta)
    for name, value in plain.items():
        object.__setattr__(spec, name, value)


def _paper_budgets(spec: Settings, rho: float, delta: float) -> dict[str, str | tuple[float, ...]]:
    plain: dict[str, str | tuple[float, ...]] = {}
    if isinstance(spec.budgets, str):
        raise InvalidInput(f"budgets is {spec.budgets!r}; words are for calibration='sharp'. Give a number a batch.")
    if spec.budgets is not None:
        plain["budgets"] = checks.shares("budgets", spec.budgets, whole=rho, name="rho", count=spec.batches)
    if spec.delta_budgets is not None:
        count = len(spec.budgets) if spec.budgets is not None else spec.batches
        plain["delta_budgets"] = checks.shares(
            "delta_budgets", spec.delta_budgets, whole=delta, name="delta", count=count
        )
    return plain


def _sharp_budgets(spec: Settings, rho: float) -> dict[str, str | tuple[float, ...]]:
    if spec.delta_budgets is not None:
        raise InvalidInput("delta_budgets are for calibration='paper'; a sharp one spends delta once. Leave them out.")
    if spec.budgets is None:
        return {}
    if isinstance(spec.budgets, str):
        return {"budgets": checks.one_of("budgets", spec.budgets, BUDGETS)}
    count = None if spec.batches is None else spec.batches - 1
    return {"budgets": checks.shares("budgets", spec.budgets, whole=rho, name="rho", count=count)}


def plan_of(spec: Settings, dim: int) -> Plan:
    """Return the plan of the spec's calibration for actions in `dim` dimensions."""
    return sharp_plan(spec, dim) if spec.calibration == "sharp" else theorem_plan(spec, dim)


def theorem_plan(spec: Settings, dim: int) -> Plan:
    """Return the plan of the theorems: B = ceil(d log(1 + T L^2/(lambda d))) batches with equal budgets.

    Batches, growth and budgets that the spec names take the place of the theorems'; any with rho_b > 2 delta_b will do.
    """
    size = _log_volume(spec, dim)
    budgets = () if isinstance(spec.budgets, str) else spec.budgets
    given = budgets or spec.delta_budgets
    batches = len(given) if given else spec.batches or max(1, math.ceil(size))
    rho, delta = (
        budgets or (spec.rho / batches,) * batches,
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


def sharp_plan(spec: Settings, dim: int) -> Plan:
    """Return the plan of docs/theory.md, section B: enough batches never to run out, and budgets for all but batch 0.

    With growth q that is B = ceil(d log(1 + T L^2/(lambda d)) / log q); q = e^2 unless it is given.
    """
    size = _log_volume(spec, dim)
    given = spec.budgets if isinstance(spec.budgets, tuple) else None
    batches = len(given) + 1 if given else spec.batches
    growth = spec.growth
    if growth is None:
        # as many batches as are given, or q = e^2
        growth = float(exp(np.array(2.0 if batches is None else min(size / batches, _LARGEST_EXPONENT))))
    if batches is None:
        batches = max(1, math.ceil(size / log(growth)))
    if given is None:
        given = BUDGETS[spec.budgets if isinstance(spec.budgets, str) else "mixed"](spec.rho, batches - 1, growth, dim)
    if not all(given):
        raise InvalidInput(
            f"budgets is {spec.budgets!r}; with {batches} batches of growth {growth:.6g} the first ones get nothing. "
            "Take budgets='mixed', fewer batches, or less growth."
        )
    return Plan(batches=batches, growth=growth, rho=(0.0, *given), delta=())


def uniform(rho: float, count: int, growth: float, dim: int) -> tuple[float, ...]:
    """Return equal budgets: right where the horizon is far beyond the gap."""
    return (rho / count,) * count if count else ()


def geometric(rho: float, count: int, growth: float, dim: int) -> tuple[float, ...]:
    """Return budgets that grow by q^(1/(4d)) a batch: the optimum where V grows alike in all directions."""
    # rho_b proportional to s^(B-1-b), s = q^(-1/(4d)), from the largest to the smallest
    ratio = float(exp(np.array(-log(growth) / (4.0 * dim))))
    powers = [1.0]
    for _ in range(count - 1):
        powers.append(powers[-1] * ratio)
    whole = math.fsum(powers)
    return tuple(rho * power / whole for power in reversed(powers[:count]))


def mixed(rho: float, count: int, growth: float, dim: int) -> tuple[float, ...]:
    """Return half of either: every width is at most twice that of the better one."""
    halves = (uniform(rho / 2.0, count, growth, dim), geometric(rho / 2.0, count, growth, dim))
    return tuple(a + b for a, b in zip(*halves, strict=True))


BUDGETS: dict[str, Callable[[float, int, float, int], tuple[float, ...]]] = {
    "mixed": mixed,
    "uniform": uniform,
    "geometric": geometric,
}


def _log_volume(spec: Settings, dim: int) -> float:
    """Return the largest that log(det V / det(lambda I)) can become."""
    # d log(1 + T L^2/(lambda d))
    return dim * log(1.0 + spec.horizon * spec.action_bound * spec.action_bound / (spec.penalty * dim))
