"""Laws of the G-optimal design: what its certificate says is so, and only the set of actions has a say.

The certificate is computed again here, by a singular value decomposition in ordinary floating point.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from replibandit.arrays import BoolArray, FloatArray
from replibandit.errors import InvalidInput, NotConverged
from replibandit.estimators.design import (
    Design,
    _afresh,
    _best_step,
    _Iterate,
    _moved,
    _scaled,
    g_optimal,
)
from replibandit.estimators.span import span_of

# Small integers: many ties, duplicates, zeros and subspaces, and a rank that floating point finds exactly.
whole = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(-3, 3).map(float)
).filter(np.any)
tightness = st.sampled_from([4.0, 1.5, 1.01])


def on_sphere(rng: np.random.Generator, K: int, d: int) -> FloatArray:
    A = rng.normal(size=(K, d))
    return np.asarray(A / np.linalg.norm(A, axis=1, keepdims=True))


def clustered(rng: np.random.Generator, K: int, d: int) -> FloatArray:
    centres = rng.normal(size=(d // 2 + 1, d))
    return centres[rng.integers(len(centres), size=K)] + 1e-3 * rng.normal(size=(K, d))


def signed(rng: np.random.Generator, K: int, d: int) -> FloatArray:
    A = rng.normal(size=(K // 2, d))
    return np.vstack([A, -A])


def curve(rng: np.random.Generator, K: int, d: int) -> FloatArray:
    return np.asarray(np.polynomial.chebyshev.chebvander(np.linspace(-1, 1, K), d - 1))


SETS: dict[str, Callable[[np.random.Generator, int, int], FloatArray]] = {
    "normal": lambda rng, K, d: rng.normal(size=(K, d)),
    "heavy tails": lambda rng, K, d: rng.standard_t(1.5, size=(K, d)),
    "sphere": on_sphere,
    "clustered": clustered,
    "nearly collinear": lambda rng, K, d: rng.normal(size=d) + 1e-5 * rng.normal(size=(K, d)),
    "signed": signed,
    "duplicated": lambda rng, K, d: np.repeat(rng.normal(size=(K // 10, d)), 10, axis=0),
    "cube": lambda rng, K, d: rng.choice([-1.0, 1.0], size=(K, d)),
    "binary": lambda rng, K, d: (rng.random((K, d)) < 0.3).astype(np.float64),
    "simplex": lambda rng, K, d: np.vstack([np.eye(d), rng.dirichlet(np.ones(d), size=K - d)]),
    "different units": lambda rng, K, d: rng.normal(size=(K, d)) * 10.0 ** np.linspace(-6, 6, d),
    "curve": curve,
    "subspace": lambda rng, K, d: rng.normal(size=(K, d // 2)) @ rng.normal(size=(d // 2, d)),
}


def certificate(A: FloatArray, design: Design) -> float:
    """Return max_a ||a||^2 in the norm of the pseudo-inverse of V(pi)."""
    scaled = A / np.maximum(abs(A).max(axis=0), 1e-300)
    root = scaled[design.indices] * np.sqrt(design.weights)[:, None]
    values, axes = np.linalg.svd(root, full_matrices=False)[1:]
    whitened = scaled @ axes[: design.rank].T / values[: design.rank]
    return float((whitened**2).sum(axis=1).max())


def at_most(rank: int) -> float:
    """Return the bound on the size of a 4-approximate design's support."""
    return rank * (5 + math.log(math.log(rank + 2)))


def bits(design: Design) -> tuple[list[int], bytes, float, int]:
    return design.indices.tolist(), design.weights.tobytes(), design.certificate, design.rank


def check(A: FloatArray, approximation: float) -> Design:
    design = g_optimal(A, approximation=approximation)
    assert design.rank <= design.certificate * (1 + 1e-9)
    assert design.certificate <= approximation * design.rank
    assert certificate(A, design) == pytest.approx(design.certificate, rel=1e-6)
    assert (np.diff(design.indices) > 0).all()
    assert (design.weights > 0).all()
    assert sum(map(Fraction, design.weights.tolist())) == 1
    return design


