"""The maximiser of the score over a ball, against the maximum computed in other ways."""

import numpy as np
import pytest
from scipy.optimize import minimize

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.policies.ball import farthest_point

RNG = np.random.default_rng(8)


def score(a: FloatArray, theta: FloatArray, beta: float, V: FloatArray) -> float:
    """<a, theta> + beta ||a|| in the norm of V^-1."""
    return float(a @ theta + beta * np.sqrt(a @ np.linalg.solve(V, a)))


def chosen(theta: FloatArray, beta: float, V: FloatArray) -> FloatArray:
    """Return the action on the unit sphere, as the policy takes it."""
    x = farthest_point(theta[None], np.array([beta]), V[None])[0]
    return np.asarray(x / np.linalg.norm(x))


def by_search(theta: FloatArray, beta: float, V: FloatArray) -> float:
    """Return the best score over the unit sphere that ascents from many starts find."""
    d = len(theta)
    starts = [*np.linalg.eigh(V)[1].T, theta, *RNG.normal(size=(8, d))]

    def loss(a: FloatArray) -> float:
        return -score(a / np.linalg.norm(a), theta, beta, V)

    ends = [minimize(loss, sign * start).fun for start in starts for sign in (1.0, -1.0) if start.any()]
    return -float(min(ends))


def by_eigenvalues(theta: FloatArray, beta: float, V: FloatArray) -> float:
    """Return max { ||x|| : ||x - theta||_V <= beta } from the secular equation in the basis of the eigenvectors."""
    values, vectors = np.linalg.eigh(V)
    c = vectors.T @ theta
    low, high = np.log(values[0]) - 300.0, np.log(values[0])  # of g = lambda_min - s

    def step(log_gap: float) -> FloatArray:
        gap = np.exp(log_gap)
        return np.asarray((values[0] - gap) * c / (values - values[0] + gap))

    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sqrt(np.sum(values * step(middle) ** 2)) > beta else (low, middle)
    return float(np.linalg.norm(c + step(high)))


def gram(d: int, n: int) -> FloatArray:
    rows = RNG.normal(size=(n, d)) * np.logspace(0, -2, d)
    return np.asarray(np.eye(d) + rows.T @ rows)


@pytest.mark.parametrize("d", range(1, 7))
@pytest.mark.parametrize("n", [0, 1, 30])
def test_no_point_found_by_search_is_better(d: int, n: int) -> None:
    V, theta = gram(d, n), RNG.normal(size=d)
    for beta in (0.01, 1.0, 30.0):
        found = score(chosen(theta, beta, V), theta, beta, V)
        assert found >= by_search(theta, beta, V) * (1.0 - 1e-9)
        assert found == pytest.approx(by_eigenvalues(theta, beta, V), rel=1e-9)


@pytest.mark.parametrize("beta", [1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("d", range(1, 7))
def test_small_and_large_radii(d: int, beta: float) -> None:
    for n in (0, 3, 1000):
        V, theta = gram(d, n), RNG.normal(size=d)
        assert score(chosen(theta, beta, V), theta, beta, V) == pytest.approx(by_eigenvalues(theta, beta, V), rel=1e-9)


@pytest.mark.parametrize("penalty", [1e-9, 1.0, 1e9])
def test_a_round_ellipsoid(penalty: float) -> None:
    """V = lambda I: the best action is the direction of theta."""
    for d in (1, 2, 5):
        theta = RNG.normal(size=d)
        a = chosen(theta, 1.0, penalty * np.eye(d))
        assert np.allclose(a, theta / np.linalg.norm(theta), atol=1e-9)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("slant", [1e-2, 1e-5, 1e-8])
def test_nearly_orthogonal_to_the_direction_least_explored(slant: float, turned: bool) -> None:
    """The hard case: all the bonus lies in a direction in which theta has next to nothing."""
    d, rotation = 4, np.eye(4)
    if turned:
        rotation = np.linalg.qr(RNG.normal(size=(d, d)))[0]
    V = rotation @ np.diag([1.0, 50.0, 70.0, 100.0]) @ rotation.T
    theta = rotation @ np.array([slant, 1.0, -0.5, 0.7])
    for beta in (1.0, 5.0, 30.0):
        best = max(by_search(theta, beta, V), by_eigenvalues(theta, beta, V))
        found = score(chosen(theta, beta, V), theta, beta, V)
        assert found == pytest.approx(best, rel=1e-7)
        # power: the direction of theta alone is far from the best
        assert score(theta / np.linalg.norm(theta), theta, beta, V) < 0.9 * best


def test_a_lane_does_not_know_its_neighbours() -> None:
    d, lanes = 3, 50
    V = np.array([gram(d, int(n)) for n in RNG.integers(0, 100, lanes)])
    theta, beta = RNG.normal(size=(lanes, d)), np.exp(RNG.normal(size=lanes) * 3)
    together = farthest_point(theta, beta, V)
    for i in range(lanes):
        assert np.array_equal(together[i], farthest_point(theta[i : i + 1], beta[i : i + 1], V[i : i + 1])[0])


@pytest.mark.parametrize("radius", [1.0, 0.3, 1.0 - 2.0**-30])
@pytest.mark.parametrize("dim", [1, 2, 3, 6])
def test_the_actions_of_a_run_lie_in_the_ball(radius: float, dim: int) -> None:
    """To the last bit: moving an action to the grid never takes it out of the ball, and nearly on its surface it is."""
    theta = RNG.normal(size=dim)
    env = rb.LinearArms(theta=theta / np.linalg.norm(theta), actions=rb.Ball(radius, dim), noise=0.1)
    spec = rb.RepLinUCB(horizon=10**9, rho=0.5, delta=0.1, noise=0.1)
    for run in rb.simulate_many(spec, env, seeds=range(30), rng=np.random.default_rng(0)):
        exact = [sum(int(x * 2.0**60) ** 2 for x in row) for row in run.vectors.tolist()]
        assert max(exact) <= int(radius * 2.0**60) ** 2
        assert min(exact) >= (int(radius * 2.0**60) * (1.0 - 2.0**-30)) ** 2
        assert (run.arms == -1).all()


@pytest.mark.parametrize(("dim", "horizon"), [(10, 10**8), (5, 10**12)])
def test_far_shifts_are_not_worth_a_warning(dim: int, horizon: int) -> None:
    """Where V - s I has no factor its solution is meaningless and may be huge; warnings are errors here."""
    truth = np.random.default_rng(1).standard_normal(dim)
    env = rb.LinearArms(theta=truth / np.linalg.norm(truth), actions=rb.Ball(1.0, dim), noise=0.5)
    spec = rb.RepLinUCB(horizon=horizon, rho=0.1, delta=0.01, noise=0.5, calibration="sharp")
    for run in rb.simulate_many(spec, env, seeds=range(20), rng=np.random.default_rng(0)):
        assert run.horizon == horizon
        assert (np.linalg.norm(run.vectors, axis=1) <= 1.0).all()
