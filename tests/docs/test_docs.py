"""The documentation is a test: snippets run, public names are described, paths and links exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import replibandit

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
PAPER_MAP = ROOT / "docs" / "paper.md"


def snippets() -> Iterator[tuple[Path, int, str]]:
    """Yield page, line and code of every python block."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            yield page, text[: block.start(1)].count("\n"), block[1]


SNIPPETS = [pytest.param(*each, id=f"{each[0].name}:{each[1] + 1}") for each in snippets()]


@pytest.mark.parametrize(("page", "line", "code"), SNIPPETS)
def test_snippet_runs(page: Path, line: int, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = compile("\n" * line + code, str(page), "exec")
    exec(program, {"__name__": "__main__"})


def test_the_readme_has_a_snippet() -> None:
    assert any(page.name == "README.md" for page, _, _ in snippets())


@pytest.mark.parametrize("name", replibandit.__all__)
def test_public_name_is_in_the_reference(name: str) -> None:
    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("docs/reference.md", "README.md"))
    assert re.search(rf"`[^`\n]*\b{re.escape(name)}\b[^`\n]*`", text), f"{name} is in __all__ but not in the reference"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", prose)
    assert [link for link in links if not (page.parent / link).exists()] == []


def targets(text: str) -> list[str]:
    """Collect what stands in backticks in the `file` and `test` columns of every table."""
    found: list[str] = []
    titles: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)] if line.startswith("|") else []
        titles = titles if titles and cells else [cell.lower() for cell in cells]
        wanted = [cell for title, cell in zip(titles, cells, strict=False) if title in {"file", "test"}]
        found += re.findall(r"`([^`]+)`", " ".join(wanted))
    return found


def defined_names(code: str) -> set[str]:
    """Collect the names that a module defines: functions and classes at any depth, and its constants."""
    tree = ast.parse(code)
    names = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    constants = {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    return names | constants


def missing(target: str) -> str | None:
    """Say what is missing of `path` or `path::name`, if anything is."""
    path, _, name = target.partition("::")
    file = ROOT / path
    if not file.is_file():
        return f"{path}: no such file"
    if name and name.split("[")[0] not in defined_names(file.read_text(encoding="utf-8")):
        return f"{path}: no {name} in it"
    return None


def test_every_target_of_the_paper_map_exists() -> None:
    found = targets(PAPER_MAP.read_text(encoding="utf-8"))
    assert found, "docs/paper.md names no file and no test"
    assert [problem for problem in map(missing, found) if problem] == []


def test_a_wrong_target_is_caught() -> None:
    header = "| place | file | test |\n|---|---|---|\n"
    table = header + r"| `\|x\|` of Alg. 2 | `src/no.py` | `tests/docs/test_docs.py::no_such_test` |"
    assert targets(table) == ["src/no.py", "tests/docs/test_docs.py::no_such_test"]
    assert [missing(target) for target in targets(table)] == [
        "src/no.py: no such file",
        "tests/docs/test_docs.py: no no_such_test in it",
    ]
    assert missing("tests/docs/test_docs.py::missing") is None
