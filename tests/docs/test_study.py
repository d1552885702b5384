"""docs/study.md is what its tables say: nothing on it is typed, and nothing is missing from the tables."""

import importlib
from typing import Any

import pytest

from tests.docs.pages import ROOT

SCRIPTS = ("regret", "exponents", "worst", "mismatch", "samples", "price", "breaks", "logged")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what the scripts find, without playing or drawing anything."""
    table = importlib.import_module("studies.table")

    def nothing(*arguments: Any, **settings: Any) -> None:
        return None

    def refused(*arguments: Any) -> Any:
        raise AssertionError("a table lacks rows that its script wants; run `make study`")

    monkeypatch.setattr(table, "_write", nothing)
    monkeypatch.setattr(table, "played", refused)
    modules = {name: importlib.import_module(f"studies.{name}") for name in SCRIPTS}
    for module in modules.values():
        monkeypatch.setattr(module, "panels", nothing)
    return importlib.import_module("studies.__main__").found()


def test_the_page_is_what_its_tables_say(found: Any) -> None:
    page = importlib.import_module("studies.page")
    assert (ROOT / "docs" / "study.md").read_text(encoding="utf-8") == page.text(found), "run `make study`"


def test_no_system_breaks_its_promise(found: Any) -> None:
    assert [row for row in found.mismatch if row["low"] > row["rho"]] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_figure_is_there_and_shown(name: str) -> None:
    figure = f"study-{'noise' if name == 'breaks' else name}.svg"
    assert (ROOT / "docs" / "images" / figure).exists()
    assert figure in (ROOT / "docs" / "study.md").read_text(encoding="utf-8")


def rows_to_replay() -> list[Any]:
    """Return a row of each system."""
    read = importlib.import_module("studies.table").read
    rows = {row["system"]: row for row in read("exponents")} | {row["system"]: row for row in read("logged")}
    return [pytest.param(row, id=name) for name, row in rows.items()]


@pytest.mark.parametrize("row", rows_to_replay())
def test_a_row_is_played_again_with_the_same_result(row: Any) -> None:
    """A policy that has changed since makes the tables old."""
    script = importlib.import_module("studies.play" if "instance" in row else "studies.logged")
    again = script.play(row)
    old = {name: row[name] for name in again}
    assert {name: float(f"{value:.6g}") for name, value in again.items()} == old, "run `python -m studies --fresh`"
