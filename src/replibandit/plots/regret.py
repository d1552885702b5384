"""Regret by round: the mean with its 95 % band, on logarithmic axes, and a theorem's bound."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from replibandit import checks
from replibandit.arrays import FloatArray
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from replibandit.findings import Audit, mean_of
from replibandit.plots.axes import canvas, log_range, log_rounds
from replibandit.plots.doors import many_runs, named
from replibandit.plots.names import Named, write_names
from replibandit.plots.picture import Picture, picture
from replibandit.plots.series import rounds_to, standard_errors
from replibandit.plots.style import INK, colour, line, style
from replibandit.runs import Run, regret_after

_BOUND: dict[str, Any] = {"linestyle": "none", "marker": "v", "markersize": 8}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Curve:
    rounds: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray


@style()
def regret_curves(
    results: Mapping[str, Audit | Run | Sequence[Run]],
    *,
    env: Environment | None = None,
    bounds: Mapping[str, float] | None = None,
) -> Picture:
    """Draw the mean regret of audits, or of runs against `env`; `bounds` are values at the horizon, by the same names.

    The band is Student's, round by round, over independent keys: runs with one key count as one.  Data, for each name:
    `name/rounds`, `name/mean`, `name/low`, `name/high` and, where it is given, `name/bound`.
    """
    curves = {name: _curve(name, result, env) for name, result in named(results).items()}
    limits = _limits(bounds or {}, curves)
    figure, axes = canvas(_title(curves, limits), x="round t", y="regret")
    log_rounds(axes, int(max(curve.rounds[-1] for curve in curves.values())))
    axes.set_yscale("log", nonpositive="clip")
    axes.set_ylim(log_range(axes.yaxis, *_range(curves, limits)))
    lines = [_draw_curve(axes, i, name, curve) for i, (name, curve) in enumerate(curves.items())]
    marks = [
        _draw_bound(axes, i, name, float(curves[name].rounds[-1]), limits[name])
        for i, name in enumerate(curves)
        if name in limits
    ]
    all_marks = Line2D([], [], color=INK, **_BOUND), "bound, same colour"
    write_names(figure, axes, lines, marks=marks, all_marks=all_marks)
    return picture(_data(curves, limits), figure)


def _curve(name: str, result: Any, env: Environment | None) -> _Curve:
    if isinstance(result, Audit):
        rounds, mean, error = result.checkpoints.astype(np.float64), result.curve, result.curve_error
        reach = standard_errors(result.tally.keys)
    else:
        runs = many_runs(name, result)
        if env is None:
            raise InvalidInput(f"{name} is made of runs, whose regret depends on the truth; give env, which knows it.")
        rounds, by_key = rounds_to(runs[0].horizon), defaultdict(list)
        for run in runs:
            by_key[run.key].append(regret_after(run, env, rounds.astype(np.int64)))
        estimates = [mean_of(column) for column in np.array([np.mean(same, axis=0) for same in by_key.values()]).T]
        mean, error = np.array([e.value for e in estimates]), np.array([e.error for e in estimates])
        reach = standard_errors(len(by_key))
    return _Curve(rounds=rounds, mean=mean, low=mean - reach * error, high=mean + reach * error)


def _title(curves: Mapping[str, _Curve], limits: Mapping[str, float]) -> str:
    band = any(np.isfinite(curve.low).all() for curve in curves.values())
    return f"Mean regret by round{' with 95 % band' if band else ''}{', and the theorem’s bound' if limits else ''}"


def _limits(bounds: Mapping[str, float], curves: Mapping[str, _Curve]) -> dict[str, float]:
    if unknown := sorted(set(bounds) - set(curves)):
        raise InvalidInput(f"bounds has {unknown}, but the results have {sorted(curves)}; use the same names.")
    return {name: checks.positive(f"the bound of {name}", value) for name, value in bounds.items()}


def _range(curves: Mapping[str, _Curve], limits: Mapping[str, float]) -> tuple[float, float]:
    """Return the smallest and the largest regret above 0, which are all that a logarithmic axis can show."""
    means = np.concatenate([curve.mean for curve in curves.values()])
    ends = np.concatenate([curve.high[-1:] for curve in curves.values()])
    drawn = np.concatenate([means, ends, list(limits.values())])
    shown = drawn[drawn > 0]
    return (float(shown.min()), float(shown.max())) if len(shown) else (1.0, 10.0)


def _draw_curve(axes: Axes, i: int, name: str, curve: _Curve) -> Named:
    shown = np.where(curve.mean > 0, curve.mean, np.nan)
    (drawn,) = axes.plot(curve.rounds, shown, color=colour(i), linestyle=line(i))
    if np.isfinite(curve.low).all():
        axes.fill_between(curve.rounds, curve.low, curve.high, color=colour(i), alpha=0.2, linewidth=0)
    none = "" if (curve.mean > 0).any() else " (no regret)"
    return Named(name=name + none, artist=drawn, colour=colour(i), end=(float(curve.rounds[-1]), float(shown[-1])))


def _draw_bound(axes: Axes, i: int, name: str, horizon: float, bound: float) -> Named:
    (drawn,) = axes.plot([horizon], [bound], color=colour(i), clip_on=False, zorder=4, **_BOUND)
    return Named(name=f"bound of {name}", artist=drawn, colour=colour(i), end=(horizon, bound))


def _data(curves: Mapping[str, _Curve], limits: Mapping[str, float]) -> dict[str, FloatArray]:
    data: dict[str, FloatArray] = {}
    for name, curve in curves.items():
        data |= {f"{name}/{part}": getattr(curve, part) for part in ("rounds", "mean", "low", "high")}
    return data | {f"{name}/bound": np.array([bound]) for name, bound in limits.items()}