@given(whole, tightness)
def test_whole_numbers(A: FloatArray, approximation: float) -> None:
    assert check(A, approximation).rank == np.linalg.matrix_rank(A)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("d", [2, 5, 20, 50])
def test_few_actions_suffice(name: str, d: int) -> None:
    for K in (100, 2000):
        A = SETS[name](np.random.default_rng(d), K, d)
        design = check(A, 4.0)
        assert len(design.indices) <= min(at_most(design.rank), 1.25 * d + 1)  # proved, and measured
        assert design.rank == (d // 2 if name == "subspace" else min(d, K // 10) if name == "duplicated" else d)


@pytest.mark.parametrize("name", SETS)
def test_the_certificate_tends_to_the_rank(name: str) -> None:
    A = SETS[name](np.random.default_rng(0), 100, 6)
    for approximation in (1.1, 1.01, 1.0001):
        check(A, approximation)


def test_the_bound_follows_from_the_steps() -> None:
    # t is what log det V lacks, over r: log r at first, and every step that adds an action lowers it
    for rank in (*range(2, 100), 1000, 10_000):
        t, support, least = math.log(rank), rank, math.log(4) - 3 / 4
        while t > 0:
            t -= max(t - 1 + math.exp(-t), least) / rank
            support += 1
        assert support <= at_most(rank)


def test_the_gain_of_a_step_is_at_least_what_the_proof_takes() -> None:
    for d in (2, 3, 10, 100):
        for x in np.linspace(1.01, 50, 200).tolist():
            # det((1 - s) V + s a a^T) / det V = (1 - s)^(d - 1) (1 - s + s g), at g = x d and the step s of the ascent
            s = (x - 1) / (x * d - 1)
            gain = (d - 1) * math.log1p(-s) + math.log(1 - s + s * x * d)
            assert gain == pytest.approx(d * math.log(x) - (d - 1) * math.log((x * d - 1) / (d - 1)))
            assert gain >= math.log(x) - 1 + 1 / x


def ascent(A: FloatArray, steps: int) -> Iterator[_Iterate]:
    """Yield the designs of the ascent, each computed afresh from its weights."""
    span = span_of(_scaled(A))
    points, start = span.coordinates, span.pivots
    here = _afresh(points, start, np.full(len(start), 1 / len(start)))
    for _ in range(steps):
        yield here
        moved = _moved(points, here, *_best_step(here))
        here = _afresh(points, moved.support, moved.weights)
        assert moved.norms == pytest.approx(here.norms, rel=1e-6, abs=1e-9)


def test_steps_away_drop_actions_and_save_steps() -> None:
    designs = list(ascent(SETS["normal"](np.random.default_rng(2), 100, 6), 150))
    assert designs[-1].norms.max() < 1.005 * 6  # 1.018 times 6 without such steps
    assert len(designs[-1].support) < max(len(here.support) for here in designs)


def test_a_step_maximises_the_determinant_along_its_line() -> None:
    rng, kinds = np.random.default_rng(0), set()
    for _ in range(300):
        points, weights = rng.normal(size=(4, 2)), rng.dirichlet(np.ones(4))
        action, step = _best_step(_afresh(points, np.arange(4), weights))
        chosen = np.arange(4) == action
        drop = -weights[action] / (1 - weights[action])
        kinds.add("towards" if step > 0 else "drop" if step == drop else "away")

        def log_det(s: float, points: FloatArray = points, at: FloatArray = weights, to: BoolArray = chosen) -> float:
            return float(np.linalg.slogdet((points.T * ((1 - s) * at + s * to)) @ points)[1])

        assert step >= drop
        assert log_det(step) > max(log_det(0.0), log_det(0.9 * step))
        assert step == drop or log_det(step) > log_det(max(drop, 1.1 * step))
    assert kinds == {"towards", "away", "drop"}


@given(whole, tightness)
def test_a_second_copy_of_the_actions_changes_nothing(A: FloatArray, approximation: float) -> None:
    assert bits(g_optimal(np.vstack([A, A]), approximation=approximation)) == bits(
        g_optimal(A, approximation=approximation)
    )


@given(whole, tightness)
def test_neither_do_opposites(A: FloatArray, approximation: float) -> None:
    assert bits(g_optimal(np.vstack([A, -A]), approximation=approximation)) == bits(
        g_optimal(A, approximation=approximation)
    )


@given(whole, tightness, st.data())
def test_units_of_measurement_change_nothing(A: FloatArray, approximation: float, data: st.DataObject) -> None:
    units = [data.draw(st.sampled_from([1.0, -1.0, 8.0, -(2.0**-200), 2.0**300])) for _ in range(A.shape[1])]
    assert bits(g_optimal(A * units, approximation=approximation)) == bits(g_optimal(A, approximation=approximation))


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 40), tightness)
def test_the_order_of_the_actions_changes_nothing_without_ties(seed: int, d: int, K: int, approximation: float) -> None:
    rng = np.random.default_rng(seed)
    A, order = rng.normal(size=(K, d)), rng.permutation(K)
    first, second = (g_optimal(B, approximation=approximation) for B in (A, A[order]))
    ours = dict(zip(first.indices.tolist(), first.weights.tolist(), strict=True))
    theirs = dict(zip(order[second.indices].tolist(), second.weights.tolist(), strict=True))
    assert ours == theirs
    assert first.certificate == second.certificate


