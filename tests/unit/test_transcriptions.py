"""An independent check: Algorithms 1, 3 and 5, transcribed from the paper in plain loops, choose the same actions.

So do RepUCB and RepLinUCB with the sharp calibration, transcribed from docs/theory.md.

The transcriptions (tests/reference) share nothing with the engine but `Key`.  Each also returns how close it came to a
tie, a grid boundary or a threshold; the instances stay far from those, so that rounding errors decide nothing.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray
from tests.reference.linear import Settings
from tests.reference.rep_glm_ucb import rep_glm_ucb
from tests.reference.rep_lin_ucb import rep_lin_ucb
from tests.reference.rep_ucb import rep_ucb
from tests.reference.routes import Written, vectors
from tests.reference.sharp_rep_lin_ucb import sharp_rep_lin_ucb
from tests.reference.sharp_rep_ucb import sharp_rep_ucb

CLEAR = 1e-7  # against rounding errors of 1e-10 or so
# with much noise the grid is wide and the bonus rules; with little, the estimates do
WIDE = Settings(T=600, rho=0.5, delta=0.1, sigma=0.5, lam=0.7, S=0.6, L=1.5)
FINE = Settings(T=600, rho=0.9, delta=0.05, sigma=1e-4, lam=1e-4, S=1.0, L=1.0)
KINDS = ["finite", "contexts", "varying"]


def coins(rng: np.random.Generator, horizon: int, means: FloatArray) -> FloatArray:
    return (rng.random((horizon, len(means))) < means).astype(np.float64)


def instance(kind: str, horizon: int, candidates: int, dim: int, data: int) -> tuple[Written, FloatArray]:
    """Return an environment and the sets of all rounds; "varying" ones lack some rows, any of them."""
    rng = np.random.default_rng([data, dim])
    rewards = coins(rng, horizon, rng.random(candidates))
    if kind == "finite":
        table = vectors(rng, candidates, dim)
        return Written(rewards=rewards, actions=table), np.broadcast_to(table, (horizon, candidates, dim))
    sets = vectors(rng, horizon, candidates, dim)
    if kind == "varying":
        for t, present in enumerate(rng.integers(1, candidates + 1, horizon)):
            sets[t, rng.permutation(candidates)[present:]] = np.nan
    return Written(rewards=rewards, actions=rb.Contexts.of(sets)), sets


def words(at: Settings) -> dict[str, Any]:
    names = {"horizon": at.T, "rho": at.rho, "delta": at.delta, "noise": at.sigma}
    return {**names, "penalty": at.lam, "norm_bound": at.S, "action_bound": at.L}


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
@pytest.mark.parametrize(
    ("means", "horizon", "rho", "noise"),
    [((0.3, 0.6, 0.5), 3000, 0.3, 0.5), ((0.1, 0.9), 2049, 0.5, 0.01), ((0.2, 0.4, 0.6, 0.8, 0.5), 4000, 0.9, 1e-3)],
)
def test_rep_ucb(means: tuple[float, ...], horizon: int, rho: float, noise: float, seed: str) -> None:
    rewards = coins(np.random.default_rng(1), horizon, np.array(means))
    env = Written(rewards=rewards, actions=len(means))
    spec = rb.RepUCB(horizon=horizon, rho=rho, noise=noise)
    run = rb.simulate(spec, env, seed=seed, rng=np.random.default_rng(0))
    chosen, closeness = rep_ucb(len(means), horizon, rho, noise, seed, lambda t, a: float(rewards[t, a]))
    assert closeness > CLEAR
    assert run.rounds().tolist() == chosen


@pytest.mark.parametrize(("dim", "candidates"), [(1, 3), (2, 4), (3, 6)])
@pytest.mark.parametrize("at", [WIDE, FINE], ids=["wide", "fine"])
@pytest.mark.parametrize("kind", KINDS)
def test_rep_lin_ucb(kind: str, at: Settings, dim: int, candidates: int) -> None:
    seed = f"{kind}-{dim}"
    env, sets = instance(kind, at.T, candidates, dim, data=2)
    run = rb.simulate(rb.RepLinUCB(**words(at)), env, seed=seed, rng=np.random.default_rng(0))
    chosen, starts, closeness = rep_lin_ucb(at, dim, lambda t: sets[t], seed, lambda t, i: float(env.rewards[t, i]))
    assert closeness > CLEAR
    assert run.rounds().tolist() == chosen
    if kind == "finite":
        assert run.starts.tolist() == [t for t in starts if t < at.T]


@pytest.mark.parametrize("kind", KINDS)
def test_any_admissible_schedule(kind: str) -> None:
    """Fewer batches than the theorem's, another growth, and budgets that differ from batch to batch."""
    rhos, deltas = [0.05, 0.2, 0.1, 0.4, 0.15], [0.001, 0.002, 0.04, 0.005, 0.002]
    at = replace(FINE, own=(3.0, deltas, rhos))
    env, sets = instance(kind, at.T, 4, 2, data=2)
    schedule: dict[str, Any] = {"growth": 3.0, "budgets": rhos, "delta_budgets": deltas}
    rng = np.random.default_rng(0)
    run = rb.simulate(rb.RepLinUCB(**words(at), **schedule), env, seed="own", rng=rng)
    chosen, starts, closeness = rep_lin_ucb(at, 2, lambda t: sets[t], "own", lambda t, i: float(env.rewards[t, i]))
    assert closeness > CLEAR
    assert run.rounds().tolist() == chosen
    assert len(starts) == len(rhos)
    glm = rb.simulate(rb.RepGLMUCB(**words(at), **schedule, link="logistic"), env, seed="own", rng=rng)
    chosen, _, closeness = rep_glm_ucb(
        at, "logistic", 2, lambda t: sets[t], "own", lambda t, i: float(env.rewards[t, i])
    )
    assert closeness > CLEAR
    assert glm.rounds().tolist() == chosen


