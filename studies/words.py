"""Numbers and tables as text."""

from collections.abc import Iterable, Sequence

from replibandit.plots.axes import power


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
