"""Shared randomness by name: a number depends on the seed and the name of the draw, never on the order of calls.

The names are public, so that a third party can recompute every shift of a run:

    Key(seed).child("batch", b).uniform(d)               u_b / alpha_b of RepLinUCB and RepGLMUCB, b = 0, 1, ...
    Key(seed).child("arm", a, "pulls", n).uniform(1)     the shift of RepUCB when arm a has n pulls, over the width
    Key(seed).child("estimate").uniform(d)               the shift of a stand-alone estimator (RepMean: d = 1), likewise
    Key(seed).child("level").uniform(2)                  U and V of the level at which RepCommit commits

So is the way from names to numbers.  It is stable for ever, and the same on every machine:

    parts       the text "replibandit.Key.1", then the seed, then the names in their order
    text        t LENGTH : PAYLOAD       the UTF-8 bytes
    integer     i LENGTH : PAYLOAD       lower-case hexadecimal without leading zeros, after "-" if negative
    LENGTH                               the number of bytes of PAYLOAD, in decimal
    words       SHAKE-256 of the joined parts, cut into little-endian unsigned 64-bit integers
    uniforms    (word >> 11) * 2**-53, which is exact: a multiple of 2**-53 in [0, 1)

Each part tells its type and its end, so different (seed, names) are different bytes: 1 is not "1", and ("ab", "c") is
not ("a", "bc").  Text is not normalised: two Unicode spellings of one word are two names, and the empty text is a text.

Keep the seed secret while a trial runs.  The theorems need noise that is centred given the past *and the key*, and
whoever can compute the grid can place a reward beside its boundary.  For a live trial take `secrets.token_hex(16)`,
and publish it with the results.
"""

import hashlib
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from replibandit.arrays import FloatArray
from replibandit.checks import positive_integer
from replibandit.errors import InvalidInput

_VERSION = b"t17:replibandit.Key.1"
_MOST_WORDS = 2**26 - 1  # Python's own SHA-3, used where OpenSSL lacks it, gives fewer than 2**29 bytes


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """Name a stream of shared random numbers.

    A value: equal seeds and names make equal keys and equal numbers.  A draw is the beginning of its stream, so
    `uniform(3)` starts `uniform(5)`: give each quantity a name of its own.  The repr shows the seed.

    >>> key = Key("trial-7").child("batch", 3)
    >>> key
    Key('trial-7').child('batch', 3)
    >>> key.encoding()
    b't17:replibandit.Key.1t7:trial-7t5:batchi1:3'
    >>> [hex(word) for word in key.words(2).tolist()]
    ['0x9c8f4f44c0cf676c', '0xda5576495ec7163']
    >>> key.uniform(2).tolist()
    [0.6115617316107183, 0.05330415921882703]
    """

    seed: str | int
    names: tuple[str | int, ...] = field(default=(), kw_only=True)
    _encoding: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.names, tuple):
            raise InvalidInput(f"names is {self.names!r}; it must be a tuple. Write Key(seed).child(...) instead.")
        object.__setattr__(self, "seed", _part("seed", self.seed))
        object.__setattr__(self, "names", tuple(_part("name", name) for name in self.names))
        # kept, since a run draws from one key hundreds of times
        object.__setattr__(self, "_encoding", _VERSION + _encoded(self.seed) + b"".join(map(_encoded, self.names)))

    def __repr__(self) -> str:
        names = f".child({', '.join(map(_shown, self.names))})" if self.names else ""
        return f"Key({_shown(self.seed)}){names}"

    def child(self, *names: str | int) -> "Key":
        """Append `names`; `key.child("a").child("b") == key.child("a", "b")`."""
        return Key(self.seed, names=self.names + names)

    def encoding(self) -> bytes:
        """Return the bytes that are hashed."""
        return self._encoding

    def words(self, size: int) -> npt.NDArray[np.uint64]:
        """Return the first `size` words of the stream, of shape (size,)."""
        if positive_integer("size", size) > _MOST_WORDS:
            raise InvalidInput(f"size is {size}; one key gives at most {_MOST_WORDS} numbers. Use several children.")
        stream = hashlib.shake_256(self.encoding()).digest(8 * int(size))
        return np.frombuffer(stream, dtype="<u8").astype(np.uint64)

    def uniform(self, size: int) -> FloatArray:
        """Return the first `size` uniforms of the stream, of shape (size,): multiples of 2**-53 in [0, 1)."""
        # word >> 11 < 2**53, so neither the conversion nor the product rounds
        return (self.words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def uniforms(keys: Sequence[Key], names: Sequence[tuple[str | int, ...]], size: int) -> FloatArray:
    """Return `key.child(*names).uniform(size)` for many keys, each with its names: one row a key."""
    suffix = {parts: b"".join(map(_encoded, parts)) for parts in set(names)}
    draws = [key.encoding() + suffix[parts] for key, parts in zip(keys, names, strict=True)]
    streams = {draw: hashlib.shake_256(draw).digest(8 * size) for draw in set(draws)}  # once for runs with one key
    words = np.frombuffer(b"".join([streams[draw] for draw in draws]), dtype="<u8").reshape(len(keys), size)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def as_key(seed: Key | str | int) -> Key:
    """Return `seed` if it is a key, else `Key(seed)`.

    >>> as_key(7) == as_key(Key(7)) == Key(7)
    True
    """
    return seed if isinstance(seed, Key) else Key(seed)


def _part(role: str, value: Any) -> str | int:
    """Return `value` as an exact str or int."""
    try:
        if isinstance(value, str):
            value.encode("utf-8")
            return str.__str__(value)
        if not isinstance(value, bool):
            return operator.index(value)
    except UnicodeEncodeError:
        raise InvalidInput(f"{role} is {value!r}; it holds half a surrogate pair, which UTF-8 cannot write.") from None
    except TypeError:
        pass
    raise InvalidInput(f"{role} is {value!r}; it must be text or a whole number, such as 'lab-7' or 7.")


def _encoded(part: str | int) -> bytes:
    if isinstance(part, str):
        tag, payload = b"t", part.encode("utf-8")
    else:
        tag, payload = b"i", b"%x" % part
    return b"%b%d:%b" % (tag, len(payload), payload)


def _shown(part: str | int) -> str:
    """Write `part` as Python would; a huge integer in hexadecimal, since Python limits the length of decimal text."""
    return hex(part) if isinstance(part, int) and part.bit_length() > 64 else repr(part)
