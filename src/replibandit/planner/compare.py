"""`plan`: compare everything that is admissible, first with few runs, then the best with many."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from replibandit import checks
from replibandit.actions import Finite
from replibandit.audit import in_order
from replibandit.bounds import bounds
from replibandit.errors import InvalidInput, ReplibanditError
from replibandit.findings import mean_of
from replibandit.key import Key, as_key
from replibandit.planner.answer import Choice, TrialPlan, averaged
from replibandit.planner.candidates import candidates, guarantee
from replibandit.planner.family import Case, family
from replibandit.planner.measure import Measured, measure
from replibandit.planner.question import Question, question
from replibandit.planner.twin import twin
from replibandit.progress import Progress, bar

_SCREEN = 6  # pairs on each instance, for everybody
_FINALISTS = 4  # of either guarantee
_TWINS = 8


def plan(
    *,
    horizon: int,
    rho: float,
    gap: float,
    arms: int | None = None,
    actions: Any = None,
    noise: float = 0.5,
    rewards: str | None = None,
    means: tuple[float, float] | None = None,
    norm_bound: float = 1.0,
    pairs: int = 200,
    seed: Key | str | int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> TrialPlan:
    """Say which policy to register, in which calibration and growth, and what it costs.

    `gap` is the smallest difference worth finding.  `rewards` are "bernoulli" (arms unless given) or "gaussian"
    (vectors), within the range `means`.  Every policy is played in pairs of runs with one key on every instance of a
    declared family, a few pairs first; those that may be best again, with `pairs` each.  The result depends on `seed`
    and not on `n_jobs`.

    >>> found = plan(arms=2, gap=0.2, horizon=10_000, rho=0.3, pairs=20)
    >>> found.best.guarantee, found.best.regret.value < 1000, len(found.choices) > 10
    ('theorem', True, True)
    """
    asked = question(
        arms=arms,
        actions=actions,
        horizon=horizon,
        rho=rho,
        gap=gap,
        noise=noise,
        rewards=rewards,
        means=means,
        norm_bound=norm_bound,
    )
    key, many, workers = as_key(seed), checks.positive_integer("pairs", pairs), checks.workers(n_jobs)
    cases, specs = family(asked), candidates(asked)
    if not specs:
        raise InvalidInput(f"no replicable policy plays {asked.size} actions for {horizon} rounds. Raise the horizon.")
    with bar("planning") if progress is None else nullcontext(progress) as show:
        return _compared(asked, cases, specs, key, max(many, _SCREEN), workers, show)


def _compared(
    asked: Question, cases: Sequence[Case], specs: list[Any], key: Key, many: int, workers: int, show: Progress
) -> TrialPlan:
    done, total = 0, (len(specs) + 1 + 2 * _FINALISTS) * len(cases)

    def measured(wanted: Sequence[tuple[Any, int]]) -> list[tuple[Measured, ...]]:
        """Measure specs on all instances, each with its number of pairs."""
        nonlocal done
        tasks = [(spec, case, key, n) for spec, n in wanted for case in cases]
        found = []
        for each in in_order(_measured, tasks, workers):
            found.append(each)
            done += 1
            show(min(done, total), total)
        return [tuple(found[i : i + len(cases)]) for i in range(0, len(found), len(cases))]

    other, *first = measured([(twin(asked), _TWINS), *((spec, _SCREEN) for spec in specs)])
    reference = averaged([mean_of(each.regret) for each in other])
    choices = [
        Choice(spec=spec, guarantee=guarantee(spec, asked), bound=_bound(spec, cases), cases=found, reference=reference)
        for spec, found in zip(specs, first, strict=True)
    ]
    for _ in range(len(specs)):
        again = [i for i in _leading(choices) if choices[i].cases[0].pairs < many]
        if not again:
            break
        for i, found in zip(again, measured([(choices[i].spec, many) for i in again]), strict=True):
            old = choices[i]
            choices[i] = Choice(
                spec=old.spec, guarantee=old.guarantee, bound=old.bound, cases=found, reference=reference
            )
    show(total, total)
    return TrialPlan(question=_words(asked, cases), choices=tuple(sorted(choices, key=lambda c: c.regret.value)))


def _measured(task: tuple[Any, Case, Key, int]) -> Measured:
    return measure(*task)


def _leading(choices: Sequence[Choice]) -> list[int]:
    """Return the choices that may be best: the first few with either guarantee, and the best of every policy."""
    order = sorted(range(len(choices)), key=lambda i: choices[i].regret.value)
    leading: list[int] = []
    for word in dict.fromkeys(choice.guarantee for choice in choices):
        leading += [i for i in order if choices[i].guarantee == word and not choices[i].refuted][:_FINALISTS]
    for policy in dict.fromkeys(type(choices[i].spec) for i in order):
        leading.append(next(i for i in order if type(choices[i].spec) is policy))
    return sorted(set(leading))


def _bound(spec: Any, cases: Sequence[Case]) -> float | None:
    """Return the regret that the theorem allows, on average over the instances."""
    try:
        return sum(bounds(spec, case.env).regret for case in cases) / len(cases)
    except ReplibanditError:
        return None


def _words(asked: Question, cases: Sequence[Case]) -> dict[str, Any]:
    actions = asked.actions
    shown = {"vectors": actions.vectors.tolist()} if isinstance(actions, Finite) else {"arms": actions}
    return {
        **shown,
        "horizon": asked.horizon,
        "rho": asked.rho,
        "gap": asked.gap,
        "noise": asked.noise,
        "rewards": asked.rewards,
        "means": list(asked.means),
        "norm_bound": asked.norm_bound,
        "cases": [case.name for case in cases],
    }
