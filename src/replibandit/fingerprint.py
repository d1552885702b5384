"""Fingerprints: a short text that is equal exactly when the settings and the integers behind a result are equal.

Only integers and canonical text go in, never rounded decimals, so one result has one fingerprint on every machine:

    parts     "replibandit.fingerprint.1", the kind, the settings, then for each array its shape and its entries
    part      LENGTH : PAYLOAD, LENGTH being the number of bytes of PAYLOAD in decimal
    settings  JSON in UTF-8, names sorted by code point, no spaces, a float x as {"float":"x.hex()"}, a tuple as a list
    shape     the lengths of the axes in decimal, with commas between them
    entries   int64, little-endian, the last axis fastest
    digest    BLAKE2b of the joined parts, 16 bytes, in hexadecimal
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from replibandit.arrays import IntArray
from replibandit.errors import InvalidInput

Setting: TypeAlias = bool | int | float | str | np.generic | tuple[float, ...] | None

_VERSION = "replibandit.fingerprint.1"


def fingerprint(kind: str, settings: Mapping[str, Setting], *arrays: IntArray) -> str:
    """Return the BLAKE2b fingerprint of `kind`, `settings` and `arrays`.

    The order of the settings does not matter; types do (1, 1.0, True and "1" are four values), and so do shapes.

    >>> fingerprint("mean", {"rho": 0.1, "seed": "lab-7"}, np.array([3, -1]))
    '5f58fc80689e8143b96a07284dbab8bf'
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in (_utf8(_VERSION), _utf8(kind), _canonical(settings), *(p for a in arrays for p in _entries(a))):
        digest.update(b"%d:%b" % (len(part), part))
    return digest.hexdigest()


def _canonical(settings: Mapping[str, Setting]) -> bytes:
    for name in settings:
        if not isinstance(name, str):
            raise TypeError(f"the name of a setting is {name!r}; it must be text.")
    plain = {str(name): _plain(name, value) for name, value in settings.items()}
    return _utf8(json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def _plain(name: str, value: Any) -> Any:
    """Return `value` in the JSON form; a float as an object, so that it cannot meet a text."""
    if isinstance(value, tuple):
        return [_plain(name, part) for part in value]
    scalar = value.item() if isinstance(value, np.generic) else value
    if isinstance(scalar, float):
        return {"float": scalar.hex()}
    if scalar is None or isinstance(scalar, bool | int | str):
        return scalar
    raise TypeError(
        f"the setting {name!r} is {value!r} of type {type(value).__name__}; "
        "it must be None, a bool, an integer, a float, text or a tuple of these. Pass arrays of int64 by position."
    )


def _entries(array: IntArray) -> tuple[bytes, bytes]:
    if not isinstance(array, np.ndarray) or array.dtype != np.int64:
        came = getattr(array, "dtype", type(array).__name__)
        raise TypeError(f"an array to fingerprint is {came}; it must be a NumPy array of int64, such as grid cells.")
    return _utf8(",".join(map(str, array.shape))), array.astype("<i8").tobytes()


def _utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidInput(f"{text!r} holds half a surrogate pair, which UTF-8 cannot write.") from None
