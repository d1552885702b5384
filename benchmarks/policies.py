"""Claims: what a simulated run and a live round cost, beside a naive per-round loop and other bandit libraries.

Ratios are taken in one run. MABWiser, river and contextualbandits take part where they are installed,
pip install '.[bench]'.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

import replibandit as rb

LINEAR = {"rho": 0.1, "delta": 0.01, "noise": 0.5}
rng = np.random.default_rng(0)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest time of some repeats."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def unit(*shape: int) -> np.ndarray:
    """Return random vectors of norm 1."""
    vectors = rng.standard_normal(shape)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def show(name: str, value: float, unit_: str, target: str) -> None:
    print(f"{name:<58} {value:>12.4g} {unit_:<9} {target}")


def whole_runs() -> None:
    """Time exact simulation at long horizons."""
    arms = rb.BernoulliArms(means=[0.5, 0.4, 0.3, 0.2, 0.1])
    finite = rb.LinearArms(theta=unit(10), actions=unit(50, 10), noise=0.5)
    ball = rb.LinearArms(theta=unit(20), actions=rb.Ball(1.0, 20), noise=0.5)
    ucb, lin = rb.RepUCB(horizon=10**14, rho=0.1), rb.RepLinUCB(horizon=10**12, **LINEAR)
    rows = [
        ("RepUCB, K = 5, T = 1e14", 1e3, "ms", "< 50", lambda: rb.simulate(ucb, arms, seed=1, rng=rng)),
        ("RepLinUCB, d = 10, K = 50, T = 1e12", 1.0, "s", "< 0.5", lambda: rb.simulate(lin, finite, seed=1, rng=rng)),
    ]
    for name, scale, unit_, target, work in rows:
        show(name, scale * seconds(work), unit_, target)
    lanes = seconds(lambda: rb.simulate_many(lin, finite, seeds=range(1000), rng=rng), 1)
    show("the same, 1,000 lanes", lanes, "s", "< 10")
    spec = rb.RepLinUCB(horizon=10**9, **LINEAR)
    show("RepLinUCB, ball d = 20, T = 1e9", seconds(lambda: rb.simulate(spec, ball, seed=1, rng=rng), 1), "s", "< 5")


def growth() -> None:
    """Show the cost in T: logarithmic for one set, linear for sets that change."""
    env = rb.LinearArms(theta=unit(10), actions=unit(50, 10), noise=0.5)
    for power in range(3, 15, 2):
        spec = rb.RepLinUCB(horizon=10**power, **LINEAR)
        run = rb.simulate(spec, env, seed=1, rng=rng)
        time_ = seconds(lambda spec=spec: rb.simulate(spec, env, seed=1, rng=rng), 1)
        show(f"one set, T = 1e{power}: {len(run.arms)} decisions", 1e3 * time_, "ms", "logarithmic")
    stored = rb.Contexts.of(unit(500_000, 50, 10))
    for rounds in (5_000, 50_000, 500_000):
        env = rb.LinearArms(theta=unit(10), actions=stored, noise=0.5)
        spec = rb.RepLinUCB(horizon=rounds, **LINEAR)
        rate = rounds / seconds(lambda spec=spec, env=env: rb.simulate(spec, env, seed=1, rng=rng), 1)
        show(f"sets of 50 in every round, d = 10, T = {rounds:,}", rate, "rounds/s", ">= 300000")


def live() -> None:
    """Time ask and tell."""
    spec, actions, sets = rb.RepLinUCB(horizon=20_000, **LINEAR), unit(50, 10), unit(20_000, 50, 10)
    fixed, changing = rb.start(spec, actions=actions, seed=1), rb.start(spec, dim=10, seed=1)
    times: dict[str, list[float]] = {"one set": [], "a new set each round": []}
    for t in range(20_000):
        for name, ask, session in (
            ("one set", fixed.ask, fixed),
            ("a new set each round", lambda t=t: changing.ask(actions=sets[t]), changing),
        ):
            start = time.perf_counter()
            session.tell(ask(), 0.5)
            times[name].append(time.perf_counter() - start)
    show("ask + tell, one set, median", 1e6 * float(np.median(times["one set"])), "us", "< 30")
    show("ask + tell, new set, median", 1e6 * float(np.median(times["a new set each round"])), "us", "< 400")


def references() -> None:
    """Time the policies that decide every round, in lanes."""
    arms = rb.BernoulliArms(means=[0.5, 0.4])
    for spec in (rb.UCB1(horizon=2000), rb.Thompson(horizon=2000)):
        time_ = seconds(lambda spec=spec: rb.simulate_many(spec, arms, seeds=range(1000), rng=rng), 1)
        show(f"{type(spec).__name__}, K = 2, 1,000 lanes", 2000 * 1000 / time_, "rounds/s", ">= 2e6")


def naive_linucb(theta: np.ndarray, actions: np.ndarray, rounds: int) -> None:
    """Play a plain LinUCB round by round, as most libraries do."""
    V, b = np.eye(len(theta)), np.zeros(len(theta))
    for _ in range(rounds):
        inverse = np.linalg.inv(V)
        scores = actions @ (inverse @ b) + np.sqrt(np.einsum("kd,de,ke->k", actions, inverse, actions))
        a = actions[np.argmax(scores)]
        V += np.outer(a, a)
        b += a * (a @ theta + 0.5 * rng.standard_normal())


def others(rounds: int) -> None:
    """Compare the cost of a round with a naive loop and with other libraries, per round, d = 10, K = 50."""
    theta, actions = unit(10), unit(50, 10)
    env = rb.LinearArms(theta=theta, actions=actions, noise=0.5)
    ours = seconds(lambda: rb.simulate(rb.RepLinUCB(horizon=10**9, **LINEAR), env, seed=1, rng=rng), 1) / 1e9
    naive = seconds(lambda: naive_linucb(theta, actions, rounds), 1) / rounds
    show("naive NumPy LinUCB, round by round", 1.0 / naive, "rounds/s", "")
    show("naive NumPy LinUCB, time a round over RepLinUCB's at T = 1e9", naive / ours, "times", "")
    for name, play in (("MABWiser", mabwiser), ("river", river), ("contextualbandits", contextualbandits)):
        try:
            show(f"{name} LinUCB, likewise", play(theta, actions, rounds) / ours, "times", "")
        except ImportError:
            print(f"{name} is not installed")


def mabwiser(theta: np.ndarray, actions: np.ndarray, rounds: int) -> float:
    from mabwiser.mab import MAB, LearningPolicy

    mab = MAB(arms=list(range(len(actions))), learning_policy=LearningPolicy.LinUCB(alpha=1.0))
    mab.fit(decisions=[0], rewards=[0.0], contexts=actions[:1])

    def play() -> None:
        for _ in range(rounds):
            arm = mab.predict(actions[:1])
            mab.partial_fit([arm], [float(actions[arm] @ theta)], contexts=actions[:1])

    return seconds(play, 1) / rounds


def river(theta: np.ndarray, actions: np.ndarray, rounds: int) -> float:
    from river import bandit

    policy = bandit.LinUCBDisjoint(alpha=1.0, seed=1)
    context = {f"x{i}": float(value) for i, value in enumerate(actions[0])}

    def play() -> None:
        for _ in range(rounds):
            arm = policy.pull(list(range(len(actions))), context=context)
            policy.update(arm, context, float(actions[arm] @ theta))

    return seconds(play, 1) / rounds


def contextualbandits(theta: np.ndarray, actions: np.ndarray, rounds: int) -> float:
    from contextualbandits.online import LinUCB

    policy = LinUCB(nchoices=len(actions), alpha=1.0)
    policy.fit(actions[:1], np.array([0]), np.array([0.0]))

    def play() -> None:
        for _ in range(rounds):
            arm = int(policy.predict(actions[:1])[0])
            policy.partial_fit(actions[:1], np.array([arm]), np.array([float(actions[arm] @ theta)]))

    return seconds(play, 1) / rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500, help="rounds for the naive loop and the other libraries")
    options = parser.parse_args()
    whole_runs()
    growth()
    live()
    references()
    others(options.rounds)


if __name__ == "__main__":
    main()
