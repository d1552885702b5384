"""Claim: a plan for 10^4 actions in 20 dimensions takes a fraction of a second and pulls few more than 20 of them."""

import math
import time

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.estimators.core_set import core_set, rep_core_set
from replibandit.estimators.design import g_optimal


def sets(K: int, d: int) -> dict[str, FloatArray]:
    """Return action sets of several shapes."""
    rng = np.random.default_rng(d)
    normal = rng.normal(size=(K, d))
    return {
        "normal": normal,
        "sphere": normal / np.linalg.norm(normal, axis=1, keepdims=True),
        "collinear": rng.normal(size=d) + 1e-5 * normal,
        "cube": rng.choice([-1.0, 1.0], size=(K, d)),
    }


def designs(K: int, d: int, approximation: float) -> None:
    """Print what each set needs."""
    for name, actions in sets(K, d).items():
        start = time.perf_counter()
        design = g_optimal(actions, approximation=approximation)
        seconds = time.perf_counter() - start
        proved = f"{d * (5 + math.log(math.log(d + 2))):6.0f}" if approximation >= 4 else "      "
        print(
            f"{K:>6} {d:>3} {approximation:>5} {name:10} {len(design.indices):>7} {proved} "
            f"{design.certificate / design.rank:>13.4f} {1e3 * seconds:>8.0f}"
        )


def plan(K: int, d: int) -> None:
    """Print the price and the error of a plan."""
    actions = sets(K, d)["sphere"]
    start = time.perf_counter()
    core = core_set(actions, epsilon=0.1, rho=0.1, delta=0.05, noise=0.5)
    planned = time.perf_counter()
    fit = rep_core_set(core, np.zeros(len(core.pulls)), seed="benchmark")
    fitted = time.perf_counter()
    print(
        f"{K:>6} {d:>3} {len(core.pulls):>7} {core.rounds:>12.3g} {fit.error:>8.4f} "
        f"{1e3 * (planned - start):>8.0f} {1e3 * (fitted - planned):>8.1f}"
    )


def main() -> None:
    print("     K   d approx set        support proved  certificate/d       ms")
    for K, d, approximation in ((1000, 5, 4.0), (10_000, 20, 4.0), (5000, 50, 4.0), (10_000, 20, 1.01)):
        designs(K, d, approximation)
    print("\nepsilon = 0.1, rho = 0.1, delta = 0.05, noise = 0.5, actions on the sphere")
    print("     K   d support       rounds    error  plan ms   fit ms")
    for K, d in ((12, 2), (1000, 5), (10_000, 20)):
        plan(K, d)


if __name__ == "__main__":
    main()
