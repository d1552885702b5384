"""Laws of exact sums: Python's integers agree, and neither order nor grouping nor blocks matter."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replibandit.arithmetic.dyadic import cells, exponent_above
from replibandit.arithmetic.sums import FEATURE_BITS, RESPONSE_BITS, exact_cross, exact_gram
from replibandit.arithmetic.wide import add, to_float, wide
from replibandit.arrays import FloatArray, IntArray
from tests.unit.test_wide import from_integers, integers

wides = st.integers(-(2**170), 2**170)
small = st.integers(1 - 2**62, 2**62 - 1)
numbers = st.floats(-1e3, 1e3, allow_subnormal=False).map(lambda x: x if abs(x) > 1e-100 else 0.0)


@st.composite
def samples(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, IntArray]:
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    X = np.array(draw(st.lists(numbers, min_size=n * d, max_size=n * d))).reshape(n, d)
    y = np.array(draw(st.lists(numbers, min_size=n, max_size=n)))
    return X, y, np.array(draw(st.lists(st.integers(0, 2**53 - 1), min_size=n, max_size=n)), dtype=np.int64)


def grids(X: FloatArray, y: FloatArray) -> tuple[IntArray, IntArray]:
    return exponent_above(abs(X).max(axis=0)), exponent_above(abs(y).max(axis=0))


@given(st.lists(wides, min_size=1, max_size=6))
def test_sums_are_those_of_integers(terms: list[int]) -> None:
    assert integers(add(*(from_integers([term]) for term in terms))) == [sum(terms)]


@given(wides, wides, wides)
def test_addition_is_associative_commutative_and_has_a_zero(a: int, b: int, c: int) -> None:
    x, y, z = (from_integers([value]) for value in (a, b, c))
    assert (add(add(x, y), z) == add(x, add(y, z))).all()
    assert (add(x, y) == add(y, x)).all()
    assert (add(x, from_integers([0])) == x).all()
    assert (add(x, from_integers([-a])) == 0).all()


@given(small, st.integers(0, 118), st.integers(-200, 200))
def test_conversion_depends_on_the_value_alone(value: int, shift: int, exponent: int) -> None:
    found = to_float(wide(np.array([value]), shift), exponent - shift)
    assert found == to_float(wide(np.array([value])), exponent) == float(value) * 2.0**exponent


@given(wides, wides)
def test_conversion_keeps_order_and_sign(a: int, b: int) -> None:
    low, high = to_float(from_integers([min(a, b), max(a, b)]))
    assert low <= high
    assert to_float(from_integers([-a])) == -to_float(from_integers([a]))


@given(samples())
def test_moments_are_those_of_integers(sample: tuple[FloatArray, FloatArray, IntArray]) -> None:
    X, y, counts = sample
    e, f = grids(X, y)
    K = cells(X, e, FEATURE_BITS).astype(np.int64).astype(object)
    C, n = cells(y, f, RESPONSE_BITS).astype(np.int64).astype(object), counts.astype(object)
    assert integers(exact_gram(X, e)) == list((K.T @ K).ravel())
    assert integers(exact_gram(X, e, counts)) == list(((K * n[:, None]).T @ K).ravel())
    assert integers(exact_cross(X, e, y, f)) == list(K.T @ C)
    assert integers(exact_cross(X, e, y, f, counts)) == list(K.T @ (C * n))


@given(samples(), st.randoms(use_true_random=False), st.integers(1, 5))
def test_neither_order_nor_chunks_matter(
    sample: tuple[FloatArray, FloatArray, IntArray], random: Random, chunks: int
) -> None:
    X, y, counts = sample
    (e, f), order = grids(X, y), list(range(len(y)))
    random.shuffle(order)
    parts = np.array_split(np.array(order), chunks)
    assert (add(*(exact_gram(X[p], e) for p in parts)) == exact_gram(X, e)).all()
    assert (add(*(exact_gram(X[p], e, counts[p]) for p in parts)) == exact_gram(X, e, counts)).all()
    assert (add(*(exact_cross(X[p], e, y[p], f) for p in parts)) == exact_cross(X, e, y, f)).all()


@given(samples(), st.data())
def test_counts_are_repeated_rows(sample: tuple[FloatArray, FloatArray, IntArray], data: st.DataObject) -> None:
    X, y, _ = sample
    e, f = grids(X, y)
    counts = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(y), max_size=len(y))), dtype=np.int64)
    rows = np.repeat(np.arange(len(y)), counts)
    assert (exact_gram(X, e, counts) == exact_gram(X[rows], e)).all()
    assert (exact_cross(X, e, y, f, counts) == exact_cross(X[rows], e, y[rows], f)).all()


@given(samples(), st.integers(-200, 200))
def test_powers_of_two_change_the_exponents_only(sample: tuple[FloatArray, FloatArray, IntArray], power: int) -> None:
    X, y, _ = sample
    (e, f), factor = grids(X, y), 2.0**power
    assert (exact_gram(X * factor, e + power) == exact_gram(X, e)).all()
    assert (exact_cross(X, e, y * factor, f + power) == exact_cross(X, e, y, f)).all()
