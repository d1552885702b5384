"""Why rounding works: the estimates of many runs in the cells of their one grid, in one or two dimensions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from replibandit.arithmetic import cholesky
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.estimators.glm import GLMFit
from replibandit.estimators.mean import MeanFit
from replibandit.estimators.ridge import RidgeFit
from replibandit.estimators.whitening import WHITENINGS
from replibandit.grid import cell_of, midpoint
from replibandit.plots.axes import canvas
from replibandit.plots.names import write_below
from replibandit.plots.picture import Picture, picture
from replibandit.plots.style import INK, QUIET, colour, marker, style

_LINE = 3.4  # inches
_WIDE, _REST, _TALLEST = 4.7, 0.9, 5.2  # inches: the width of a plane, what is above and below it, at most
_MARGIN = 0.12  # of a cell, around what is shown
_MARKER, _ROWS = 7.0, 140.0  # points: the size of a marker, and what the rows of a line have together


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Grid:
    """Estimates `z` and their cells `index`, both (runs, d), on a grid with the lines shift + k width."""

    z: FloatArray
    index: IntArray
    width: float
    shift: FloatArray

    def lines(self, j: int) -> FloatArray:
        """Return the lines of coordinate j around the cells that hold an estimate."""
        cells = np.arange(self.index[:, j].min(), self.index[:, j].max() + 2)
        return np.asarray(self.width * cells + self.shift[j])

    def origin(self) -> FloatArray:
        """Return the point of the unshifted grid that the shift moves to the lowest lines."""
        return np.asarray(self.width * self.index.min(axis=0))


@style()
def grid(fits: Sequence[MeanFit | RidgeFit | GLMFit]) -> Picture:
    """Draw fits with one key, before and after rounding, on the grid that they share: one design, d = 1 or 2.

    The coordinates are whitened, so that the cells are cubes: z = L^T theta with V = L L^T, or V^(1/2) theta if that is
    what the fits did; means stay as they are.  Data: `z`, `rounded` and `cell`, one row a fit, `width` and `shift`.
    """
    shared = _shared(fits)
    rounded = midpoint(shared.index, width=shared.width, shift=shared.shift)
    cells, which = _cells(shared.index)
    title = f"{_number(len(fits), 'estimate')} in {_number(len(cells), 'cell')} of one randomly shifted grid"
    if shared.z.shape[1] == 1:
        figure, axes = canvas(title, x="mean" if isinstance(fits[0], MeanFit) else "z, whitened", y="run", height=_LINE)
        before, after = (np.column_stack([x[:, 0], np.arange(1, len(fits) + 1)]) for x in (shared.z, rounded))
        _on_a_line(axes, shared, len(fits))
    else:
        figure, axes = canvas(title, x="z₁, whitened", y="z₂, whitened", height=_height(shared))
        before, after = shared.z, rounded
        _in_a_plane(axes, shared)
    size = _MARKER if shared.z.shape[1] == 2 else min(_MARKER, _ROWS / len(fits))
    for i in range(len(cells)):
        _draw(axes, i, before[which == i], after[which == i], size)
    signs = [Line2D([], [], color=INK, marker="o", linestyle="none", markerfacecolor=c) for c in ("white", INK)]
    shift = Line2D([], [], color=INK, marker="+", markersize=9, linewidth=1.0)
    write_below(figure, [*signs, shift], ["estimate", "rounded: the middle of its cell", "shared shift u"])
    data = {"z": shared.z, "rounded": rounded, "cell": shared.index.astype(np.float64)}
    return picture({**data, "width": np.array([shared.width]), "shift": shared.shift}, figure)


def _shared(fits: Sequence[Any]) -> _Grid:
    """Check that the fits share one grid of one or two dimensions, and return it with their estimates."""
    if not isinstance(fits, Sequence) or not fits:
        raise InvalidInput(f"the fits are {fits!r:.60}; give a list of one fit at least.")
    for i, fit in enumerate(fits):
        if not isinstance(fit, MeanFit | RidgeFit | GLMFit):
            raise InvalidInput(f"fit {i} is a {type(fit).__name__}; it must come from rep_mean, rep_ridge or rep_glm.")
        if not _same_grid(fit, fits[0]):
            raise InvalidInput(f"fits 0 and {i} are on different grids; they need one key, one design, equal settings.")
    raw, index = (np.array([np.atleast_1d(getattr(fit, name)) for fit in fits]) for name in ("raw", "cell"))
    if (d := raw.shape[1]) > 2:
        raise InvalidInput(f"the fits have {d} coordinates; a picture has room for 1 or 2.")
    width, shift = float(fits[0].width), np.atleast_1d(fits[0].shift)
    if isinstance(fits[0], MeanFit):
        return _Grid(z=raw, index=index, width=width, shift=shift)
    factor = cholesky(fits[0].gram)
    for root in (whitening(fits[0].gram, factor) for whitening in WHITENINGS.values()):
        z = np.array([root.whiten(row) for row in raw])
        if (cell_of(z, width=width, shift=shift) == index).all():
            return _Grid(z=z, index=index, width=width, shift=shift)
    raise InvalidInput("the cells of the fits are not those of their estimates; give fits as they were returned.")


def _same_grid(a: Any, b: Any) -> bool:
    names = ("width", "shift") if isinstance(a, MeanFit) else ("width", "shift", "gram")
    return type(a) is type(b) and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


def _number(n: int, word: str) -> str:
    return f"{n:,} {word}{'s' if n != 1 else ''}"


def _cells(index: IntArray) -> tuple[IntArray, IntArray]:
    """Return the cells, that of the most estimates first, and for each estimate the place of its cell among them."""
    cells, which, counts = np.unique(index, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return cells[order], np.argsort(order, kind="stable")[which.reshape(-1)]


def _height(shared: _Grid) -> float:
    """Return the height of a figure with squares for cells."""
    wide, tall = (float(shared.lines(j)[-1] - shared.origin()[j]) + 2.0 * _MARGIN * shared.width for j in (0, 1))
    return min(_REST + _WIDE * tall / wide, _TALLEST)


def _draw(axes: Axes, i: int, before: FloatArray, after: FloatArray, size: float) -> None:
    """Draw the estimates of a cell, where rounding takes them, and how far that is."""
    ways = np.stack([before, after], axis=1)
    axes.add_collection(LineCollection(list(ways), colors=colour(i), linewidths=0.5, alpha=0.4))
    style: dict[str, Any] = {"color": colour(i), "marker": marker(i), "linestyle": "none"}
    small = 0.6 * size
    axes.plot(*before.T, markersize=small, markerfacecolor="white", markeredgewidth=0.2 * small, zorder=3, **style)
    axes.plot(*after.T, markersize=size, zorder=4, **style)


def _on_a_line(axes: Axes, shared: _Grid, runs: int) -> None:
    _fence(axes.set_xlim, axes.axvline, shared, 0)
    axes.set_ylim(0.0, 1.2 * (runs + 1))  # the rows of the runs, and one above them
    ticks = MaxNLocator(nbins=5, integer=True).tick_values(1, runs)
    axes.set_yticks(sorted({1, *(int(tick) for tick in ticks if 1 < tick <= runs)}))
    above = 1.1 * (runs + 1)
    _arrow(axes, (float(shared.origin()[0]), above), (float(shared.lines(0)[0]), above))


def _in_a_plane(axes: Axes, shared: _Grid) -> None:
    axes.set_aspect("equal")
    _fence(axes.set_xlim, axes.axvline, shared, 0)
    _fence(axes.set_ylim, axes.axhline, shared, 1)
    (x, y), (left, low) = shared.origin().tolist(), (float(shared.lines(j)[0]) for j in (0, 1))
    _arrow(axes, (x, y), (left, low))


def _fence(limit: Callable[..., Any], draw: Callable[..., Any], shared: _Grid, j: int) -> None:
    """Draw the lines of coordinate j, and show them and the unshifted grid point below them."""
    lines = shared.lines(j)
    limit(shared.origin()[j] - _MARGIN * shared.width, lines[-1] + _MARGIN * shared.width)
    for place in lines:
        draw(place, color=QUIET, linewidth=1.0)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw the shift, from a point of the unshifted grid to a corner of a cell."""
    axes.plot(*start, marker="+", markersize=9, color=INK)
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 0})
