"""The documentation is a test: blocks run and print what the pages say, links and targets exist."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, has_blocks, played

PAPER_MAP = ROOT / "docs" / "paper.md"
IDS = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_blocks_run_and_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert played(text, tmp_path, page.name) == text, "run tools/refresh_pages.py and read what it changes"


def test_the_readme_has_blocks() -> None:
    assert has_blocks((ROOT / "README.md").read_text(encoding="utf-8"))


def test_a_page_that_says_something_else_is_caught(tmp_path: Path) -> None:
    fence, cells = "```", "x = 2\nprint(x)"
    true = f"{fence}python\nimport math\n{cells}\n{fence}\n\n{fence}text\n2\n{fence}\n"
    assert played(true, tmp_path) == true
    for false in (true.replace("\n2\n", "\n3\n"), true.partition("\n\n")[0] + "\n"):
        assert played(false, tmp_path) == true
    with pytest.raises(AssertionError, match="left with 3"):
        played(f"{fence}console\n$ replibandit audit nothing.toml\n{fence}\n", tmp_path)


def test_a_block_without_an_import_goes_on(tmp_path: Path) -> None:
    blocks = [f"```python\n{code}```\n" for code in ("import math\nx = 1\n", "assert x == 1\n", "import os\nx\n")]
    assert played("".join(blocks[:2]), tmp_path) == "".join(blocks[:2])
    with pytest.raises(NameError):
        played("".join(blocks), tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not leads(page, link)] == []


def test_a_link_to_nothing_is_caught() -> None:
    page = ROOT / "README.md"
    assert all(leads(page, link) for link in ("LICENSE", "#install", "docs/reference.md#the-audit"))
    assert not any(leads(page, link) for link in ("docs/nothing.md", "#nothing", "docs/reference.md#nothing"))


def test_headings_of_a_page_differ() -> None:
    for page in PAGES:
        found = [slug(title) for title in headings(page)]
        assert sorted(set(found)) == sorted(found), f"{page.name} has two headings with one anchor"


def prose(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def links(page: Path) -> list[str]:
    """Collect the links of a page to other files, and to its own headings."""
    return re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", prose(page))


def headings(page: Path) -> list[str]:
    """Collect the headings of a page."""
    return re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)


def slug(title: str) -> str:
    """Return the anchor of a heading: the same in the built site and where the source is read."""
    words = re.sub(r"[^\w\s-]", "", title.replace("`", "").lower())
    return re.sub(r"\s", "-", words.strip())


def leads(page: Path, link: str) -> bool:
    """Say whether a link of a page leads to a file, and to a heading in it."""
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in map(slug, headings(target)))


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


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("theory*.md")), ids=lambda page: page.name)
def test_every_test_that_a_proof_names_exists(page: Path) -> None:
    named = re.findall(r"`(tests/[^`]+)`", page.read_text(encoding="utf-8"))
    assert named, f"{page.name} names no test"
    assert [problem for problem in map(missing, named) if problem] == []


def test_a_wrong_target_is_caught() -> None:
    header = "| place | file | test |\n|---|---|---|\n"
    table = header + r"| `\|x\|` of Alg. 2 | `src/no.py` | `tests/docs/test_docs.py::no_such_test` |"
    assert targets(table) == ["src/no.py", "tests/docs/test_docs.py::no_such_test"]
    assert [missing(target) for target in targets(table)] == [
        "src/no.py: no such file",
        "tests/docs/test_docs.py: no no_such_test in it",
    ]
    assert missing("tests/docs/test_docs.py::missing") is None


def test_the_layers_of_the_design_are_those_that_are_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    design = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    rows = [re.findall(r"`(\w+)/?`", row) for row in re.findall(r"^\|([^|]*)\|", design, re.MULTILINE)]
    named = [set(row) for row in rows if row]
    checked = [set(re.findall(r"\w+", layer)) for layer in reversed(layers)]
    assert named == checked, "the table in docs/design.md names the layers of pyproject.toml, from the ground up"
