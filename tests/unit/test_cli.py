"""The command line: what it prints, what it writes, and with which exit code it leaves."""

import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from replibandit import cli, demo
from replibandit.calibration import CALIBRATIONS
from replibandit.catalog import POLICIES
from replibandit.cli import reports
from replibandit.errors import InvalidInput
from replibandit.experiment import ENVIRONMENTS
from replibandit.machine import check_machine
from replibandit.policies import ucb1
from replibandit.report import pictures

COMMANDS = ("demo", "example", "simulate", "audit", "bounds", "plan", "report", "check-machine")
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


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in bash, with `replibandit` on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    line = ["bash", "-c", command]
    return subprocess.run(
        line, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, check=False, text=True
    )


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


def test_every_option_says_what_it_is() -> None:
    silent: list[tuple[str, str]] = []
    todo = [("replibandit", get_command(cli.app))]
    for name, command in todo:
        silent += [(name, param.name or "") for param in command.params if not getattr(param, "help", None)]
        todo += getattr(command, "commands", {}).items()
    assert {name for name, _ in todo} == {"replibandit", "fit", *COMMANDS, *FITS}
    assert silent == []


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


def test_simulate_says_when_runs_part(run: Run) -> None:
    found = run("simulate", *UCB1, "--runs", "3")
    assert "of 2 further runs chose another action than run 1 in some round." in found.out
    assert "One run. With --runs 2 another one has the same seed" in run("simulate", *UCB1).out


def test_simulate_lists_the_arms_played_most(run: Run) -> None:
    found = run("simulate", *REP_UCB, "--means", ",".join(["0.5"] * 12))
    assert "These are the 10 arms that were played most, of 12." in found.out


def test_simulate_knows_balls_and_sets_that_change(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "sets.npy", np.random.default_rng(0).uniform(-0.5, 0.5, size=(500, 4, 3)))
    (tmp_path / "trial.toml").write_text(run("example").out)
    ball = run("simulate", "trial.toml", "--set", "environment.actions={ball = 1.0, dim = 3}")
    assert ball.code == 0
    assert "share of the rounds" not in ball.out
    sets = ("--set", "environment.actions=sets.npy", "--horizon", "500")
    assert len(run("simulate", "trial.toml", *sets, "--json").json["runs"][0]["shares"]) == 4
    found = run("simulate", "trial.toml", *sets, "--horizon", "501")
    assert (found.code, found.out) == (3, "")
    assert "sets has 500 rounds; round 501 was asked for. Lower the horizon." in found.err


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


def test_audit_measures_the_price_of_a_reference(run: Run) -> None:
    found = run("audit", *REP_UCB, "--horizon", "1e3", "--reference", "UCB1", "--pairs", "10")
    assert "times the regret of UCB1: horizon 1,000, noise 0.5" in " ".join(found.out.split())
    assert (
        "RepUCB needs rho; write that in the file, or --set audit.reference.rho=VALUE."
        in run("audit", *UCB1, "--reference", "RepUCB").err
    )
    assert "Not replicable: two runs with one seed differ with probability" in run("audit", *UCB1, "--pairs", "9").out
    assert "Take more pairs, 36 at least." in run("audit", *REP_UCB, "--pairs", "5").out


def test_one_pair_has_no_standard_error(run: Run) -> None:
    found = run("audit", *REP_UCB, "--horizon", "1e3", "--reference", "UCB1", "--pairs", "1", "--output", "one.json")
    assert found.code == 2
    assert "differ at most (+- ?)" in found.out
    assert run("report", "one.json").code == 0


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
    assert run("check-machine", "--json").json["reproduces"] is True
    found = run("check-machine")
    assert found.code == 0
    assert "This machine computes the published bits" in found.out


def test_a_machine_with_other_bits_leaves_with_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    here = check_machine()
    other = replace(here, computed=(("RepRidge", "another"), *here.computed[1:]))
    monkeypatch.setattr("replibandit.cli.machines.checked", lambda: other)
    found = run("check-machine")
    assert found.code == 1
    assert "This machine computes other bits than the published ones" in found.out
    assert run("check-machine", "--json").json["reproduces"] is False


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


