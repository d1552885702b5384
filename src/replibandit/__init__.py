"""replibandit: replicable adaptive decisions, and the replicable estimators behind them."""

from replibandit.actions import Ball, Contexts, Finite
from replibandit.catalog import digest, from_json, to_json
from replibandit.environments.arms import BernoulliArms, GaussianArms, Tape
from replibandit.environments.laws import DiscreteArms, SampledArms
from replibandit.environments.linear import GLMArms, LinearArms
from replibandit.estimators.core_set import CoreSet, CoreSetFit, core_set, rep_core_set
from replibandit.estimators.glm import GLMFit, rep_glm
from replibandit.estimators.mean import MeanFit, mean_sample_size, mean_tolerance, rep_mean
from replibandit.estimators.ridge import RidgeFit, band, rep_ridge
from replibandit.key import Key
from replibandit.ledger import Decision
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.rep_glm_ucb import RepGLMUCB
from replibandit.policies.rep_lin_ucb import RepLinUCB
from replibandit.policies.rep_ucb import RepUCB
from replibandit.policies.thompson import Thompson
from replibandit.policies.ucb1 import UCB1
from replibandit.runs import Run, first_divergence, regret
from replibandit.session import restore, start
from replibandit.simulate import simulate, simulate_many

__version__ = "0.1.0"

__all__ = [
    "GLMUCB",
    "UCB1",
    "Ball",
    "BernoulliArms",
    "Contexts",
    "CoreSet",
    "CoreSetFit",
    "Decision",
    "DiscreteArms",
    "Finite",
    "GLMArms",
    "GLMFit",
    "GaussianArms",
    "Key",
    "LinUCB",
    "LinearArms",
    "MeanFit",
    "RepGLMUCB",
    "RepLinUCB",
    "RepUCB",
    "RidgeFit",
    "Run",
    "SampledArms",
    "Tape",
    "Thompson",
    "band",
    "core_set",
    "digest",
    "first_divergence",
    "from_json",
    "mean_sample_size",
    "mean_tolerance",
    "regret",
    "rep_core_set",
    "rep_glm",
    "rep_mean",
    "rep_ridge",
    "restore",
    "simulate",
    "simulate_many",
    "start",
    "to_json",
]
