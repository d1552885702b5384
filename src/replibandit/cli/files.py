"""Files that a command writes: checked before the work, written at once after it."""

import os
from collections.abc import Sequence
from pathlib import Path

from replibandit.cli.terminal import note
from replibandit.errors import InvalidInput
from replibandit.report import write_text


def check_output(path: Path | None, suffixes: Sequence[str]) -> None:
    """Say now, and not after the work, that a file cannot be written."""
    if path is None:
        return
    if not path.name.endswith(tuple(suffixes)):
        raise InvalidInput(f"--output is {path}; its name must end in {' or '.join(suffixes)}.")
    folder = path.parent
    if not folder.is_dir():
        raise InvalidInput(f"--output is {path}; there is no folder {folder}. Make it first, or name another one.")
    if path.is_dir() or (path.exists() and not os.access(path, os.W_OK)):
        what = "a folder" if path.is_dir() else "a file that may not be changed"
        raise InvalidInput(f"--output is {path}, which is {what}. Name another file.")
    if not os.access(folder, os.W_OK):
        raise InvalidInput(f"--output is {path}; the folder {folder} may not be changed. Name a file in another one.")


def read_text(path: Path) -> str:
    """Return the text in a file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not text in UTF-8.") from None


def save(path: Path, text: str) -> None:
    """Write a file whole or not at all, in place of one that may be there, and say so."""
    try:
        write_text(path, text)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}. Name another file.") from None
    note(f"written: {path}")
