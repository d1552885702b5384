"""A word before long work: a policy that decides in every round has as much to do as there are rounds."""

from itertools import islice
from typing import Any

import numpy as np

from replibandit.actions import Contexts, Finite
from replibandit.cli.terminal import note
from replibandit.environments.base import Environment
from replibandit.key import Key
from replibandit.report.words import count
from replibandit.simulate import steps

_MANY_ROUNDS = 10**5
_MORE = 16


def warn_of_length(spec: Any, env: Environment) -> None:
    """Say that a policy will take long, if it decides in every one of many rounds."""
    if spec.horizon > _MANY_ROUNDS and decides_in_every_round(spec, env):
        note(
            f"{type(spec).__name__} decides in every round, and there are {count(spec.horizon)}: this may take very "
            "long. A shorter horizon, such as --horizon 1e4, would not."
        )


def decides_in_every_round(spec: Any, env: Environment) -> bool:
    """Play a few decisions: does each stand for one round?  Sets that change are not counted, since they are quick.

    A policy that doubles how often it plays an arm has done so after two decisions for each arm and one more.
    """
    if isinstance(env.actions, Contexts):
        return False
    arms = len(env.actions.vectors) if isinstance(env.actions, Finite) else env.actions
    decisions = _MORE + (2 * arms if isinstance(arms, int) else 0)
    played = islice(steps(spec, env, [Key(0)], np.random.default_rng(0)), decisions)
    return all(step.pull.times[0] == 1 for step in played)
