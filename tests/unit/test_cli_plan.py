"""`replibandit plan`: a table, a spec to register, answers and a paragraph; or one JSON document."""

import json
from pathlib import Path

import pytest

import replibandit as rb
from replibandit import cli

QUICK = ("plan", "--arms", "2", "--gap", "0.3", "--horizon", "2e3", "--rho", "0.3", "--pairs", "6")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as stop:
        cli.main(list(arguments))
    written = capsys.readouterr()
    return stop.value.code, written.out, written.err


def test_a_table_a_spec_and_a_paragraph(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    code, out, _ = run(capsys, *QUICK, "--rows", "3")
    assert code == 0
    best = rb.plan(arms=2, gap=0.3, horizon=2000, rho=0.3, pairs=6).best
    for part in ("regret", "ends on best", best.digest, rb.to_json(best.spec), "this rho needs", "Allocation follows"):
        assert part in out
    for policy in ("RepUCB", "RepCommit", "RepEliminate"):  # the best of every policy, beyond the rows asked for
        assert policy in out


def test_json_and_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "plan.json"
    code, out, err = run(capsys, *QUICK, "--json", "--output", str(target))
    assert code == 0
    assert "written" in err
    assert json.loads(out) == json.loads(target.read_text())
    assert json.loads(out)["question"]["rho"] == 0.3


def test_vectors_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "actions.csv"
    table.write_text("1,0\n0.6,0.8\n0,1\n")
    known = ("--actions", str(table), "--gap", "0.3", "--horizon", "1000", "--rho", "0.3", "--pairs", "6", "--json")
    code, out, _ = run(capsys, "plan", *known)
    assert code == 0
    assert json.loads(out)["question"]["vectors"] == [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (("--horizon", "2.5"), "--horizon is 2.5; it must be a whole number"),
        (("--means", "0.5"), "write the lower and the upper end"),
        (("--means", "x"), "write numbers with commas"),
        (("--rewards", "poisson"), "rewards is 'poisson'"),
        (("--output", "plan.txt"), "its name must end in .json"),
        (("--actions", "no.csv"), "no.csv"),
        (("--gap", "2"), "no two can differ so much"),
    ],
)
def test_wrong_input_leaves_with_3(flags: tuple[str, str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *QUICK, *flags)
    assert (code, out) == (3, "")
    assert text in err
