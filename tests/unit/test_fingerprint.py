"""`fingerprint`: equal exactly when settings and integers are."""

import hashlib
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from replibandit.errors import InvalidInput
from replibandit.fingerprint import Setting, fingerprint

GOLDEN = "4046ca4f0f4a0f923c2c260a4b3c1bf4"
CELLS = np.arange(6, dtype=np.int64)


def test_golden_value() -> None:
    """The parts are written out by hand; the digest is that of `b2sum --length=128`."""
    settings: dict[str, Setting] = {"width": 2, "rho": 0.1, "seed": "\u00fc", "sharp": False}
    parts = (
        b"25:replibandit.fingerprint.1"
        b"5:ridge"
        b'76:{"rho":{"float":"0x1.999999999999ap-4"},"seed":"\xc3\xbc","sharp":false,"width":2}'
        b"3:1,2"
        b"16:\x01\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
    )
    assert hashlib.blake2b(parts, digest_size=16).hexdigest() == GOLDEN
    assert fingerprint("ridge", settings, np.array([[1, -1]])) == GOLDEN


def test_order_of_settings_does_not_matter() -> None:
    assert fingerprint("mean", {"a": 1, "b": 2}) == fingerprint("mean", {"b": 2, "a": 1})


def test_every_difference_shows() -> None:
    texts = [
        fingerprint("mean", {}),
        fingerprint("ridge", {}),
        *(fingerprint("mean", {"a": value}) for value in (1, 1.0, "1", True, None, 0, 0.0, -0.0, False, "", "None")),
        *(fingerprint("mean", {"a": value}) for value in (np.inf, -np.inf, np.nan, "inf", "nan", 2**200)),
        fingerprint("mean", {"a": "0x1.0000000000000p+0"}),
        fingerprint("mean", {"a": '{"float":"0x1.0000000000000p+0"}'}),
        fingerprint("mean", {"a": 0.1 + 0.2}),
        fingerprint("mean", {"a": 0.3}),
        fingerprint("mean", {"b": 1}),
        fingerprint("mean", {"a": 1, "b": 1}),
        fingerprint("mean", {}, CELLS),
        fingerprint("mean", {}, CELLS.reshape(2, 3)),
        fingerprint("mean", {}, CELLS.reshape(3, 2)),
        fingerprint("mean", {}, CELLS[:3], CELLS[3:]),
        fingerprint("mean", {}, CELLS[:2], CELLS[2:]),
        fingerprint("mean", {}, CELLS[:0]),
        fingerprint("mean", {}, CELLS[:0], CELLS[:0]),
        fingerprint("mean", {}, -CELLS),
        fingerprint("mean", {}, CELLS.sum()[...]),
        fingerprint("mean", {}, CELLS.sum(keepdims=True)),
    ]
    assert [pair for pair in combinations(range(len(texts)), 2) if texts[pair[0]] == texts[pair[1]]] == []
    assert {len(text) for text in texts} == {32}


@pytest.mark.parametrize(
    ("scalar", "plain"),
    [
        (np.float64(0.1), 0.1),
        (np.float32(0.5), 0.5),
        (np.int32(3), 3),
        (np.uint64(2**63), 2**63),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
    ],
)
def test_numpy_scalars_are_python_scalars(scalar: np.generic, plain: float | str) -> None:
    assert fingerprint("mean", {"a": scalar}) == fingerprint("mean", {"a": plain})


def test_memory_layout_does_not_matter() -> None:
    table = CELLS.reshape(2, 3)
    assert fingerprint("m", {}, table) == fingerprint("m", {}, np.asfortranarray(table))
    assert fingerprint("m", {}, CELLS[::2]) == fingerprint("m", {}, CELLS[::2].copy())
    assert fingerprint("m", {}, CELLS[::-1]) != fingerprint("m", {}, CELLS)


@pytest.mark.parametrize(
    "value", [(1, [2]), [1], {"b": 1}, b"a", 1j, np.complex128(1), CELLS, np.datetime64("2020-01-01")]
)
def test_refuses_other_settings(value: Any) -> None:
    with pytest.raises(
        TypeError, match=r"the setting 'a' is .* it must be None, a bool, an integer, a float, text or a"
    ):
        fingerprint("mean", {"a": value})


def test_refuses_names_that_are_not_text() -> None:
    with pytest.raises(TypeError, match="the name of a setting is 1; it must be text"):
        fingerprint("mean", {1: 2})  # type: ignore[dict-item]


@pytest.mark.parametrize("array", [[1, 2], CELLS.astype(np.int32), CELLS.astype(np.uint64), CELLS * 1.0, CELLS > 2])
def test_refuses_other_arrays(array: Any) -> None:
    with pytest.raises(TypeError, match="must be a NumPy array of int64"):
        fingerprint("mean", {}, array)


@pytest.mark.parametrize(
    ("kind", "settings"), [("\ud800", {}), ("mean", {"a": "\ud83d\ude00"}), ("mean", {"\udc00": 1})]
)
def test_refuses_lone_surrogates(kind: str, settings: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match="surrogate"):
        fingerprint(kind, settings)
