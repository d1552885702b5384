"""The page about the command line is what the tool prints, in any terminal, and leads to the functions in Python."""

import re
from pathlib import Path

import pytest

from tools.cli_reference import TWINS, commands, page

ROOT = Path(__file__).parents[2]
REMEDY = "run `python tools/cli_reference.py > docs/cli.md`"


@pytest.mark.parametrize("columns", ["40", "200"])
def test_the_page_is_what_the_tool_prints(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == page(), REMEDY


def test_every_command_is_there_and_no_other() -> None:
    assert sorted(" ".join(path) for path in commands() if path) == sorted(TWINS)


@pytest.mark.parametrize("name", sorted({name for names in TWINS.values() for name in names}))
def test_a_twin_has_an_entry_in_the_reference(name: str) -> None:
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert re.search(rf"^### `{name}`$", reference, re.MULTILINE)
