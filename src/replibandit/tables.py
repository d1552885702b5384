"""Numbers from files: columns by name from CSV and Parquet, actions from CSV and NPY.  Errors name line and column.

A decimal number becomes the double nearest to it, on every machine.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput

_NUMERIC = "biuf"
_NEEDED = "a finite number is needed. Drop or fill such rows, or leave the column out."


@dataclass(frozen=True, slots=True)
class _Format:
    """How to read the names of the columns of a file, and some of the columns as a matrix."""

    names: Callable[[Path], list[str]]
    read: Callable[[Path, Sequence[str]], FloatArray]


def column_names(path: Path) -> list[str]:
    """Return the names of the columns of a CSV file (its first line) or a Parquet file."""
    names = _format_of(path).names(path)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(f"{path} has more than one column called {', '.join(map(repr, twice))}. Rename them.")
    return names


def columns(path: Path, names: Sequence[str]) -> FloatArray:
    """Return the columns called `names`, in that order, one row for each of the file; other columns may hold anything.

    Every entry must be a finite number.
    """
    known = column_names(path)
    if missing := [name for name in names if name not in known]:
        where = ", as its first line says" if path.suffix.lower() == ".csv" else ""
        raise InvalidInput(
            f"{path} has no column {', '.join(map(repr, missing))}; its columns are "
            f"{', '.join(map(repr, known)) or 'none'}{where}."
        )
    table = _format_of(path).read(path, names)
    if len(table) == 0:
        raise InvalidInput(f"{path} has names of columns and no rows; at least one row is needed.")
    return table


def action_rows(path: Path) -> FloatArray:
    """Return the actions in a file, one a row: CSV, with or without a line of names, or an array in NPY.

    An NPY array may have three dimensions, (rounds, candidates, dim), and is mapped into memory.
    """
    if path.suffix.lower() == ".npy":
        return _npy(path)
    if path.suffix.lower() != ".csv":
        raise InvalidInput(f"{path} is neither .csv nor .npy; actions are read from one of these.")
    lines = list(_lines(path))
    titled = bool(lines) and all(_number(cell) is None for cell in lines[0][1])
    rows = lines[1:] if titled else lines
    if not rows:
        raise InvalidInput(f"{path} holds no actions; write one a line, its entries with commas between them.")
    names = lines[0][1] if titled else [str(j + 1) for j in range(len(rows[0][1]))]
    return _matrix(path, rows, names, names)


def _npy(path: Path) -> FloatArray:
    _must_exist(path)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InvalidInput(f"{path} is not an array in NPY format: {error}. Write it with numpy.save.") from None
    if array.ndim not in (2, 3) or array.dtype.kind not in _NUMERIC:
        raise InvalidInput(
            f"{path} holds an array of {array.dtype} of shape {array.shape}; actions are real numbers of shape "
            "(actions, dim), or (rounds, candidates, dim) if they change."
        )
    return np.asarray(array, dtype=np.float64) if array.ndim == 2 else array


def _format_of(path: Path) -> _Format:
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise InvalidInput(f"{path} is neither {' nor '.join(_FORMATS)}; data are read from one of these.")
    _must_exist(path)
    return _FORMATS[suffix]


def _must_exist(path: Path) -> None:
    if not path.is_file():
        raise InvalidInput(f"{path} is {'not a file' if path.exists() else 'not there'}; name a file that can be read.")


def _csv_names(path: Path) -> list[str]:
    for _, cells in _lines(path):
        return [cell.strip() for cell in cells]
    raise InvalidInput(f"{path} is empty; its first line must be the names of the columns.")


def _csv_columns(path: Path, names: Sequence[str]) -> FloatArray:
    return _matrix(path, islice(_lines(path), 1, None), _csv_names(path), names)


def _matrix(
    path: Path, lines: Iterable[tuple[int, list[str]]], known: Sequence[str], names: Sequence[str]
) -> FloatArray:
    """Return the columns called `names` of lines whose columns are `known`."""
    places = [known.index(name) for name in names]
    values: list[list[float]] = []
    for line, cells in lines:
        if len(cells) != len(known):
            raise InvalidInput(
                f"{path}, line {line}: the number of cells is {len(cells)}; {len(known)} are needed, one for each "
                "column. Quote a cell that holds a comma."
            )
        values.append([_entry(path, line, known[j], cells[j]) for j in places])
    return np.array(values, dtype=np.float64)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not empty."""
    _must_exist(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"{path} is not CSV in UTF-8: {error}.") from None


def _entry(path: Path, line: int, name: str, cell: str) -> float:
    value = _number(cell)
    if value is None:
        came = f"{cell!r} stands there" if cell.strip() else "the cell is empty"
        raise InvalidInput(f"{path}, line {line}, column {name!r}: {came}; {_NEEDED}")
    return value


def _number(cell: str) -> float | None:
    """Return a finite number in plain decimal writing, None for anything else."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if np.isfinite(value) and "_" not in cell else None


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise InvalidInput(
            "a Parquet file needs pyarrow, which is not installed. Run `pip install 'replibandit[parquet]'`, or write "
            "the data as CSV."
        ) from None
    return parquet


def _parquet_names(path: Path) -> list[str]:
    parquet = _parquet()
    try:
        return [str(name) for name in parquet.read_schema(path).names]
    except (ValueError, OSError) as error:
        raise InvalidInput(f"{path} is not a Parquet file: {error}.") from None


def _parquet_columns(path: Path, names: Sequence[str]) -> FloatArray:
    parquet = _parquet()
    try:
        table = parquet.read_table(path, columns=list(names))
    except (ValueError, OSError) as error:
        raise InvalidInput(f"{path} is damaged: {error}.") from None
    return np.column_stack([_parquet_column(path, name, table.column(name)) for name in names])


def _parquet_column(path: Path, name: str, column: Any) -> FloatArray:
    if column.null_count:
        empty = np.flatnonzero(column.is_null().to_numpy())
        raise InvalidInput(f"{path}, row {empty[0] + 1}, column {name!r}: the cell is empty; {_NEEDED}")
    values = column.to_numpy()
    if values.dtype.kind not in _NUMERIC:
        raise InvalidInput(f"{path}, column {name!r}: the entries are of type {column.type}; numbers are needed.")
    array = np.asarray(values, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise InvalidInput(f"{path}, row {bad[0] + 1}, column {name!r}: {array[bad[0]]} stands there; {_NEEDED}")
    return array


_FORMATS = {
    ".csv": _Format(_csv_names, _csv_columns),
    ".parquet": _Format(_parquet_names, _parquet_columns),
}
