"""Claims about RepCommit: mismatch at the hardest gap of a fine grid; regret at practical horizons, beside RepLinUCB.

python benchmarks/decisions.py [PAIRS]
"""

import sys
from typing import Any

import numpy as np

import replibandit as rb

RHO, SIGMA = 0.1, 0.5
GRID = 2.0 ** (np.arange(24) / 24)  # one period of the phases, a factor sqrt(4)


def differing(spec: Any, env: Any, pairs: int, seed: int) -> float:
    """Return the share of pairs of runs with one key that differ."""
    keys = [f"{seed}-{i}" for i in range(pairs) for _ in range(2)]
    runs = rb.simulate_many(spec, env, seeds=keys, rng=np.random.default_rng(seed))
    return float(np.mean([rb.first_divergence(a, b) is not None for a, b in zip(runs[::2], runs[1::2], strict=True)]))


def hardest(name: str, spec: Any, instance: Any, pairs: int) -> None:
    """Print the largest mismatch over the grid, and that of fresh pairs at the same gap."""
    found = [differing(spec, instance(scale), pairs, seed=i) for i, scale in enumerate(GRID)]
    worst = int(np.argmax(found))
    again = differing(spec, instance(GRID[worst]), 2 * pairs, seed=1000)
    print(f"{name:<58} {max(found):.3f} at scale {GRID[worst]:.2f}, again {again:.3f}", flush=True)


def mismatch(pairs: int) -> None:
    """Print the mismatch of both calibrations."""
    print(f"mismatch at rho = {RHO}, {pairs} pairs at each of {len(GRID)} gaps")
    for arms in (2, 5, 20):
        for calibration in ("sharp", "gaussian"):
            spec = rb.RepCommit(horizon=10**12, rho=RHO, calibration=calibration)
            for law, make in (
                ("0/1 rewards around 1/2", lambda m: rb.BernoulliArms(means=m)),
                ("0/1 rewards below 0.2", lambda m: rb.BernoulliArms(means=m - 0.35)),
                ("normal rewards", lambda m: rb.GaussianArms(means=m, sd=SIGMA)),
            ):

                def instance(scale: float, K: int = arms, make: Any = make) -> Any:
                    return make(np.array([0.5 + 0.05 * scale] + [0.5] * (K - 1)))

                hardest(f"{arms} arms, {calibration}, {law}", spec, instance, pairs)


def regret(spec: Any, env: Any, runs: int = 200) -> float:
    """Return the mean regret."""
    played = rb.simulate_many(spec, env, seeds=range(runs), rng=np.random.default_rng(0))
    return float(np.mean([rb.regret(run, env)[-1] for run in played]))


def practical() -> None:
    """Print regret at a million rounds."""
    print("regret at 10^6 rounds, rho = 0.1")
    for means, target in (([0.5, 0.4], 2e4), ([0.5, 0.2, 0.2, 0.2, 0.2], 2.5e4)):
        env = rb.BernoulliArms(means=np.array(means))
        for calibration in ("sharp", "gaussian"):
            spec = rb.RepCommit(horizon=10**6, rho=RHO, calibration=calibration)
            print(f"{means!s:<32} {calibration:<10} {regret(spec, env):>10,.0f}  (target {target:,.0f})")


def linear() -> None:
    """Print regret beside RepLinUCB: 20 random unit actions in 5 dimensions, 10^8 rounds."""
    print("d = 5, 20 random unit actions, sigma = 1/2, 10^8 rounds, rho = 0.1; mean regret over the instances below")
    rows = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = rng.standard_normal((20, 5))
        table /= np.linalg.norm(table, axis=1, keepdims=True)
        theta = rng.standard_normal(5)
        env = rb.LinearArms(theta=theta / np.linalg.norm(theta), actions=table, noise=SIGMA)
        given: dict[str, Any] = {"horizon": 10**8, "rho": RHO, "noise": SIGMA}
        sharp = rb.RepLinUCB(**given, delta=0.01, calibration="sharp")
        normal = rb.RepCommit(**given, calibration="gaussian")
        rows.append([regret(spec, env, 40) for spec in (sharp, rb.RepCommit(**given), normal)])
        gap = np.diff(np.sort(table @ env.theta)[-2:])[0]
        print(f"instance {seed}, gap {gap:.3f}: sharp RepLinUCB, RepCommit sharp, gaussian = "
              f"{', '.join(f'{lost:.3g}' for lost in rows[-1])}")  # fmt: skip
    ucb, ours, normal_ones = np.mean(rows, axis=0)
    print(f"mean: {ucb:.3g}, {ours:.3g} ({ucb / ours:.1f} times less), {normal_ones:.3g} ({ucb / normal_ones:.1f})")


if __name__ == "__main__":
    practical()
    linear()
    mismatch(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
