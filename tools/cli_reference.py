"""Print docs/cli.md: what every command says about itself, the functions behind it, and the exit codes.

python tools/cli_reference.py > docs/cli.md

The text comes from the program: a test compares the page with what this prints.  It is the same in any terminal.
"""

from collections.abc import Iterator
from importlib import import_module

from typer.testing import CliRunner

from replibandit.cli import app

WIDTH = 80
FITS = {"fit mean": ("rep_mean",), "fit ridge": ("rep_ridge",), "fit glm": ("rep_glm",)}
TWINS = {  # the names in docs/reference.md; a command that is missing here is an error
    "demo": ("audit", "bounds", "report"),
    "example": (),
    "simulate": ("simulate", "simulate_many"),
    "audit": ("audit",),
    "bounds": ("bounds", "informative_horizon"),
    "plan": ("plan", "smallest_rho", "horizon_needed"),
    "fit": tuple(name for names in FITS.values() for name in names),
    **FITS,
    "report": ("report",),
    "check-machine": ("check_machine",),
}
HEAD = """\
# The command line

This page is printed by `tools/cli_reference.py` from what the program says about itself. The same words name the
options here and the arguments in Python; [Reference](reference.md) says what they mean.

What was asked for goes to standard output, and everything else, such as the name of a file that was written and a bar
that shows how far the work is, to standard error. With `--json` standard output is one JSON document. Files are written
whole or not at all, also when Ctrl-C comes in between. A table that is wider than the terminal goes on below.
`NO_COLOR` and pipes are respected.
"""


def commands(path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every command and group below `path`, in the order in which the help lists them."""
    yield path
    for line in help_text(path).partition("\nCommands:\n")[2].partition("\n\n")[0].splitlines():
        if line[2] != " ":  # else it continues the line above
            yield from commands((*path, line.split()[0]))


def help_text(path: tuple[str, ...]) -> str:
    """Return what a command says about itself, as wide in any terminal."""
    found = CliRunner().invoke(app, [*path, "--help"], prog_name="replibandit", terminal_width=WIDTH)
    if found.exit_code != 0:
        raise SystemExit(f"replibandit {' '.join(path)} --help left with {found.exit_code}:\n{found.output}")
    return found.output


def section(path: tuple[str, ...]) -> str:
    """Return the section of one command."""
    name = " ".join(path)
    names = [f"[`{twin}`](reference.md#{twin})" for twin in TWINS[name]] if path else []
    twins = f"In Python: {', '.join(names)}.\n\n" if names else ""
    return f"## `replibandit{' ' + name if name else ''}`\n\n{twins}```text\n{help_text(path).rstrip()}\n```\n"


def exit_codes() -> str:
    """Return the table of exit codes, which stands in the docstring of the program."""
    says = import_module("replibandit.cli.main").__doc__ or ""
    rows = [line.split(maxsplit=1) for line in says.strip().split("\n\n")[1].splitlines()]
    table = "\n".join(f"| {code} | {meaning} |" for code, meaning in rows)
    return f"## Exit codes\n\n| code | meaning |\n|---|---|\n{table}\n"


def page() -> str:
    """Return the page."""
    return "\n".join([HEAD, *map(section, commands()), exit_codes()])


if __name__ == "__main__":
    print(page(), end="")
