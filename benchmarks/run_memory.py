"""Claim: a run needs memory for its decisions and a block of rounds, whatever the horizon.

With one set throughout the decisions are the batches.  With sets that change there is a decision a round, which the run
returns; beyond it there is one block of sets, which are a function of the round alone, or, while the parts of the run
are joined, a second copy of it.
"""

import tracemalloc
from typing import Any

import numpy as np

import replibandit as rb

DIM, CANDIDATES = 10, 50
SPEC = {"rho": 0.1, "delta": 0.01, "noise": 0.5}
rng = np.random.default_rng(0)
THETA = np.full(DIM, 0.9 / np.sqrt(DIM))


TURNS = rng.random((CANDIDATES, DIM))


def sets(start: int, stop: int) -> np.ndarray:
    """Return the sets of some rounds: every coordinate goes round at a speed of its own."""
    rounds = np.arange(start, stop, dtype=np.float64)[:, None, None]
    return (2.0 / np.sqrt(DIM)) * (rounds * TURNS % 1.0 - 0.5)


def peak(spec: Any, env: Any) -> tuple[rb.Run, int]:
    """Return a run and the most memory that its simulation had in use."""
    tracemalloc.start()
    run = rb.simulate(spec, env, seed=1, rng=rng)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return run, most


def show(name: str, horizon: int, env: Any) -> None:
    run, most = peak(rb.RepLinUCB(horizon=horizon, **SPEC), env)
    kept = sum(part.nbytes for part in (run.arms, run.times, run.totals, run.vectors))
    print(f"{name}, T = {horizon:,}: {len(run.arms):,} decisions, the run {kept / 1e6:.2f} MB, ", end="")
    print(f"at most {most / 1e6:.2f} MB, {(most - kept) / 1e6:.2f} MB beyond the run", flush=True)


def main() -> None:
    fixed = rb.LinearArms(theta=THETA, actions=sets(1, 2)[0], noise=0.5)
    changing = rb.LinearArms(theta=THETA, actions=rb.Contexts(block=sets, candidates=CANDIDATES, dim=DIM), noise=0.5)
    for power in range(4, 15, 2):
        show("one set", 10**power, fixed)
    for horizon in (10_000, 40_000, 160_000, 640_000):
        show("sets that change", horizon, changing)


if __name__ == "__main__":
    main()
