"""The maximisers over R^d, a ball and a box: certified by their residual, in lanes, and honest when they fail."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from replibandit.arithmetic import Scale, cholesky, moments, scale_of
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import NotConverged
from replibandit.estimators.likelihood import Likelihood, newton_step
from replibandit.estimators.newton import TARGET, Solution, solve_ball, solve_box, solve_free
from replibandit.links import LINKS

RNG = np.random.default_rng(20_240_817)
LINK_NAMES = list(LINKS)
UNIT = np.ones(1)


def dyadic(n: int, d: int) -> FloatArray:
    """Return features that lie on every grid, so that nothing is rounded before the sums."""
    return np.asarray(np.rint(RNG.normal(size=(n, d)) * 2**10) * 2.0**-11)


def responses(name: str, X: FloatArray, theta: FloatArray) -> FloatArray:
    mean = LINKS[name].mean(X @ theta)
    return np.rint(mean + 0.5 * RNG.normal(size=len(X))) if name != "log" else RNG.poisson(mean).astype(np.float64)


def likelihood(name: str, X: FloatArray, y: FloatArray, penalty: float, counts: IntArray | None = None) -> Likelihood:
    sums = moments(X, y, scale=scale_of(X, y), counts=counts)
    return Likelihood.of(X, sums, counts, cholesky(penalty * np.eye(X.shape[1]) + sums.gram), LINKS[name])


def score(name: str, X: FloatArray, y: FloatArray, penalty: float, theta: FloatArray) -> FloatArray:
    """Return the gradient of the penalised negative quasi-likelihood, by NumPy."""
    return np.asarray(X.T @ (LINKS[name].mean(X @ theta) - y) + penalty * theta)


def whitened_size(X: FloatArray, penalty: float, vector: FloatArray) -> float:
    return float(np.sqrt(vector @ np.linalg.solve(penalty * np.eye(X.shape[1]) + X.T @ X, vector)))


@pytest.mark.parametrize("name", LINK_NAMES)
@pytest.mark.parametrize("penalty", [1.0, 1e-6, 1e4])
def test_free_solution_has_no_score(name: str, penalty: float) -> None:
    X = dyadic(80, 3)
    y = responses(name, X, np.array([1.0, -2.0, 0.5]))
    solution = solve_free(likelihood(name, X, y, penalty), np.array([penalty]), UNIT)
    assert solution.residual[0] <= TARGET
    assert solution.multiplier.tolist() == [0.0]
    left = whitened_size(X, penalty, score(name, X, y, penalty, solution.theta[0]))
    assert left == pytest.approx(solution.residual[0], abs=1e-12)


@pytest.mark.parametrize("name", ["logistic", "log"])
def test_residual_certifies_the_distance(name: str) -> None:
    """||theta - theta^||_V <= residual / min(1, c_mu), against the solution in 40 digits, at every stage."""
    X, penalty = dyadic(30, 2), 0.5
    y = responses(name, X, np.array([0.7, -1.1]))
    data, V = likelihood(name, X, y, penalty), penalty * np.eye(2) + X.T @ X
    with mp.workdps(40):
        mean = (lambda eta: 1 / (1 + mp.exp(-eta))) if name == "logistic" else mp.exp

        def gradient(*theta: mpf) -> list[mpf]:
            rows = [[mpf(v) for v in row] for row in X.tolist()]
            gaps = [
                mean(sum(a * t for a, t in zip(row, theta, strict=True))) - r for row, r in zip(rows, y, strict=True)
            ]
            return [
                penalty * t + sum(g * row[j] for g, row in zip(gaps, rows, strict=True)) for j, t in enumerate(theta)
            ]

        start = solve_free(data, np.array([penalty]), UNIT).theta[0]
        exact = np.array([float(value) for value in mp.findroot(gradient, start.tolist())])
    for offset in (0.0, 1e-6, 1e-3, 0.1):
        theta = start + offset * np.array([1.0, -0.5])
        eta = np.concatenate([X @ theta, X @ exact])
        c = min(1.0, LINKS[name].min_slope(float(eta.min()), float(eta.max())))
        size = float(data.size(data.score(theta[None], np.array([penalty])))[0])
        distance = float(np.sqrt((theta - exact) @ V @ (theta - exact)))
        assert distance <= size / c + 1e-13


@pytest.mark.parametrize("name", LINK_NAMES)
@pytest.mark.parametrize("radius", [1e-3, 0.1, 1.0, 50.0])
@pytest.mark.parametrize("penalty", [1.0, 1e-8])
def test_ball_solution_satisfies_its_conditions(name: str, radius: float, penalty: float) -> None:
    """The score plus nu theta is 0, nu >= 0, ||theta|| <= S, nu (||theta|| - S) = 0."""
    X = dyadic(80, 4)
    y = responses(name, X, np.array([1.0, -1.0, 0.5, 1.5]))
    solution = solve_ball(likelihood(name, X, y, penalty), np.array([penalty]), UNIT, radius)
    theta, nu = solution.theta[0], float(solution.multiplier[0])
    norm = float(np.linalg.norm(theta))
    assert nu >= 0
    assert norm <= radius * (1 + 1e-9)
    assert nu == 0 or norm == pytest.approx(radius, rel=1e-9)
    left = score(name, X, y, penalty, theta) + nu * theta
    assert whitened_size(X, penalty, left) <= solution.residual[0] + 1e-11  # which bounds the error of the norm too
    assert solution.residual[0] <= TARGET


@pytest.mark.parametrize("name", LINK_NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_box_solution_satisfies_its_conditions(name: str, seed: int) -> None:
    """The score vanishes inside and points outwards at a bound."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    X = np.rint((rng.normal(size=(60, d)) + rng.normal(size=(60, 1))) * 2**8) * 2.0**-9
    y = responses(name, X, 0.5 * rng.normal(size=d))
    penalty, centre, half = float(10 ** rng.uniform(-6, 3)), 0.3 * rng.normal(size=d), rng.uniform(1e-3, 0.6, size=d)
    low, high = centre - half, centre + half
    solution = solve_box(likelihood(name, X, y, penalty), np.array([penalty]), UNIT, low, high)
    theta = solution.theta[0]
    assert ((low <= theta) & (theta <= high)).all()
    g = score(name, X, y, penalty, theta)
    left = np.where(((theta == low) & (g > 0)) | ((theta == high) & (g < 0)), 0.0, g)
    assert whitened_size(X, penalty, left) <= solution.residual[0] + 1e-11  # which bounds the error of the norm too
    assert solution.residual[0] <= TARGET