@pytest.mark.parametrize("dim", [1, 2, 4])
@pytest.mark.parametrize("at", [WIDE, FINE], ids=["wide", "fine"])
def test_rep_lin_ucb_on_a_ball(at: Settings, dim: int) -> None:
    """The transcription prefers the action of every round to 60 others on the sphere, and ends the same batches."""
    rng = np.random.default_rng(3)
    rewards = coins(rng, at.T, np.array([0.5]))
    env = Written(rewards=np.tile(rewards, 2), actions=rb.Ball(at.L, dim))
    run = rb.simulate(rb.RepLinUCB(**words(at)), env, seed="a", rng=np.random.default_rng(0))
    played = np.repeat(run.vectors, run.times, axis=0)
    others = rng.normal(size=(60, dim))
    others *= at.L / np.linalg.norm(others, axis=1, keepdims=True)
    if dim == 1:
        others *= 0.99
    chosen, starts, _ = rep_lin_ucb(
        at, dim, lambda t: np.vstack([played[t], others]), "a", lambda t, i: float(rewards[t, 0])
    )
    assert chosen == [0] * at.T
    assert run.starts.tolist() == [t for t in starts if t < at.T]


@pytest.mark.parametrize("link", ["logistic", "probit", "log"])
@pytest.mark.parametrize("at", [WIDE, FINE], ids=["wide", "fine"])
@pytest.mark.parametrize("kind", KINDS)
def test_rep_glm_ucb(kind: str, at: Settings, link: str) -> None:
    at, dim, seed = replace(at, T=400), 2, f"{kind}-{link}"
    env, sets = instance(kind, at.T, 4, dim, data=4)
    run = rb.simulate(rb.RepGLMUCB(**words(at), link=link), env, seed=seed, rng=np.random.default_rng(0))
    chosen, starts, closeness = rep_glm_ucb(
        at, link, dim, lambda t: sets[t], seed, lambda t, i: float(env.rewards[t, i])
    )
    assert closeness > CLEAR
    assert run.rounds().tolist() == chosen
    if kind == "finite":
        assert run.starts.tolist() == [t for t in starts if t < at.T]


SHARP_ARMS: list[tuple[tuple[float, ...], int, float, float, float, dict[str, Any]]] = [
    ((0.3, 0.6), 3000, 0.5, 0.5, 1.0, {}),
    ((0.1, 0.9, 0.5), 2049, 0.3, 0.01, 0.2, {"growth": 2.0, "budgets": "geometric"}),
    ((0.2, 0.4, 0.6, 0.8, 0.5), 4000, 0.9, 0.1, 0.5, {"growth": 3.5, "budgets": "mixed"}),
    ((0.4, 0.6), 500, 0.05, 0.5, 1.0, {}),  # nothing can be told
]


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
@pytest.mark.parametrize(("means", "horizon", "rho", "noise", "spread", "settings"), SHARP_ARMS)
def test_sharp_rep_ucb(
    means: tuple[float, ...], horizon: int, rho: float, noise: float, spread: float, settings: dict[str, Any], seed: str
) -> None:
    rewards = coins(np.random.default_rng(1), horizon, np.array(means))
    K, env = len(means), Written(rewards=rewards, actions=len(means))
    spec = rb.RepUCB(horizon=horizon, rho=rho, noise=noise, spread=spread, calibration="sharp", **settings)
    run = rb.simulate(spec, env, seed=seed, rng=np.random.default_rng(0))
    chosen, first, closeness = sharp_rep_ucb(
        K, horizon, rho, noise, spread, seed, lambda t, a: float(rewards[t, a]), **settings
    )
    assert closeness > CLEAR
    assert spec.schedule(K).pulls[0] == first
    assert run.rounds().tolist() == chosen


