"""Is the promise kept?  The share of pairs that differ, as measured, against the rho that was promised."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from replibandit.arrays import FloatArray
from replibandit.findings import Audit
from replibandit.plots.axes import canvas, dots, log_rho, power
from replibandit.plots.doors import many_audits
from replibandit.plots.names import write_below
from replibandit.plots.picture import Picture, picture
from replibandit.plots.series import by_name, standard_errors
from replibandit.plots.style import DASHES, INK, QUIET, colour, marker, style

_BESIDE = 6.0  # points between markers at one rho


@style()
def calibration(audits: Sequence[Audit]) -> Picture:
    """Draw the measured share of pairs that differ against rho, with the audits' intervals, and the predicted share.

    Predicted is the Rao-Blackwell estimate that some cell differs, or 1 where it is above.  Markers at one rho stand
    side by side.  Data, in the order of the audits: `rho`, `mismatch`, `low`, `high`, `predicted`, `predicted_low`,
    `predicted_high`.
    """
    found = many_audits(audits)
    data, groups = _data(found), by_name(found)
    levels = sorted({f"{100.0 * audit.tally.level:.5g}" for audit in found})
    figure, axes = canvas("Pairs of runs that differ: measured against promised", x="promised ρ", y="share of pairs")
    low, high = log_rho(axes, data["rho"])
    _share_axis(axes, data)
    (diagonal,) = axes.plot([low, high], [low, high], color=QUIET, linewidth=1.1, linestyle=DASHES)
    for i, (_, places) in enumerate(groups):
        part, left = {name: values[places] for name, values in data.items()}, 2 * i + 0.5 - len(groups)
        dots(axes, part["rho"], part["mismatch"], part["low"], part["high"], i=i, shift=_BESIDE * left)
        ends = part["predicted_low"], part["predicted_high"]
        dots(axes, part["rho"], part["predicted"], *ends, i=i, shift=_BESIDE * (left + 1), hollow=True)
    signs = [Line2D([], [], color=INK, marker="o", linestyle="none", markerfacecolor=c) for c in (INK, "white")]
    colours = [Line2D([], [], color=colour(i), marker=marker(i), linestyle="none") for i in range(len(groups))]
    words = [f"measured, {' or '.join(levels)} % interval", "predicted", "measured = promised"]
    write_below(figure, [*colours, *signs, diagonal], [*(name for name, _ in groups), *words])
    return picture(data, figure)


def _data(audits: Sequence[Audit]) -> dict[str, FloatArray]:
    rows = []
    for audit in audits:
        predicted, reach = audit.predicted, standard_errors(audit.tally.keys)
        value, error = (predicted.value, predicted.error) if predicted else (math.nan, math.nan)
        # a compensator may be above 1; the probability that it estimates is not
        shares = np.clip([value, value - reach * error, value + reach * error], 0.0, 1.0)
        rows.append((audit.rho, audit.mismatch, *audit.interval, *shares))
    names = ("rho", "mismatch", "low", "high", "predicted", "predicted_low", "predicted_high")
    return dict(zip(names, np.array(rows).T, strict=True))


def _share_axis(axes: Axes, data: dict[str, FloatArray]) -> None:
    """Let the vertical axis be logarithmic down to the least share that matters, and linear from there to 0."""
    shares = np.concatenate([data[name] for name in ("rho", "mismatch", "predicted")])
    least = max(float(np.min(shares[shares > 0])), float(data["rho"].min()) / 100.0)
    most = float(np.nanmax(np.concatenate([data["rho"], data["high"], data["predicted_high"]])))
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    axes.set_yscale("symlog", linthresh=10.0**first, linscale=0.5)
    axes.set_ylim(-0.15 * 10.0**first, 10.0**last)
    axes.yaxis.set_major_locator(FixedLocator([0.0, *(10.0**k for k in range(first, last + 1))]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: power(value)))
    axes.yaxis.set_minor_locator(NullLocator())
