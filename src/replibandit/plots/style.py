"""How every picture looks: its colours, lines and markers, and matplotlib's settings while it is drawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from matplotlib import style as styles

# Okabe and Ito (2008), without the yellow, which is too pale for a line on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LineStyle = Literal["-", "--", "-.", ":"]
LINES: tuple[LineStyle, ...] = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v")
DASHES = (0, (7, 3))  # for lines that are not data
INK, QUIET, FAINT = "#222222", "#595959", "#DDDDDD"

_SETTINGS = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],  # the first comes with matplotlib
    "font.size": 9.5,
    "text.parse_math": False,  # a name with a dollar sign is a name
    "text.color": INK,
    "figure.titlesize": 10.5,
    "figure.titleweight": "bold",
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "savefig.dpi": 200,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "replibandit",  # the same ids every time
    "pdf.fonttype": 42,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw with the settings of the house, whatever the user's are, and put the user's back."""
    with styles.context(_SETTINGS, after_reset=True):
        yield


def colour(i: int) -> str:
    """Return the colour of series i."""
    return COLOURS[i % len(COLOURS)]


def line(i: int) -> LineStyle:
    """Return the line style of series i: 28 series have different colours or line styles."""
    return LINES[i % len(LINES)]


def marker(i: int) -> str:
    """Return the marker of series i: 35 series have different colours or markers."""
    return MARKERS[i % len(MARKERS)]
