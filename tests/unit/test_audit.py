"""The audit counts what it says it counts, whatever the number of processes, and gives its result back from JSON."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import FloatArray, IntArray
from replibandit.audit import generator
from replibandit.errors import InvalidInput, NotReproducible
from replibandit.grid import cell_of, midpoint
from replibandit.policies.base import Pull
from replibandit.simulate import steps
from replibandit.testing import check_policy
from replibandit.trace import Trace, compare, traces

COIN = rb.BernoulliArms(means=np.array([0.4, 0.6]))
ROWS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6], [-0.7, 0.3]])
LINEAR = rb.LinearArms(theta=np.array([0.2, 0.7]), actions=ROWS, noise=0.5)
SETS = np.random.default_rng(0).uniform(-0.7, 0.7, size=(300, 4, 2))
CONTEXTS = rb.LinearArms(theta=np.array([0.2, 0.7]), actions=rb.Contexts.of(SETS), noise=0.5)
LOGISTIC = rb.GLMArms(theta=np.array([0.2, 0.7]), actions=ROWS, link="logistic")
COMMON: dict[str, Any] = {"rho": 0.3, "delta": 0.05, "noise": 0.02}
UNDERSTATED = rb.RepUCB(horizon=10**4, rho=0.3, noise=0.002)  # so little declared noise that runs part
CASES: list[tuple[Any, Any]] = [
    (UNDERSTATED, COIN),
    (rb.RepLinUCB(horizon=10**4, **COMMON), LINEAR),
    (rb.RepLinUCB(horizon=300, **COMMON), CONTEXTS),
    (rb.RepLinUCB(horizon=10**3, **COMMON), rb.LinearArms(theta=np.array([0.2, 0.7]), actions=rb.Ball(1.0, 2))),
    (rb.RepGLMUCB(horizon=300, link="logistic", **COMMON), LOGISTIC),
    (rb.UCB1(horizon=50), COIN),
]


@pytest.mark.parametrize(("spec", "env"), CASES, ids=lambda x: type(x).__name__)
def test_counts_what_a_second_count_finds(spec: Any, env: Any) -> None:
    found = rb.audit(spec, env, pairs=12, replicates=3, seed="s", rho=0.3)
    seeds = [rb.Key("s").child("audit", "key", i) for i in range(12)]
    runs = rb.simulate_many(
        spec, env, seeds=[s for s in seeds for _ in range(3)], rng=generator(rb.Key("s"), "data", 0)
    )
    for i in range(12):
        a, b, c = runs[3 * i : 3 * i + 3]
        parted = [rb.first_divergence(x, y) is not None for x, y in ((a, b), (a, c), (b, c))]
        assert found.tally.differing[i] == sum(parted) / 3
        first = rb.first_divergence(a, b)
        assert found.rounds[i] == (spec.horizon if first is None else first)
        assert found.regret[i] == pytest.approx(np.mean([rb.regret(run, env)[-1] for run in (a, b, c)]), rel=1e-12)
    assert found.mismatch == pytest.approx(found.tally.differing.mean())
    assert found.curve[-1] == pytest.approx(found.mean_regret.value)
    assert (found.checkpoints[0], found.checkpoints[-1]) == (1, spec.horizon)


@pytest.mark.parametrize(("spec", "env"), CASES[:3], ids=lambda x: type(x).__name__)
def test_the_number_of_processes_changes_nothing(spec: Any, env: Any) -> None:
    alone, beside = (
        rb.audit(spec, env, pairs=110, reference=spec, n_jobs=jobs, sequential=jobs > 2) for jobs in (1, 2)
    )
    assert alone.to_json() == beside.to_json()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sequential_audit_is_the_beginning_of_a_whole_one(jobs: int) -> None:
    env = rb.BernoulliArms(means=np.array([0.4, 0.6]))
    stopped = rb.audit(rb.UCB1(horizon=200), env, rho=0.1, pairs=400, sequential=True, n_jobs=jobs)
    whole = rb.audit(rb.UCB1(horizon=200), env, rho=0.1, pairs=400)
    n = stopped.tally.keys
    assert n < 400
    assert stopped.verdict == whole.verdict == "not replicable"
    assert stopped.tally.differing.tolist() == whole.tally.differing[:n].tolist()
    assert stopped.rounds.tolist() == whole.rounds[:n].tolist()


@pytest.mark.parametrize(("spec", "env"), CASES, ids=lambda x: type(x).__name__)
def test_to_json_and_back(spec: Any, env: Any) -> None:
    for pairs, reference in ((1, None), (5, rb.UCB1(horizon=50) if env is COIN else None)):
        found = rb.audit(spec, env, pairs=pairs, rho=0.3, reference=reference)
        again = rb.Audit.from_json(found.to_json())
        assert again.to_json() == found.to_json()
        assert (again.verdict, again.interval, again.causes) == (found.verdict, found.interval, found.causes)


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format": "replibandit.audit.1"}', '{"format": "x"}'])
def test_other_texts_are_not_audits(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"to_json|this version reads"):
        rb.Audit.from_json(text)


def test_what_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"UCB1 promises no rho"):
        rb.audit(rb.UCB1(horizon=50), COIN)
    settings: list[tuple[dict[str, Any], str]] = [
        ({"pairs": 0}, "pairs is 0"),
        ({"replicates": 1}, "two runs or more"),
        ({"level": 1.0}, "level is 1.0"),
        ({"rho": 0.0}, "rho is 0.0"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"seed": 1.5}, "seed is 1.5"),
    ]
    for setting, words in settings:
        with pytest.raises(InvalidInput, match=words):
            rb.audit(UNDERSTATED, COIN, **setting)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    rb.audit(UNDERSTATED, COIN, pairs=120, progress=lambda done, total: told.append((done, total)))
    assert told == [(50, 120), (100, 120), (120, 120)]


def test_the_price_is_a_ratio_of_regrets() -> None:
    found = rb.audit(rb.RepUCB(horizon=2000, rho=0.3), COIN, pairs=50, reference=rb.UCB1(horizon=2000))
    assert found.price is not None
    assert found.reference_regret is not None
    assert found.price.value == pytest.approx(found.regret.mean() / found.reference_regret.mean())
    share = [x.std(ddof=1) / x.mean() / np.sqrt(50) for x in (found.regret, found.reference_regret)]
    assert found.price.error == pytest.approx(found.price.value * np.hypot(*share))
    assert rb.audit(rb.RepUCB(horizon=2000, rho=0.3), COIN, pairs=5).price is None


@dataclass(frozen=True, kw_only=True)
class LastWinner:
    """Somebody else's policy: play an arm, for `stay` rounds, until it pays less than half."""

    horizon: int = 60
    stay: int = 5

    def reward_exponent(self) -> int:
        return 0

    def init(self, actions: int, keys: Any) -> Any:
        return np.zeros((2, len(keys)), dtype=np.int64)

    def choose(self, state: Any) -> Pull:
        arms, rounds = state
        return Pull(arms=arms, times=np.minimum(self.stay, self.horizon - rounds), vectors=np.zeros((len(arms), 0)))

    def update(self, state: Any, pull: Pull, totals: IntArray) -> Any:
        poor = totals[1] * 2.0**30 + totals[0] < pull.times * 2.0**39
        return np.stack([np.where(poor, 1 - state[0], state[0]), state[1] + pull.times])


