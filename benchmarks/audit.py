"""Claims: an audit of 1,000 pairs takes seconds, also of long runs, and several processes share the work."""

import argparse
import time
from typing import Any

import numpy as np

import replibandit as rb

HORIZON = 10**12


def unit(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Return random vectors of norm 1."""
    vectors = rng.standard_normal(shape)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def instances() -> list[tuple[str, Any, Any, float]]:
    """Return what is audited, with the seconds that are claimed."""
    rng = np.random.default_rng(0)
    arms = rb.BernoulliArms(means=[0.5, 0.4, 0.3, 0.2, 0.1])
    linear = rb.LinearArms(theta=unit(rng, 10), actions=unit(rng, 50, 10), noise=0.5)
    return [
        ("RepUCB, K = 5, T = 1e12", rb.RepUCB(horizon=HORIZON, rho=0.1), arms, 3.0),
        (
            "RepLinUCB, d = 10, K = 50, T = 1e12",
            rb.RepLinUCB(horizon=HORIZON, rho=0.1, delta=0.01, noise=0.5),
            linear,
            15.0,
        ),
    ]


def seconds(spec: Any, env: Any, pairs: int, jobs: int, repeats: int) -> tuple[float, rb.Audit]:
    """Return the shortest time of some audits, and what they found."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = rb.audit(spec, env, pairs=pairs, n_jobs=jobs)
        times.append(time.perf_counter() - start)
    return min(times), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1000, help="pairs of runs")
    parser.add_argument("--repeats", type=int, default=2, help="audits, of which the fastest counts")
    options = parser.parse_args()
    for name, spec, env, target in instances():
        for jobs in (1, 2):
            time_, found = seconds(spec, env, options.pairs, jobs, options.repeats)
            low, high = found.interval
            print(f"{name}, {options.pairs:,} pairs, {jobs} process{'es' if jobs > 1 else ''}: {time_:.2f} s", end="")
            print(
                f" (claimed: {target:g} s); {found.verdict}, mismatch {found.mismatch:.3f} in [{low:.4f}, {high:.4f}]"
            )


if __name__ == "__main__":
    main()
