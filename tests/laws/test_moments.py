"""Laws of `Moments`: any split of the rows, in any order, merged in any tree, gives the same value."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replibandit.arithmetic import Moments, Scale, moments, no_moments
from replibandit.arrays import FloatArray, IntArray

D = 3
SCALE = Scale.declared(D, feature_bound=1.0, response_bound=100.0)
units = st.floats(-1.0, 1.0)


@st.composite
def tables(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, IntArray]:
    n = draw(st.integers(0, 15))
    X = np.array(draw(st.lists(units, min_size=n * D, max_size=n * D)), dtype=np.float64).reshape(n, D)
    y = 100 * np.array(draw(st.lists(units, min_size=n, max_size=n)), dtype=np.float64)
    counts = draw(st.lists(st.integers(0, 2**53 - 1), min_size=n, max_size=n))
    return X, y, np.array(counts, dtype=np.int64)


sums = tables().map(lambda table: moments(table[0], table[1], scale=SCALE, counts=table[2]))


@given(sums, sums, sums)
def test_merging_is_associative_and_commutative(a: Moments, b: Moments, c: Moments) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a


@given(sums)
def test_nothing_is_the_identity(a: Moments) -> None:
    assert a + no_moments(SCALE) == no_moments(SCALE) + a == a


@given(tables(), st.data())
def test_any_split_in_any_order_gives_the_same_moments(
    table: tuple[FloatArray, FloatArray, IntArray], data: st.DataObject
) -> None:
    X, y, counts = table
    order = np.array(data.draw(st.permutations(range(len(y)))), dtype=np.int64)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(y)), max_size=4)))
    parts = [moments(X[rows], y[rows], scale=SCALE, counts=counts[rows]) for rows in np.split(order, cuts)]
    while len(parts) > 1:  # a tree of any shape
        first = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        second = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        parts.append(first + second)
    assert parts[0] == moments(X, y, scale=SCALE, counts=counts)


@given(tables(), st.data())
def test_the_order_of_the_columns_is_kept(table: tuple[FloatArray, FloatArray, IntArray], data: st.DataObject) -> None:
    X, y, _ = table
    order = data.draw(st.permutations(range(D)))
    whole, other = moments(X, y, scale=SCALE), moments(X[:, order], y, scale=SCALE)
    assert (other.gram == whole.gram[np.ix_(order, order)]).all()
    assert (other.cross == whole.cross[order]).all()


@given(tables())
def test_views_are_symmetric_and_finite(table: tuple[FloatArray, FloatArray, IntArray]) -> None:
    whole = moments(table[0], table[1], scale=SCALE, counts=table[2])
    assert (whole.gram == whole.gram.T).all()
    assert (whole.gram.diagonal() >= 0).all()
    assert np.isfinite(whole.cross).all()
    assert whole.rows == sum(table[2].tolist())
