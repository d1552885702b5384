"""Numbers from files: CSV, Parquet and NPY; every entry that is no finite number is named by line and column."""

import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from replibandit.errors import InvalidInput
from replibandit.tables import action_rows, column_names, columns


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    """Return where a CSV file is to be."""
    return tmp_path / "lab.csv"


def failure(path: Path, content: str | bytes, *names: str) -> str:
    """Return what is said about a file from which these columns are read."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InvalidInput) as error:
        columns(path, names)
    return str(error.value)


@pytest.mark.parametrize(
    "content",
    [
        "y,a,note\n1,2,x\n3,4,\n",
        "\ufeffy,a,note\r\n1,2,x\r\n3,4,\r\n",
        "y, a ,note\n\n1,2,x\n\n 3 ,4.0e0,y",
        'note,"a",y\n"x, y",2,1\n"two\nlines","4",3\n',
    ],
    ids=["plain", "from a spreadsheet", "with blanks", "quoted"],
)
def test_columns_are_read_by_name(content: str, csv: Path) -> None:
    csv.write_bytes(content.encode())
    assert columns(csv, ["a", "y"]).tolist() == [[2.0, 1.0], [4.0, 3.0]]
    assert sorted(column_names(csv)) == ["a", "note", "y"]


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_come_back_bit_for_bit(values: list[float], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_text("x\n" + "\n".join(map(repr, values)))
    assert columns(path, ["x"])[:, 0].tobytes() == np.array(values).tobytes()


@pytest.mark.parametrize(
    "cell", ["b", "nan", "inf", "-Infinity", "1e400", "1_000", "1,5", "0x10", "None", "1 2", "--1"]
)
def test_a_cell_that_is_no_number_is_named(cell: str, csv: Path) -> None:
    said = failure(csv, f'y,a\n1,2\n3,"{cell}"\n', "y", "a")
    assert said.startswith(f"{csv}, line 3, column 'a': {cell!r} stands there; a finite number is needed.")


def test_an_empty_cell_is_named(csv: Path) -> None:
    assert failure(csv, "y,a\n1, \n", "a").startswith(f"{csv}, line 2, column 'a': the cell is empty; ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty; its first line must be the names of the columns"),
        ("y,a\n", "has names of columns and no rows"),
        ("y,y\n1,2\n", "has more than one column called 'y'. Rename them."),
        ("0,1\n0,1\n", "has no column 'y'; its columns are '0', '1', as its first line says."),
        ("y;a\n1;2\n", "has no column 'y'; its columns are 'y;a', as its first line says."),
        ("y,a\n1\n", "line 2: the number of cells is 1; 2 are needed, one for each column."),
        ("y,a\n1,2,3\n", "line 2: the number of cells is 3; 2 are needed"),
        ('y,a\n"1,2\n', "is not CSV in UTF-8"),
        (b"y,a\n\xff,2\n", "is not CSV in UTF-8"),
        (b"PK\x03\x04\x00\x00,\n", "has no column 'y'"),
    ],
)
def test_a_file_that_is_no_table(content: str | bytes, words: str, csv: Path) -> None:
    said = failure(csv, content, "y")
    assert said.startswith(str(csv))
    assert words in said


def test_a_path_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, words in (
        ("none.csv", "is not there; name a file"),
        ("folder.csv", "is not a file; name a file"),
        ("lab.txt", "is neither .csv nor .parquet"),
    ):
        with pytest.raises(InvalidInput, match=words):
            columns(tmp_path / name, ["y"])


def test_actions_with_and_without_names(csv: Path) -> None:
    for content in ("1,0\n0.5,1\n", "x,y\n1,0\n0.5,1\n"):
        csv.write_text(content)
        assert action_rows(csv).tolist() == [[1.0, 0.0], [0.5, 1.0]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no actions"),
        ("x,y\n", "holds no actions"),
        ("1,0\n1\n", "line 2: the number of cells is 1; 2 are needed"),
        ("1,0\n0,b\n", "line 2, column '2': 'b' stands there"),
    ],
)
def test_odd_actions(content: str, words: str, csv: Path) -> None:
    csv.write_text(content)
    with pytest.raises(InvalidInput, match=words):
        action_rows(csv)


def test_actions_from_an_array(tmp_path: Path) -> None:
    path = tmp_path / "actions.npy"
    np.save(path, np.eye(2, dtype=np.int64))
    assert action_rows(path).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    np.save(path, np.zeros((4, 3, 2)))
    assert isinstance(action_rows(path), np.memmap)
    for array in (np.zeros(3), np.array([["a", "b"]]), np.zeros((2, 2), dtype=complex)):
        np.save(path, array)
        with pytest.raises(InvalidInput, match="actions are real numbers of shape"):
            action_rows(path)
    for content in (b"", b"1,2\n", b"\x93NUMPY"):
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match="is not an array in NPY format"):
            action_rows(path)
    with pytest.raises(InvalidInput, match=r"is neither \.csv nor \.npy"):
        action_rows(tmp_path / "actions.txt")


def test_parquet_needs_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "lab.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(InvalidInput, match=r"pip install 'replibandit\[parquet\]'`, or write the data as CSV"):
        columns(path, ["y"])


def test_parquet_is_read_by_name(tmp_path: Path) -> None:
    path = tmp_path / "lab.parquet"
    halves = [pa.table({"y": [i], "a.b": [0.1 * i], "note": ["x"]}) for i in (1, 2)]
    parquet.write_table(pa.concat_tables(halves), path)
    assert columns(path, ["a.b", "y"]).tolist() == [[0.1, 1.0], [0.2, 2.0]]
    assert column_names(path) == ["y", "a.b", "note"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, None], "row 2, column 'y': the cell is empty"),
        ([True, None], "row 2, column 'y': the cell is empty"),
        ([1.0, float("nan")], "row 2, column 'y': nan stands there"),
        ([1.0, float("inf")], "row 2, column 'y': inf stands there"),
        (["1", "2"], "column 'y': the entries are of type string; numbers are needed"),
        ([date(2026, 1, 1)], "the entries are of type date32"),
        ([Decimal("1.5")], "the entries are of type decimal128"),
        ([[1], [2]], "the entries are of type list"),
        (pa.array([], pa.float64()), "has names of columns and no rows"),
    ],
)
def test_an_odd_parquet_column_is_named(values: Any, words: str, tmp_path: Path) -> None:
    path = tmp_path / "lab.parquet"
    parquet.write_table(pa.table({"y": values}), path)
    with pytest.raises(InvalidInput) as error:
        columns(path, ["y"])
    assert words in str(error.value)


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "lab.parquet"
    assert "is not a Parquet file" in failure(path, "y\n1\n", "y")
    parquet.write_table(pa.table({"y": list(range(10_000))}), path)
    whole = path.read_bytes()
    assert "has no column 'z'; its columns are 'y'." in failure(path, whole, "z")
    assert "is damaged" in failure(path, whole[:100] + bytes(2000) + whole[2100:], "y")
