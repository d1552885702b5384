"""The plan and the fit of the core set, against the proposition written out once more."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import mpmath
import numpy as np
import pytest

from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput, OutOfRange
from replibandit.estimators.core_set import CoreSet, core_set, rep_core_set
from replibandit.estimators.ridge import rep_ridge

Settings = dict[str, Any]
PAPER: Settings = {"epsilon": 0.1, "rho": 0.2, "delta": 0.05}


def actions(d: int, K: int, size: float = 1.0, rank: int | None = None) -> FloatArray:
    """Return K actions whose largest norm is about `size`."""
    rng = np.random.default_rng([d, K])
    A = rng.normal(size=(K, d)) if rank is None else rng.normal(size=(K, rank)) @ rng.normal(size=(rank, d))
    return np.asarray(size * A / np.linalg.norm(A, axis=1).max())


def longest(A: FloatArray) -> float:
    """Return the largest squared norm, every sum taken from the left."""
    rows: list[list[float]] = A.tolist()
    return max(reduce(lambda total, x: total + x * x, row, 0.0) for row in rows)


def excess(core: CoreSet, A: FloatArray, N: int) -> Any:
    """Return N minus the right-hand side of the proposition, to a hundred digits."""
    with mpmath.workdps(100):
        d, rho, eps, sigma, S = (
            mpmath.mpf(x) for x in (A.shape[1], core.rho, core.epsilon, core.noise, core.norm_bound)
        )
        B = d * mpmath.log(1 + mpmath.mpf(longest(A)) * (N + len(core.pulls)) / d)
        B += 2 * mpmath.log(1 / mpmath.mpf(min(core.delta, core.rho / 4)))
        return N - 72 * d**3 * (sigma**2 * B + S**2) / (rho**2 * eps**2)


CASES: list[tuple[FloatArray, Settings]] = [
    (np.array([[1.0]]), PAPER),
    (np.array([[0.25]]), PAPER | {"epsilon": 50.0}),
    (actions(2, 12), PAPER),
    (actions(5, 50), PAPER | {"rho": 0.05, "delta": 1e-9}),
    (actions(5, 50, size=7.0), PAPER | {"noise": 0.5, "norm_bound": 3.0}),
    (actions(6, 50, rank=3), PAPER | {"noise": 2.0}),
    (actions(20, 300), PAPER),
    (actions(20, 300, size=0.1), PAPER | {"norm_bound": 100.0}),
    (actions(3, 9), PAPER | {"epsilon": 1e-4}),
    (actions(3, 9), PAPER | {"epsilon": 1e-5, "noise": 0.1, "norm_bound": 0.1}),
    (actions(2, 12), PAPER | {"epsilon": 1e3}),
    (actions(2, 12), PAPER | {"noise": 1e-3, "rho": 0.9, "delta": 0.9}),
]


@pytest.mark.parametrize(("A", "settings"), CASES)
def test_the_scale_is_the_smallest_that_the_proposition_allows(A: FloatArray, settings: Settings) -> None:
    core = core_set(A, **settings)
    assert excess(core, A, core.scale) >= 0
    assert excess(core, A, core.scale - 1) < 0 or core.scale == 1


def test_the_scale_is_the_papers_where_the_paper_speaks() -> None:
    # 72 d^3 (B_N + 1) / (rho^2 epsilon^2) with d = |C| = 2, all norms 1 and delta_0 = rho/4 = 0.05
    N = core_set(np.eye(2), **PAPER).scale
    before, there = (72 * 8 * (2 * math.log(2 + n / 2) + 2 * math.log(20) + 1) / 0.02**2 for n in (N - 1, N))
    assert before > N - 1
    assert there <= N


def test_the_scale_is_decided_exactly_for_random_settings() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        A = actions(int(rng.integers(1, 5)), 10, size=float(rng.uniform(0.1, 3)))
        names = ("epsilon", "rho", "delta", "noise", "norm_bound")
        lows, highs = (-3, -1.3, -8, -2, -2), (3, 0, 0, 0, 1)
        drawn = 10.0 ** rng.uniform(lows, highs)
        core = core_set(A, **dict(zip(names, drawn.tolist(), strict=True)))
        assert excess(core, A, core.scale) >= 0
        assert excess(core, A, core.scale - 1) < 0 or core.scale == 1


@pytest.mark.parametrize(("A", "settings"), CASES)
def test_pulls_are_rounded_up_exactly(A: FloatArray, settings: Settings) -> None:
    core = core_set(A, **settings)
    pulls = core.pulls.tolist()
    for n, weight in zip(pulls, core.weights.tolist(), strict=True):
        assert n - 1 < core.scale * Fraction(weight) <= n
    assert core.rounds == sum(pulls)
    assert core.scale <= core.rounds <= core.scale + len(pulls)
    assert core.pulls.dtype == core.indices.dtype == np.int64


def test_pulls_are_rounded_up_exactly_where_floating_point_cannot() -> None:
    core = core_set(actions(20, 300), **PAPER | {"epsilon": 4e-4})
    rounded = [math.ceil(core.scale * weight) for weight in core.weights.tolist()]
    exact = [-(-core.scale * round(weight * 2**53) // 2**53) for weight in core.weights.tolist()]
    assert rounded != exact
    assert core.pulls.tolist() == exact


@pytest.mark.parametrize(("A", "settings"), CASES)
def test_the_error_is_at_most_epsilon(A: FloatArray, settings: Settings) -> None:
    core = core_set(A, **settings)
    fit = rep_core_set(core, np.zeros(len(core.pulls)), seed=0)
    V = np.eye(A.shape[1]) + (core.actions.T * core.pulls) @ core.actions
    reach = math.sqrt(max(a @ np.linalg.solve(V, a) for a in A))
    assert core.reach == pytest.approx(reach, rel=1e-3)
    assert core.reach <= math.sqrt(core.certificate / core.scale) * (1 + 1e-6)
    assert fit.error == core.reach * fit.ridge.inflated_radius
    assert fit.error <= core.epsilon


def test_the_plan_says_what_it_was_made_with() -> None:
    A = actions(3, 30)
    core = core_set(A, epsilon=1, rho=0.1, delta=0.02, noise=0.5, norm_bound=2)
    assert (core.epsilon, core.rho, core.delta, core.noise, core.norm_bound) == (1.0, 0.1, 0.02, 0.5, 2.0)
    assert (core.actions == A[core.indices]).all()
    assert core.certificate <= 4 * 3


@pytest.mark.parametrize("whitening", ["cholesky", "symmetric"])
def test_the_fit_is_that_of_the_pulls_written_out(whitening: str) -> None:
    core = core_set(actions(3, 30), epsilon=60.0, rho=0.3, delta=0.2, noise=0.7, norm_bound=1.5)
    assert 3 < core.rounds < 1000
    rows = np.repeat(np.arange(len(core.pulls)), core.pulls)
    rewards = np.random.default_rng(0).integers(-8, 9, size=core.rounds) / 8.0
    sums = np.array([rewards[rows == i].sum() for i in range(len(core.pulls))])
    fit = rep_core_set(core, sums, seed="lab", whitening=whitening).ridge
    ridge = partial(rep_ridge, rho=0.3, delta=0.3 / 4, noise=0.7, norm_bound=1.5, penalty=1.0, whitening=whitening)
    plain = ridge(core.actions[rows], rewards, seed="lab")
    assert fit.fingerprint == plain.fingerprint
    assert fit.theta.tobytes() == plain.theta.tobytes()
    assert fit.raw.tobytes() == plain.raw.tobytes()


def test_actions_in_a_subspace() -> None:
    A = actions(6, 50, rank=3)
    core = core_set(A, **PAPER)
    theta = np.full(6, 0.4)
    fit = rep_core_set(core, core.pulls * (core.actions @ theta), seed=1)
    assert core.certificate <= 4 * 3
    assert abs(A @ (fit.ridge.theta - theta)).max() <= fit.error <= core.epsilon


@pytest.mark.parametrize(("epsilon", "scale"), [(1e-4, 10**13), (1e-5, 10**15), (9e-6, 10**16)])
def test_huge_scales(epsilon: float, scale: int) -> None:
    A = actions(2, 12)
    core = core_set(A, **PAPER | {"epsilon": epsilon})
    assert scale < core.scale < 20 * scale
    theta = np.array([0.6, -0.3])
    fit = rep_core_set(core, core.pulls * (core.actions @ theta), seed=1)
    assert abs(A @ (fit.ridge.theta - theta)).max() <= fit.error <= epsilon


def test_layouts_in_memory_give_the_same_bits() -> None:
    A = actions(5, 40)
    wide = np.zeros((80, 10))
    wide[::2, ::2] = A
    cores = [core_set(B, **PAPER) for B in (A, np.asfortranarray(A), wide[::2, ::2])]
    assert len({(c.pulls.tobytes(), c.actions.tobytes(), c.scale, c.reach, c.certificate) for c in cores}) == 1
    assert len({rep_core_set(c, np.ones(len(c.pulls)), seed=1).ridge.fingerprint for c in cores}) == 1


CORE = core_set(np.eye(2), **PAPER)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: core_set(np.zeros((2, 2)), **PAPER), "no entry but 0"),
        (lambda: core_set(np.array([[np.nan]]), **PAPER), r"actions\[0, 0\] = nan"),
        (lambda: core_set(np.eye(2), **PAPER | {"epsilon": 0.0}), "epsilon is 0.0; it must be a finite number above 0"),
        (lambda: core_set(np.eye(2), **PAPER | {"rho": 1.0}), "rho is 1.0; it must lie strictly between 0 and 1"),
        (lambda: core_set(np.eye(2), **PAPER | {"delta": math.nan}), "delta is nan"),
        (lambda: core_set(np.eye(2), **PAPER | {"noise": -1.0}), "noise is -1.0"),
        (lambda: core_set(np.eye(2), **PAPER | {"norm_bound": math.inf}), "norm_bound is inf"),
        (lambda: rep_core_set(CORE, np.zeros(3), seed=1), "sums has 3 entries; 2 are needed"),
        (lambda: rep_core_set(CORE, np.array([1.0, np.nan]), seed=1), r"sums\[1\] = nan"),
        (lambda: rep_core_set(CORE, np.zeros(2), seed=1, whitening="none"), "whitening is 'none'"),
        (lambda: rep_core_set(replace(CORE, pulls=CORE.pulls[:1]), np.zeros(2), seed=1), "sums has 2 entries; 1 are"),
    ],
)
def test_refuses(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


def test_more_pulls_than_can_be_summed_are_an_error() -> None:
    with pytest.raises(OutOfRange, match=r"asks for \d\.\d\de\+30 pulls of one action; .* Raise epsilon"):
        core_set(np.eye(2), **PAPER | {"epsilon": 1e-12})
