"""Names of lines: beside their ends where that fits, else below the picture."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replibandit.arrays import FloatArray

_MOST, _LONGEST = 8, 20  # names beside the lines, and letters of a name
_APART = 13.0  # points from one name to the next
_ROW = 0.21  # inches of a line below the picture
_COLUMNS = 60  # letters in such a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A line that is drawn, and where it ends."""

    name: str
    artist: Artist
    colour: str
    end: tuple[float, float]


def write_names(figure: Figure, axes: Axes, lines: Sequence[Named]) -> None:
    """Name the lines beside their ends if all end at the right edge and the names are short; else below."""
    right = axes.get_xlim()[1]
    at_edge = all(line.end[0] == right and np.isfinite(line.end[1]) for line in lines)
    if at_edge and len(lines) <= _MOST and max(len(line.name) for line in lines) <= _LONGEST:
        _beside(figure, axes, lines)
    else:
        write_below(figure, [line.artist for line in lines], [line.name for line in lines])


def write_below(figure: Figure, artists: Sequence[Artist], names: Sequence[str]) -> None:
    """Name lines and markers in rows below the axes, and make room for them."""
    columns = max(1, min(len(names), 3, _COLUMNS // (max(map(len, names)) + 8)))
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _ROW * -(-len(names) // columns))
    figure.legend(artists, names, loc="outside lower left", ncols=columns)


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
                "shrinkA": 1.0,
                "shrinkB": 0.0,
                "relpos": (0.0, 0.5),
            },
        )
        for line in lines
    ]
    figure.draw_without_rendering()  # makes the layout, so that the ends have places on the page
    ends = axes.transData.transform([line.end for line in lines])[:, 1] * 72.0 / figure.dpi
    for note, shift in zip(notes, spread(ends, _APART) - ends, strict=True):
        note.set_position((12.0, float(shift)))


def spread(wanted: FloatArray, apart: float) -> FloatArray:
    """Return the places that are closest to those wanted, in squares, and at least `apart` from each other.

    >>> spread(np.array([5.0, 0.0, 6.0]), 3.0).tolist()
    [4.0, 0.0, 7.0]
    """
    order = np.argsort(wanted, kind="stable")
    steps = apart * np.arange(len(wanted))
    free = wanted[order] - steps
    # the isotonic fit: max_{j <= i} min_{k >= i} of the mean of free_j, ..., free_k
    n = len(free)
    lows = [[min(float(np.mean(free[j : k + 1])) for k in range(i, n)) for j in range(i + 1)] for i in range(n)]
    placed = np.empty(n)
    placed[order] = np.array([max(row) for row in lows]) + steps
    return placed
