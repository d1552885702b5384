"""Claim: a strict Cholesky factor of 1,000 matrices of order 10 takes less than 5 ms."""

import argparse
import time
from collections.abc import Callable

import numpy as np

from replibandit.arithmetic import cholesky, solve, symmetric_root

TARGET = 5e-3


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
    parser.add_argument("--n", type=int, default=1000, help="how many matrices")
    parser.add_argument("--d", type=int, default=10, help="their order")
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    A = np.random.default_rng(0).standard_normal((options.n, options.d, 3 * options.d))
    matrices, vectors = A @ A.swapaxes(1, 2), A[:, :, 0]
    factors = cholesky(matrices)
    works: dict[str, Callable[[], object]] = {
        "numpy.linalg.cholesky": lambda: np.linalg.cholesky(matrices),
        "cholesky": lambda: cholesky(matrices),
        "solve": lambda: solve(factors, vectors),
        "symmetric_root": lambda: symmetric_root(matrices),
    }
    times = best(list(works.values()), options.repeats)
    print(f"{options.n:,} of order {options.d}, best of {options.repeats}; target: cholesky below {1e3 * TARGET:g} ms")
    for name, seconds in zip(works, times, strict=True):
        print(f"{name:>21}  {1e3 * seconds:>8.2f} ms  {seconds / times[0]:>6.2f}")


if __name__ == "__main__":
    main()
