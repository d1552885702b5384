"""`bounds`: the regret that the theorem allows."""

from typing import Annotated, Any

import typer

from replibandit import experiment
from replibandit.bounds import bounds as theorem
from replibandit.bounds import informative_horizon
from replibandit.catalog import digest, spec_settings
from replibandit.cli import options
from replibandit.cli.terminal import described, facts, show, show_json
from replibandit.report.words import count, number

EXAMPLES = options.examples(
    "replibandit bounds trial.toml",
    "replibandit bounds --policy RepUCB --horizon 1e12 --rho 0.1 --means 0.5,0.4",
    "replibandit bounds --policy RepLinUCB --horizon 1e9 --rho 0.1 --delta 0.01 --noise 0.5 --dim 5",
)


def bounds(
    file: options.File = None,
    policy: options.PolicyName = None,
    horizon: options.Horizon = None,
    rho: options.Rho = None,
    delta: options.Delta = None,
    noise: options.Noise = None,
    means: options.Means = None,
    settings: options.Settings = None,
    dim: Annotated[
        int | None,
        typer.Option(
            parser=options.whole(1), metavar="D", help="The dimension of the actions, in place of an environment."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Print the regret that a theorem allows.  What is it made of, and from which horizon on does it say something?"""
    plan = options.gather(
        file, policy=policy, horizon=horizon, rho=rho, delta=delta, noise=noise, means=means, settings=settings
    )
    spec = experiment.policy(plan)
    instance: dict[str, Any] = {"env": experiment.environment(plan)} if dim is None else {"dim": dim}
    with experiment.blamed(plan):
        bound, first = theorem(spec, **instance), informative_horizon(spec, **instance)
    if as_json:
        parts = {name: getattr(bound, name) for name in ("regret", "trivial", "informative", "holds", "formula")}
        made_of = {"ingredients": bound.ingredients, "informative_horizon": first}
        show_json({"spec": spec_settings(spec), "digest": digest(spec), **parts, **made_of})
        return
    rows = [
        ("policy", described(spec)),
        ("theorem", bound.formula),
        ("regret", f"at most {number(bound.regret, 4)} {bound.holds}"),
        ("worst case", f"{number(bound.trivial, 4)}: every round loses as much as the worst action"),
        *((name.replace("_", " "), number(value, 6)) for name, value in bound.ingredients.items()),
    ]
    show(facts(rows), "", sentence(bound.informative, first))


def sentence(informative: bool, first: int | None) -> str:
    """Say whether the bound is below the worst case, and when it is."""
    says = "The bound says something: it is below the worst case" if informative else "The bound says nothing yet"
    if first is None:
        return f"{says}; up to 2^50 rounds it never does."
    return f"{says}; it does from {count(first)} rounds on."
