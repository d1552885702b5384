"""Axes: a figure with one of them, logarithmic scales, and powers of ten in plain text."""

import math

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from replibandit.arrays import FloatArray
from replibandit.plots.style import colour, marker

WIDTH, HEIGHT = 5.6, 3.6  # inches; 640 pixels wide in a page, so that 9.5 points are 15 pixels
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_TICKS = 8
_STEPS = (1.0, 2.0, 5.0)
_FEW_STEPS = (1.0, 2.0, 3.0, 5.0, 7.0)


def canvas(title: str, *, x: str, y: str, height: float = HEIGHT) -> tuple[Figure, Axes]:
    """Return an empty figure with a title and named axes."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    figure.suptitle(title, x=0.012, horizontalalignment="left")
    axes = figure.add_subplot()
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return figure, axes


def log_rounds(axes: Axes, horizon: int) -> None:
    """Let the horizontal axis run over the rounds 1 to `horizon`."""
    axes.set_xscale("log")
    last = max(horizon, 2)
    axes.set_xlim(1.0, last)
    _ticks(axes.xaxis, 1.0, last)


def log_range(axis: Axis, low: float, high: float) -> tuple[float, float]:
    """Mark a logarithmic axis from `low` to `high`, rounded outwards to 1, 2 or 5 times a power of ten."""
    below, above = _below(low), _above(high)
    if below == above:
        below, above = 0.5 * below, 2.0 * above
    _ticks(axis, below, above)
    return below, above


def log_rho(axes: Axes, rho: FloatArray) -> tuple[float, float]:
    """Let the horizontal axis hold every rho, with some room, on a logarithmic scale; return its ends."""
    axes.set_xscale("log")
    low, high = log_range(axes.xaxis, float(rho.min()) / 1.5, min(float(rho.max()) * 1.5, 1.0))
    axes.set_xlim(low, high)
    return low, high


def dots(
    axes: Axes,
    x: FloatArray,
    y: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    i: int,
    shift: float = 0.0,
    hollow: bool = False,
) -> None:
    """Draw the points of series i with their intervals, `shift` points to the right of where they are."""
    moved = axes.transData + ScaledTranslation(shift / 72.0, 0.0, axes.figure.dpi_scale_trans)
    axes.vlines(x, low, high, color=colour(i), linewidth=1.4, transform=moved)
    axes.plot(
        x,
        y,
        color=colour(i),
        marker=marker(i),
        markerfacecolor="white" if hollow else colour(i),
        linestyle="none",
        transform=moved,
        clip_on=False,
        zorder=4,
    )


def power(value: float) -> str:
    """Write a number as text; from 10,000 on, and below 0.001, as a multiple of a power of ten.

    >>> power(0.05), power(100.0), power(2000), power(1e14), power(2e-5)
    ('0.05', '100', '2,000', '10¹⁴', '2·10⁻⁵')
    """
    if value == 0 or 0.001 <= abs(value) < 10_000:
        return f"{value:,g}"
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    factor = f"{float(mantissa):g}"
    raised = "10" + str(int(exponent)).translate(_RAISED)
    return raised if factor == "1" else f"{factor}·{raised}"


def _ticks(axis: Axis, low: float, high: float) -> None:
    subs = _FEW_STEPS if high / low < 10 else _STEPS if high / low < 1000 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=_MOST_TICKS))
    axis.set_major_formatter(FuncFormatter(lambda value, _: power(value)))
    axis.set_minor_locator(NullLocator())


def _below(value: float) -> float:
    """Return the largest 1, 2 or 5 times a power of ten that is at most `value`, but for a rounding error."""
    decade = 10.0 ** math.floor(math.log10(value))
    return max(step * decade for step in (0.5, *_STEPS) if step * decade <= value * (1.0 + 1e-9))


def _above(value: float) -> float:
    """Return the smallest one that is at least `value`, likewise."""
    decade = 10.0 ** math.floor(math.log10(value))
    return min(step * decade for step in (*_STEPS, 10.0) if step * decade >= value * (1.0 - 1e-9))