def test_any_policy_that_keeps_the_promises_can_be_audited() -> None:
    check_policy(LastWinner(), COIN)
    found = rb.audit(LastWinner(), COIN, rho=0.1, pairs=50)
    assert found.verdict == "not replicable"
    assert found.predicted is None
    assert set(found.causes) == {None}
    certain = rb.BernoulliArms(means=np.array([0.0, 1.0]))
    assert rb.audit(LastWinner(), certain, rho=0.1, pairs=50).verdict == "replicable"


def trace(z: FloatArray, width: FloatArray, *, seed: int = 0) -> Trace:
    """Return a trace with these estimates, and no run to speak of."""
    run = rb.simulate(rb.RepUCB(horizon=20, rho=0.3), COIN, seed=seed, rng=np.random.default_rng(0))
    names = tuple(("batch", i) for i in range(len(z)))
    return Trace(run=run, names=names, z=z, width=width, shift=np.zeros_like(z), rho=np.full(len(z), 0.1))


def test_risk_and_cause_by_hand() -> None:
    width = np.array([1.0, 2.0, 1.0, 1.0])
    a = trace(np.array([[0.2, 0.5], [1.0, -1.0], [0.9, 0.1], [0.0, 0.0]]), width)
    b = trace(np.array([[0.4, 0.5], [1.0, -0.5], [1.2, 0.2], [9.0, 9.0]]), width)
    found = compare(a, b)
    assert found.divergence is None
    # 1 - (1 - .2)(1 - 0), 1 - (1 - 0)(1 - .25), 1 - (1 - .3)(1 - .1); the cells of the third are (0, 0) and (1, 0)
    assert found.risk == pytest.approx([0.2, 0.25, 0.37])
    assert found.cause is not None
    assert (found.cause.name, found.cause.place) == (("batch", 2), 2)
    assert found.cause.apart == pytest.approx(0.3)
    assert found.cause.distance == pytest.approx(0.1)
    back = compare(b, a).cause
    assert back is not None
    assert back.distance == pytest.approx(0.2)


