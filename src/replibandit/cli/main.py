"""The commands under one name, and how the program leaves.

0      done; for `audit`: replicable
1      `audit`: not replicable; `check-machine`: other bits than the published ones
2      `audit`: undecided
3      an input is not what is needed, or a file cannot be read or written
70     a defect of the program
130    interrupted
141    nobody reads the output any more
"""

import traceback
from importlib.metadata import version as installed_version
from typing import Annotated, NoReturn

import typer

from replibandit.cli import audits, bounds, example, fits, machines, plans, reports, simulations
from replibandit.cli.terminal import DEFECT, INTERRUPTED, INVALID, Leave, note
from replibandit.errors import ReplibanditError

_USAGE = 2  # what typer leaves with after a wrong flag

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, or replicable; 1 not replicable; 2 undecided; 3 wrong input; 130 interrupted.",
)
fit = typer.Typer(no_args_is_help=True, help="Fit a replicable estimate to data.  Columns of a CSV or Parquet file.")

app.command(epilog=reports.DEMO_EXAMPLES)(reports.demo)
app.command(epilog=example.EXAMPLES)(example.example)
app.command(epilog=simulations.EXAMPLES)(simulations.simulate)
app.command(epilog=audits.EXAMPLES)(audits.audit)
app.command(epilog=bounds.EXAMPLES)(bounds.bounds)
app.command(epilog=plans.EXAMPLES)(plans.plan)
app.add_typer(fit, name="fit")
app.command(epilog=reports.REPORT_EXAMPLES)(reports.report)
app.command(epilog=machines.EXAMPLES)(machines.check_machine)
fit.command(epilog=fits.MEAN_EXAMPLES)(fits.mean)
fit.command(epilog=fits.RIDGE_EXAMPLES)(fits.ridge)
fit.command(epilog=fits.GLM_EXAMPLES)(fits.glm)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave; no error but a defect shows a traceback."""
    try:
        app(args=arguments, prog_name="replibandit")
    except Leave:
        raise
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            note("replibandit: interrupted")
        raise SystemExit(INVALID if stop.code == _USAGE else stop.code) from None
    except ReplibanditError as error:
        _fail(INVALID, str(error))
    except OSError as error:
        _fail(INVALID, f"{error.filename or 'the output'} cannot be read or written: {error.strerror}.")
    except MemoryError as error:
        needed = f" ({error})" if str(error) else ""
        _fail(INVALID, f"the memory is too small{needed}. Lower the horizon, or the number of runs.")
    except Exception as error:
        traceback.print_exc()
        _fail(DEFECT, f"this is a defect of replibandit ({type(error).__name__}); please report the lines above.")


def _fail(code: int, text: str) -> NoReturn:
    note(f"replibandit: {text}")
    raise SystemExit(code) from None


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
    """Replicable bandits and estimators: the same answer when the study is run again."""
