"""What breaks: each condition of the theorems is violated, one at a time, and runs are compared."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

import replibandit as rb
from replibandit.policies import rep_ucb
from studies.figure import panels
from studies.instances import instance
from studies.play import interval, measure
from studies.systems import SYSTEMS
from studies.table import Row, completed

RHO, PAIRS = 0.1, 200
SHRINKS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
MISSTATED = ("RepUCB", "RepUCB sharp", "RepCommit", "RepEliminate", "EsfandiariThreshold", "EliminateInPhases")
CORES = ("Haswell", "Prescott")


@dataclass(frozen=True, eq=False)
class Drifting:
    """Two arms whose means change places in the middle of the horizon; normal rewards."""

    horizon: int
    size: float
    noise: float = 0.5
    actions: int = 2

    def draw(self, pull: Any, rng: np.random.Generator, start: Any) -> Any:
        noise = self.noise * np.sqrt(pull.times) * rng.standard_normal(len(pull.times))
        return self._total(pull.arms, start, pull.times) + noise

    def gaps(self, pull: Any, start: Any) -> Any:
        times = np.maximum(pull.times, 1)
        return np.maximum(0.0, self.size / 2.0 - self._total(pull.arms, start, times) / times)

    def _total(self, arms: Any, start: Any, times: Any) -> Any:
        half, end = self.horizon // 2, start + times
        first = np.clip(np.minimum(end, half) - start, 0, None)
        return np.where(arms == 0, 1.0, -1.0) * (self.size / 2.0) * (2.0 * first - times)


def play(row: Row) -> Row:
    """Break one thing."""
    return _KINDS[row["kind"]](row)


def _misstated(row: Row) -> Row:
    """Declare less noise than there is."""
    spec = SYSTEMS[row["system"]](10**8, RHO, 0.5 * row["level"])
    return measure(spec, rb.GaussianArms(means=np.array([0.5, 0.45, 0.4]), sd=0.5), PAIRS)


def _heavy(row: Row) -> Row:
    """Play rewards of Student's law, with variance 1/4 as far as it exists, by 20,000 single draws a run."""
    degrees = row["level"]
    scale = 0.5 * (np.sqrt((degrees - 2.0) / degrees) if degrees > 2 else 0.5)

    def sampler(mean: float) -> Any:
        return lambda rng, n: np.clip(mean + scale * rng.standard_t(degrees, n), -1000.0, 1000.0)

    env = rb.SampledArms(means=np.array([1.0, 0.0]), samplers=[sampler(1.0), sampler(0.0)])
    return measure(SYSTEMS[row["system"]](20_000, RHO, 0.5), env, 100)


def _drift(row: Row) -> Row:
    """Let the better arm become the worse one."""
    return measure(SYSTEMS[row["system"]](10**8, RHO, 0.5), Drifting(10**8, row["level"]), PAIRS)


def _sequential(row: Row) -> Row:
    """Take the shifts from one stream; in the second run `level` more numbers have been taken before."""
    extra, streams = int(row["level"]), dict[int, np.random.Generator]()

    def drawn(keys: Any, names: Any, size: int) -> Any:
        return np.array([streams[id(key)].random(size) for key in keys]).reshape(len(keys), size)

    env, spec = instance("arms 5"), rb.RepUCB(horizon=10**11, rho=RHO, calibration="sharp")
    pairs = []
    for i in range(PAIRS):
        pairs += [rb.Key("study").child(i), rb.Key("study").child(i)]
        for j, key in enumerate(pairs[-2:]):
            streams[id(key)] = np.random.default_rng(i)
            streams[id(key)].random(j * extra)
    with patch.object(rep_ucb, "uniforms", drawn):
        runs = rb.simulate_many(spec, env, seeds=pairs, rng=np.random.default_rng(7))
    return _compared(runs, env)


def _contexts(row: Row) -> Row:
    """Give the second run sets that differ by `level` in every entry."""
    rng = np.random.default_rng(1)
    sets = rng.uniform(-1.0, 1.0, (200, 4, 2)) / 2.0
    theta, spec = (
        np.array([0.6, -0.3]),
        rb.RepLinUCB(horizon=200, rho=RHO, delta=0.01, noise=1e-3, penalty=1e-6, batches=3, growth=1e4),
    )
    runs = []
    for i in range(60):
        for j in range(2):
            moved = sets + j * row["level"] * rng.uniform(-1.0, 1.0, sets.shape)
            env = rb.LinearArms(theta=theta, actions=rb.Contexts.of(moved), noise=1e-3)
            runs.append(rb.simulate(spec, env, seed=f"study-{i}", rng=rng))
    same = [np.array_equal(a.rounds(), b.rounds()) for a, b in zip(runs[::2], runs[1::2], strict=True)]
    lost = [float(rb.regret(run, env)[-1]) for run in runs[::2]]
    return {"regret": float(np.mean(lost)), "error": 0.0, "apart": same.count(False), "of": len(same)}


