"""When policies updated: a row for each run, a tick at the first round of each decision."""

from collections.abc import Mapping
from textwrap import fill

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.plots.axes import canvas, log_rounds
from replibandit.plots.doors import named
from replibandit.plots.picture import Picture, picture
from replibandit.plots.style import colour, style
from replibandit.runs import Run

_PLACES = 1500  # that can be told apart on the axis
_LETTERS = 22  # of a line of a name
_LINE, _GAP, _REST = 0.16, 0.18, 0.95  # inches


@style()
def timeline(runs: Mapping[str, Run]) -> Picture:
    """Draw a tick at the first round of every decision.  Data: for each name these rounds, all of them."""
    starts = {name: _starts(name, run) for name, run in named(runs).items()}
    title = "Rounds in which policies updated"
    labels = [f"{fill(name, _LETTERS)}\n{_updates(len(rounds))}" for name, rounds in starts.items()]
    row_height = _GAP + _LINE * (1 + max(label.count("\n") for label in labels))
    figure, axes = canvas(title, x="round t", y="", height=_REST + row_height * len(starts))
    log_rounds(axes, max(run.horizon for run in runs.values()))
    axes.grid(visible=False)
    for row, (name, rounds) in enumerate(starts.items()):
        axes.hlines(row, 1.0, runs[name].horizon, color=colour(row), linewidth=0.6)
        axes.vlines(_told_apart(rounds), row - 0.3, row + 0.3, color=colour(row), linewidth=1.0, clip_on=False)
    axes.set_yticks(range(len(starts)), labels)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(starts) - 0.5, -0.5)
    return picture(starts, figure)


def _starts(name: str, run: Run) -> FloatArray:
    """Return the rounds, counted from 1, in which decisions began to stand."""
    if not isinstance(run, Run):
        raise InvalidInput(f"{name} is a {type(run).__name__}; it must be a Run, which `simulate` returns.")
    if hasattr(run.spec, "plan") and len(run.times) > run.spec.plan(run.vectors.shape[1]).batches:
        raise InvalidInput(
            f"{name} has more decisions than batches, so its sets changed from round to round; such a run does not say "
            "where its batches begin. Give a run with one set throughout."
        )
    return np.asarray(run.starts + 1, dtype=np.float64)


def _updates(n: int) -> str:
    return f"{n:,} update{'' if n == 1 else 's'}"


def _told_apart(rounds: FloatArray) -> FloatArray:
    """Return the first of those rounds that have one place on the axis."""
    places = np.floor(np.log(rounds) / np.log(max(rounds[-1], 2.0)) * _PLACES)
    return rounds[np.unique(places, return_index=True)[1]]
