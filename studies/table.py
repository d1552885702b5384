"""Tables of results that are played once: a row is named by its settings, and what is there is not played again."""

import csv
import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

DATA = Path(__file__).parent / "data"
KEPT = ("clicks",)  # from elsewhere, and not played
_BATCH = 12  # rows between two writes

Row = dict[str, Any]


def digest(settings: Row, version: int) -> str:
    """Name a row by its settings and the version of the script that plays it."""
    text = json.dumps([version, settings], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def read(name: str) -> list[Row]:
    """Return the rows of a table; numbers are numbers."""
    path = DATA / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # a digest may look like a number
    return [{key: text if key == "digest" else _value(text) for key, text in row.items()} for row in rows]


def clear() -> None:
    """Remove the tables that can be played again."""
    for path in DATA.glob("*.csv"):
        if path.stem not in KEPT:
            path.unlink()


def completed(name: str, settings: Iterable[Row], play: Callable[[Row], Row], *, version: int = 1) -> list[Row]:
    """Return a row for each of `settings`, in their order; play those that the table lacks, drop those not wanted."""
    wanted = {digest(each, version): each for each in settings}
    rows = {row["digest"]: row for row in read(name) if row["digest"] in wanted}
    missing = [key for key in wanted if key not in rows]
    for first in range(0, len(missing), _BATCH):
        part = missing[first : first + _BATCH]
        results = played(play, [wanted[key] for key in part])
        rows |= {key: {**wanted[key], **r, "digest": key} for key, r in zip(part, results, strict=True)}
        _write(name, [rows[key] for key in wanted if key in rows])
        print(f"{name}: {len(rows)} of {len(wanted)}", flush=True)
    _write(name, [rows[key] for key in wanted])
    return read(name)


def played(play: Callable[[Row], Row], settings: list[Row]) -> list[Row]:
    """Play rows in two processes."""
    return list(Parallel(n_jobs=2)(delayed(play)(each) for each in settings))


def _write(name: str, rows: list[Row]) -> None:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    target = DATA / f"{name}.csv"
    beside = target.with_suffix(".part")
    with beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _text(value) for key, value in row.items()} for row in rows)
    beside.replace(target)


def _text(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
