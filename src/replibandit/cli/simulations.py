"""`simulate`: play runs with one seed and independent rewards."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import RenderableType

from replibandit import experiment
from replibandit.actions import Ball, Contexts
from replibandit.catalog import digest, spec_settings
from replibandit.cli import options
from replibandit.cli.files import check_output, save
from replibandit.cli.lengths import warn_of_length
from replibandit.cli.terminal import described, facts, listing, show, show_json
from replibandit.environments.base import Environment
from replibandit.report.words import count, number, plural, rounds_until, share
from replibandit.runs import Run, first_divergence, regret
from replibandit.simulate import simulate_many

EXAMPLES = options.examples(
    "replibandit simulate trial.toml --runs 2",
    "replibandit simulate --policy RepUCB --horizon 1e9 --rho 0.1 --means 0.5,0.4",
    "replibandit simulate trial.toml --output decisions.csv",
)
_SUFFIXES = (".csv", ".jsonl")
_MOST_ARMS = 10


def simulate(
    file: options.File = None,
    policy: options.PolicyName = None,
    horizon: options.Horizon = None,
    rho: options.Rho = None,
    delta: options.Delta = None,
    noise: options.Noise = None,
    means: options.Means = None,
    settings: options.Settings = None,
    seed: options.Seed = None,
    runs: Annotated[int, typer.Option(parser=options.whole(1), metavar="N", help="The number of runs.")] = 1,
    rewards: Annotated[int, typer.Option(parser=options.whole(0), metavar="N", help="The seed of the rewards.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all decisions there: .csv, or .jsonl with one object a line."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Play runs that share a seed.  Their rewards are independent; do they choose the same actions?"""
    check_output(output, _SUFFIXES)
    plan = options.gather(
        file, policy=policy, horizon=horizon, rho=rho, delta=delta, noise=noise, means=means, settings=settings
    )
    spec, env = experiment.policy(plan), experiment.environment(plan)
    shared = experiment.audit_settings(plan).get("seed", 0) if seed is None else seed
    with experiment.blamed(plan):
        warn_of_length(spec, env)
        played = simulate_many(spec, env, seeds=[shared] * runs, rng=np.random.default_rng(rewards))
    results = [_result(run, env, played[0]) for run in played]
    if output is not None:
        save(output, _csv(played, env) if output.name.endswith(".csv") else _json_lines(played, env))
    if as_json:
        head = {"spec": spec_settings(spec), "digest": digest(spec), "seed": shared, "rewards": rewards}
        show_json({**head, "runs": results})
    else:
        named = facts([("policy", described(spec)), ("digest", digest(spec)), ("seed", repr(shared))])
        show(named, _runs(results, spec.horizon), *_arms(results), _comparison(results))


def _result(run: Run, env: Environment, first: Run) -> dict[str, Any]:
    """Return what is said about a run; `differs` is the first round, from 0, in which it differs from the first run."""
    return {
        "fingerprint": run.fingerprint,
        "decisions": len(run.arms),
        "rounds": run.horizon,
        "regret": float(regret(run, env)[-1]),
        "shares": _shares(run, env.actions),
        "differs": first_divergence(first, run),
    }


def _shares(run: Run, actions: Any) -> list[float] | None:
    """Return the share of the rounds in which each arm was played; None in a ball, whose actions have no index."""
    if isinstance(actions, Ball):
        return None
    arms = actions if isinstance(actions, int) else _candidates(actions)
    played = np.bincount(run.arms, weights=run.times, minlength=arms)
    return [rounds / run.horizon for rounds in played.tolist()]


def _candidates(actions: Any) -> int:
    return actions.candidates if isinstance(actions, Contexts) else len(actions.vectors)


def _runs(results: Sequence[dict[str, Any]], horizon: int) -> RenderableType:
    headings = ("run", "fingerprint", "decisions", "regret", "parts after")
    rows = []
    for i, result in enumerate(results):
        parts = horizon if result["differs"] is None else result["differs"]
        cells = (result["fingerprint"], count(result["decisions"]), number(result["regret"], digits=5))
        rows.append((str(i + 1), *cells, rounds_until(parts, horizon) if i else ""))
    return listing(headings, rows)


def _arms(results: Sequence[dict[str, Any]]) -> Iterator[RenderableType]:
    """Yield a table of the arms that were played most, on average over the runs."""
    if results[0]["shares"] is None:
        return
    shares = np.mean([result["shares"] for result in results], axis=0)
    most = np.argsort(-shares, kind="stable")[:_MOST_ARMS]
    yield listing(("arm", "share of the rounds"), [(str(arm), share(shares[arm])) for arm in sorted(most.tolist())])
    if len(shares) > _MOST_ARMS:
        yield f"These are the {_MOST_ARMS} arms that were played most, of {len(shares)}."


def _comparison(results: Sequence[dict[str, Any]]) -> str:
    apart, others = sum(result["differs"] is not None for result in results), len(results) - 1
    if others == 0:
        return "One run. With --runs 2 another one has the same seed and its own rewards."
    if apart == 0:
        return f"All {len(results)} runs chose the same action in every round."
    return f"{apart} of {plural(others, 'further run')} chose another action than run 1 in some round."


def _decisions(runs: Sequence[Run], env: Environment) -> Iterator[dict[str, Any]]:
    """Yield every decision of every run, in order; a1, ..., ad are the action itself, where actions are vectors."""
    for i, run in enumerate(runs):
        columns = {
            "round": run.starts,
            "times": run.times,
            "arm": run.arms,
            "total": run.totals,
            "regret": regret(run, env),
            **{f"a{j + 1}": column for j, column in enumerate(run.vectors.T)},
        }
        for entries in zip(*(column.tolist() for column in columns.values()), strict=True):
            yield {"run": i + 1, **dict(zip(columns, entries, strict=True))}


def _csv(runs: Sequence[Run], env: Environment) -> str:
    text, decisions = io.StringIO(), list(_decisions(runs, env))
    writer = csv.DictWriter(text, list(decisions[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(decisions)
    return text.getvalue()


def _json_lines(runs: Sequence[Run], env: Environment) -> str:
    return "".join(json.dumps(decision) + "\n" for decision in _decisions(runs, env))
