"""`Key`: a value with a name, and what it refuses."""

import copy
import enum
import pickle
from typing import Any

import numpy as np
import pytest

from replibandit.errors import InvalidInput
from replibandit.key import Key, as_key


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


def test_child_appends_names() -> None:
    key = Key("a").child("b").child(3)
    assert key == Key("a").child("b", 3) == Key("a", names=("b", 3))
    assert (key.seed, key.names) == ("a", ("b", 3))
    assert key.child() == key


def test_is_a_frozen_value() -> None:
    key = Key("a").child("b", 3)
    assert {key: 1}[Key("a").child("b", 3)] == 1
    assert pickle.loads(pickle.dumps(key)) == copy.deepcopy(key) == key
    with pytest.raises(AttributeError):
        key.seed = "c"  # type: ignore[misc]


def test_repr_is_how_it_was_written() -> None:
    assert repr(Key(7)) == "Key(7)"
    assert repr(Key("a").child("b", -3)) == "Key('a').child('b', -3)"
    assert repr(Key(-(2**64))) == "Key(-0x10000000000000000)"
    assert repr(Key(2 ** (10**5))).startswith("Key(0x1000")


def test_encoding_is_the_documented_one() -> None:
    assert Key(0).encoding() == b"t17:replibandit.Key.1i1:0"
    assert Key(-255).child("", "\u00fc").encoding() == b"t17:replibandit.Key.1i3:-fft0:t2:\xc3\xbc"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Key(1), Key("1")),
        (Key(-1), Key("-1")),
        (Key("ab").child("c"), Key("a").child("bc")),
        (Key("a").child("b"), Key("ab")),
        (Key("a").child("b"), Key("at1:b")),
        (Key("a").child(""), Key("a")),
        (Key("a").child("b", "c"), Key("a").child("c", "b")),
        (Key("\u00fc"), Key("u\u0308")),
    ],
)
def test_different_names_never_collide(one: Key, other: Key) -> None:
    assert one != other
    assert one.encoding() != other.encoding()
    assert one.words(1)[0] != other.words(1)[0]


@pytest.mark.parametrize("seven", [np.int8(7), np.int64(7), np.uint64(7), np.array(7)])
def test_numpy_integers_are_integers(seven: Any) -> None:
    key = Key(seven).child(seven)
    assert key == Key(7).child(7)
    assert [type(part) for part in (key.seed, *key.names)] == [int, int]


def test_subclasses_become_plain() -> None:
    key = Key(Colour.RED).child(Level.LOW, np.str_("arm"))
    assert repr(key) == "Key('red').child(1, 'arm')"
    assert [type(part) for part in (key.seed, *key.names)] == [str, int, str]


@pytest.mark.parametrize("value", [1.5, 7.0, None, True, np.True_, b"a", np.float64(7), np.array([7]), ("a",), Key(1)])
def test_refuses_other_types(value: Any) -> None:
    with pytest.raises(InvalidInput, match=r"seed is .*it must be text or a whole number"):
        Key(value)
    with pytest.raises(InvalidInput, match=r"name is .*it must be text or a whole number"):
        Key("a").child("b", value)


def test_refusal_shows_what_came() -> None:
    with pytest.raises(InvalidInput, match=r"^seed is 1\.5; it must be text or a whole number, such as 'lab-7' or 7"):
        Key(1.5)  # type: ignore[arg-type]


def test_refuses_lone_surrogates_and_bare_names() -> None:
    with pytest.raises(InvalidInput, match="surrogate"):
        Key("\ud800")
    with pytest.raises(InvalidInput, match=r"names is 'ab'; it must be a tuple\. Write Key\(seed\)\.child"):
        Key("a", names="ab")  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [0, -1, 2.0, True, 2**26])
def test_refuses_sizes(size: Any) -> None:
    with pytest.raises(InvalidInput, match="size is"):
        Key(1).uniform(size)


def test_numbers() -> None:
    words, uniforms = Key(1).words(1000), Key(1).uniform(1000)
    assert (words.dtype, words.shape) == (np.dtype(np.uint64), (1000,))
    assert (uniforms.dtype, uniforms.shape) == (np.dtype(np.float64), (1000,))
    assert uniforms.tolist() == [(word >> 11) / 2**53 for word in words.tolist()]
    assert 0 <= uniforms.min() < 0.01
    assert 0.99 < uniforms.max() < 1


def test_numbers_belong_to_the_caller() -> None:
    Key(1).words(2)[:] = 0
    Key(1).uniform(2)[:] = 0
    assert Key(1).words(2).all()
    assert Key(1).uniform(2).all()


def test_as_key_takes_three_types() -> None:
    key = Key("a").child("b")
    assert as_key(key) is key
    assert (as_key("a"), as_key(7)) == (Key("a"), Key(7))
    with pytest.raises(InvalidInput, match="seed is None"):
        as_key(None)  # type: ignore[arg-type]
