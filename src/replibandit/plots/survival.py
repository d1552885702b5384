"""How long pairs of runs with one key agree: the share that is still identical, round by round."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from replibandit.arrays import FloatArray
from replibandit.findings import Audit
from replibandit.intervals import anytime_interval, clopper_pearson
from replibandit.plots.axes import canvas, log_rounds
from replibandit.plots.doors import named, one_audit
from replibandit.plots.names import Named, write_names
from replibandit.plots.picture import Picture, picture
from replibandit.plots.series import LEVEL, promises
from replibandit.plots.style import DASHES, QUIET, colour, line, style

_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Steps:
    rounds: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray


@style()
def survival(audits: Mapping[str, Audit]) -> Picture:
    """Draw the share of pairs that have acted alike in the first t rounds, with its exact 95 % interval for each t.

    A dashed line is at 1 - rho, for the rho that policies promise.  Data, for each name: `name/rounds`, where the share
    changes, `name/share`, `name/low` and `name/high`, and `promised`.
    """
    given = {name: one_audit(name, found) for name, found in named(audits).items()}
    steps = {name: _steps(found) for name, found in given.items()}
    promised = sorted({1.0 - found.rho for found in given.values() if promises(found)})
    figure, axes = canvas("Pairs of runs that are still identical, with 95 % interval", x="round t", y="share of pairs")
    horizon = max(found.horizon for found in given.values())
    log_rounds(axes, horizon)
    low = _lowest(steps.values(), promised)
    axes.set_ylim(low, 1.0 + 0.03 * (1.0 - low))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    lines = [_draw(axes, i, name, part) for i, (name, part) in enumerate(steps.items())]
    marks = [_draw_promise(axes, share, horizon) for share in promised]
    all_marks = (marks[0].artist, marks[0].name if len(marks) == 1 else "promised, each 1 − ρ") if marks else None
    write_names(figure, axes, lines, marks=marks, all_marks=all_marks)
    data = {f"{name}/{part}": getattr(s, part) for name, s in steps.items() for part in _Steps.__slots__}
    return picture({**data, "promised": np.array(promised)}, figure)


def _steps(found: Audit) -> _Steps:
    # pairs that first differ in round r, counted from 0, have acted alike in r rounds, and not in r + 1
    firsts, n = np.sort(found.rounds), len(found.rounds)
    rounds = np.unique([1, *np.minimum(firsts + 1, found.horizon).tolist(), found.horizon])
    alike = n - np.searchsorted(firsts, rounds)
    exact = anytime_interval if found.tally.anytime else clopper_pearson
    ends = {k: exact(k, n, LEVEL) for k in set(alike.tolist())}
    band = np.array([ends[k] for k in alike.tolist()])
    return _Steps(rounds=rounds.astype(np.float64), share=alike / n, low=band[:, 0], high=band[:, 1])


def _lowest(steps: Iterable[_Steps], promised: Sequence[float]) -> float:
    """Return where the vertical axis begins: at 0, unless nothing happens in its lower half."""
    least = min(*(float(part.low.min()) for part in steps), *promised, 1.0)
    return math.floor(10.0 * least) / 10.0 - 0.1 if least >= _HALF else 0.0


def _draw_promise(axes: Axes, share: float, horizon: int) -> Named:
    drawn = axes.axhline(share, color=QUIET, linewidth=1.1, linestyle=DASHES)
    return Named(name=f"promised {share:.4g}", artist=drawn, colour=QUIET, end=(float(horizon), share))


def _draw(axes: Axes, i: int, name: str, steps: _Steps) -> Named:
    (drawn,) = axes.step(steps.rounds, steps.share, where="post", color=colour(i), linestyle=line(i))
    axes.fill_between(steps.rounds, steps.low, steps.high, step="post", color=colour(i), alpha=0.2, linewidth=0)
    return Named(name=name, artist=drawn, colour=colour(i), end=(float(steps.rounds[-1]), float(steps.share[-1])))
