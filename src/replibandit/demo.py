"""The demonstration: three replicable policies and the three that they are compared with, audited on small instances.

A replicable policy decides once a batch, so that 10^12 rounds take seconds; a reference decides in every round and
plays few of them.  Regrets at different horizons do not compare, so the price of replicability is that of a third
audit: the replicable policy at the horizon of the reference.
"""

import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from replibandit.audit import audit
from replibandit.bounds import Bounds, bounds
from replibandit.catalog import from_json
from replibandit.environments.arms import BernoulliArms
from replibandit.environments.base import Environment
from replibandit.environments.linear import GLMArms, LinearArms
from replibandit.findings import Audit, Estimate
from replibandit.key import Key
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.rep_glm_ucb import RepGLMUCB
from replibandit.policies.rep_lin_ucb import RepLinUCB
from replibandit.policies.rep_ucb import RepUCB
from replibandit.policies.ucb1 import UCB1
from replibandit.progress import Progress, bar
from replibandit.report import report
from replibandit.report.parting import quantile
from replibandit.report.words import count, number, plural, rounds_until, share, span, with_error

RHO = 0.1
PAIRS = 100
SEED = "demo"
HEADINGS = (
    "policy",
    "rounds",
    "identical",
    "differ (95 %)",
    "rho",
    "verdict",
    "half part after",
    "regret a round",
    "bound",
    "worst",
    "price",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Instance:
    """An environment, a policy that is replicable on it, and the one that it is compared with."""

    env: Environment
    spec: Any
    reference: Any

    @property
    def short(self) -> Any:
        """Return the replicable policy at the horizon of the reference."""
        return replace(self.spec, horizon=self.reference.horizon)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Demo:
    """What was found, by policy: six audits, their bounds and environments, and the three audits with a price."""

    audits: Mapping[str, Audit]
    bounds: Mapping[str, Bounds]
    environments: Mapping[str, Environment]
    prices: Mapping[str, Audit]


def instances() -> tuple[Instance, ...]:
    """Return what is played: two arms, and four actions in the plane with linear and with logistic rewards."""
    rows = np.array([[0.875, 0.0], [0.0, 0.875], [0.625, 0.625], [-0.625, 0.625]])
    linear: dict[str, Any] = {"delta": 0.01, "noise": 0.5}
    logistic: dict[str, Any] = {**linear, "link": "logistic"}
    return (
        Instance(
            env=BernoulliArms(means=np.array([0.25, 0.75])),
            spec=RepUCB(horizon=10**12, rho=RHO),
            reference=UCB1(horizon=1000),
        ),
        Instance(
            env=LinearArms(theta=np.array([0.75, 0.25]), actions=rows, noise=0.5),
            spec=RepLinUCB(horizon=10**12, rho=RHO, **linear),
            reference=LinUCB(horizon=300, **linear),
        ),
        Instance(
            env=GLMArms(theta=np.array([0.75, -0.375]), actions=rows, link="logistic"),
            spec=RepGLMUCB(horizon=10**12, rho=RHO, **logistic),
            reference=GLMUCB(horizon=40, **logistic),
        ),
    )


def run(*, pairs: int = PAIRS, seed: Key | str | int = SEED, n_jobs: int = 1, progress: Progress | None = None) -> Demo:
    """Audit every policy with so many pairs of runs, and measure the price of the replicable ones."""
    plays = [play for i in instances() for play in _plays(i)]
    found: list[Audit] = []
    with bar("auditing six policies") if progress is None else nullcontext(progress) as show:
        for spec, env, reference in plays:
            part = _part(show, len(found), len(plays))
            found.append(
                audit(spec, env, pairs=pairs, seed=seed, rho=RHO, reference=reference, n_jobs=n_jobs, progress=part)
            )
    alone = [(type(spec).__name__, spec, env) for spec, env, reference in plays if reference is None]
    names = [name for name, _, _ in alone]
    return Demo(
        audits=dict(zip(names, [a for a in found if a.reference is None], strict=True)),
        bounds={name: bounds(spec, env) for name, spec, env in alone},
        environments={name: env for name, _, env in alone},
        prices=dict(zip(names[1::2], [a for a in found if a.reference is not None], strict=True)),
    )


def table(demo: Demo) -> list[tuple[str, ...]]:
    """Return the table, a row for each policy: the entries under `HEADINGS`, in ASCII."""
    return [_row(demo, name) for name in demo.audits]


def sentences(demo: Demo) -> list[str]:
    """Say how to read the table, in ASCII."""
    keys = next(iter(demo.audits.values())).tally.keys
    against = ", ".join(
        f"{name} with {json.loads(found.reference)['policy']} over {plural(found.horizon, 'round')}"
        for name, found in demo.prices.items()
        if found.reference is not None
    )
    return [
        f"Each policy: {plural(keys, 'pair')} of runs with one key and independent rewards. It is replicable if the "
        "interval lies below rho.",
        "The bound is the theorem's, a round; it says something if it is below what the worst action loses.",
        "The price is a ratio of regrets over the same number of rounds, few enough for the policy that decides in "
        f"each of them: {against}.",
    ]


def page(demo: Demo) -> str:
    """Return the report on the demonstration as HTML."""
    names = {f"{name}, {plural(found.horizon, 'round')}": name for name, found in demo.prices.items()}
    short = {title: (demo.prices[name], demo.environments[name]) for title, name in names.items()}
    return report(
        {**demo.audits, **{title: found for title, (found, _) in short.items()}},
        bounds={**demo.bounds, **{title: bounds(from_json(found.spec), env) for title, (found, env) in short.items()}},
        environments={**demo.environments, **{title: env for title, (_, env) in short.items()}},
        title="replibandit demo: six policies on small instances",
    )


def _plays(instance: Instance) -> tuple[tuple[Any, Environment, Any], ...]:
    """Return what is audited on an instance: policy, environment, and the policy that it is compared with."""
    env, reference = instance.env, instance.reference
    return (reference, env, None), (instance.spec, env, None), (instance.short, env, reference)


def _part(show: Progress, before: int, parts: int) -> Progress:
    """Return the progress of one of several parts of equal length."""
    return lambda done, total: show(before * total + done, parts * total)


def _row(demo: Demo, name: str) -> tuple[str, ...]:
    found, bound, price = demo.audits[name], demo.bounds[name], demo.prices.get(name)
    T, lost = found.horizon, found.mean_regret
    return (
        name,
        count(T),
        share(1.0 - found.mismatch),
        span(*found.interval),
        share(found.rho),
        found.verdict,
        rounds_until(quantile(found.rounds, 0.5), T),
        with_error(Estimate(lost.value / T, lost.error / T)),
        number(bound.regret / T, 2),
        number(bound.trivial / T, 2),
        "" if price is None or price.price is None else with_error(price.price),
    )
