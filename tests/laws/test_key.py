"""Laws of `Key`: names and numbers determine each other, and nothing else has a say."""

from hypothesis import given
from hypothesis import strategies as st

from replibandit.key import Key, uniforms

# short parts over few characters, so that near-collisions are drawn often; and anything
parts = st.one_of(
    st.text(alphabet="ab01:ti-", max_size=3),
    st.integers(-20, 20),
    st.integers(),
    st.text(st.characters(exclude_categories=["Cs"])),
)
keys = st.builds(lambda seed, names: Key(seed).child(*names), parts, st.lists(parts, max_size=4))


@given(keys, keys)
def test_encodings_are_equal_exactly_when_keys_are(one: Key, other: Key) -> None:
    assert (one.encoding() == other.encoding()) == (one == other) == (repr(one) == repr(other))


@given(keys)
def test_encoding_can_be_read_back(key: Key) -> None:
    rest, read = key.encoding(), []
    while rest:
        head, rest = rest.split(b":", 1)
        payload, rest = rest[: int(head[1:])], rest[int(head[1:]) :]
        read.append(payload.decode() if head[:1] == b"t" else int(payload, 16))
    assert read == ["replibandit.Key.1", key.seed, *key.names]


@given(keys, st.lists(parts, max_size=3), st.lists(parts, max_size=3))
def test_child_of_child_is_child(key: Key, first: list[str | int], second: list[str | int]) -> None:
    assert key.child(*first).child(*second) == key.child(*first, *second)


@given(st.lists(keys, min_size=1, max_size=6), st.data())
def test_order_of_calls_does_not_matter(some: list[Key], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(some))))
    straight = {index: some[index].words(2).tolist() for index in range(len(some))}
    shuffled = {index: some[index].words(2).tolist() for index in order}
    assert straight == shuffled


@given(keys, st.integers(1, 50), st.integers(1, 50))
def test_a_short_draw_begins_a_long_one(key: Key, size: int, more: int) -> None:
    assert key.words(size).tolist() == key.words(size + more)[:size].tolist()
    assert key.uniform(size).tolist() == key.uniform(size + more)[:size].tolist()


@given(keys, st.integers(1, 50))
def test_uniforms_are_multiples_of_the_unit_below_one(key: Key, size: int) -> None:
    counts = key.uniform(size) * 2**53
    assert all(0 <= count < 2**53 and count.is_integer() for count in counts.tolist())


@given(st.lists(st.tuples(keys, st.lists(parts, max_size=3).map(tuple)), min_size=1, max_size=4), st.integers(1, 5))
def test_many_draws_are_those_of_each_key(draws: list[tuple[Key, tuple[str | int, ...]]], size: int) -> None:
    twice = [*draws, *draws]  # runs with one key draw the same
    table = uniforms([key for key, _ in twice], [names for _, names in twice], size)
    assert table.tolist() == [key.child(*names).uniform(size).tolist() for key, names in twice]
