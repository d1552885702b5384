"""When RepUCB estimates the mean of an arm, on which grid, and what it adds to it: a table of counts.

Counts lie on one deterministic list n_0 < n_1 < ..., the same for all arms.  That is what lets a union over all pairs
of an arm and a count replace one over the calls that the data select.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from replibandit import checks
from replibandit.arithmetic import log
from replibandit.calibration import CALIBRATIONS, PAIR, mean_constant, sharp_width
from replibandit.errors import InvalidInput
from replibandit.policies.plan import BUDGETS
from replibandit.radius import hoeffding

_GROWTH = 8.0


class Settings(Protocol):
    """The settings of RepUCB."""

    @property
    def horizon(self) -> int: ...
    @property
    def rho(self) -> float: ...
    @property
    def noise(self) -> float: ...
    @property
    def calibration(self) -> str: ...
    @property
    def growth(self) -> float | None: ...
    @property
    def budgets(self) -> tuple[float, ...] | str | None: ...
    @property
    def spread(self) -> float | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """For each count n_k at which an arm is estimated: the grid's width, the bonus of the index, and the share of rho.

    `calls` is the number of calls that delta is shared among.  A width of 0 means that nothing is estimated.
    """

    pulls: tuple[int, ...]
    widths: tuple[float, ...]
    bonuses: tuple[float, ...]
    rho: tuple[float, ...]
    calls: int


def check_settings(spec: Settings) -> None:
    """Check the settings at the door, and keep them as plain numbers."""
    plain: dict[str, object] = {"horizon": checks.horizon(spec.horizon), "rho": checks.probability("rho", spec.rho)}
    plain["noise"] = checks.positive("noise", spec.noise)
    if checks.one_of("calibration", spec.calibration, CALIBRATIONS) == "sharp":
        plain |= _sharp_settings(spec)
    else:
        for name in ("growth", "budgets", "spread"):
            if (value := getattr(spec, name)) is not None:
                raise InvalidInput(f"{name} is {value!r}; it is for calibration='sharp' only. Leave it out, or say so.")
        if spec.horizon * spec.rho < 2:
            raise InvalidInput(
                f"horizon is {spec.horizon} and rho is {spec.rho}; RepUCB needs horizon >= 2/rho = "
                f"{2 / spec.rho:.6g}. Raise the horizon or rho."
            )
    for name, value in plain.items():
        object.__setattr__(spec, name, value)


def _sharp_settings(spec: Settings) -> dict[str, object]:
    plain: dict[str, object] = {}
    if spec.growth is not None:
        plain["growth"] = checks.above_one("growth", spec.growth)
    if spec.spread is not None:
        plain["spread"] = checks.positive("spread", spec.spread)
    if isinstance(spec.budgets, str):
        checks.one_of("budgets", spec.budgets, BUDGETS)
    elif spec.budgets is not None:
        plain["budgets"] = checks.shares("budgets", spec.budgets, whole=spec.rho, name="rho", count=None)
    return plain


def schedule_of(spec: Settings, arms: int) -> Schedule:
    """Return the schedule of the spec's calibration."""
    return sharp_schedule(spec, arms) if spec.calibration == "sharp" else paper_schedule(spec, arms)


def paper_budgets(spec: Settings, arms: int) -> tuple[int, float, float]:
    """Return M, the number of RepMean calls that the budget is shared among, rho_1 and delta_1."""
    # M = K (1 + ceil(log2 T)), rho_1 = rho / M, delta_1 = 1 / (2 M T)
    calls = arms * (1 + (spec.horizon - 1).bit_length())
    return calls, spec.rho / calls, 1.0 / (2.0 * calls * spec.horizon)


def paper_radius(spec: Settings, arms: int) -> float:
    """Return tau(1), where tau(n) = sqrt(C_ME log(1/delta_1) / (n (rho_1 - delta_1)^2)) = tau(1) / sqrt(n)."""
    _, rho, delta = paper_budgets(spec, arms)
    constant = mean_constant(rho=rho, delta=delta, noise=spec.noise)
    return math.sqrt(constant * log(1.0 / delta)) / (rho - delta)


def paper_schedule(spec: Settings, arms: int) -> Schedule:
    """Return the doubling schedule of Alg. 1, lines 10 and 15 to 18."""
    calls, rho, delta = paper_budgets(spec, arms)
    first = paper_radius(spec, arms)
    pulls = [1 << k for k in range(spec.horizon.bit_length())]
    roots = [math.sqrt(n) for n in pulls]
    return Schedule(
        pulls=tuple(pulls),
        # width = 2 tau / (1 + rho_1 - 2 delta_1): prior work of the paper
        widths=tuple(2.0 * (first / root) / (1.0 + rho - 2.0 * delta) for root in roots),
        bonuses=tuple(2.0 * first / root for root in roots),  # U_a = RepMean + 2 tau(N_a)
        rho=(rho,) * len(pulls),
        calls=calls,
    )


def sharp_schedule(spec: Settings, arms: int) -> Schedule:
    """Return the schedule of R3 in docs/theory.md: no calls before they can tell anything.

    n_0 is the smallest count whose radius 2 r(n_0) is at most the spread of the means; where K n_0 >= T, every arm is
    played equally often, and nothing is estimated.
    """
    spread = 2.0 * spec.noise if spec.spread is None else spec.spread
    most = -(-spec.horizon // arms)
    low, high = 0, most  # r(n) falls as n grows, and the number of calls with it
    while high - low > 1:
        middle = (low + high) // 2
        schedule = _from(spec, arms, middle)
        low, high = (low, middle) if 2.0 * schedule.bonuses[0] <= spread else (middle, high)
    if high == most:
        return Schedule(pulls=(most,), widths=(0.0,), bonuses=(0.0,), rho=(0.0,), calls=0)
    return _from(spec, arms, high)


def _from(spec: Settings, arms: int, first: int) -> Schedule:
    """Return the schedule that begins with `first` pulls of each arm, where arms * first is below the horizon."""
    growth = spec.growth or _GROWTH
    pulls = _counts(spec.horizon - (arms - 1) * first, first, growth)
    if isinstance(spec.budgets, tuple):
        rho = spec.budgets[: len(pulls)]
        pulls = pulls[: len(rho)]
        rho = tuple(share / arms for share in rho)
    else:
        rho = BUDGETS[spec.budgets or "uniform"](spec.rho / arms, len(pulls), growth, 1)
    calls = arms * len(pulls)
    # alpha(n) = (2/sqrt 3) sigma / (sqrt(n) rho_n)
    widths = [
        float(sharp_width(1.0 / math.sqrt(n), runs=PAIR, noise=spec.noise, rho=share))
        for n, share in zip(pulls, rho, strict=True)
    ]
    # r(n) = sigma sqrt(2 log(2 M/delta)/n) + alpha(n)/2, delta = 1/(2T)
    delta = 1.0 / (2.0 * spec.horizon * calls)
    radii = [hoeffding(n, noise=spec.noise, delta=delta) + 0.5 * a for n, a in zip(pulls, widths, strict=True)]
    return Schedule(pulls=tuple(pulls), widths=tuple(widths), bonuses=tuple(radii), rho=rho, calls=calls)


def _counts(below: int, first: int, growth: float) -> list[int]:
    """Return n_0 = first, n_(k+1) = n_k + ceil((g - 1) n_k), as far as they are below `below`."""
    counts, n = [], first
    while n < below:
        counts.append(n)
        n += math.ceil((growth - 1.0) * n)
    return counts
