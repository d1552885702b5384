"""What replicability costs: the regret over that of a reference, against rho."""

from collections.abc import Sequence

import numpy as np
from matplotlib.lines import Line2D

from replibandit.errors import InvalidInput
from replibandit.findings import Audit
from replibandit.plots.axes import canvas, dots, log_range, log_rho
from replibandit.plots.doors import many_audits
from replibandit.plots.names import write_below
from replibandit.plots.picture import Picture, picture
from replibandit.plots.series import by_name, standard_errors
from replibandit.plots.style import DASHES, QUIET, colour, line, marker, style


@style()
def frontier(audits: Sequence[Audit]) -> Picture:
    """Draw the price of replicability against rho, for audits on one environment, each with a reference.

    Audits of one policy, horizon and reference are joined by a line; bars are 95 % intervals, to first order.  Data, in
    the order of the audits: `rho`, `price`, `low`, `high`.
    """
    found = many_audits(audits)
    rows = np.array([_row(i, audit) for i, audit in enumerate(found)])
    data, groups = dict(zip(("rho", "price", "low", "high"), rows.T, strict=True)), by_name(found)
    figure, axes = canvas("Price of replicability, with 95 % interval", x="promised ρ", y="regret / reference's regret")
    log_rho(axes, data["rho"])
    axes.set_yscale("log", nonpositive="clip")
    ends = np.concatenate([[0.9, 1.1], data["price"], data["low"], data["high"]])  # room around the line at 1
    axes.set_ylim(log_range(axes.yaxis, float(np.min(ends[ends > 0])), float(np.nanmax(ends))))
    no_price = axes.axhline(1.0, color=QUIET, linewidth=1.1, linestyle=DASHES)
    for i, (_, places) in enumerate(groups):
        part = {name: values[places] for name, values in data.items()}
        axes.plot(part["rho"], part["price"], color=colour(i), linestyle=line(i), linewidth=1.0)
        dots(axes, part["rho"], part["price"], part["low"], part["high"], i=i)
    signs = [Line2D([], [], color=colour(i), marker=marker(i), linestyle=line(i)) for i in range(len(groups))]
    write_below(figure, [*signs, no_price], [*(name for name, _ in groups), "no price"])
    return picture(data, figure)


def _row(i: int, audit: Audit) -> tuple[float, float, float, float]:
    if audit.reference is None:
        raise InvalidInput(f"audit {i} has no reference; run it with one, such as audit(..., reference=UCB1(...)).")
    price = audit.price
    if price is None:
        raise InvalidInput(f"audit {i} has no price, since a mean regret is 0; take an environment with a gap.")
    half = standard_errors(audit.tally.keys) * price.error
    return audit.rho, price.value, price.value - half, price.value + half
