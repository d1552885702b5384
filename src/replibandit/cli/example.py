"""`example`: a TOML file to begin with."""

import tomllib
from collections.abc import Iterable
from textwrap import fill

from replibandit.calibration import CALIBRATIONS
from replibandit.catalog import POLICIES
from replibandit.cli import options
from replibandit.cli.terminal import show_json, write
from replibandit.experiment import ENVIRONMENTS

EXAMPLES = options.examples("replibandit example > trial.toml", "replibandit audit trial.toml")
_WIDTH = 100


def comment(names: Iterable[str]) -> str:
    """Return a comment that lists names to choose from."""
    return fill(f"one of {', '.join(names)}", _WIDTH, initial_indent="# ", subsequent_indent="#     ")


TEXT = f"""\
# An experiment: a policy, the environment in which it is tried, and an audit.
# replibandit simulate trial.toml; replibandit audit trial.toml; replibandit bounds trial.toml

[policy]
name = "RepLinUCB"
{comment(POLICIES)}
horizon = 1e10              # the number of rounds
rho = 0.1                   # two runs with one seed differ with this probability at most
delta = 0.01                # the probability that a radius fails; rho > 3 delta is needed
noise = 0.5                 # the sub-Gaussian parameter of the noise
# penalty = 1.0             # the other settings, with their defaults
# norm_bound = 1.0          # at least the norm of theta
# action_bound = 1.0        # at least the norm of every action
# calibration = "paper"     # the constants: {", ".join(CALIBRATIONS)}

[environment]
name = "LinearArms"
{comment(ENVIRONMENTS)}
theta = [0.6, -0.3, 0.2]
actions = {{ random = 20, dim = 3, seed = 1 }}    # 20 random unit vectors; or one of
# actions = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
# actions = "actions.csv"                       # beside this file, one action a line; or actions.npy
# actions = {{ ball = 1.0, dim = 3 }}             # all vectors of norm 1 at most
noise = 0.5                 # the standard deviation of the rewards

# For arms without vectors: name = "RepUCB" above, without delta, and here
# name = "BernoulliArms"
# means = [0.3, 0.6, 0.5]

[audit]
pairs = 200                 # pairs of runs with one seed
seed = "trial-7"            # text or a whole number; simulate takes it, too
level = 0.95                # the confidence of the interval and of the verdict
# rho = 0.1                 # what to hold it against, if not the policy's own
# replicates = 2            # runs with one seed
# sequential = true         # stop as soon as the verdict is certain
# reference = {{ name = "LinUCB", horizon = 1000 }}   # measure the price of replicability: the regret over this one's
"""


def example(as_json: options.AsJson = False) -> None:
    """Print an experiment in TOML.  It runs as it is, and says in comments what may be changed."""
    if as_json:
        show_json(tomllib.loads(TEXT))
    else:
        write(TEXT)
