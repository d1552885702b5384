"""Checks at the door: what passes, what is refused, and what the refusal says."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from replibandit import checks
from replibandit.errors import InvalidInput, NotConverged, NotPositiveDefinite, OutOfRange, ReplibanditError

NOT_NUMBERS = [None, "1", True, np.True_, 1j, [1.0], np.array(1.0), np.array([1.0]), Fraction(1, 2)]


def refused(text: str) -> Any:
    return pytest.raises(InvalidInput, match=text)


@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), np.int8(3), np.float64(1e-300)])
def test_numbers_become_floats(value: Any) -> None:
    for check in (checks.positive, checks.nonnegative):
        assert type(check("noise", value)) is float
        assert check("noise", value) == float(value)


@pytest.mark.parametrize("value", NOT_NUMBERS)
def test_other_types_are_refused(value: Any) -> None:
    for check in (checks.positive, checks.nonnegative, checks.probability):
        with refused(r"^noise is .*; it must be a real number\.$"):
            check("noise", value)


def test_numbers_out_of_bounds_are_refused() -> None:
    for value in (0, -1, np.inf, -np.inf, np.nan):
        with refused(r"^noise is .*; it must be a finite number above 0\.$"):
            checks.positive("noise", value)
    for value in (-1e-300, np.inf, np.nan):
        with refused(r"^gap is .*; it must be a finite number, 0 or above\.$"):
            checks.nonnegative("gap", value)
    for value in (0, 1, -0.1, 1.5, np.nan):
        with refused(r"^rho is .*; it must lie strictly between 0 and 1\.$"):
            checks.probability("rho", value)
    assert checks.nonnegative("gap", 0) == 0.0
    assert checks.probability("rho", 1 - 2.0**-53) == 1 - 2.0**-53


def test_integers_too_large_for_a_double_are_refused() -> None:
    for check in (checks.positive, checks.nonnegative, checks.probability):
        with refused("noise is"):
            check("noise", 10**400)


def test_refusals_show_what_came() -> None:
    with refused(r"^noise is -1\.5;"):
        checks.positive("noise", -1.5)
    with refused(r"^n is '7';"):
        checks.positive_integer("n", "7")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1, np.int64(7), np.uint8(200), 10**30])
def test_whole_numbers_become_ints(value: Any) -> None:
    assert type(checks.positive_integer("n", value)) is int
    assert checks.positive_integer("n", value) == value


@pytest.mark.parametrize("value", [0, -3, 2.0, np.float64(2), True, None, "2", np.array(2), [2]])
def test_other_than_whole_numbers_are_refused(value: Any) -> None:
    with refused(r"^n is .*; it must be a whole number, 1 or above\.$"):
        checks.positive_integer("n", value)


def test_one_of() -> None:
    assert checks.one_of("link", "log", ["log", "probit"]) == "log"
    for value in ("Log", "", None, 3, ["log"]):
        with refused(r"^link is .*; choose one of 'log', 'probit'\.$"):
            checks.one_of("link", value, ["log", "probit"])  # type: ignore[arg-type]


@pytest.mark.parametrize(("rho", "delta", "factor"), [(0.1, 0.049, 2), (0.1, 0.033, 3), (0.999, 1e-300, 3)])
def test_rho_above_delta(rho: float, delta: float, factor: int) -> None:
    checks.rho_above_delta(rho, delta, factor=factor)


@pytest.mark.parametrize(("rho", "delta", "factor"), [(0.1, 0.05, 2), (0.1, 0.04, 3), (0.01, 0.4, 2)])
def test_rho_too_close_to_delta_is_refused(rho: float, delta: float, factor: int) -> None:
    text = rf"^rho is {rho} and delta is {delta}; the theorem needs rho > {factor} delta\. Lower delta below "
    with refused(text):
        checks.rho_above_delta(rho, delta, factor=factor)


def test_rho_above_delta_checks_each_alone() -> None:
    with refused("^rho is 1.5; it must lie strictly between 0 and 1"):
        checks.rho_above_delta(1.5, 0.01, factor=2)
    with refused("^delta is 0; it must lie strictly between 0 and 1"):
        checks.rho_above_delta(0.1, 0, factor=2)


@pytest.mark.parametrize(
    "values",
    [[[1, 2], [3, 4]], ((1, 2), (3, 4)), np.array([[1, 2], [3, 4]], dtype=np.uint8), np.array([[1, 2], [3, 4]], "f2")],
)
def test_matrix_takes_lists_and_every_real_type(values: Any) -> None:
    array = checks.matrix("X", values)
    assert (array.dtype, array.tolist()) == (np.dtype(np.float64), [[1.0, 2.0], [3.0, 4.0]])


def test_booleans_are_zeros_and_ones() -> None:
    assert checks.matrix("X", [[True, False]]).tolist() == [[1.0, 0.0]]
    assert checks.vector("y", np.array([True, False])).tolist() == [1.0, 0.0]


def test_float64_is_not_copied() -> None:
    X, y = np.ones((3, 2)), np.ones(3)
    assert checks.matrix("X", X) is X
    assert checks.vector("y", y) is y


@pytest.mark.parametrize("values", [[1.0, 2.0], 3.0, np.zeros((2, 2, 2)), np.zeros((3, 0)), []])
def test_matrix_refuses_other_shapes(values: Any) -> None:
    with refused(
        r"^X has shape \(.*\); it must be \(rows, columns\) .* For a single column use X\.reshape\(-1, 1\)\.$"
    ):
        checks.matrix("X", values)


def test_matrix_may_have_no_rows() -> None:
    assert checks.matrix("X", np.empty((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    "values",
    [
        [["a"]],
        [["1.5"]],
        np.array([[1j]]),
        [[1.0, 2.0], [3.0]],
        np.array([["2020-01-01"]], dtype="M8[D]"),
        np.array([["2020-01-01"]], dtype="M8[ns]"),
        np.array([[5]], dtype="m8[ns]"),
        object(),
        {"a": 1},
        [[10**400]],
        (row for row in [[1.0]]),
    ],
)
def test_other_than_real_arrays_are_refused(values: Any) -> None:
    with refused("^X .*real numbers"):
        checks.matrix("X", values)


@pytest.mark.parametrize("values", [3.0, [[1.0]], np.zeros((2, 1))])
def test_vector_refuses_other_shapes(values: Any) -> None:
    with refused(r"^y has shape \(.*\); it must have one dimension"):
        checks.vector("y", values)


def test_vector_refuses_other_lengths() -> None:
    assert checks.vector("y", [1, 2], length=2).tolist() == [1.0, 2.0]
    with refused(r"^y has 2 entries; 3 are needed"):
        checks.vector("y", [1, 2], length=3)


def test_finite_names_the_first_bad_entries() -> None:
    checks.finite("X", np.array([[1e308, -5e-324]]))
    X = np.zeros((5, 2))
    X[1, 0], X[2, 1] = np.nan, -np.inf
    with refused(r"^X\[1, 0\] = nan, X\[2, 1\] = -inf; every entry must be a finite number\."):
        checks.finite("X", X)
    with refused(r"^y\[0\] = nan, y\[1\] = nan, y\[2\] = nan and 4 more; every entry"):
        checks.finite("y", np.full(7, np.nan))
    with refused(r"^y\[1\] = inf; every entry"):
        checks.vector("y", [0.0, np.inf])
    with refused(r"^y\[1\] = nan; every entry"):
        checks.vector("y", [0.0, None])


@pytest.mark.parametrize("values", [[0, 1, 2**53 - 1], np.array([0, 1, 2**53 - 1], np.uint64), [0.0, 1.0, 2.0**53 - 1]])
def test_counts_become_int64(values: Any) -> None:
    array = checks.counts("counts", values, 3)
    assert (array.dtype, array.tolist()) == (np.dtype(np.int64), [0, 1, 2**53 - 1])


def test_no_counts_for_no_rows() -> None:
    assert checks.counts("counts", [], 0).dtype == np.int64


@pytest.mark.parametrize("values", [[1, 2], [[1], [2], [3]], 5, [1, 2, 3, 4]])
def test_counts_refuse_other_shapes(values: Any) -> None:
    with refused(r"^counts has shape .*; it must be \(3,\), one count for each row\.$"):
        checks.counts("counts", values, 3)


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf, 2**53, 2.0**53, 10**30, "1", None, True])
def test_counts_refuse_other_numbers(bad: Any) -> None:
    with refused(r"^counts .*whole numbers from 0 to 2\*\*53 - 1"):
        checks.counts("counts", [bad] * 3, 3)


def test_errors_are_also_the_built_in_ones() -> None:
    tree = {InvalidInput: ValueError, OutOfRange: OverflowError, NotPositiveDefinite: ArithmeticError}
    for error, builtin in {**tree, NotConverged: ArithmeticError}.items():
        assert issubclass(error, ReplibanditError)
        assert issubclass(error, builtin)
