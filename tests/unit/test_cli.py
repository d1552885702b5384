"""The command line: what it prints, and with which exit code it leaves."""

import os
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest
from rich.console import Console

from replibandit import cli, demo
from replibandit.errors import InvalidInput

ROWS = 2_000


@pytest.fixture(scope="module")
def result() -> demo.Demo:
    return demo.run(rows=ROWS, seed="test")


def leave(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as stop:
        cli.main(list(arguments))
    return stop.value.code


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave("--help") == 0
    assert "demo" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave("--version") == 0
    assert capsys.readouterr().out == f"replibandit {version('replibandit')}\n"


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--rows", "0"], ["demo", "--nonsense"]])
def test_a_usage_error_leaves_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert leave(*arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InvalidInput("rho is 2."), 2, "replibandit: rho is 2.\n"),
        (KeyboardInterrupt(), 130, "replibandit: interrupted\n"),
    ],
)
def test_an_error_is_one_line(
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(demo, "run", fail)
    assert leave("demo") == code
    assert capsys.readouterr().err == line


@pytest.mark.parametrize("environment", [{"COLUMNS": "300"}, {"COLUMNS": "12", "PYTHONIOENCODING": "ascii"}])
def test_demo_runs_in_any_terminal(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "replibandit", "demo", "--rows", str(ROWS)]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert "rho = 0.1" in " ".join(done.stdout.split())


def test_demo_compares_two_data_sets(result: demo.Demo) -> None:
    assert (result.first.raw != result.second.raw).all()
    assert result.first_reversed.fingerprint == result.first.fingerprint
    assert result.first.raw.tobytes() == result.first_reversed.raw.tobytes()
    assert abs(result.naive - result.first.raw).max() < 1e-8


def test_demo_says_whether_the_estimates_are_equal(result: demo.Demo) -> None:
    alike = replace(result, second=result.first)
    apart = replace(result, second=replace(result.first, fingerprint="another"))
    assert "are equal to the last bit" in demo.sentences(alike)[0]
    assert "estimates differ" in demo.sentences(apart)[0]


def test_demo_says_whether_the_row_order_shows(result: demo.Demo) -> None:
    other = replace(result, first_reversed=replace(result.first, fingerprint="another"), naive_reversed=result.naive)
    assert "the same fingerprint" in demo.sentences(result)[2]
    assert "another fingerprint; numpy.linalg.solve changes 0 of 3" in demo.sentences(other)[2]


def test_demo_states_the_price(result: demo.Demo) -> None:
    exact = replace(result.first, theta=result.first.raw)
    moved = replace(exact, theta=exact.raw + np.array([0.0, -0.25, 0.0]))
    assert "by up to 0.25." in demo.sentences(replace(result, first=exact, second=moved))[1]


def test_the_table_marks_what_is_equal(result: demo.Demo, capsys: pytest.CaptureFixture[str]) -> None:
    apart = replace(result.first, theta=np.nextafter(result.first.theta, np.inf))
    Console(width=100).print(cli.demo_table(replace(result, second=apart)))
    marks = [
        line.split()[-1] for line in capsys.readouterr().out.splitlines() if line.rstrip().endswith(("equal", "t"))
    ]
    assert marks == ["equal", "different", "equal"]
