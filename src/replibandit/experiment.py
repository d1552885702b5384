"""Experiments as text: a policy, an environment and an audit, from a TOML file, from flags, or from both.

    [policy]            name = "RepLinUCB", and the settings of the spec by name; whole numbers may be written 1e9
    [environment]       name = "LinearArms", and its arguments by name
    [audit]             pairs, seed, rho, level, replicates, sequential, and [audit.reference], a table like [policy]

Actions are a list of vectors, the name of a file ("actions.csv", "actions.npy"; beside the TOML file), a ball
{ball = 1.0, dim = 3}, or random unit vectors {random = 20, dim = 5, seed = 1}, the same ones on every machine.

An error begins with the file and the table: "trial.toml, [policy]: rho is 2.0; it must lie strictly between 0 and 1."
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.actions import Ball, Contexts
from replibandit.arithmetic import normals, squared_norm
from replibandit.arrays import FloatArray
from replibandit.catalog import POLICIES
from replibandit.environments.arms import BernoulliArms, GaussianArms
from replibandit.environments.base import Environment
from replibandit.environments.laws import DiscreteArms
from replibandit.environments.linear import GLMArms, LinearArms
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.tables import action_rows

Table = Mapping[str, Any]

ENVIRONMENTS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (BernoulliArms, GaussianArms, DiscreteArms, LinearArms, GLMArms)
}
_AUDIT = ("pairs", "seed", "rho", "level", "replicates", "sequential", "reference")
_WHOLE = ("pairs", "replicates")
_FLAGS = " and flags"
_TABLES = ("policy", "environment", "audit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """The tables of an experiment as they were written; nothing in them is checked before it is built.

    `origin` is where they come from, for errors: the name of a file, or nothing.
    """

    policy: Table = field(default_factory=dict)
    environment: Table = field(default_factory=dict)
    audit: Table = field(default_factory=dict)
    origin: str = ""


def read(path: Path) -> Experiment:
    """Return the tables of a TOML file; the files that it names are looked for in its own folder."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise InvalidInput(f"{path} is not TOML: {error}.") from None
    for name, table in tables.items():
        if name not in _TABLES:
            known = ", ".join(f"[{each}]" for each in _TABLES)
            raise InvalidInput(f"{path} has {name!r} at the top; the tables are {known}.")
        if not isinstance(table, dict):
            raise InvalidInput(f"{path} has {name} = {table!r}; {name} must be a table, [{name}].")
    found = Experiment(**tables, origin=str(path))
    actions = found.environment.get("actions")
    if not isinstance(actions, str):
        return found
    return replace(found, environment={**found.environment, "actions": str(path.parent / actions)})


@contextmanager
def blamed(experiment: Experiment, table: str = "") -> Iterator[None]:
    """Begin every error with the file of the experiment, and the table."""
    places = [experiment.origin, f"[{table}]" if table else ""]
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{', '.join(filter(None, places))}: {error}" if experiment.origin else str(error)) from None


def with_setting(experiment: Experiment, name: str, value: Any) -> Experiment:
    """Return the experiment with another setting: "rho" of the policy, "environment.noise", "audit.reference.name"."""
    table, *rest = name.split(".") if "." in name else ("policy", name)
    if table not in _TABLES or not all(rest):
        raise InvalidInput(
            f"the setting {name!r} is not known; write a setting of the policy, such as penalty, or one of another "
            "table, such as environment.noise or audit.level."
        )
    return _changed(experiment, **{table: _with(getattr(experiment, table), rest, value)})


def with_policy(experiment: Experiment, name: str) -> Experiment:
    """Return the experiment with another policy; of the settings it keeps those that this policy has.

    A rho that the policy does not promise is the one that its audit holds it against.
    """
    known = [setting.name for setting in fields(_kind("policy", POLICIES, name))]
    kept = {setting: value for setting, value in experiment.policy.items() if setting in known}
    rho = {key: value for key, value in experiment.policy.items() if key == "rho" and key not in known}
    return _changed(experiment, policy={"name": name, **kept}, audit={**rho, **experiment.audit})


def with_rho(experiment: Experiment, rho: float) -> Experiment:
    """Return the experiment with the rho that its policy promises; or, if it promises none, with that of its audit."""
    promises = "rho" in [setting.name for setting in fields(_policy_kind(experiment))]
    return with_setting(experiment, "policy.rho" if promises else "audit.rho", rho)


def with_means(experiment: Experiment, means: Sequence[float]) -> Experiment:
    """Return the experiment with arms of other means, Bernoulli if it had no environment."""
    named = {"name": BernoulliArms.__name__, **experiment.environment}
    return _changed(experiment, environment={**named, "means": list(means)})


def policy(experiment: Experiment) -> Any:
    """Return the spec."""
    kind = _policy_kind(experiment)
    with blamed(experiment, "policy"):
        return _built(kind, experiment.policy, flag="")


def environment(experiment: Experiment) -> Environment:
    """Return the environment."""
    with blamed(experiment, "environment"):
        if not experiment.environment:
            raise InvalidInput(
                "there is no environment; give the means of the arms by --means, or a TOML file with a table "
                "[environment]."
            )
        table = dict(experiment.environment)
        if "actions" in table:
            table["actions"] = _actions(table["actions"])
        kind = _kind("environment", ENVIRONMENTS, table.get("name"))
        env: Environment = _built(kind, table, flag="environment.")
        return env