JSON = [
    ("demo", "--pairs", "1"),
    ("example",),
    ("simulate", *REP_UCB),
    ("audit", *UCB1, "--pairs", "2"),
    ("bounds", *REP_UCB),
    ("plan", "--arms", "2", "--gap", "0.4", "--horizon", "1e3", "--rho", "0.4", "--pairs", "1"),
    ("report", "audit.json"),
    ("check-machine",),
    ("fit", "mean", *FIT),
    ("fit", "ridge", *FIT, "--noise", "1"),
    ("fit", "glm", *FIT, "--noise", "0.5", "--link", "logistic"),
]


@pytest.mark.parametrize("arguments", JSON, ids=lambda arguments: " ".join(arguments[:2]))
def test_json_is_all_that_stands_on_standard_output(arguments: tuple[str, ...], run: Run, lab: Path) -> None:
    run("audit", *UCB1, "--pairs", "2", "--output", "audit.json")
    found = run(*arguments, "--json")
    assert found.code in (0, 1, 2)
    assert isinstance(found.json, dict)
    assert "NaN" not in found.out
    assert "Infinity" not in found.out


def test_every_command_has_a_test_of_its_json() -> None:
    tried = {name for name, *_ in JSON}
    assert tried == {*COMMANDS, "fit"}


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("x.txt", "its name must end in .json"),
        ("no/x.json", "there is no folder no. Make it first"),
        ("folder.json", "which is a folder. Name another file."),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_the_work(
    output: str, words: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.json").mkdir()
    monkeypatch.setattr("replibandit.cli.audits.measure", lambda *_, **__: pytest.fail("it began to work"))
    found = run("audit", *REP_UCB, "--output", output)
    assert (found.code, found.out) == (3, "")
    assert words in found.err


@pytest.mark.parametrize("name", ["here.json", "new.json"])
def test_what_may_not_be_changed_is_not(name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here.json").write_text("old")
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    found = run("audit", *UCB1, "--output", name)
    assert (found.code, found.out) == (3, "")
    assert "may not be changed. Name " in found.err
    assert (tmp_path / "here.json").read_text() == "old"


def test_a_second_run_takes_the_place_of_the_first(run: Run, tmp_path: Path) -> None:
    for horizon in ("100", "200", "100"):
        assert run("simulate", *UCB1, "--horizon", horizon, "--output", "runs.csv").code == 0
        assert len((tmp_path / "runs.csv").read_text().splitlines()) == int(horizon) + 1
    assert [path.name for path in tmp_path.iterdir()] == ["runs.csv"]


def test_a_failure_to_write_leaves_the_old_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.json").write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    found = run("audit", *UCB1, "--pairs", "2", "--output", "x.json")
    assert (found.code, found.out) == (3, "")
    assert found.err == "replibandit: x.json cannot be written: No space left on device. Name another file.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert (tmp_path / "x.json").read_text() == "old"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("simulate", "none.toml"), "none.toml cannot be read: No such file or directory."),
        (("simulate", "."), ". cannot be read: Is a directory."),
        (("simulate",), "there is no policy; name one by --policy"),
        (("simulate", *REP_UCB, "--policy", "UCB9"), "the name of the policy is 'UCB9'; choose one of RepUCB"),
        (("simulate", *REP_UCB, "--rho", "nan"), "rho is nan; it must lie strictly between 0 and 1."),
        (("simulate", *REP_UCB, "--rho", "x"), "Invalid value for '--rho': 'x' is not a number."),
        (("simulate", *REP_UCB, "--horizon", "1.5"), "horizon is 1.5; it must be a whole number"),
        (("simulate", *REP_UCB, "--means", "0.5,x"), "--means is '0.5,x'; write numbers with commas between them"),
        (("simulate", *REP_UCB, "--set", "penalty"), "--set has 'penalty'; write NAME=VALUE"),
        (("simulate", *REP_UCB, "--set", "colour=red"), "RepUCB has no setting colour; its settings are horizon, rho"),
        (("audit", *REP_UCB, "--pairs", "0"), "'--pairs': '0' is not a whole number, 1 or above."),
        (("audit", *REP_UCB, "--pairs", "1.5"), "'--pairs': '1.5' is not a whole number, 1 or above."),
        (("audit", *REP_UCB, "--set", "audit.pairs=0"), "pairs is 0; it must be a whole number, 1 or above."),
        (("simulate", *REP_UCB, "--runs", "x"), "'--runs': 'x' is not a number."),
        (("audit", *REP_UCB, "--jobs", "0"), "'--jobs': '0' is not a number of processes; write 1 or more"),
        (("audit", "--policy", "UCB1", "--horizon", "9", *ARMS), "UCB1 promises no rho; say which one"),
        (("bounds", "--policy", "Thompson", "--horizon", "9", *ARMS), "no finite-time bound is stated for Thompson"),
        (("report", "none.json"), "replibandit: none.json cannot be read: No such file or directory."),
        (("report", "lab.csv"), "lab.csv: the text is not an audit"),
        (("report", "lab.csv", "lab.csv"), "a file is named twice: lab.csv, lab.csv."),
        (("fit", "mean", *FIT, "--target", "z"), "lab.csv has no column 'z'; its columns are 'y', 'a', 'b'"),
        (("fit", "mean", *FIT, "--data", "none.csv"), "none.csv is not there"),
        (("fit", "ridge", *FIT, "--noise", "1", "--features", "y"), "the target is none of them"),
        (("fit", "glm", *FIT, "--noise", "1", "--link", "loggit"), "link is 'loggit'; choose one of 'identity'"),
        (("fit", "ridge", *FIT), "Missing option '--noise'"),
    ],
    ids=lambda value: " ".join(value[:1]) if isinstance(value, tuple) else "",
)
def test_wrong_input_is_answered_in_words(arguments: tuple[str, ...], words: str, run: Run, lab: Path) -> None:
    found = run(*arguments)
    assert (found.code, found.out) == (3, "")
    assert words in found.err
    assert "Traceback" not in found.err
    assert list(lab.parent.iterdir()) == [lab]


