"""What the checks share: requirements, digests of all bits of a value, and purity."""

import pickle
import random
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np


def require(kept: Any, broken: str) -> None:
    __tracebackhide__ = True
    if not kept:
        raise AssertionError(broken + ".")


def pure(name: str, policy: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call `function` twice and return the first result; check that it is a function of its arguments."""
    before, drawn = bits([policy, *arguments]), _global_randomness()
    first, second = function(*arguments), function(*arguments)
    unchanged, untouched = bits([policy, *arguments]) == before, _global_randomness() == drawn
    require(unchanged, f"{name} changes the policy, the state or another argument; return a new state instead")
    require(untouched, f"{name} draws from the global random numbers; all randomness of a policy comes from its keys")
    require(bits(first) == bits(second), f"{name} answers equal questions differently; is there hidden randomness?")
    return first


def _global_randomness() -> bytes:
    return pickle.dumps([np.random.get_state(), random.getstate()])  # noqa: NPY002


def bits(value: Any) -> bytes:
    """Return a digest of all bits of a value: equal for equal values, however they are shared."""
    digest = blake2b(b"tuple" if isinstance(value, list) else type(value).__name__.encode(), digest_size=16)
    if isinstance(value, np.ndarray):
        digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    elif isinstance(value, list | tuple | Mapping) or is_dataclass(value) or hasattr(value, "__dict__"):
        for item in entries(value):
            digest.update(bits(item))
    else:
        digest.update(pickle.dumps(value))
    return digest.digest()


def entries(value: Any) -> list[Any]:
    """Return the parts of a container, a dataclass or an object."""
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    parts = value.items() if isinstance(value, Mapping) else getattr(value, "__dict__", {}).values()
    return list(value if isinstance(value, list | tuple) else parts)
