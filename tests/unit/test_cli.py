"""The command line: what it prints, what it writes, and with which exit code it leaves."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from replibandit import cli, demo
from replibandit.catalog import POLICIES
from replibandit.errors import InvalidInput

COMMANDS = ("demo", "example", "simulate", "audit", "bounds", "report", "check-machine")
FITS = ("mean", "ridge", "glm")
ARMS = ("--means", "0.5,0.4")
REP_UCB = ("--policy", "RepUCB", "--horizon", "1e6", "--rho", "0.1", *ARMS)
UCB1 = ("--policy", "UCB1", "--horizon", "200", "--rho", "0.1", *ARMS)
FIT = ("--data", "lab.csv", "--target", "y", "--rho", "0.1", "--delta", "0.01", "--seed", "lab-7")


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """With which code a command left, and what it wrote."""

    code: int | str | None
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the one document on standard output."""
        return json.loads(self.out)


Run = Callable[..., Left]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def leave(*arguments: str) -> Left:
        with pytest.raises(SystemExit) as stop:
            cli.main(list(arguments))
        written = capsys.readouterr()
        return Left(code=stop.value.code, out=written.out, err=written.err)

    return leave


def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a user does."""
    command = [sys.executable, "-m", "replibandit", *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, check=False, text=True)


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """Return a CSV file with a response and two features."""
    rows = [f"{i % 5 / 4},{i % 3 / 2},{i % 2}" for i in range(300)]
    path = tmp_path / "lab.csv"
    path.write_text("\n".join(["y,a,b", *rows, ""]))
    return path


def test_help_lists_the_commands(run: Run) -> None:
    found = run("--help")
    assert found.code == 0
    assert [name for name in (*COMMANDS, "fit") if f"\n  {name} " not in found.out] == []


@pytest.mark.parametrize("command", [*((name,) for name in COMMANDS), *(("fit", name) for name in FITS)])
def test_every_command_has_help_with_an_example(command: tuple[str, ...]) -> None:
    found = CliRunner().invoke(cli.app, [*command, "--help"], prog_name="replibandit")
    assert found.exit_code == 0
    assert f"Usage: replibandit {' '.join(command)}" in found.output
    assert f"    replibandit {' '.join(command)}" in found.output.partition("Examples:\n")[2]


def test_version(run: Run) -> None:
    found = run("--version")
    assert (found.code, found.out) == (0, f"replibandit {version('replibandit')}\n")


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--pairs", "0"], ["demo", "--nonsense"], ["fit", "x"]])
def test_a_wrong_flag_leaves_with_3(arguments: list[str], run: Run) -> None:
    found = run(*arguments)
    assert (found.code, found.out) == (3, "")
    assert "Usage:" in found.err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InvalidInput("rho is 2."), 3, "replibandit: rho is 2.\n"),
        (KeyboardInterrupt(), 130, "replibandit: interrupted\n"),
        (
            FileNotFoundError(2, "No such file", "x.csv"),
            3,
            "replibandit: x.csv cannot be read or written: No such file.\n",
        ),
        (MemoryError("8 TiB"), 3, "replibandit: the memory is too small (8 TiB). Lower the horizon, or the number of "),
    ],
)
def test_an_error_is_one_line(
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(demo, "run", fail)
    found = run("demo")
    assert (found.code, found.out) == (code, "")
    assert found.err.strip("\n").startswith(line.strip("\n"))


def test_a_defect_shows_where_it_is(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(demo, "run", lambda **_: [][1])
    found = run("demo")
    assert found.code == 70
    assert "Traceback" in found.err
    assert "this is a defect of replibandit (IndexError)" in found.err


def test_the_example_runs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trial.toml").write_text(run("example").out)
    assert run("simulate", "trial.toml").code == 0
    assert run("bounds", "trial.toml").code == 0
    assert run("audit", "trial.toml", "--horizon", "1e4", "--pairs", "2").code == 2


def test_simulate_prints_runs_that_agree(run: Run) -> None:
    found = run("simulate", *REP_UCB, "--runs", "2")
    assert found.code == 0
    assert "All 2 runs chose the same action in every round." in found.out


@pytest.mark.parametrize("name", ["decisions.csv", "decisions.jsonl"])
def test_simulate_writes_every_decision(name: str, run: Run, tmp_path: Path) -> None:
    found = run("simulate", *REP_UCB, "--runs", "2", "--output", name, "--json")
    lines = (tmp_path / name).read_text().splitlines()
    assert len(lines) - name.endswith(".csv") == sum(each["decisions"] for each in found.json["runs"])
    assert found.err == f"written: {name}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "verdict"),
    [
        ((*REP_UCB, "--pairs", "60"), 0, "replicable"),
        ((*UCB1, "--pairs", "20"), 1, "not replicable"),
        ((*REP_UCB, "--pairs", "5"), 2, "undecided"),
    ],
)
def test_audit_leaves_with_its_verdict(arguments: list[str], code: int, verdict: str, run: Run) -> None:
    found = run("audit", *arguments, "--json")
    assert (found.code, found.json["verdict"]) == (code, verdict)


def test_bounds_says_when_the_bound_says_something(run: Run) -> None:
    found = run("bounds", *REP_UCB, "--json")
    assert found.code == 0
    assert found.json["informative"] is (found.json["informative_horizon"] <= 10**6)


def test_bounds_takes_a_dimension_in_place_of_an_environment(run: Run) -> None:
    settings = ("--horizon", "1e9", "--rho", "0.1", "--delta", "0.01", "--noise", "0.5")
    found = run("bounds", "--policy", "RepLinUCB", *settings, "--dim", "5")
    assert found.code == 0
    assert "at most" in found.out


@pytest.mark.parametrize(
    "arguments",
    [("mean", *FIT), ("ridge", *FIT, "--noise", "1"), ("glm", *FIT, "--noise", "0.5", "--link", "logistic")],
    ids=FITS,
)
def test_fit_prints_an_estimate_for_each_column(arguments: tuple[str, ...], run: Run, lab: Path) -> None:
    found = run("fit", *arguments, "--json")
    assert found.code == 0
    assert list(found.json["theta"]) == (["y"] if arguments[0] == "mean" else ["a", "b"])
    assert found.json["fingerprint"] in run("fit", *arguments).out


def test_check_machine(run: Run) -> None:
    found = run("check-machine", "--json")
    assert found.json["reproduces"] is True
    assert found.code == 0


def test_report_makes_a_page_of_audits(run: Run, tmp_path: Path) -> None:
    run("audit", *UCB1, "--pairs", "10", "--output", "ours.json")
    found = run("report", "ours.json", "--json")
    assert found.code == 0
    assert found.json["audits"]["ours"]["verdict"] == "not replicable"
    assert "<!DOCTYPE html>" in (tmp_path / "report.html").read_text()


def test_demo_prints_a_table_and_writes_a_page(run: Run, tmp_path: Path) -> None:
    found = run("demo", "--pairs", "2")
    assert found.code == 0
    audited = {type(spec).__name__ for each in demo.instances() for spec in (each.spec, each.reference)}
    assert {name for name in POLICIES if name in found.out} == audited
    assert len(audited) == 6
    assert "</html>" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("environment", [{"COLUMNS": "300"}, {"COLUMNS": "12", "PYTHONIOENCODING": "ascii"}])
def test_the_program_runs_in_any_terminal(environment: dict[str, str]) -> None:
    done = program("simulate", *REP_UCB, "--runs", "2", **environment)
    assert done.returncode == 0, done.stderr
    assert "All 2 runs chose the same action" in " ".join(done.stdout.split())
