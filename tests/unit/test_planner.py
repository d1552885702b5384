"""The planner: what is compared, how choices are ranked, and the inverse questions."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.errors import InvalidInput
from replibandit.findings import Estimate, mean_of
from replibandit.planner import TrialPlan
from replibandit.planner.answer import averaged
from replibandit.planner.candidates import MEASURED, THEOREM, candidates, guarantee
from replibandit.planner.family import family
from replibandit.planner.inverse import affordable
from replibandit.planner.measure import measure
from replibandit.planner.question import Question, question
from replibandit.planner.twin import LazyLinUCB, LazyUCB, twin
from replibandit.plots import choices
from replibandit.testing import check_policy

TABLE = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-0.6, 0.8]])
KNOWN: dict[str, Any] = {"noise": 0.5, "rewards": None, "means": None, "norm_bound": 1.0, "actions": None}


def asked(**known: Any) -> Question:
    return question(**{"arms": 3, "horizon": 10**5, "rho": 0.2, "gap": 0.1, **KNOWN, **known})


@pytest.fixture(scope="module")
def found() -> TrialPlan:
    return rb.plan(arms=3, gap=0.2, horizon=10**5, rho=0.2, pairs=30)


def test_choices_are_ranked_by_regret(found: TrialPlan) -> None:
    values = [choice.regret.value for choice in found.choices]
    assert values == sorted(values)
    assert found.best is next(c for c in found.choices if c.guarantee == THEOREM and not c.refuted)
    assert {type(c.spec).__name__ for c in found.choices} >= {"RepUCB", "RepCommit", "RepEliminate"}
    assert len({choice.digest for choice in found.choices}) == len(found.choices)


def test_the_best_were_measured_with_all_pairs(found: TrialPlan) -> None:
    for word in (THEOREM, MEASURED):
        best = found.ranked(word)[0]
        assert {case.pairs for case in best.cases} == {30}
        assert 0.0 <= best.interval[0] <= best.mismatch <= best.interval[1] <= 1.0
        assert best.success > 0.9
        assert best.price is not None
        assert best.price.value > 1
        assert best.bound is not None
        assert best.bound > best.regret.value - 6 * best.regret.error
        assert 0 < best.exploration.value < 10**5


def test_a_plan_depends_on_the_seed_and_not_on_the_processes(found: TrialPlan) -> None:
    known: dict[str, Any] = {"arms": 2, "gap": 0.3, "horizon": 2000, "rho": 0.3, "pairs": 8}
    first = rb.plan(**known, seed=3)
    assert rb.plan(**known, seed=3, n_jobs=2).to_json() == first.to_json()
    assert rb.plan(**known, seed=4).to_json() != first.to_json()


def test_progress_comes_to_its_end() -> None:
    seen: list[tuple[int, int]] = []
    rb.plan(arms=2, gap=0.3, horizon=2000, rho=0.3, pairs=8, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert all(0 < done <= total for done, total in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_plan_as_text(found: TrialPlan) -> None:
    data = json.loads(found.to_json())
    assert data["question"]["arms"] == 3
    assert data["question"]["cases"] == [case["case"] for case in data["choices"][0]["cases"]]
    spec = data["choices"][0]["spec"]
    assert rb.from_json(json.dumps(spec)) == found.choices[0].spec


def test_the_protocol_says_what_was_found(found: TrialPlan) -> None:
    text = found.protocol()
    for part in (rb.to_json(found.best.spec), found.best.digest, "this is a theorem", "at least 0.8", "seed is drawn"):
        assert part in text
    measured = found.protocol(found.ranked(MEASURED)[0])
    assert "this is no theorem" in measured


def test_a_vector_plan() -> None:
    plan = rb.plan(actions=TABLE, gap=0.2, horizon=10**5, rho=0.2, pairs=6)
    assert {type(c.spec).__name__ for c in plan.choices} >= {"RepLinUCB", "RepCommit", "RepEliminate"}
    assert "RepUCB" not in {type(c.spec).__name__ for c in plan.choices}
    assert {c.guarantee for c in plan.choices} == {THEOREM}


def test_the_family_has_the_gap_that_was_asked_for() -> None:
    for known in ({"arms": 3}, {"arms": 2, "rewards": "gaussian"}, {"arms": None, "actions": TABLE}):
        cases = family(asked(**known))
        assert len({case.name for case in cases}) == len(cases) >= 4
        for case in cases:
            env: Any = case.env
            values = env.means if hasattr(env, "means") else env.actions.vectors @ env.theta
            top = np.sort(values)[-2:]
            assert top[1] - top[0] == pytest.approx(case.gap)
            assert case.gap >= 0.1 - 1e-9


def test_means_stay_in_their_range() -> None:
    for case in family(asked(arms=20, means=(0.1, 0.4), gap=0.05)):
        env: Any = case.env
        means = env.means
        assert means.min() >= 0.1 - 1e-12
        assert means.max() <= 0.4 + 1e-12


def test_candidates_vary_calibration_growth_and_budgets() -> None:
    specs = candidates(asked())
    assert len(specs) == len({rb.digest(spec) for spec in specs})
    assert {getattr(spec, "calibration", None) for spec in specs} >= {"paper", "sharp", "gaussian"}
    assert {spec.growth for spec in specs if isinstance(spec, rb.RepCommit)} == {2, 3, 4, 9, 16}
    assert {spec.budgets for spec in specs if isinstance(spec, rb.RepUCB)} >= {"uniform", "geometric"}
    assert len(candidates(asked(), variants=False)) < len(specs)
    assert all(spec.rho == 0.2 for spec in specs)


def test_normal_levels_are_a_theorem_for_normal_rewards_only() -> None:
    spec = rb.RepCommit(horizon=100, rho=0.2, calibration="gaussian")
    assert guarantee(spec, asked()) == MEASURED
    assert guarantee(spec, asked(rewards="gaussian")) == THEOREM
    assert guarantee(rb.RepCommit(horizon=100, rho=0.2), asked()) == THEOREM


def test_a_choice_that_parts_too_often_is_refuted(found: TrialPlan) -> None:
    best = found.best
    broken = replace(best, cases=tuple(replace(case, differing=case.pairs) for case in best.cases))
    assert broken.refuted
    worse = replace(found, choices=(broken, *(c for c in found.choices if c is not best)))
    assert worse.best is not broken
    assert not best.refuted


def test_measures_repeat() -> None:
    case = family(asked())[0]
    spec = rb.RepCommit(horizon=10**5, rho=0.2)
    first, again = (measure(spec, case, rb.Key(1), 5) for _ in range(2))
    assert (first.regret == again.regret).all()
    assert first.differing == again.differing
    assert (measure(spec, case, rb.Key(2), 5).regret != first.regret).any()


def test_an_average_of_estimates() -> None:
    parts = [mean_of(np.array([1.0, 3.0])), mean_of(np.array([4.0, 8.0]))]
    both = averaged(parts)
    assert both == Estimate(4.0, math.hypot(parts[0].error, parts[1].error) / 2)


@pytest.mark.parametrize("kind", ["arms", "vectors"])
def test_twins_are_policies(kind: str) -> None:
    if kind == "arms":
        check_policy(LazyUCB(horizon=3000, noise=0.5), rb.BernoulliArms(means=np.array([0.2, 0.6, 0.5])))
    else:
        env = rb.LinearArms(theta=np.array([0.4, 0.2]), actions=TABLE, noise=0.5)
        spec = twin(asked(arms=None, actions=TABLE))
        assert isinstance(spec, LazyLinUCB)
        check_policy(replace(spec, horizon=400), env)


def test_a_twin_is_about_as_good_as_ucb1() -> None:
    env = rb.BernoulliArms(means=np.array([0.5, 0.3]))
    lost = []
    for spec in (LazyUCB(horizon=5000, noise=0.5), rb.UCB1(horizon=5000)):
        runs = rb.simulate_many(spec, env, seeds=range(100), rng=np.random.default_rng(0))
        lost.append(float(np.mean([rb.regret(run, env)[-1] for run in runs])))
    assert 0.1 * lost[1] < lost[0] < 2.0 * lost[1]


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ({"arms": None}, "give either arms"),
        ({"actions": TABLE}, "give either arms"),
        ({"arms": 1}, "two arms or more"),
        ({"arms": None, "actions": rb.Ball(1.0, 2)}, "two arms or more"),
        ({"gap": 0.0}, "gap is 0.0"),
        ({"gap": 1.5}, "gap is 1.5 and the means lie from 0.0 to 1.0"),
        ({"rho": 2.0}, "rho is 2.0"),
        ({"rewards": "poisson"}, "rewards is 'poisson'"),
        ({"noise": 0.1}, "rewards is 'bernoulli' with noise 0.1"),
        ({"arms": None, "actions": TABLE, "rewards": "bernoulli"}, "0/1 rewards are for arms"),
        ({"means": (0.5, 0.2)}, "lower and the upper end within"),
        ({"means": (0.5,)}, "means has 1 entries"),
        ({"means": (-1.0, 0.5)}, "within"),
        ({"horizon": 0}, "horizon is 0"),
        ({"norm_bound": -1.0}, "norm_bound is -1.0"),
    ],
)
def test_wrong_questions_are_refused(known: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidInput, match=text):
        asked(**known)


def test_a_gap_that_no_direction_has_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"no theta of norm 0\.1 at most"):
        family(asked(arms=None, actions=TABLE, norm_bound=0.1, gap=0.5, means=(0.0, 5.0)))


def test_a_horizon_that_no_policy_plays_is_refused() -> None:
    assert rb.plan(arms=2, gap=0.5, horizon=20, rho=0.4, pairs=6).best.spec.horizon == 20
    with pytest.raises(InvalidInput, match=r"share is 1\.5"):
        rb.smallest_rho(arms=2, gap=0.1, horizon=100, share=1.5)


def test_the_inverse_questions_are_inverse() -> None:
    rho = rb.smallest_rho(arms=2, gap=0.2, horizon=10**5)
    assert rho is not None
    base = asked(arms=2, gap=0.2, horizon=10**5, rho=rho)
    assert affordable(base, 0.5)
    assert not affordable(replace(base, rho=rho / 10 ** (1 / 16)), 0.5)
    need = rb.horizon_needed(arms=2, gap=0.2, rho=rho)
    assert need is not None
    assert need <= 10**5
    assert affordable(replace(base, horizon=need), 0.5)


def test_some_questions_have_no_answer() -> None:
    assert rb.smallest_rho(arms=2, gap=0.001, horizon=1000) is None
    assert rb.horizon_needed(arms=2, gap=1e-7, rho=0.01, rewards="gaussian", means=(0.0, 1.0)) is None


def test_a_picture_of_plans(found: TrialPlan) -> None:
    other = rb.plan(arms=3, gap=0.2, horizon=10**5, rho=0.4, pairs=6)
    drawn = choices([other, found])
    assert sorted(set(drawn.data["rho"].tolist())) == [0.2, 0.4]
    assert drawn.data["regret"].min() > 0
    assert "RepCommit" in drawn.svg()
    for wrong in ([], [1], found):
        with pytest.raises(InvalidInput, match="TrialPlan"):
            choices(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="differ in more than rho"):
        choices([found, rb.plan(arms=2, gap=0.2, horizon=10**5, rho=0.2, pairs=6)])