def _machines(row: Row) -> Row:
    """Fit the same data on two kinds of processor; `level` is a place in what `fit` prints."""
    outputs = [_on_core(core) for core in CORES]
    place = int(row["level"])
    same = [a[place] == b[place] for a, b in zip(*outputs, strict=True)]
    return {"regret": 0.0, "error": 0.0, "apart": same.count(False), "of": len(same)}


def _on_core(core: str) -> list[list[str]]:
    program = [sys.executable, "-m", "studies.breaks", "fit"]
    done = subprocess.run(
        program, env={**os.environ, "OPENBLAS_CORETYPE": core}, capture_output=True, text=True, check=True
    )
    return [line.split() for line in done.stdout.splitlines()]


def fit() -> None:
    """Print, for many data sets, the bits of an estimate in ordinary arithmetic, of its cells, and in strict one."""
    for i in range(PAIRS):
        rng = np.random.default_rng(i)
        X = rng.standard_normal((500, 8)) / np.sqrt(8.0)
        y = X @ np.full(8, 0.3) + 0.5 * rng.standard_normal(500)
        strict = rb.rep_ridge(X, y, rho=RHO, delta=0.01, noise=0.5, seed=i)
        # the same algorithm with numpy.linalg
        V = np.eye(8) + X.T @ X
        L = np.linalg.cholesky(V)
        z, shift = L.T @ np.linalg.solve(V, X.T @ y), strict.width * rb.Key(i).child("estimate").uniform(8)
        cell = np.floor((z - shift) / strict.width)
        theta = np.linalg.solve(L.T, strict.width * cell + shift + strict.width / 2.0)
        print(theta.tobytes().hex(), cell.tobytes().hex(), strict.theta.tobytes().hex())


def _compared(runs: list[Any], env: Any) -> Row:
    apart = sum(rb.first_divergence(a, b) is not None for a, b in zip(runs[::2], runs[1::2], strict=True))
    lost = np.array([float(rb.regret(run, env)[-1]) for run in runs])
    return {"regret": float(lost.mean()), "error": float(lost.std(ddof=1) / np.sqrt(len(runs))), "apart": apart}


_KINDS: dict[str, Callable[[Row], Row]] = {
    "noise": _misstated,
    "tails": _heavy,
    "drift": _drift,
    "sequence": _sequential,
    "contexts": _contexts,
    "machines": _machines,
}


def settings() -> list[Row]:
    """Return what is broken, and how much."""
    policies = ("RepUCB sharp", "RepCommit", "RepEliminate", "EliminateInPhases")
    return [
        *({"kind": "machines", "system": "RepRidge", "level": level} for level in (0, 1, 2)),
        *({"kind": "sequence", "system": "RepUCB sharp", "level": level} for level in (0, 1)),
        *({"kind": "contexts", "system": "RepLinUCB", "level": level} for level in (0.0, 1e-6, 1e-3, 1e-2)),
        *({"kind": "noise", "system": system, "level": level} for system in MISSTATED for level in SHRINKS),
        *({"kind": "tails", "system": system, "level": level} for system in policies for level in (30.0, 3.0, 1.5)),
        *({"kind": "drift", "system": system, "level": level} for system in policies for level in (0.0, 0.1, 0.4)),
    ]


def main() -> list[Row]:
    """Play, and draw."""
    rows = completed("breaks", settings(), play, version=2)
    for row in rows:
        row["pairs"] = row["of"] or (100 if row["kind"] == "tails" else PAIRS)
        row["low"], row["high"] = interval(row["apart"], row["pairs"])
    data: dict[str, dict[str, list[tuple[float, ...]]]] = {"pairs that differ": {}, "mean regret": {}}
    for row in rows:
        if row["kind"] == "noise":
            for panel, y in zip(data, (row["apart"] / row["pairs"], row["regret"]), strict=True):
                data[panel].setdefault(row["system"], []).append((row["level"], y))
    title = "Less noise declared than there is, rho = 0.1"
    panels("noise", title, data, x="declared over true noise", y="", order=list(SYSTEMS), columns=2)
    return rows


if __name__ == "__main__":
    if sys.argv[1:] == ["fit"]:
        fit()
    else:
        for each in main():
            print(each)