def test_settings_are_written_as_in_toml_or_plainly(run: Run) -> None:
    settings = (
        "--set",
        "noise=.25",
        "--set",
        "audit.level=0.9",
        "--set",
        "audit.seed=7",
        "--set",
        'policy.name="UCB1"',
    )
    found = run("audit", *UCB1, *settings, "--pairs", "4", "--json")
    assert json.loads(found.json["spec"]) == {"policy": "UCB1", "horizon": 200, "noise": 0.25}
    assert (found.json["tally"]["level"], found.json["seed"]) == (0.9, "Key(7)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient(ucb1.UCB1):
    """A policy that the command line has never heard of."""

    patience: int


def test_a_new_policy_of_the_catalog_needs_no_change_here(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES, "Patient", Patient)
    patient = ("--policy", "Patient", "--horizon", "200", *ARMS)
    assert "Patient needs patience; write that in the file, or --set patience=VALUE." in run("simulate", *patient).err
    found = run("simulate", *patient, "--set", "patience=3e0", "--json")
    assert found.json["spec"] == {"policy": "Patient", "horizon": 200, "noise": 0.5, "patience": 3}
    assert run("audit", *patient, "--set", "patience=3", "--rho", "0.1", "--pairs", "9").code == 1
    reference = ("--reference", "Patient", "--set", "audit.reference.patience=3", "--horizon", "100", "--pairs", "2")
    assert "times the regret of Patient: " in run("audit", *REP_UCB, *reference).out
    assert "Patient" in run("simulate", *patient, "--policy", "Pat").err


def test_a_seed_that_is_a_number_is_one(run: Run) -> None:
    seeds = [run("simulate", *REP_UCB, "--seed", seed, "--json").json["seed"] for seed in ("7", "07", "-7", "lab-7")]
    assert seeds == [7, "07", -7, "lab-7"]


def test_whole_numbers_may_be_written_with_an_exponent_and_are_exact(run: Run) -> None:
    found = run("simulate", *UCB1, "--runs", "2e0", "--rewards", str(2**60 + 1), "--json")
    assert (len(found.json["runs"]), found.json["rewards"]) == (2, 2**60 + 1)
    assert run("audit", *UCB1, "--pairs", "1e1", "--jobs", "2", "--json").json["tally"]["rho"] == 0.1


def test_the_example_names_what_there_is(run: Run) -> None:
    text = run("example").out
    assert [name for name in (*POLICIES, *ENVIRONMENTS, *CALIBRATIONS) if name not in text] == []
    assert run("example", "--json").json == tomllib.loads(text)


def test_a_long_horizon_of_a_policy_that_decides_in_every_round_is_announced(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("replibandit.cli.simulations.simulate_many", stop)
    assert "UCB1 decides in every round, and there are 10^9" in run("simulate", *UCB1, "--horizon", "1e9").err
    assert run("simulate", *REP_UCB, "--horizon", "1e9").err == "replibandit: interrupted\n"


def test_a_page_without_matplotlib_says_so(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without = "pip install 'replibandit[plot]'"
    run("audit", *UCB1, "--pairs", "2", "--output", "audit.json")
    assert without not in run("report", "audit.json").err
    for module in (reports, pictures):
        monkeypatch.setattr(module, "find_spec", lambda _: None)
    found = run("report", "audit.json")
    assert found.code == 0
    assert without in found.err
    assert "matplotlib is not installed" in (tmp_path / "report.html").read_text()


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "replibandit", "audit", *UCB1, "--horizon", "1e9", "--output", "audit.json"]

    def heed() -> None:
        """Undo what a shell does to what it runs in the background: there, Ctrl-C is ignored."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1, text=True, preexec_fn=heed) as process:
        assert process.stderr is not None
        assert "decides in every round" in process.stderr.readline()  # the last thing before the work
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "replibandit: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["--help", "example", f"simulate {' '.join(REP_UCB)} --runs 300 --json"])
def test_a_reader_may_leave(command: str, tmp_path: Path) -> None:
    done = shell(f"replibandit {command} | head -1; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert done.returncode in (0, 141)
    assert (len(done.stdout.splitlines()), done.stderr) == (1, "")


NO_SPACE = "replibandit: the output cannot be read or written: No space left on device.\n"
FULL = [("example >/dev/full", 3, NO_SPACE)] if Path("/dev/full").exists() else []


@pytest.mark.parametrize(
    ("command", "code", "err"),
    [
        *FULL,
        ("example >&-", 141, ""),
        (f"simulate {' '.join(REP_UCB)} >/dev/null 2>&-", 0, ""),
        (f"audit {' '.join(UCB1)} --pairs 2 >/dev/null 2>&-", 1, ""),
        (f"simulate {' '.join(REP_UCB)} --rho 2 2>&-", 3, ""),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_streams_that_are_full_or_closed(command: str, code: int, err: str, unbuffered: str, tmp_path: Path) -> None:
    done = shell(f"PYTHONUNBUFFERED={unbuffered} replibandit {command}", tmp_path)
    assert (done.returncode, done.stderr) == (code, err)


def test_output_has_no_colours_where_nobody_looks() -> None:
    assert "\x1b" not in program("simulate", *REP_UCB, "--runs", "2").stdout


def test_a_terminal_shows_how_far_the_work_is() -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "replibandit", "audit", *UCB1, "--pairs", "2", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, check=False)
    os.close(theirs)
    assert b"auditing UCB1" in os.read(ours, 100_000)
    os.close(ours)
    assert json.loads(done.stdout)["verdict"] == "not replicable"


def test_tables_go_on_below_in_a_narrow_terminal() -> None:
    done = program("simulate", *REP_UCB, "--runs", "2", COLUMNS="40")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 40
    assert len([line for line in done.stdout.splitlines() if line.startswith(" run ")]) > 1


def test_completion_is_installed_for_the_shell(tmp_path: Path) -> None:
    done = shell('HOME="$PWD" replibandit --install-completion && source .bash_completions/replibandit.sh', tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "bash completion installed" in done.stdout
    assert ".bash_completions/replibandit.sh" in (tmp_path / ".bashrc").read_text()
    shown = shell("replibandit --show-completion && true", tmp_path)
    assert "complete -o default -F _replibandit_completion replibandit" in shown.stdout


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("",), [*COMMANDS, "fit"]),
        (("audit", "--policy", "Rep"), [name for name in POLICIES if name.startswith("Rep")]),
        (("fit", "glm", "--link", "lo"), ["logistic", "log"]),
        (("fit", ""), list(FITS)),
    ],
    ids=str,
)
def test_the_shell_completes(words: tuple[str, ...], offered: list[str]) -> None:
    line = " ".join(("replibandit", *words))
    asked = {"_REPLIBANDIT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    found = CliRunner().invoke(cli.app, [], prog_name="replibandit", env=asked)
    assert sorted(found.output.split()) == sorted(offered)
