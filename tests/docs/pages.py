"""The pages of the documentation as programs: their blocks run in order, and print what the page says.

    python     a block that begins with "import" begins afresh, any other goes on where the last one ended
    text       directly after a python block: what that block prints
    console    a line after "$ " is a command, the lines below it are what it prints on standard output

All blocks of a page share one folder, which is empty at first.
"""

import io
import os
import re
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md")), *sorted((ROOT / "docs").glob("**/*.md"))]

_BLOCK = re.compile(
    r"^```(?P<language>python|console)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
_LARGEST_CODE = 2  # `replibandit audit` says its verdict by 0, 1 and 2; beyond that a command has failed


def has_blocks(text: str) -> bool:
    """Say whether a page has anything to run."""
    return _BLOCK.search(text) is not None


def played(text: str, folder: Path, name: str = "page") -> str:
    """Return the page `text` as it should be: with what its blocks print when they run in `folder`."""
    names: dict[str, Any] = {}

    def block(found: re.Match[str]) -> str:
        nonlocal names
        code = found["code"]
        if found["language"] == "console":
            output = f"\n```text\n{found['output']}```\n" if found["output"] else ""
            return f"```console\n{_session(code)}```\n{output}"
        if code.startswith("import "):
            names = {"__name__": "__main__"}
        lines_before = text.count("\n", 0, found.start("code"))
        printed = _printed("\n" * lines_before + code, name, names)
        return f"```python\n{code}```\n" + (f"\n```text\n{printed}```\n" if printed else "")

    with chdir(folder):
        return _BLOCK.sub(block, text)


def _printed(code: str, name: str, names: dict[str, Any]) -> str:
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, name, "exec"), names)
    return printed.getvalue()


def _session(code: str) -> str:
    """Return the commands of a console block, each with what it prints."""
    commands = re.findall(r"^\$ (?:.*\\\n)*.*$", code, re.MULTILINE)  # a line may end in a backslash and go on
    return "".join(f"{command}\n{_said(command.removeprefix('$ '))}" for command in commands)


def _said(command: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    env = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(["bash", "-c", command], env=env, capture_output=True, text=True, check=False)
    if not 0 <= done.returncode <= _LARGEST_CODE:
        raise AssertionError(f"$ {command}\nleft with {done.returncode}:\n{done.stderr}")
    return done.stdout
