"""Claim: the exact Gram matrix takes at most 6 times as long as X.T @ X, on one BLAS thread and on two, idle or busy.

Each row is a process of its own with OPENBLAS_NUM_THREADS set; "busy" has two processes beside it that only count.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable

TARGET = 6.0
SPIN = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"  # ends with this script, come what may


def best(works: list[Callable[[], object]], repeats: int) -> list[float]:
    """Return the shortest time of each, in seconds; they take turns, so that a busy moment meets them all."""
    shortest = [float("inf")] * len(works)
    for _ in range(repeats):
        for place, work in enumerate(works):
            start = time.perf_counter()
            work()
            shortest[place] = min(shortest[place], time.perf_counter() - start)
    return shortest


def measure(n: int, d: int, repeats: int) -> None:
    """Print the two times of this process."""
    import numpy as np

    from replibandit.arithmetic import exact_gram, exponent_above
    from replibandit.arithmetic.moments import largest_sizes

    X = np.random.default_rng(0).standard_normal((n, d))
    exponents = exponent_above(largest_sizes("X", X))
    print(*best([lambda: X.T @ X, lambda: exact_gram(X, exponents)], repeats))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10**6)
    parser.add_argument("--d", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measure(options.n, options.d, options.repeats)
        return
    print(f"n = {options.n:,}, d = {options.d}, best of {options.repeats}; target: at most {TARGET:g} times")
    print(f"{'threads':>7}  {'machine':>7}  {'X.T @ X':>10}  {'exact_gram':>10}  {'ratio':>6}")
    for threads in ("1", "2"):
        for busy in (0, 2):
            spinning = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(busy)]
            try:
                command = [sys.executable, *sys.argv, "--child"]
                environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads}
                found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
            finally:
                for process in spinning:
                    process.kill()
                    process.wait()
            plain, exact = map(float, found.split())
            machine = "busy" if busy else "idle"
            print(f"{threads:>7}  {machine:>7}  {plain:>8.3f} s  {exact:>8.3f} s  {exact / plain:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