@pytest.mark.parametrize("top", [1.0, 2.0])
def test_box_releases_a_coordinate_that_was_pinned_too_early(top: float) -> None:
    """Newton's first steps pin both at 0; by hand, 6 theta_2 = 1, and there the score of theta_1 is 8/3, outwards."""
    X, y = np.array([[1.0, -2.0], [0.0, 1.0]]), np.array([-3.0, -5.0])
    solution = solve_box(likelihood("identity", X, y, 1.0), np.ones(1), UNIT, np.zeros(2), np.full(2, top))
    assert solution.theta[0].tolist() == [0.0, pytest.approx(1 / 6, rel=1e-10)]


def test_box_of_many_coordinates() -> None:
    """Every coordinate of the solution lies on a bound, and each is found there."""
    d = 60
    X = np.eye(d)
    y = np.where(np.arange(d) % 2, 9.0, -9.0)
    solution = solve_box(likelihood("identity", X, y, 1.0), np.ones(1), UNIT, np.full(d, -1.0), np.full(d, 1.0))
    assert solution.theta[0].tolist() == np.where(np.arange(d) % 2, 1.0, -1.0).tolist()


def lanes_of(name: str, m: int) -> tuple[Likelihood, FloatArray, list[Likelihood]]:
    """Return m lanes of one design, and each of them alone; the lanes need different numbers of steps."""
    X, penalty = dyadic(50, 3), 10.0 ** RNG.uniform(-3, 3, size=m)
    scale = Scale(features=tuple(int(e) for e in scale_of(X, X[:, 0]).features), response=20)
    singles, counts = [], RNG.integers(0, 9, size=(m, 50))
    for lane in range(m):
        y = counts[lane] * responses(name, X, RNG.normal(size=3))
        sums = moments(X, y, scale=scale, counts=counts[lane])
        factor = cholesky(penalty[lane] * np.eye(3) + sums.gram)
        singles.append(Likelihood.of(X, sums, counts[lane], factor, LINKS[name]))
    target, factors = (np.concatenate([getattr(one, part) for one in singles]) for part in ("target", "factor"))
    together = Likelihood(X=X, scale=scale, counts=counts, target=target, factor=factors, link=LINKS[name])
    return together, penalty, singles


def assert_lanes(together: Solution, singles: list[Solution]) -> None:
    for lane, single in enumerate(singles):
        assert (together.theta[lane] == single.theta[0]).all()
        assert together.residual[lane] == single.residual[0]
        assert together.multiplier[lane] == single.multiplier[0]