@pytest.mark.parametrize(
    ("dim", "candidates", "budgets"), [(1, 3, "geometric"), (2, 4, "mixed"), (3, 6, "uniform"), (12, 14, "mixed")]
)
@pytest.mark.parametrize("at", [WIDE, FINE], ids=["wide", "fine"])
@pytest.mark.parametrize("kind", KINDS)
def test_sharp_rep_lin_ucb(kind: str, at: Settings, dim: int, candidates: int, budgets: str) -> None:
    seed = f"{kind}-{dim}"
    env, sets = instance(kind, at.T, candidates, dim, data=3)
    spec = rb.RepLinUCB(**words(at), calibration="sharp", budgets=budgets)
    run = rb.simulate(spec, env, seed=seed, rng=np.random.default_rng(0))
    chosen, starts, closeness = sharp_rep_lin_ucb(
        at,
        dim,
        lambda t: sets[t],
        seed,
        lambda t, i: float(env.rewards[t, i]),
        candidates=candidates if kind == "finite" else None,
        budgets=budgets,
    )
    assert closeness > CLEAR
    assert run.rounds().tolist() == chosen
    if kind == "finite":
        assert run.starts.tolist() == [t for t in starts if t < at.T]


@pytest.mark.parametrize("symbol", ["T", "rho", "delta", "sigma", "lam", "S", "L"])
def test_the_comparison_sees_every_symbol(symbol: str) -> None:
    """Negative control: a transcription with one symbol 10 % larger chooses other actions."""
    at = Settings(T=600, rho=0.8, delta=0.2, sigma=5e-3, lam=1e-4, S=3.0, L=1.0)
    off = replace(at, **{symbol: 1.1 * getattr(at, symbol)})
    env, sets = instance("contexts", 660, 4, 2, data=5)
    run = rb.simulate(rb.RepGLMUCB(**words(at), link="logistic"), env, seed="a", rng=np.random.default_rng(0))

    def chosen(settings: Settings) -> list[int]:
        settings = replace(settings, T=round(settings.T))
        played = rep_glm_ucb(settings, "logistic", 2, lambda t: sets[t], "a", lambda t, i: float(env.rewards[t, i]))[0]
        return played[: at.T]

    assert run.rounds().tolist() == chosen(at)
    assert run.rounds().tolist() != chosen(off)


@pytest.mark.parametrize("symbol", ["T", "rho", "delta", "sigma", "lam", "S", "L", "q", "budgets", "candidates"])
def test_the_sharp_comparison_sees_every_symbol(symbol: str) -> None:
    """Negative control, the same for the sharp calibration: another value, other budgets, or another form of D."""
    at = Settings(T=600, rho=0.9, delta=0.1, sigma=1e-3, lam=0.1, S=10.0, L=1.0)
    given: dict[str, Any] = {"q": math.e**2, "budgets": "mixed", "candidates": None}
    env, sets = instance("contexts", 1200, 4, 12, data=5)
    run = rb.simulate(rb.RepLinUCB(**words(at), calibration="sharp"), env, seed="a", rng=np.random.default_rng(0))

    def chosen(settings: Settings, **how: Any) -> list[int]:
        settings = replace(settings, T=round(settings.T))
        return sharp_rep_lin_ucb(settings, 12, lambda t: sets[t], "a", lambda t, i: float(env.rewards[t, i]), **how)[0]

    assert run.rounds().tolist() == chosen(at, **given)
    if symbol in given:
        off = chosen(at, **{**given, symbol: {"q": 1.1 * math.e**2, "budgets": "uniform", "candidates": 1}[symbol]})
    else:
        off = chosen(replace(at, **{symbol: {"T": 2.0, "delta": 0.01}.get(symbol, 1.1) * getattr(at, symbol)}), **given)
    assert run.rounds().tolist() != off[: at.T]


@pytest.mark.parametrize("policy", ["RepUCB", "RepLinUCB", "RepGLMUCB"])
def test_the_comparison_sees_the_rewards(policy: str) -> None:
    """Negative control: with other rewards the transcriptions choose other actions."""
    env, sets = instance("contexts", FINE.T, 4, 2, data=6)
    other = 1.0 - env.rewards

    def chosen(rewards: FloatArray) -> list[int]:
        if policy == "RepUCB":
            return rep_ucb(4, FINE.T, 0.9, 1e-3, "a", lambda t, i: float(rewards[t, i]))[0]
        if policy == "RepLinUCB":
            return rep_lin_ucb(FINE, 2, lambda t: sets[t], "a", lambda t, i: float(rewards[t, i]))[0]
        return rep_glm_ucb(FINE, "logistic", 2, lambda t: sets[t], "a", lambda t, i: float(rewards[t, i]))[0]

    assert chosen(env.rewards) != chosen(other)
