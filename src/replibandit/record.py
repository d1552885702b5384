"""States as JSON, bit for bit: arrays as their bytes, floats in hexadecimal, dataclasses by name.

A record carries a seal, the BLAKE2b digest of all its other parts (JSON with sorted names), so that a text which was
cut short, changed by hand or damaged on the way is noticed before anything is made of it.
"""

import base64
import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from replibandit.actions import Ball, Finite
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.policies.base import Pull
from replibandit.policies.batched import BatchedState, Rule
from replibandit.policies.contextual import ContextState, Look
from replibandit.policies.exploration import Exploration
from replibandit.policies.phases import PhasedState
from replibandit.policies.plan import Plan
from replibandit.policies.rep_ucb import RepUCBState
from replibandit.policies.schedule import Schedule
from replibandit.policies.thompson import ThompsonState
from replibandit.policies.ucb1 import UCB1State

RECORDS = {
    record.__name__: record
    for record in (
        Ball,
        Finite,
        Key,
        Pull,
        BatchedState,
        Rule,
        ContextState,
        Exploration,
        Look,
        PhasedState,
        Plan,
        RepUCBState,
        Schedule,
        ThompsonState,
        UCB1State,
    )
}
FORMAT = "replibandit.session.1"
_KINDS = {"float64": "<f8", "int64": "<i8", "bool": "|b1"}


def encode(value: Any) -> Any:
    """Return `value` in types that JSON knows."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.ndarray):
        data = np.ascontiguousarray(value).astype(_KINDS[value.dtype.name], copy=False).tobytes()
        return {"array": value.dtype.name, "shape": list(value.shape), "base64": base64.b64encode(data).decode()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if is_dataclass(value) and type(value).__name__ in RECORDS:
        given = {f.name: encode(getattr(value, f.name)) for f in fields(value) if f.init}
        return {"record": type(value).__name__, **given}
    raise TypeError(f"{type(value).__name__} has no record")


def decode(value: Any) -> Any:
    """Return what `encode` was given; lists come back as tuples."""
    if isinstance(value, list):
        return tuple(decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return float.fromhex(value["float"])
    if "array" in value:
        data = np.frombuffer(base64.b64decode(value["base64"]), dtype=_KINDS[value["array"]])
        return data.reshape(value["shape"]).astype(value["array"])
    if value.get("record") in RECORDS:
        return RECORDS[value["record"]](**{name: decode(item) for name, item in value.items() if name != "record"})
    raise InvalidInput("the record holds what this version does not know. Restore it with the version that wrote it.")


def sealed(parts: dict[str, Any]) -> str:
    """Return the text of a record with these parts."""
    return json.dumps({"format": FORMAT, **parts, "seal": _seal({"format": FORMAT, **parts})})


def unsealed(text: str) -> dict[str, Any]:
    """Return the parts of a record, all of them as they were written."""
    try:
        parts = json.loads(text)
        written, seal = parts.pop("format"), parts.pop("seal")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidInput(
            "the text is not a session record, or not all of it. Restore what `to_json` wrote."
        ) from None
    if written != FORMAT:
        raise InvalidInput(f"the record has format {written!r}; this version reads {FORMAT!r}.")
    if seal != _seal({"format": FORMAT, **parts}):
        raise InvalidInput("the record was changed after it was written. Restore what `to_json` wrote, in full.")
    return dict(parts)


def _seal(parts: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()
