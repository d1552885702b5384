"""What a policy does on an instance: regret, exploration, where it ends, and how often two runs differ."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from replibandit.arrays import FloatArray
from replibandit.catalog import spec_settings
from replibandit.findings import Estimate, mean_of
from replibandit.fingerprint import fingerprint
from replibandit.key import Key
from replibandit.planner.family import Case
from replibandit.policies.base import Pull
from replibandit.runs import Run, first_divergence
from replibandit.simulate import simulate_many

_TIE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """Pairs of runs with a key each: their mean regret and exploration, and how many differ or end on the best."""

    case: str
    regret: FloatArray
    exploration: FloatArray
    right: int
    differing: int

    @property
    def pairs(self) -> int:
        """Return the number of pairs, which are independent."""
        return len(self.regret)

    @property
    def mean_regret(self) -> Estimate:
        """Return the mean regret of a run."""
        return mean_of(self.regret)


def measure(spec: Any, case: Case, key: Key, pairs: int) -> Measured:
    """Play pairs of runs of a policy on an instance: a function of its arguments and of nothing else."""
    seeds = [key.child("plan", "key", i) for i in range(pairs) for _ in range(2)]
    stream = key.child("plan", "data", fingerprint("Spec", spec_settings(spec)), case.name, pairs)
    runs = simulate_many(spec, case.env, seeds=seeds, rng=np.random.default_rng(stream.words(4)))
    rows = np.array([_row(run, case) for run in runs]).reshape(pairs, 2, 3)
    return Measured(
        case=case.name,
        regret=rows[:, :, 0].mean(axis=1),
        exploration=rows[:, :, 1].mean(axis=1),
        right=int(rows[:, :, 2].sum()),
        differing=sum(first_divergence(a, b) is not None for a, b in zip(runs[::2], runs[1::2], strict=True)),
    )


def _row(run: Run, case: Case) -> tuple[float, float, float]:
    """Return the regret, the rounds with an action that is not best, and whether the last action is."""
    gaps = case.env.gaps(Pull(arms=run.arms, times=run.times, vectors=run.vectors), run.starts)
    lost = gaps > _TIE
    return float(gaps @ run.times), float(run.times[lost].sum()), float(not lost[-1])