def test_other_grids_end_the_comparison() -> None:
    z = np.array([[0.2], [0.2], [0.2]])
    assert len(compare(trace(z, np.array([1.0, 1.0, 1.0])), trace(z, np.array([1.0, 2.0, 1.0]))).risk) == 1
    shorter = compare(trace(z, np.array([1.0, 1.0, 1.0])), trace(z[:2], np.array([1.0, 1.0])))
    assert shorter.risk.tolist() == [0.0, 0.0]
    assert shorter.cause is None


@pytest.mark.parametrize(("spec", "env"), [CASES[1], CASES[4]], ids=["linear", "GLM"])
def test_what_is_traced_is_what_was_played(spec: Any, env: Any) -> None:
    """The middle of the traced cell, taken back from the whitened coordinates, is the estimate that was used."""
    key = rb.Key("k")
    watched = traces(spec, env, [key], np.random.default_rng(0))[0]
    played = list(steps(spec, env, [key], np.random.default_rng(0)))
    assert len(played) == len(watched.names)
    gram = np.eye(2)
    for i, (state, pull, _) in enumerate(played):
        width, shift = watched.width[i], watched.shift[i]
        assert shift == pytest.approx(width * key.child("batch", i).uniform(2), rel=1e-15)
        middle = midpoint(cell_of(watched.z[i], width=width, shift=shift), width=width, shift=shift)
        theta = np.linalg.solve(np.linalg.cholesky(gram).T, middle)
        assert theta == pytest.approx(state.theta[0], rel=1e-6)
        gram = gram + pull.times[0] * np.outer(pull.vectors[0], pull.vectors[0])


@pytest.mark.parametrize("rho", [0.5, 0.1, 0.01, 0.003])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_pairs_needed_is_the_least_number(rho: float, level: float) -> None:
    n = rb.pairs_needed(rho, level)
    whole, less = (rb.Tally(differing=np.zeros(k), rho=rho, level=level, anytime=False) for k in (n, n - 1))
    assert (whole.verdict, less.verdict) == ("replicable", "undecided")


def test_verdicts() -> None:
    tally = rb.Tally(differing=np.zeros(100), rho=0.1, level=0.95, anytime=False)
    for differing, verdict in ((0, "replicable"), (9, "undecided"), (30, "not replicable"), (100, "not replicable")):
        counted = replace(tally, differing=(np.arange(100) < differing).astype(np.float64))
        assert counted.verdict == verdict
        low, high = counted.interval
        assert low <= counted.mismatch <= high


def test_estimators_are_audited() -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))

    def fit(y: FloatArray, seed: rb.Key) -> rb.RidgeFit:
        return rb.rep_ridge(X, y, rho=0.1, delta=0.01, noise=1.0, seed=seed)

    def data(rng: np.random.Generator) -> FloatArray:
        return np.asarray(X @ [0.5, -0.2, 0.1] + rng.normal(size=200))

    replicable = rb.audit_estimator(fit, data, rho=0.1, pairs=60)
    assert replicable.verdict == "replicable"
    raw = rb.audit_estimator(lambda y, seed: fit(y, seed).raw, data, rho=0.1, pairs=400, sequential=True)
    assert (raw.verdict, raw.mismatch, raw.keys) == ("not replicable", 1.0, 50)
    jobs = [rb.audit_estimator(fit, data, rho=0.1, pairs=120, n_jobs=jobs).differing.tolist() for jobs in (1, 2)]
    assert jobs[0] == jobs[1]


@pytest.mark.parametrize("answer", ["text", np.nan, None])
def test_an_answer_without_bits_is_refused(answer: Any) -> None:
    with pytest.raises(InvalidInput, match="it must have a fingerprint"):
        rb.audit_estimator(lambda data, seed: answer, lambda rng: rng.random(), rho=0.1, pairs=2)


def test_this_machine_reproduces_and_another_would_not() -> None:
    machine = rb.check_machine()
    machine.require()
    assert machine.reproduces
    (name, bits), *rest = machine.computed
    other = replace(machine, computed=((name, bits[::-1]), *rest))
    assert not other.reproduces
    with pytest.raises(NotReproducible, match=rf"other bits than the published ones for {name}\. .*check-machine"):
        other.require()


def test_the_curve_is_the_regret_after_so_many_rounds() -> None:
    run = rb.simulate(rb.RepUCB(horizon=1000, rho=0.3), COIN, seed=1, rng=np.random.default_rng(1))
    every = np.cumsum(0.2 * (run.rounds() == 0))
    rounds = np.array([1, 2, 3, 10, 500, 1000])
    assert rb.regret_after(run, COIN, rounds) == pytest.approx(every[rounds - 1])
    assert all(a <= b for a, b in pairwise(rb.regret_after(run, COIN, np.arange(1, 1001))))
