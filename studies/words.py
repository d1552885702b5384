"""Numbers and tables as text."""

import re
from collections.abc import Iterable, Sequence
from textwrap import fill

from replibandit.plots.axes import power
from studies.table import Row


def number(value: float, digits: int = 2) -> str:
    """Return a number as text, rounded."""
    return power(float(f"{value:.{digits}g}"))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines)


def figure(name: str, what: str) -> str:
    """Return a figure in Markdown."""
    return f"![{what}](images/study-{name}.svg)"


def one(rows: list[Row], **fixed: object) -> Row:
    """Return the only row with these values."""
    (row,) = [row for row in rows if all(row[key] == value for key, value in fixed.items())]
    return row


def times(first: float, second: float) -> str:
    """Return how many times the second the first is."""
    return f"{number(first / second)} times"


def named(names: tuple[str, ...]) -> str:
    """Return names as code."""
    return ", ".join(f"`{name}`" for name in names)


def wrapped(text: str) -> str:
    """Return Markdown with its paragraphs and list items filled to 120 letters; tables and figures stay as they are."""
    blocks = re.split(r"\n\n+", text.strip())
    return "\n\n".join(_wrapped(block) for block in blocks)


def _wrapped(block: str) -> str:
    if block.startswith(("|", "#", "!")):
        return block
    items = re.split(r"\n(?=\* )", block)
    return "\n".join(
        fill(" ".join(item.split()), 120, subsequent_indent="  " * item.startswith("* "), break_on_hyphens=False)
        for item in items
    )