def audit_settings(experiment: Experiment) -> dict[str, Any]:
    """Return the arguments of `audit` that were given, with the reference as a spec.

    A reference has the settings of the policy, as far as it knows them, where it has none of its own.
    """
    settings = {name: _whole(value) if name in _WHOLE else value for name, value in experiment.audit.items()}
    with blamed(experiment, "audit"):
        if unknown := [name for name in settings if name not in _AUDIT]:
            raise InvalidInput(f"an audit has no setting {', '.join(unknown)}; its settings are {', '.join(_AUDIT)}.")
        if not isinstance(settings.get("sequential", False), bool):
            raise InvalidInput(f"sequential is {settings['sequential']!r}; it must be true or false.")
        reference = settings.get("reference")
        if reference is None:
            return settings
        if not isinstance(reference, dict):
            raise InvalidInput(f"reference is {reference!r}; it must be a table like [policy].")
    with blamed(experiment, "audit.reference"):
        kind = _kind("reference", POLICIES, reference.get("name"))
        shared = with_policy(experiment, kind.__name__).policy
        return {**settings, "reference": _built(kind, {**shared, **reference}, flag="audit.reference.")}


def _changed(experiment: Experiment, **tables: Table) -> Experiment:
    """Return the experiment with other tables; what is wrong in it may now stand in a flag."""
    origin = experiment.origin.removesuffix(_FLAGS)
    return replace(experiment, **tables, origin=origin and origin + _FLAGS)


def _with(table: Table, names: Sequence[str], value: Any) -> Table:
    if len(names) == 1:
        return {**table, names[0]: value}
    inner = table.get(names[0], {})
    return {**table, names[0]: _with(inner if isinstance(inner, dict) else {}, names[1:], value)}


def _kind(what: str, kinds: Mapping[str, type[Any]], name: Any) -> type[Any]:
    if not isinstance(name, str) or name not in kinds:
        came = f"the name of the {what} is {name!r}" if name is not None else f"the {what} has no name"
        raise InvalidInput(f"{came}; choose one of {', '.join(kinds)}.")
    return kinds[name]


def _policy_kind(experiment: Experiment) -> type[Any]:
    with blamed(experiment, "policy"):
        if not experiment.policy:
            raise InvalidInput("there is no policy; name one by --policy, or in the table [policy] of a TOML file.")
        return _kind("policy", POLICIES, experiment.policy.get("name"))


def _built(kind: type[Any], table: Table, *, flag: str) -> Any:
    """Return the spec or the environment that a table describes; in --set its settings begin with `flag`."""
    known = {setting.name: setting for setting in fields(kind) if setting.init}
    given = {name: value for name, value in table.items() if name != "name"}
    if unknown := [name for name in given if name not in known]:
        raise InvalidInput(f"{kind.__name__} has no setting {', '.join(unknown)}; its settings are {', '.join(known)}.")
    if missing := [name for name, setting in known.items() if setting.default is MISSING and name not in given]:
        flags = " ".join(f"--set {flag}{name}=VALUE" for name in missing)
        raise InvalidInput(f"{kind.__name__} needs {', '.join(missing)}; write that in the file, or {flags}.")
    whole = [name for name, setting in known.items() if setting.type in (int, int | None)]
    return kind(**{name: _whole(value) if name in whole else value for name, value in given.items()})


def _whole(value: Any) -> Any:
    """Return a float that is a whole number, such as 1e9, as an int, and anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _actions(value: Any) -> Any:
    if isinstance(value, str):
        rows = action_rows(Path(value))
        return Contexts.of(rows) if rows.ndim == 3 else rows
    if not isinstance(value, dict):
        return _vectors(value)
    if value.keys() == {"ball", "dim"}:
        return Ball(checks.positive("ball", value["ball"]), _whole(value["dim"]))
    if value.keys() == {"random", "dim", "seed"}:
        return _directions(value["random"], value["dim"], value["seed"])
    raise InvalidInput(
        f"actions has the settings {', '.join(value)}; it must have ball and dim, or random, dim and seed. Else it is "
        "a list of vectors, or the name of a file."
    )


def _vectors(value: Any) -> list[list[Any]]:
    rows = value if isinstance(value, list) else []
    if not rows or not all(isinstance(row, list) and len(row) == len(rows[0]) > 0 for row in rows):
        raise InvalidInput(
            f"actions is {value!r:.80}; it must be a list of vectors of one length, such as [[1.0, 0.0], [0.0, 1.0]], "
            "the name of a file, {ball = 1.0, dim = 3}, or {random = 20, dim = 3, seed = 1}."
        )
    return rows


def _directions(count: Any, dim: Any, seed: Any) -> FloatArray:
    """Return unit vectors in random directions, from normal variates in strict arithmetic."""
    k = checks.positive_integer("random", _whole(count))
    d = checks.positive_integer("dim", _whole(dim))
    rows = normals(Key(seed).child("actions").uniform(k * d)).reshape(k, d)
    return np.asarray(rows / np.sqrt(squared_norm(rows))[:, None])
