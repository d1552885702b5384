"""Action sets: what they accept, what they refuse, and the grid on which actions lie."""

from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.actions import action_cells, as_actions, cell_vectors
from replibandit.errors import InvalidInput

RNG = np.random.default_rng(6)
NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        (np.zeros((0, 2)), "no rows"),
        (np.zeros((2, 0)), "shape"),
        (np.zeros(3), "shape"),
        (np.zeros((1, 2, 3)), "shape"),
        ([[1.0, NAN]], r"actions\[0, 1\] = nan"),
        ([[1.0, -INF]], r"actions\[0, 1\] = -inf"),
        ([[1.0], [1.0, 2.0]], "actions"),
        ("abc", "actions"),
        ([["a"]], "actions"),
        (None, "actions"),
    ],
)
def test_a_finite_set_is_a_table_of_finite_numbers(vectors: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        rb.Finite(vectors)


@pytest.mark.parametrize("radius", [0.0, -1.0, NAN, INF, "1", None, True])
def test_a_ball_has_a_radius(radius: Any) -> None:
    with pytest.raises(InvalidInput, match="radius is"):
        rb.Ball(radius, 2)


@pytest.mark.parametrize("dim", [0, -1, 2.0, None, "2", True])
def test_a_ball_has_a_dimension(dim: Any) -> None:
    with pytest.raises(InvalidInput, match="dim is"):
        rb.Ball(1.0, dim)


def test_contexts_read_from_an_array() -> None:
    sets = RNG.uniform(-1, 1, (10, 4, 3))
    contexts = rb.Contexts.of(sets)
    assert (contexts.candidates, contexts.dim) == (4, 3)
    assert np.array_equal(contexts.block(2, 7), sets[2:7])
    assert contexts.block(3, 3).shape == (0, 4, 3)
    with pytest.raises(InvalidInput, match=r"sets has 10 rounds; round \d+ was asked for"):
        contexts.block(8, 11)
    with pytest.raises(InvalidInput, match=r"sets has shape \(4, 3\)"):
        rb.Contexts.of(sets[0])
    whole = rb.Contexts.of(np.ones((2, 2, 2), dtype=np.int32))
    assert whole.block(0, 2).dtype == np.float64


def test_contexts_of_what_is_no_array() -> None:
    with pytest.raises(InvalidInput, match="sets"):
        rb.Contexts.of([[[1.0, 2.0]]] * 2 + [[[1.0]]])  # type: ignore[arg-type]
    nested: Any = [[[0.5, 0.25]]]
    assert rb.Contexts.of(nested).dim == 2


def test_as_actions() -> None:
    ball, finite = rb.Ball(1.0, 2), rb.Finite(np.eye(2))
    assert as_actions(ball) is ball
    assert as_actions(finite) is finite
    table: Any = [[1, 0], [0, 1]]
    assert np.array_equal(getattr(as_actions(table), "vectors"), np.eye(2))  # noqa: B009
    for number in (3, 3.0, None, "abc"):
        with pytest.raises(InvalidInput, match=r"np\.eye"):
            as_actions(number)  # type: ignore[arg-type]


@pytest.mark.parametrize("bound", [1.0, 0.7, 100.0, 1e-9])
def test_actions_move_to_the_nearest_point_of_the_grid(bound: float) -> None:
    vectors = RNG.uniform(-1, 1, (50, 3)) * bound / np.sqrt(3)
    cells, valid = action_cells(vectors, bound)
    again = cell_vectors(cells, bound)
    assert valid.all()
    assert (abs(again - vectors) <= 2.0**-36 * bound).all()
    assert np.array_equal(action_cells(again, bound)[0], cells)
    assert (cells == np.rint(cells)).all()
    assert abs(cells).max() <= 2.0**36


def test_rows_of_nan_are_absent() -> None:
    sets = RNG.uniform(-0.5, 0.5, (4, 3, 2))
    sets[1, 0] = sets[3, 2] = sets[3, 1] = NAN
    cells, valid = action_cells(sets, 1.0)
    assert valid.tolist() == [[True] * 3, [False, True, True], [True] * 3, [True, False, False]]
    assert (cells[~valid] == 0).all()


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ([[[0.5, NAN]]], "NaN or infinite"),
        ([[[0.5, INF]]], "NaN or infinite"),
        ([[[NAN, INF]]], "NaN or infinite"),
        ([[[NAN, NAN], [NAN, NAN]]], "no action at all"),
        ([[[0.5, 0.5]], [[NAN, NAN]]], "no action at all"),
        ([[[1.0, 0.001]]], r"an action has norm 1\.0000005; action_bound is 1\."),
        ([[[1e200, 1e200]]], "action_bound"),
    ],
)
def test_actions_that_are_none(sets: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        action_cells(np.array(sets), 1.0)


def test_norms_up_to_the_bound_are_allowed() -> None:
    """A vector that was normalised has norm 1 up to rounding errors."""
    vectors = RNG.normal(size=(1000, 5))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert action_cells(vectors, 1.0)[1].all()
    with pytest.raises(InvalidInput):
        action_cells(vectors * (1.0 + 1e-10), 1.0)


@pytest.mark.parametrize(
    "spec", [rb.RepUCB(horizon=100, rho=0.1), rb.UCB1(horizon=10), rb.Thompson(horizon=10)], ids=str
)
def test_policies_for_arms_play_no_ball(spec: Any) -> None:
    with pytest.raises(InvalidInput, match="actions is a Ball; this policy plays arms"):
        spec.init(rb.Ball(1.0, 2), [rb.Key(1)])
