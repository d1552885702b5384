"""Experiments as text: every policy and every environment from TOML, and errors that name the file and the key."""

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit import experiment
from replibandit.catalog import POLICIES
from replibandit.cli.example import TEXT
from replibandit.cli.lengths import decides_in_every_round
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from replibandit.experiment import ENVIRONMENTS, Experiment

GIVEN = {"horizon": 1e3, "rho": 0.1, "delta": 0.01, "noise": 0.5, "link": "logistic"}
ROWS = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
TABLES: dict[str, dict[str, Any]] = {
    "BernoulliArms": {"means": [0.2, 0.7]},
    "GaussianArms": {"means": [0.2, 0.7], "sd": 0.5},
    "DiscreteArms": {"values": [0, 1], "probabilities": [[0.5, 0.5], [0.25, 0.75]]},
    "LinearArms": {"theta": [0.5, 0.25], "actions": ROWS, "noise": 0.5},
    "GLMArms": {"theta": [0.5, 0.25], "actions": ROWS, "link": "logistic"},
}
ODD: tuple[Any, ...] = (None, float("nan"), float("inf"), -1, "x", True, [], ["a"], [[1.0], [1, 2]], {}, {"a": 1}, 1.5)


def required(name: str) -> dict[str, Any]:
    """Return the settings that a policy must have."""
    settings = [each.name for each in fields(POLICIES[name]) if each.default is MISSING and each.init]
    return {setting: GIVEN[setting] for setting in settings}


def toml(**tables: dict[str, Any]) -> str:
    """Return tables as TOML."""
    lines = []
    for table, settings in tables.items():
        lines += [f"[{table}]", *(f"{name} = {written(value)}" for name, value in settings.items())]
    return "\n".join(lines)


def written(value: Any) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {written(item)}' for name, item in value.items())}}}"
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    """Return a file to write an experiment to, in a folder of its own."""
    return tmp_path / "trial.toml"


def failure(trial: Path, text: str) -> str:
    """Return what is said about an experiment that cannot be built."""
    trial.write_text(text)
    with pytest.raises(InvalidInput) as error:
        build(trial)
    return str(error.value)


def build(trial: Path) -> None:
    """Build everything that stands in a file."""
    plan = experiment.read(trial)
    experiment.policy(plan)
    experiment.environment(plan)
    experiment.audit_settings(plan)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_is_read(name: str, trial: Path) -> None:
    settings = required(name)
    trial.write_text(toml(policy={"name": name, **settings}))
    spec = experiment.policy(experiment.read(trial))
    assert spec == POLICIES[name](**{**settings, "horizon": 1000})


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_environment_is_read_and_plays(name: str, trial: Path) -> None:
    trial.write_text(toml(policy={"name": "RepUCB", **required("RepUCB")}, environment={"name": name, **TABLES[name]}))
    plan = experiment.read(trial)
    env: Environment = experiment.environment(plan)
    assert type(env) is ENVIRONMENTS[name]
    run = rb.simulate(experiment.policy(plan), env, seed=0, rng=np.random.default_rng(0))
    assert run.horizon == 1000


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_plays_what_it_can_or_says_what_it_needs(name: str) -> None:
    spec = experiment.policy(Experiment(policy={"name": name, **required(name), "horizon": 100}))
    played = 0
    for kind, table in TABLES.items():
        env = experiment.environment(Experiment(environment={"name": kind, **table}))
        try:
            run = rb.simulate(spec, env, seed=0, rng=np.random.default_rng(0))
        except InvalidInput:
            continue
        assert decides_in_every_round(spec, env) == (run.times == 1).all()
        played += 1
    assert played >= 2