@pytest.mark.parametrize("name", LINK_NAMES)
def test_lanes_are_the_single_solutions_to_the_bit(name: str) -> None:
    together, penalty, singles = lanes_of(name, 6)
    unit = np.linspace(0.5, 2.0, 6)
    each = [(one, penalty[k : k + 1], unit[k : k + 1]) for k, one in enumerate(singles)]
    assert_lanes(solve_free(together, penalty, unit), [solve_free(*one) for one in each])
    assert_lanes(solve_ball(together, penalty, unit, 0.4), [solve_ball(*one, 0.4) for one in each])


def test_a_start_is_not_written_to() -> None:
    data, start = likelihood("logistic", dyadic(40, 2), np.ones(40), 1.0), np.array([[0.3, -0.2]])
    copy = start.copy()
    again = solve_free(data, np.ones(1), UNIT, start)
    assert (start == copy).all()
    assert np.allclose(again.theta, solve_free(data, np.ones(1), UNIT).theta, atol=1e-10)
    assert solve_free(data, np.ones(1), UNIT, again.theta).steps == 1  # from a given point one step is always taken


def test_newton_step_solves_for_the_free_coordinates() -> None:
    X, theta = dyadic(40, 3), np.array([[0.1, 0.2, -0.3]])
    data = likelihood("logistic", X, np.ones(40), 2.0)
    g, free = data.score(theta, np.array([2.0])), np.array([[True, False, True]])
    slopes = LINKS["logistic"].slope(X @ theta[0])
    H = 2 * np.eye(3) + (X * slopes[:, None]).T @ X
    step = newton_step(data, theta, g, np.array([2.0]), free)[0]
    assert step[1] == 0.0
    assert np.allclose(H[np.ix_([0, 2], [0, 2])] @ step[[0, 2]], -g[0][[0, 2]], rtol=1e-8)


def test_a_mean_beyond_range_is_an_infinite_score() -> None:
    data = likelihood("log", np.ones((2, 1)), np.ones(2), 1.0)
    assert np.isinf(data.score(np.array([[800.0]]), np.ones(1))).all()
    assert np.isinf(data.size(np.array([[np.inf]]))).all()


def test_steps_that_overshoot_are_halved() -> None:
    X, y = np.ones((3, 1)), np.full(3, 1e6)
    solution = solve_free(likelihood("log", X, y, 1e-3), np.array([1e-3]), UNIT)
    assert solution.theta[0, 0] == pytest.approx(np.log(1e6), rel=1e-6)


def test_means_that_vanish_are_no_error() -> None:
    """exp(-300) lies below the exact arithmetic's range of scales; it is as good as 0."""
    data = likelihood("log", np.ones((3, 1)), np.zeros(3), 1.0)
    for theta in (-250.0, -300.0, -360.0, -700.0, -800.0):
        g = data.score(np.array([[theta]]), np.ones(1))
        assert g[0, 0] == theta
        assert newton_step(data, np.array([[theta]]), g, np.ones(1), np.ones((1, 1), dtype=np.bool_))[0, 0] == -theta


@pytest.mark.parametrize("solver", [solve_free, solve_ball, solve_box])
def test_too_few_steps_are_an_error(solver: Callable[..., Solution], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[solve_free.__module__], "_STEPS", 2)
    monkeypatch.setattr(sys.modules[solve_free.__module__], "_PINS", 0)
    domain: dict[Any, tuple[Any, ...]] = {solve_free: (), solve_ball: (1e-3,), solve_box: (np.full(2, -1), np.ones(2))}
    data = likelihood("logistic", 8 * dyadic(40, 2), np.tile([0.0, 1.0], 20), 1e-6)
    with pytest.raises(NotConverged, match=r"did not end in 2 steps\. Rescale the columns of X or raise the penalty"):
        solver(data, np.array([1e-6]), UNIT * 1e-6, *domain[solver])


def test_an_unreachable_tolerance_is_an_error() -> None:
    """Rounding errors keep the score from falling to 2**-24 of a unit of 1e-12."""
    X = dyadic(200, 3)
    data = likelihood("logistic", X, responses("logistic", X, np.ones(3)), 1.0)
    with pytest.raises(
        NotConverged, match=r"relative residual of .*; 6e-08 is needed\. Rescale the columns of X or raise"
    ):
        solve_free(data, np.ones(1), UNIT * 1e-12)
