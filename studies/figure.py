"""Figures of several panels in the style of the house, as SVG beside the pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from replibandit.plots.axes import log_range
from replibandit.plots.names import write_below
from replibandit.plots.picture import picture
from replibandit.plots.style import DASHES, QUIET, colour, line, marker, style

IMAGES = Path(__file__).parents[1] / "docs" / "images"
_WIDE, _TICKS = 50.0, 6  # panels are narrow: from a factor of 50 on, powers of ten only
Series = Mapping[str, Sequence[tuple[float, ...]]]  # by name: points (x, y), or (x, y, low, high)


def panels(
    name: str,
    title: str,
    data: Mapping[str, Series],
    *,
    x: str,
    y: str,
    order: Sequence[str],
    columns: int = 3,
    diagonal: bool = False,
    bounds: Mapping[str, Series] = MappingProxyType({}),
) -> None:
    """Draw a panel for each entry of `data`, on logarithmic axes, and save docs/images/study-<name>.svg.

    `bounds` are drawn in dots as far as they are within the panels.
    """
    with style():
        rows = -(-len(data) // columns)
        figure = Figure(figsize=(2.9 * columns + 0.4, 2.6 * rows + 0.6), layout="constrained")
        figure.suptitle(title, x=0.012, horizontalalignment="left")
        grid = figure.subplots(rows, columns, squeeze=False)
        artists: dict[str, Any] = {}
        for axes, (panel, series) in zip(grid.flat, data.items(), strict=False):
            _draw(axes, series, order, artists, diagonal)
            for each, points in bounds.get(panel, {}).items():
                xs, ys = zip(*points, strict=True)
                axes.plot(xs, ys, color=colour(order.index(each)), linestyle=":", linewidth=1.0)
            axes.set_title(panel, fontsize=9.5)
        for axes in list(grid.flat)[len(data) :]:
            axes.set_visible(False)
        for axes in grid[-1]:
            axes.set_xlabel(x)
        for axes in grid[:, 0]:
            axes.set_ylabel(y)
        shown = [each for each in order if each in artists]
        write_below(figure, [artists[each] for each in shown], shown)
        picture({}, figure).save(IMAGES / f"study-{name}.svg")


def _draw(axes: Any, series: Series, order: Sequence[str], artists: dict[str, Any], diagonal: bool) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    xs, ys = [], []
    for each in order:
        points = np.array([p for p in series.get(each, ()) if p[1] > 0], dtype=float)
        if not len(points):
            continue
        i = order.index(each)
        (drawn,) = axes.plot(
            points[:, 0],
            points[:, 1],
            color=colour(i),
            linestyle=line(i // 7),
            marker=marker(i),
            markersize=3.5,
            clip_on=False,
        )
        if points.shape[1] == 4:
            axes.vlines(points[:, 0], points[:, 2], points[:, 3], color=colour(i), linewidth=1.0)
        artists.setdefault(each, drawn)
        xs += points[:, 0].tolist()
        ys += points[:, 1].tolist()
    if not xs:
        return
    axes.set_xlim(log_range(axes.xaxis, min(xs), max(xs)))
    axes.set_ylim(log_range(axes.yaxis, min(ys), max(ys)))
    for axis, values in ((axes.xaxis, xs), (axes.yaxis, ys)):
        if max(values) / min(values) >= _WIDE:
            axis.set_major_locator(LogLocator(numticks=_TICKS))
    if diagonal:
        ends = axes.get_xlim()
        axes.plot(ends, ends, color=QUIET, linestyle=DASHES, linewidth=1.2)
