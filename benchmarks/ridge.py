"""Claim: the whole of rep_ridge takes at most 6 times as long as scikit-learn's Ridge(solver="cholesky")."""

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import Ridge

from replibandit import rep_ridge

TARGET = 6.0


def best(works: list[Callable[[], object]], repeats: int) -> list[float]:
    """Return the shortest time of each, in seconds; they take turns, so that a busy moment meets them all."""
    shortest = [float("inf")] * len(works)
    for _ in range(repeats):
        for place, work in enumerate(works):
            start = time.perf_counter()
            work()
            shortest[place] = min(shortest[place], time.perf_counter() - start)
    return shortest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10**6)
    parser.add_argument("--d", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X, noise = rng.standard_normal((options.n, options.d)), rng.standard_normal(options.n)
    y = X[:, 0] + noise
    plain = Ridge(alpha=1.0, fit_intercept=False, solver="cholesky")
    works: dict[str, Callable[[], object]] = {
        "scikit-learn": lambda: plain.fit(X, y),
        "cholesky": lambda: rep_ridge(X, y, rho=0.1, delta=0.01, noise=1.0, seed=0),
        "symmetric": lambda: rep_ridge(X, y, rho=0.1, delta=0.01, noise=1.0, seed=0, whitening="symmetric"),
    }
    times = best(list(works.values()), options.repeats)
    print(f"n = {options.n:,}, d = {options.d}, best of {options.repeats}; target: at most {TARGET:g} times")
    for name, seconds in zip(works, times, strict=True):
        print(f"{name:>12}  {seconds:>8.3f} s  {seconds / times[0]:>6.2f}")


if __name__ == "__main__":
    main()
