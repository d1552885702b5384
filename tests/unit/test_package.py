"""The package as a whole: what an import loads, the version, and the size of files and functions."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

import replibandit

SOURCES = sorted(Path(replibandit.__file__).parent.rglob("*.py"))
LONGEST_FILE, LONGEST_FUNCTION, MEDIAN_FILE = 300, 40, 100
HEAVY = ("scipy", "sklearn", "matplotlib", "typer", "rich", "joblib", "pandas")


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, replibandit; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.split() == []


def test_version_is_that_of_the_metadata() -> None:
    assert replibandit.__version__ == version("replibandit")


def test_public_names_exist_and_are_listed_once() -> None:
    assert [name for name in replibandit.__all__ if not hasattr(replibandit, name)] == []
    assert len(set(replibandit.__all__)) == len(replibandit.__all__) > 0


def test_the_package_is_typed() -> None:
    assert (Path(replibandit.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_no_file_and_no_function_is_long(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    long = {name: size for name, size in function_sizes(text) if size > LONGEST_FUNCTION}
    assert long == {}


def test_the_median_file_is_short() -> None:
    sizes = sorted(len(source.read_text(encoding="utf-8").splitlines()) for source in SOURCES)
    assert sizes[len(sizes) // 2] <= MEDIAN_FILE


def test_function_sizes_leave_out_signature_and_docstring() -> None:
    code = 'def f(\n    x,\n):\n    """Say\n    much."""\n    y = x\n\n    return y\n'
    assert list(function_sizes(code)) == [("f", 3)]
    assert list(function_sizes('def g():\n    """Only words."""\n')) == [("g", 0)]


def function_sizes(code: str) -> Iterator[tuple[str, int]]:
    """Yield every function with the number of its lines after the signature and the docstring."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            yield node.name, (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
