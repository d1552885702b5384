"""The options that several commands share, and the experiment that they describe."""

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from replibandit import experiment
from replibandit.catalog import POLICIES
from replibandit.errors import InvalidInput
from replibandit.experiment import Experiment
from replibandit.links import LINKS


def number(text: str) -> float:
    """Return a number as it is written in a flag."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number.") from None


def whole(least: int) -> Callable[[str], int]:
    """Return a function that reads whole numbers from `least` on, such as 200 and 1e6."""

    def parse(text: str) -> int:
        value = _integer(text)
        if value is None or value < least:
            raise typer.BadParameter(f"{text!r} is not a whole number, {least} or above.")
        return value

    return parse


def processes(text: str) -> int:
    """Return a number of processes; -1 stands for all processors."""
    value = _integer(text)
    if value is None or value == 0:
        raise typer.BadParameter(f"{text!r} is not a number of processes; write 1 or more, or -1 for all processors.")
    return value


def _integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        value = number(text)
        return int(value) if value.is_integer() else None


def seed_of(text: str) -> str | int:
    """Return a seed: a whole number if it is one, else text."""
    try:
        return int(text) if str(int(text)) == text else text
    except ValueError:
        return text


def policies() -> list[str]:
    """Return what a shell may complete."""
    return list(POLICIES)


def links() -> list[str]:
    """Return what a shell may complete."""
    return list(LINKS)


def examples(*lines: str) -> str:
    """Return the examples at the end of a help text."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


File = Annotated[
    Path | None,
    typer.Argument(metavar="FILE", help="A TOML file; `replibandit example` prints one.", show_default=False),
]
PolicyName = Annotated[
    str | None,
    typer.Option(
        "--policy",
        metavar="NAME",
        help=f"The policy: {', '.join(POLICIES)}. In place of the file's it takes the settings that it knows.",
        autocompletion=policies,
    ),
]
Horizon = Annotated[
    float | None, typer.Option(parser=number, metavar="ROUNDS", help="The number of rounds; 1e9 will do.")
]
Rho = Annotated[
    float | None,
    typer.Option(
        parser=number,
        metavar="RHO",
        help="The probability of a difference: what the policy promises, else what an audit holds it against.",
    ),
]
Delta = Annotated[
    float | None, typer.Option(parser=number, metavar="DELTA", help="The probability that a radius fails.")
]
Noise = Annotated[
    float | None,
    typer.Option(parser=number, metavar="SIGMA", help="The sub-Gaussian parameter that the policy counts on."),
]
Means = Annotated[
    str | None,
    typer.Option(metavar="M1,M2,...", help="The means of the arms; of BernoulliArms, unless the file says otherwise."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any setting: of the policy (penalty=0.5), or of a table (environment.noise=1, audit.level=0.99). Repeat.",
    ),
]
Seed = Annotated[
    Any,
    typer.Option(parser=seed_of, metavar="SEED", help="Text or a whole number, and else that of the file, or 0."),
]
Jobs = Annotated[
    int, typer.Option(parser=processes, metavar="N", help="The number of processes; -1 for all processors.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else.")]


def gather(
    file: Path | None,
    *,
    policy: str | None,
    horizon: float | None,
    rho: float | None,
    delta: float | None,
    noise: float | None,
    means: str | None,
    settings: Sequence[str] | None,
) -> Experiment:
    """Return the experiment of a file, as changed by flags."""
    found = Experiment() if file is None else experiment.read(file)
    if policy is not None:
        found = experiment.with_policy(found, policy)
    for name, value in (("horizon", horizon), ("delta", delta), ("noise", noise)):
        if value is not None:
            found = experiment.with_setting(found, name, value)
    if rho is not None:
        found = experiment.with_rho(found, rho)
    if means is not None:
        found = experiment.with_means(found, numbers(means))
    for text in settings or ():
        found = experiment.with_setting(found, *setting(text))
    return found


def setting(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; the value is written as in TOML, or is text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidInput(f"--set has {text!r}; write NAME=VALUE, such as penalty=0.5.")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), _number_or_text(value.strip())


def _number_or_text(text: str) -> float | str:
    """Return .5 as a number, too, which TOML writes 0.5."""
    try:
        return float(text)
    except ValueError:
        return text


def numbers(text: str) -> list[float]:
    """Return numbers with commas between them."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(f"--means is {text!r}; write numbers with commas between them, such as 0.5,0.4.") from None
