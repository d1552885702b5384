"""The published golden vectors of `Key`: first words and first uniforms.

They were computed from the rules in the docstring of `replibandit.key` by an implementation of SHAKE-256 in plain
Python integers, and checked with the `openssl dgst -shake256` command; `replibandit` and `hashlib` had no part in it.
A change here breaks every published run: it needs a new version in the encoding and a *Stream changes* entry.
"""

import hashlib
import math

import pytest

from replibandit.key import Key

VECTORS = [
    (Key(0), [0x70EBD52CB599060A, 0xCDF53EE017B3A6C5], ["0x1.c3af54b2d6640p-2", "0x1.9bea7dc02f674p-1"]),
    (Key(1), [0x307A17C7DAAD6995, 0xAE954623066E089B], ["0x1.83d0be3ed56b4p-3", "0x1.5d2a8c460cdc1p-1"]),
    (Key("1"), [0x12841D8DC131C261, 0xFE848417C7A6C064], ["0x1.2841d8dc131c0p-4", "0x1.fd09082f8f4d8p-1"]),
    (Key(-1), [0xD0B43C4F60FAF54B, 0x698C47DE93CD8141], ["0x1.a168789ec1f5ep-1", "0x1.a6311f7a4f360p-2"]),
    (Key(2**200), [0xDB0F03A80DB13353, 0xE6953B7BE830FA63], ["0x1.b61e07501b626p-1", "0x1.cd2a76f7d061fp-1"]),
    (Key(-(2**200)), [0x8BE2859252BFDE73, 0x8320892EA8806C9C], ["0x1.17c50b24a57fbp-1", "0x1.0641125d5100dp-1"]),
    (Key(""), [0xA2452E3B14E9CEB6, 0x2F5C0884B9F81FE6], ["0x1.448a5c7629d39p-1", "0x1.7ae04425cfc0cp-3"]),
    (Key("trial-7"), [0xFFF8843EEFCF1AFE, 0x870ADFE07A6E8EB9], ["0x1.fff1087ddf9e3p-1", "0x1.0e15bfc0f4dd1p-1"]),
    (
        Key("trial-7").child("batch", 0),
        [0x069210112C7AD62D, 0x44D0F0B0B5DE5031],
        ["0x1.a484044b1eb40p-6", "0x1.1343c2c2d7794p-2"],
    ),
    (
        Key("trial-7").child("batch", 3),
        [0x9C8F4F44C0CF676C, 0x0DA5576495EC7163],
        ["0x1.391e9e89819ecp-1", "0x1.b4aaec92bd8e0p-5"],
    ),
    (
        Key("trial-7").child("arm", 2, "pulls", 1000),
        [0x7E91EB23AC7263AA, 0x6A602D0E914DBDC5],
        ["0x1.fa47ac8eb1c98p-2", "0x1.a980b43a4536ep-2"],
    ),
    (
        Key("trial-7").child("estimate"),
        [0xEEC86D0E8997F341, 0x92403CC78308347A],
        ["0x1.dd90da1d132fep-1", "0x1.2480798f06106p-1"],
    ),
    (Key("a").child("b"), [0x156B8F466DC6B516, 0xA897172DAC8426B9], ["0x1.56b8f466dc6b0p-4", "0x1.512e2e5b59084p-1"]),
    (Key("ab"), [0x9395A4331E948840, 0xA97132AEA46B8C26], ["0x1.272b48663d291p-1", "0x1.52e2655d48d71p-1"]),
    (Key("ab").child("c"), [0xFC1AA0873891F5BC, 0xBBBA6E1547758957], ["0x1.f835410e7123ep-1", "0x1.7774dc2a8eeb1p-1"]),
    (Key("a").child("bc"), [0x4551E28EE2484C26, 0x8CA491A8C5B9999E], ["0x1.15478a3b89212p-2", "0x1.194923518b733p-1"]),
    (
        Key("\u03c9-7").child("Z\xfcrich", "\U0001f3b2"),
        [0x7919D5E04EABDEBF, 0x9220849BBA50BF4A],
        ["0x1.e46757813aaf6p-2", "0x1.2441093774a17p-1"],
    ),
]


@pytest.mark.parametrize(("key", "words", "uniforms"), VECTORS, ids=[repr(row[0]) for row in VECTORS])
def test_vector(key: Key, words: list[int], uniforms: list[str]) -> None:
    assert key.words(2).tolist() == words
    assert [u.hex() for u in key.uniform(2).tolist()] == uniforms


def test_vectors_are_all_different() -> None:
    assert len({words[0] for _, words, _ in VECTORS}) == len(VECTORS)


def test_a_third_party_needs_hashlib_only() -> None:
    parts = b"t17:replibandit.Key.1t7:trial-7t3:armi1:2t5:pullsi3:3e8"
    stream = hashlib.shake_256(parts).digest(16)
    words = [int.from_bytes(stream[start : start + 8], "little") for start in (0, 8)]
    uniforms = [math.ldexp(word >> 11, -53) for word in words]
    key = Key("trial-7").child("arm", 2, "pulls", 1000)
    assert (words, uniforms) == (key.words(2).tolist(), key.uniform(2).tolist())
    assert words == [0x7E91EB23AC7263AA, 0x6A602D0E914DBDC5]