@pytest.mark.parametrize("approximation", [4.0, 1.01])
@pytest.mark.parametrize("name", SETS)
def test_layouts_in_memory(name: str, approximation: float) -> None:
    A = SETS[name](np.random.default_rng(1), 200, 7)
    wide = np.zeros((2 * len(A), 2 * A.shape[1]))
    wide[1::2, ::2] = A
    layouts = [A, np.asfortranarray(A), wide[1::2, ::2], A[::-1, ::-1].copy()[::-1, ::-1]]
    assert len({repr(bits(g_optimal(B, approximation=approximation))) for B in layouts}) == 1


def test_the_unit_vectors_get_equal_weights() -> None:
    design = g_optimal(np.vstack([0.5 * np.eye(4), np.eye(4), np.eye(4)]))
    assert bits(design) == ([4, 5, 6, 7], np.full(4, 0.25).tobytes(), 4.0, 4)


def test_one_direction_takes_its_longest_action() -> None:
    assert bits(g_optimal(np.array([[1.0, 2.0], [-3.0, -6.0], [0.0, 0.0]]))) == ([1], np.ones(1).tobytes(), 1.0, 1)


def test_a_direction_at_the_level_of_rounding_is_left_out() -> None:
    line = np.linspace(0.5, 1, 50)
    flat, thin = (np.column_stack([line, line + size * line**2]) for size in (2.0**-45, 2.0**-30))
    assert (g_optimal(flat).rank, g_optimal(thin).rank) == (1, 2)


@pytest.mark.parametrize(
    ("actions", "approximation", "message"),
    [
        (np.zeros((3, 2)), 4.0, r"actions has shape \(3, 2\) and no entry but 0"),
        (np.zeros((0, 2)), 4.0, r"actions has shape \(0, 2\)"),
        (np.zeros((2, 0)), 4.0, r"actions has shape \(2, 0\)"),
        (np.ones(3), 4.0, r"actions has shape \(3,\)"),
        (np.array([[1.0, np.nan]]), 4.0, r"actions\[0, 1\] = nan"),
        (np.array([[-np.inf, 1.0]]), 4.0, r"actions\[0, 0\] = -inf"),
        (np.array([[1e300]]), 4.0, "Rescale the column"),
        (np.eye(2), 1.0, "approximation is 1.0; it must be above 1"),
        (np.eye(2), math.nan, "approximation is nan"),
        (np.eye(2), math.inf, "approximation is inf"),
    ],
)
def test_refuses(actions: FloatArray, approximation: float, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        g_optimal(actions, approximation=approximation)


def test_too_few_steps_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(g_optimal.__globals__, "_REFRESHES", 2)
    A = SETS["normal"](np.random.default_rng(0), 100, 6)
    with pytest.raises(NotConverged, match=r"reached 6\.\d+ for a target of 6\.0000006 after 128 steps"):
        g_optimal(A, approximation=1 + 1e-7)
