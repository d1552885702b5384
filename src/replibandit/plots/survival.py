"""How long pairs of runs with one key agree: the share that is still identical, round by round."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from replibandit.arrays import FloatArray
from replibandit.findings import Audit
from replibandit.intervals import anytime_interval, clopper_pearson
from replibandit.plots.axes import canvas, log_rounds
from replibandit.plots.doors import named, one_audit
from replibandit.plots.names import Named, write_names
from replibandit.plots.picture import Picture, picture
from replibandit.plots.series import LEVEL, promises
from replibandit.plots.style import DASHES, QUIET, colour, line, style


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
    axes.set_ylim(0.0, 1.03)
    lines = [_draw(axes, i, name, part) for i, (name, part) in enumerate(steps.items())]
    for share in promised:
        drawn = axes.axhline(share, color=QUIET, linewidth=1.1, linestyle=DASHES)
        lines.append(Named(name=f"promised {share:.4g}", artist=drawn, colour=QUIET, end=(float(horizon), share)))
    write_names(figure, axes, lines)
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


def _draw(axes: Axes, i: int, name: str, steps: _Steps) -> Named:
    (drawn,) = axes.step(steps.rounds, steps.share, where="post", color=colour(i), linestyle=line(i))
    axes.fill_between(steps.rounds, steps.low, steps.high, step="post", color=colour(i), alpha=0.2, linewidth=0)
    return Named(name=name, artist=drawn, colour=colour(i), end=(float(steps.rounds[-1]), float(steps.share[-1])))
