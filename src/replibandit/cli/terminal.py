"""What leaves the program: tables and text on standard output, notes on standard error, and the exit code."""

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table

from replibandit.catalog import spec_settings
from replibandit.report.words import count

FINE, NO, UNDECIDED, INVALID, DEFECT, INTERRUPTED, CLOSED = 0, 1, 2, 3, 70, 130, 141
_GAP = 2  # blanks between the columns of a table


class Leave(SystemExit):
    """Leave with a code that a command has chosen."""


def show(*parts: RenderableType) -> None:
    """Print tables and text as wide as the terminal is."""
    console = _console()
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    write("".join(f"{line.rstrip(' ')}\n" for line in captured.get().splitlines()))


def show_json(value: Any) -> None:
    """Print one JSON document; numbers that are not finite are null."""
    write(json.dumps(plain(value), indent=2, allow_nan=False) + "\n")


def write(text: str) -> None:
    """Write to standard output, as far as its encoding can; where nobody reads it any more, leave."""
    if sys.stdout is None:  # closed before the program began
        raise Leave(CLOSED)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except OSError as error:
        # what is still in the buffer goes nowhere, and Python says nothing about it at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise Leave(CLOSED) from None
        raise


def note(text: str) -> None:
    """Write a line to standard error."""
    typer.echo(text, err=True)


def described(spec: Any) -> str:
    """Return the name of a policy and its settings."""
    settings = spec_settings(spec)
    name = settings.pop("policy")
    return f"{name}: {', '.join(f'{setting} {_shown(value)}' for setting, value in settings.items())}"


def _shown(value: Any) -> str:
    return count(value) if isinstance(value, int) else str(value)


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Return a table of names and values."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table


def listing(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Group:
    """Return a table; one that is wider than the terminal goes on below, where its first column stands again."""
    columns = list(zip(headings, *rows, strict=True))
    first, *widths = [max(map(cell_len, column)) + _GAP for column in columns]
    parts: list[list[int]] = []
    for j, width in enumerate(widths):
        if not parts or first + sum(widths[i] for i in parts[-1]) + width > _console().width:
            parts.append([])
        parts[-1].append(j)
    return Group(*(_table([columns[0], *(columns[1 + j] for j in part)]) for part in parts))


def _table(columns: Sequence[Sequence[str]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    for heading, *_ in columns:
        table.add_column(heading, overflow="fold")
    for row in list(zip(*columns, strict=True))[1:]:
        table.add_row(*row)
    return table


def plain(value: Any) -> Any:
    """Return `value` in the types that JSON knows."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _console() -> Console:
    return Console(markup=False, emoji=False, highlight=False)
