"""`audit`: how often do two runs with one seed differ?"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from replibandit import experiment
from replibandit.audit import audit as measure
from replibandit.catalog import from_json
from replibandit.cli import options
from replibandit.cli.files import check_output, save
from replibandit.cli.lengths import warn_of_length
from replibandit.cli.terminal import FINE, NO, UNDECIDED, Leave, described, facts, show, write
from replibandit.findings import Audit
from replibandit.report.parting import quantile
from replibandit.report.words import count, plural, share, span, with_error
from replibandit.verdict import NOT_REPLICABLE, REPLICABLE, Tally, pairs_needed

EXAMPLES = options.examples(
    "replibandit audit trial.toml --output audit.json",
    "replibandit audit trial.toml --policy LinUCB --horizon 300 --pairs 50",
    "replibandit audit --policy RepUCB --horizon 1e9 --rho 0.1 --means 0.5,0.4 --pairs 200",
)
_CODES = {REPLICABLE: FINE, NOT_REPLICABLE: NO}


def audit(
    file: options.File = None,
    policy: options.PolicyName = None,
    horizon: options.Horizon = None,
    rho: options.Rho = None,
    delta: options.Delta = None,
    noise: options.Noise = None,
    means: options.Means = None,
    settings: options.Settings = None,
    seed: options.Seed = None,
    pairs: Annotated[
        int | None,
        typer.Option(parser=options.whole(1), metavar="N", help="The number of pairs of runs, 1000 unless said."),
    ] = None,
    sequential: Annotated[bool, typer.Option("--sequential", help="Stop as soon as the verdict is certain.")] = False,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Another policy, with the same settings: what is the regret over that of this one?",
            autocompletion=options.policies,
        ),
    ] = None,
    jobs: options.Jobs = 1,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything that was found: .json.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure how often two runs differ.  The two runs of a pair share a seed and see independent rewards.

    Leaves with 0 for "replicable", 1 for "not replicable" and 2 for "undecided".
    """
    check_output(output, (".json",))
    plan = options.gather(
        file, policy=policy, horizon=horizon, rho=rho, delta=delta, noise=noise, means=means, settings=settings
    )
    for name, value in (
        ("pairs", pairs),
        ("seed", seed),
        ("sequential", sequential or None),
        ("reference.name", reference),
    ):
        if value is not None:
            plan = experiment.with_setting(plan, f"audit.{name}", value)
    spec, env, chosen = experiment.policy(plan), experiment.environment(plan), experiment.audit_settings(plan)
    with experiment.blamed(plan):
        for each in filter(None, (spec, chosen.get("reference"))):
            warn_of_length(each, env)
        found = measure(spec, env, n_jobs=jobs, **chosen)
    if output is not None:
        save(output, found.to_json() + "\n")
    if as_json:
        write(found.to_json() + "\n")
    else:
        show(facts(rows(found)), "", sentence(found))
    raise Leave(_CODES.get(found.verdict, UNDECIDED))


def rows(found: Audit) -> list[tuple[str, str]]:
    """Return what was found, by name; a line for nothing that was not measured."""
    half, T = quantile(found.rounds, 0.5), found.horizon
    return [
        ("policy", described(from_json(found.spec))),
        ("digest", found.digest),
        ("seed", found.seed),
        ("played", f"{plural(found.tally.keys, 'key')}, {plural(found.replicates, 'run')} each, {plural(T, 'round')}"),
        ("identical", f"{share(1.0 - found.mismatch)} of the pairs of runs"),
        ("differ", share(found.mismatch)),
        (f"{share(found.tally.level)} interval", span(*found.interval)),
        ("held against", f"rho = {found.rho:g}"),
        ("half have parted", "never" if half >= T else f"after {plural(half, 'round')}"),
        ("regret", with_error(found.mean_regret)),
        *_optional(found),
    ]


def _optional(found: Audit) -> Iterator[tuple[str, str]]:
    """Yield what was found about a policy that rounds, and against a reference."""
    if found.predicted is not None:
        value, error = found.predicted.value, found.predicted.error
        known = "?" if math.isnan(error) else share(error)  # one key has no standard error
        yield "predicted", f"{share(value)} differ at most (+- {known}), by how close the estimates came"
    if found.price is not None and found.reference is not None:
        yield "price", f"{with_error(found.price)} times the regret of {described(from_json(found.reference))}"


def sentence(found: Audit) -> str:
    """Say the verdict."""
    (low, high), level = found.interval, f"{share(found.tally.level)} confidence"
    if found.verdict == REPLICABLE:
        return f"Replicable: two runs with one seed differ with probability {share(high)} at most ({level})."
    if found.verdict == NOT_REPLICABLE:
        return f"Not replicable: two runs with one seed differ with probability {share(low)} at least ({level})."
    return (
        f"Undecided: two runs with one seed differ with probability {span(low, high)} ({level}), and "
        f"{share(found.rho)} lies in between. Take more pairs{_at_least(found.tally)}."
    )


def _at_least(tally: Tally) -> str:
    """Say how many pairs are needed at all, if there were fewer."""
    needed = pairs_needed(tally.rho, tally.level)
    return f", {count(needed)} at least" if tally.keys < needed else ""
