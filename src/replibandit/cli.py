"""The command line.  The only module that knows typer and rich."""

from importlib.metadata import version as installed_version
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from replibandit import demo as demonstration
from replibandit.arrays import FloatArray
from replibandit.errors import ReplibanditError

INVALID, INTERRUPTED = 2, 130

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; leave with 0, with 2 for an invalid input, or with 130 after Ctrl-C."""
    try:
        app(args=arguments, prog_name="replibandit")
    except ReplibanditError as error:
        typer.echo(f"replibandit: {error}", err=True)
        raise SystemExit(INVALID) from None
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            typer.echo("replibandit: interrupted", err=True)
        raise


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        typer.echo(f"replibandit {installed_version('replibandit')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Replicable estimation: the same answer when the study is run again."""


@app.command()
def demo(
    seed: Annotated[str, typer.Option(help="The seed that both laboratories share.")] = "demo",
    rows: Annotated[int, typer.Option(min=1, help="The number of observations in each laboratory.")] = 1_000_000,
) -> None:
    """Fit two independent data sets with one shared seed and compare the estimates."""
    result = demonstration.run(rows=rows, seed=seed)
    console = Console(highlight=False)
    console.print(demo_table(result))
    for sentence in demonstration.sentences(result):
        console.print(sentence)


def demo_table(result: demonstration.Demo) -> Table:
    """Set the estimates of the two laboratories side by side."""
    truth = ", ".join(f"{value:g}" for value in demonstration.TRUTH)
    title = f"{result.rows:,} observations in each laboratory; the truth is ({truth})"
    table = Table(title=title, title_style="", box=SIMPLE_HEAD)
    for heading in ("", "laboratory A", "laboratory B", ""):
        table.add_column(heading, overflow="fold")
    a, b = result.first, result.second
    rows = [
        ("unrounded estimate", column(a.raw), column(b.raw), a.raw.tobytes() == b.raw.tobytes()),
        ("replicable estimate", column(a.theta), column(b.theta), a.theta.tobytes() == b.theta.tobytes()),
        ("fingerprint", a.fingerprint[:16], b.fingerprint[:16], a.fingerprint == b.fingerprint),
    ]
    for name, left, right, equal in rows:
        table.add_row(name, left, right, "equal" if equal else "different")
    return table


def column(values: FloatArray) -> str:
    """Write a vector, one number a line."""
    return "\n".join(f"{value:+.12f}" for value in values)
