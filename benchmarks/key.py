"""Claim: a million named uniforms take well under half a second, a small draw some microseconds."""

import time
from collections.abc import Callable

import numpy as np

from replibandit.key import Key

SIZE, DRAWS, REPEATS = 10**6, 10_000, 7


def best(work: Callable[[], object]) -> float:
    """Return the shortest time of several, in seconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    rng, key = np.random.default_rng(0), Key("benchmark")
    ours, numpys = best(lambda: key.uniform(SIZE)), best(lambda: rng.random(SIZE))
    small = best(lambda: [key.child("batch", b).uniform(10) for b in range(DRAWS)]) / DRAWS
    print(f"Key.uniform({SIZE:,}): {1e3 * ours:.1f} ms; Generator.random: {1e3 * numpys:.1f} ms")
    print(f"ratio: {ours / numpys:.1f}")
    print(f"key.child('batch', b).uniform(10): {1e6 * small:.1f} microseconds")


if __name__ == "__main__":
    main()
