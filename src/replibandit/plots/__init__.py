"""Pictures of audits, runs and fits: each function returns a `Picture`, the numbers drawn and a matplotlib figure.

    survival({"RepUCB": found, "UCB1": other}).save("survival.svg")

Rounds are counted from 1, since a logarithmic axis has no 0.  Colours are those of Okabe and Ito, which colour-blind
people can tell apart, and each goes with a line style or a marker of its own.  No function touches pyplot, a window or
the settings of matplotlib.  Equal input makes equal bytes with one version of matplotlib.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        "replibandit.plots needs matplotlib 3.8 or newer. Install it with: pip install 'replibandit[plot]'"
    ) from error

from replibandit.plots.allocation import allocation
from replibandit.plots.calibration import calibration
from replibandit.plots.choices import choices
from replibandit.plots.frontier import frontier
from replibandit.plots.grid import grid
from replibandit.plots.picture import Picture
from replibandit.plots.regret import regret_curves
from replibandit.plots.survival import survival
from replibandit.plots.timeline import timeline

__all__ = [
    "Picture",
    "allocation",
    "calibration",
    "choices",
    "frontier",
    "grid",
    "regret_curves",
    "survival",
    "timeline",
]