@pytest.mark.parametrize("name", POLICIES)
def test_an_odd_policy_is_refused_by_file_and_key(name: str, trial: Path) -> None:
    for setting in required(name):
        for value in ODD[1:7]:
            said = failure(trial, toml(policy={"name": name, **required(name), setting: value}))
            assert said.startswith(f"{trial}, [policy]: {setting} is ")
        missing = {key: value for key, value in required(name).items() if key != setting}
        said = failure(trial, toml(policy={"name": name, **missing}))
        assert said.startswith(f"{trial}, [policy]: {name} needs {setting}; ")
    said = failure(trial, toml(policy={"name": name, **required(name), "colour": 1}))
    assert said.startswith(f"{trial}, [policy]: {name} has no setting colour; its settings are horizon, ")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_odd_environment_is_refused(name: str) -> None:
    for setting in TABLES[name]:
        for value in ODD[:-1] if setting in ("sd", "noise") else ODD:
            table = {"name": name, **TABLES[name], setting: value}
            with pytest.raises(InvalidInput, match=setting):
                experiment.environment(Experiment(environment=table))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = [", "is not TOML"),
        ("x = 1", r"has 'x' at the top; the tables are [policy], [environment], [audit]"),
        ("policy = 3", r"has policy = 3; policy must be a table, [policy]"),
        ("", "there is no policy"),
        ("[policy]\nrho = 0.1", "[policy]: the policy has no name; choose one of RepUCB"),
        ('[policy]\nname = "UCB9"', "[policy]: the name of the policy is 'UCB9'; choose one of RepUCB"),
        ('[policy]\nname = "UCB1"\nhorizon = 10', "[environment]: there is no environment"),
    ],
)
def test_errors_name_the_file(text: str, words: str, trial: Path) -> None:
    said = failure(trial, text)
    assert said.startswith(str(trial))
    assert words in said


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([1.0, 0.0], "actions is [1.0, 0.0]; it must be a list of vectors of one length"),
        ([[1.0], [1.0, 2.0]], "it must be a list of vectors of one length"),
        (3, "actions is 3; it must be a list of vectors"),
        ([], "actions is []; it must be a list"),
        ("no.csv", "no.csv is not there"),
        ("no.txt", "neither .csv nor .npy"),
        ({"ball": -1.0, "dim": 2}, "ball is -1.0"),
        ({"ball": 1.0, "dim": 2.5}, "dim is 2.5"),
        ({"ball": 1.0}, "actions has the settings ball; it must have ball and dim, or random, dim and seed"),
        ({"random": 0, "dim": 2, "seed": 1}, "random is 0"),
        ({"random": 3, "dim": 2, "seed": 1.5}, "seed is 1.5"),
        ([[1.0, 2.0, 3.0]], "theta has 2 entries; 3 are needed"),
    ],
)
def test_odd_actions_are_refused(actions: Any, words: str, trial: Path) -> None:
    policy = {"name": "RepLinUCB", **required("RepLinUCB")}
    said = failure(
        trial, toml(policy=policy, environment={"name": "LinearArms", **TABLES["LinearArms"], "actions": actions})
    )
    assert said.startswith(f"{trial}, [environment]: ")
    assert words in said


def linear(trial: Path, actions: Any) -> Any:
    """Return the actions of an experiment with these."""
    trial.write_text(toml(environment={"name": "LinearArms", "theta": [0.5, 0.25], "actions": actions}))
    return experiment.environment(experiment.read(trial)).actions


def test_actions_stand_beside_the_file(trial: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trial.parent.parent)
    trial.with_name("rows.csv").write_text("1,0\n0,1\n")
    np.save(trial.with_name("rows.npy"), np.eye(2))
    np.save(trial.with_name("sets.npy"), np.zeros((5, 3, 2)))
    for name in ("rows.csv", "rows.npy"):
        assert (linear(trial, name).vectors == np.eye(2)).all()
    changing = linear(trial, "sets.npy")
    assert (changing.candidates, changing.dim) == (3, 2)


def test_a_ball_and_random_actions(trial: Path) -> None:
    assert linear(trial, {"ball": 1.0, "dim": 2}) == rb.Ball(1.0, 2)
    vectors = [linear(trial, {"random": 20, "dim": 2, "seed": seed}).vectors for seed in (1, 1, 2)]
    assert np.abs(np.linalg.norm(vectors[0], axis=1) - 1.0).max() < 1e-15
    assert (vectors[0] == vectors[1]).all()
    assert (vectors[0] != vectors[2]).any()


