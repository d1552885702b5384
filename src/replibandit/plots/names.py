"""Names of lines: beside their ends where that fits, else below the picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replibandit.arrays import FloatArray

_MOST, _LONGEST = 8, 20  # names beside the lines, and letters of a name
_APART = 13.0  # points from one name to the next
_ROW = 0.21  # inches of a line below the picture
_COLUMNS = 70  # letters in such a line
_SIGN = 8  # letters that have the width of a line or a marker before a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A line that is drawn, and where it ends."""

    name: str
    artist: Artist
    colour: str
    end: tuple[float, float]


def write_names(
    figure: Figure,
    axes: Axes,
    lines: Sequence[Named],
    *,
    marks: Sequence[Named] = (),
    all_marks: tuple[Artist, str] | None = None,
) -> None:
    """Name the lines beside their ends if all end at the right edge and the names are short; else below.

    `marks` go with the lines and are named with them; below, where there is less room, `all_marks` names all of them.
    """
    named, right = [*lines, *marks], axes.get_xlim()[1]
    at_edge = all(line.end[0] == right and np.isfinite(line.end[1]) for line in named)
    if at_edge and len(named) <= _MOST and max(len(line.name) for line in named) <= _LONGEST:
        _beside(figure, axes, named)
    else:
        entries = [(line.artist, line.name) for line in lines] + ([all_marks] if marks and all_marks else [])
        write_below(figure, [artist for artist, _ in entries], [name for _, name in entries])


def write_below(figure: Figure, artists: Sequence[Artist], names: Sequence[str]) -> None:
    """Name lines and markers in rows below the axes, and make room for them."""
    shown = [fill(name, _COLUMNS - _SIGN) for name in names]
    columns = max(1, min(len(names), 3, _COLUMNS // (max(map(len, shown)) + _SIGN)))
    rows = -(-sum(name.count("\n") + 1 for name in shown) // columns)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _ROW * rows)
    figure.legend(artists, shown, loc="outside lower left", ncols=columns)


def _beside(figure: Figure, axes: Axes, lines: Sequence[Named]) -> None:
    notes = [
        axes.annotate(
            line.name,
            xy=line.end,
            xytext=(12.0, 0.0),
            textcoords="offset points",
            verticalalignment="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": line.colour,
                "linewidth": 1.2,
                "patchA": None,
                "shrinkA": 4.0,
                "shrinkB": 0.0,
                "relpos": (0.0, 0.5),
            },
        )
        for line in lines
    ]
    figure.draw_without_rendering()  # makes the layout, so that the ends have places on the page
    points = 72.0 / figure.dpi
    ends = axes.transData.transform([line.end for line in lines])[:, 1] * points
    page = axes.get_window_extent()
    for note, shift in zip(notes, spread(ends, _APART, page.y0 * points, page.y1 * points) - ends, strict=True):
        note.set_position((12.0, float(shift)))


def spread(wanted: FloatArray, apart: float, low: float, high: float) -> FloatArray:
    """Return the places from `low` to `high` that are closest to those wanted, in squares, and at least `apart`.

    Places for which there is no room go on above `high`.

    >>> spread(np.array([5.0, 0.0, 6.0]), 3.0, -1.0, 9.0).tolist()
    [4.0, 0.0, 7.0]
    >>> spread(np.array([5.0, 0.0, 6.0]), 3.0, 2.0, 9.0).tolist()
    [5.0, 2.0, 8.0]
    """
    order = np.argsort(wanted, kind="stable")
    steps = apart * np.arange(len(wanted))
    free = wanted[order] - steps
    # the isotonic fit: max_{j <= i} min_{k >= i} of the mean of free_j, ..., free_k
    n = len(free)
    lows = [[min(float(np.mean(free[j : k + 1])) for k in range(i, n)) for j in range(i + 1)] for i in range(n)]
    placed = np.empty(n)
    # within bounds the isotonic fit is the one without bounds, cut off
    placed[order] = np.clip([max(row) for row in lows], low, max(high - steps[-1], low)) + steps
    return placed
