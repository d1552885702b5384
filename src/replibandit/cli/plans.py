"""`plan`: which policy to register for a trial, and what it will cost."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from replibandit.catalog import spec_settings
from replibandit.cli import options
from replibandit.cli.files import check_output, save
from replibandit.cli.terminal import facts, listing, show, write
from replibandit.errors import InvalidInput
from replibandit.planner import Choice, TrialPlan, horizon_needed, smallest_rho
from replibandit.planner import plan as compare
from replibandit.planner.candidates import THEOREM
from replibandit.planner.question import REWARDS
from replibandit.report.words import count, number, share, span, with_error
from replibandit.tables import action_rows

EXAMPLES = options.examples(
    "replibandit plan --arms 2 --gap 0.1 --horizon 1e6 --rho 0.1",
    "replibandit plan --arms 5 --gap 0.05 --horizon 1e7 --rho 0.05 --rewards gaussian --noise 1 --jobs 2",
    "replibandit plan --actions actions.csv --gap 0.1 --horizon 1e7 --rho 0.1 --output plan.json",
)
HEADINGS = ("policy", "settings", "rho by", "regret", "bound", "explores", "ends on best", "differ", "price")
_COMMON = ("policy", "horizon", "rho", "noise", "norm_bound", "action_bound", "spread")


def plan(
    horizon: Annotated[float, typer.Option(parser=options.number, metavar="ROUNDS", help="The number of rounds.")],
    rho: Annotated[
        float, typer.Option(parser=options.number, metavar="RHO", help="Two executions may differ so often.")
    ],
    gap: Annotated[
        float, typer.Option(parser=options.number, metavar="GAP", help="The smallest difference worth finding.")
    ],
    arms: Annotated[int | None, typer.Option(metavar="K", help="The number of arms.")] = None,
    actions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The vectors of the actions, one a line: .csv, or .npy.")
    ] = None,
    noise: Annotated[
        float, typer.Option(parser=options.number, metavar="SIGMA", help="The sub-Gaussian parameter of the rewards.")
    ] = 0.5,
    rewards: Annotated[
        str | None,
        typer.Option(metavar="LAW", help=f"{' or '.join(REWARDS)}; arms have 0/1 rewards and vectors normal ones."),
    ] = None,
    means: Annotated[
        str | None, typer.Option(metavar="LOW,HIGH", help="The range of the means; 0,1 for 0/1 rewards.")
    ] = None,
    norm_bound: Annotated[
        float, typer.Option(parser=options.number, metavar="S", help="Vectors: a bound on the norm of theta.")
    ] = 1.0,
    pairs: Annotated[int, typer.Option(min=1, metavar="N", help="Pairs of runs on each instance, for the best.")] = 200,
    seed: options.Seed = 0,
    rows: Annotated[int, typer.Option(min=1, metavar="N", help="The number of rows of the table.")] = 12,
    jobs: options.Jobs = 1,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the whole plan: .json.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Choose a policy for a trial.  Which one, in which calibration, and what will it cost?

    Everything that is admissible is simulated exactly on a declared family of instances.
    """
    check_output(output, (".json",))
    known: dict[str, Any] = {
        "arms": arms,
        "actions": None if actions is None else action_rows(actions),
        "noise": noise,
        "rewards": rewards,
        "means": None if means is None else _ends(means),
        "norm_bound": norm_bound,
    }
    rounds = _whole(horizon)
    found = compare(horizon=rounds, rho=rho, gap=gap, pairs=pairs, seed=seed, n_jobs=jobs, **known)
    if output is not None:
        save(output, found.to_json() + "\n")
    if as_json:
        write(found.to_json() + "\n")
        return
    table = listing(HEADINGS, [row(choice) for choice in _shown(found, rows)])
    least, need = smallest_rho(horizon=rounds, gap=gap, **known), horizon_needed(rho=rho, gap=gap, **known)
    answers = [
        ("register", json.dumps(spec_settings(found.best.spec))),
        ("digest", found.best.digest),
        ("this horizon affords", "no rho below 1" if least is None else f"rho = {number(least, 2)}"),
        ("this rho needs", "more than 10^15 rounds" if need is None else f"{count(need)} rounds"),
    ]
    show(table, "", facts(answers), "", _EXPLAINED, "", found.protocol())


_EXPLAINED = (
    "Regret, exploration (rounds with an action that is not best) and price (the regret over that of a twin that is "
    "not replicable) are means over the instances; 'differ' is the interval on the worst of them. A horizon affords "
    "a rho if the bounds allow at most half of the regret of equal allocation."
)


def row(choice: Choice) -> tuple[str, ...]:
    """Return the row of a choice."""
    settings = spec_settings(choice.spec)
    own = ", ".join(f"{name} {value}" for name, value in settings.items() if name not in _COMMON)
    return (
        type(choice.spec).__name__,
        own,
        "theorem" if choice.guarantee == THEOREM else "calibrated",
        with_error(choice.regret),
        "" if choice.bound is None else number(choice.bound),
        number(choice.exploration.value),
        share(choice.success),
        span(*choice.interval),
        "" if choice.price is None else number(choice.price.value, 2),
    )


def _shown(found: TrialPlan, rows: int) -> list[Choice]:
    """Return the first few choices, and the best one of every policy."""
    best = {type(choice.spec): choice for choice in reversed(found.choices)}.values()
    return [choice for i, choice in enumerate(found.choices) if i < rows or choice in best]


def _whole(horizon: float) -> int:
    if not horizon.is_integer():
        raise InvalidInput(f"--horizon is {horizon!r}; it must be a whole number of rounds.")
    return int(horizon)


def _ends(text: str) -> tuple[float, float]:
    ends = options.numbers(text)
    if len(ends) != 2:
        raise InvalidInput(f"--means is {text!r}; write the lower and the upper end, such as 0.2,0.6.")
    return ends[0], ends[1]
