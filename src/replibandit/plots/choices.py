"""What a trial costs with every policy: expected regret against rho."""

from collections.abc import Sequence

import numpy as np
from matplotlib.lines import Line2D

from replibandit.errors import InvalidInput
from replibandit.planner import Choice, TrialPlan
from replibandit.planner.candidates import THEOREM
from replibandit.plots.axes import canvas, dots, log_range, log_rho
from replibandit.plots.names import write_below
from replibandit.plots.picture import Picture, picture
from replibandit.plots.style import colour, line, marker, style

_ERRORS = 2.0


@style()
def choices(plans: Sequence[TrialPlan]) -> Picture:
    """Draw the regret of the best choice of each policy against rho, for plans that differ in rho.

    Bars are two standard errors.  Data, point after point: `rho`, `regret`, `error`, and `series`, the place of the
    point's line among the names below the picture.
    """
    found = _sorted(plans)
    series: dict[str, list[Choice]] = {}
    for plan in found:
        for name, choice in _best_of_each(plan).items():
            series.setdefault(name, []).append(choice)
    rows = np.array(
        [(c.spec.rho, c.regret.value, c.regret.error, i) for i, group in enumerate(series.values()) for c in group]
    )
    data = dict(zip(("rho", "regret", "error", "series"), rows.T, strict=True))
    figure, axes = canvas("Expected regret of each policy, with two standard errors", x="promised ρ", y="regret")
    log_rho(axes, data["rho"])
    axes.set_yscale("log", nonpositive="clip")
    low, high = data["regret"] - _ERRORS * data["error"], data["regret"] + _ERRORS * data["error"]
    ends = np.concatenate([data["regret"], low, high])
    axes.set_ylim(log_range(axes.yaxis, float(np.min(ends[ends > 0])), float(np.nanmax(ends))))
    for i in range(len(series)):
        at = data["series"] == i
        axes.plot(data["rho"][at], data["regret"][at], color=colour(i), linestyle=line(i), linewidth=1.0)
        dots(axes, data["rho"][at], data["regret"][at], low[at], high[at], i=i)
    signs = [Line2D([], [], color=colour(i), marker=marker(i), linestyle=line(i)) for i in range(len(series))]
    write_below(figure, signs, list(series))
    return picture(data, figure)


def _sorted(plans: Sequence[TrialPlan]) -> list[TrialPlan]:
    if not isinstance(plans, Sequence) or not plans or not all(isinstance(each, TrialPlan) for each in plans):
        raise InvalidInput(f"the plans are {plans!r:.60}; give a list of one TrialPlan at least, which `plan` returns.")
    others = [{name: value for name, value in each.question.items() if name != "rho"} for each in plans]
    if any(other != others[0] for other in others):
        raise InvalidInput("the plans differ in more than rho; only plans of one trial can be compared.")
    return sorted(plans, key=lambda each: float(each.question["rho"]))


def _best_of_each(plan: TrialPlan) -> dict[str, Choice]:
    """Return the best choice of each policy, by name: apart those that a theorem backs and those that were measured."""
    best: dict[str, Choice] = {}
    for choice in plan.ranked():
        measured = "" if choice.guarantee == THEOREM else ", measured"
        if choice.regret.value > 0:
            best.setdefault(f"{type(choice.spec).__name__}{measured}", choice)
    if not best:
        raise InvalidInput("no policy loses anything on these instances; there is nothing to draw.")
    return best