@pytest.mark.parametrize(
    ("audit", "words"),
    [
        ({"colour": 1}, "an audit has no setting colour; its settings are pairs, "),
        ({"sequential": 1}, "sequential is 1; it must be true or false"),
        ({"reference": "UCB1"}, "reference is 'UCB1'; it must be a table like [policy]"),
        ({"reference": {"horizon": 10}}, "the reference has no name"),
        ({"reference": {"name": "UCB1", "colour": 1}}, "UCB1 has no setting colour"),
        ({"reference": {"name": "UCB1", "noise": -1.0}}, "noise is -1.0"),
    ],
)
def test_odd_audits_are_refused(audit: dict[str, Any], words: str, trial: Path) -> None:
    policy = {"name": "RepUCB", **required("RepUCB")}
    said = failure(trial, toml(policy=policy, environment={"name": "BernoulliArms", "means": [0.2, 0.7]}, audit=audit))
    assert said.startswith(f"{trial}, [audit")
    assert words in said


def test_a_reference_has_the_settings_of_the_policy() -> None:
    plan = Experiment(
        policy={"name": "RepUCB", "horizon": 1e3, "rho": 0.1, "noise": 0.25},
        audit={"pairs": 1e2, "reference": {"name": "UCB1", "horizon": 50}},
    )
    assert experiment.audit_settings(plan) == {"pairs": 100, "reference": rb.UCB1(horizon=50, noise=0.25)}


def test_flags_change_a_file(trial: Path) -> None:
    trial.write_text(TEXT)
    plan = experiment.with_setting(experiment.read(trial), "penalty", 2.0)
    plan = experiment.with_setting(plan, "environment.noise", 0.25)
    assert experiment.policy(plan).penalty == 2.0
    env = experiment.environment(plan)
    assert isinstance(env, rb.LinearArms)
    assert env.noise == 0.25
    other = experiment.with_policy(plan, "LinUCB")
    assert experiment.policy(other) == rb.LinUCB(horizon=10**10, delta=0.01, noise=0.5, penalty=2.0)
    assert experiment.audit_settings(other)["rho"] == 0.1
    assert experiment.audit_settings(experiment.with_rho(other, 0.2))["rho"] == 0.2
    assert experiment.policy(experiment.with_rho(plan, 0.2)).rho == 0.2
    with pytest.raises(InvalidInput, match=r"trial.toml and flags, \[policy\]: rho is 2"):
        experiment.policy(experiment.with_rho(plan, 2))


def test_flags_alone_make_an_experiment() -> None:
    plan = experiment.with_means(experiment.with_policy(Experiment(), "UCB1"), [0.25, 0.5])
    plan = experiment.with_setting(plan, "horizon", 1e3)
    assert experiment.policy(plan) == rb.UCB1(horizon=1000)
    assert type(experiment.environment(plan)) is rb.BernoulliArms
    with pytest.raises(InvalidInput, match=r"^horizon is -1"):
        experiment.policy(experiment.with_setting(plan, "horizon", -1))
    twice = experiment.with_setting(
        experiment.with_setting(plan, "audit.reference.name", "UCB1"), "audit.reference.noise", 1.0
    )
    assert experiment.audit_settings(twice)["reference"] == rb.UCB1(horizon=1000, noise=1.0)
    for name in ("", "a.b", "audit.", ".rho", "origin.x"):
        with pytest.raises(InvalidInput, match="is not known; write a setting of the policy"):
            experiment.with_setting(plan, name, 1)


def test_a_file_that_cannot_be_read(trial: Path) -> None:
    with pytest.raises(InvalidInput, match=r"trial\.toml cannot be read: No such file or directory"):
        experiment.read(trial)
    with pytest.raises(InvalidInput, match="cannot be read: Is a directory"):
        experiment.read(trial.parent)
    trial.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="is not TOML"):
        experiment.read(trial)
