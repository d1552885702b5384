"""replibandit: replicable adaptive decisions, and the replicable estimators behind them."""

from replibandit.actions import Ball, Contexts, Finite
from replibandit.audit import audit
from replibandit.audit_estimator import audit_estimator
from replibandit.bounds import (
    Bounds,
    ErrorBound,
    bounds,
    core_set_bound,
    informative_horizon,
    mean_bound,
    realised_bound,
    ridge_bound,
)
from replibandit.catalog import digest, from_json, to_json
from replibandit.environments.arms import BernoulliArms, GaussianArms, Tape
from replibandit.environments.laws import DiscreteArms, SampledArms
from replibandit.environments.linear import GLMArms, LinearArms
from replibandit.estimators.core_set import CoreSet, CoreSetFit, core_set, rep_core_set
from replibandit.estimators.glm import GLMFit, rep_glm
from replibandit.estimators.mean import MeanFit, mean_sample_size, mean_tolerance, rep_mean
from replibandit.estimators.ridge import RidgeFit, band, rep_ridge
from replibandit.findings import Audit, Estimate
from replibandit.key import Key
from replibandit.ledger import Decision
from replibandit.machine import Machine, check_machine
from replibandit.planner import Choice, TrialPlan, horizon_needed, plan, smallest_rho
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.rep_commit import RepCommit
from replibandit.policies.rep_eliminate import RepEliminate
from replibandit.policies.rep_glm_ucb import RepGLMUCB
from replibandit.policies.rep_lin_ucb import RepLinUCB
from replibandit.policies.rep_ucb import RepUCB
from replibandit.policies.thompson import Thompson
from replibandit.policies.ucb1 import UCB1
from replibandit.report import report
from replibandit.runs import Run, first_divergence, regret, regret_after
from replibandit.session import restore, start
from replibandit.simulate import simulate, simulate_many
from replibandit.verdict import Tally, pairs_needed

__version__ = "0.1.0"

__all__ = [
    "GLMUCB",
    "UCB1",
    "Audit",
    "Ball",
    "BernoulliArms",
    "Bounds",
    "Choice",
    "Contexts",
    "CoreSet",
    "CoreSetFit",
    "Decision",
    "DiscreteArms",
    "ErrorBound",
    "Estimate",
    "Finite",
    "GLMArms",
    "GLMFit",
    "GaussianArms",
    "Key",
    "LinUCB",
    "LinearArms",
    "Machine",
    "MeanFit",
    "RepCommit",
    "RepEliminate",
    "RepGLMUCB",
    "RepLinUCB",
    "RepUCB",
    "RidgeFit",
    "Run",
    "SampledArms",
    "Tally",
    "Tape",
    "Thompson",
    "TrialPlan",
    "audit",
    "audit_estimator",
    "band",
    "bounds",
    "check_machine",
    "core_set",
    "core_set_bound",
    "digest",
    "first_divergence",
    "from_json",
    "horizon_needed",
    "informative_horizon",
    "mean_bound",
    "mean_sample_size",
    "mean_tolerance",
    "pairs_needed",
    "plan",
    "realised_bound",
    "regret",
    "regret_after",
    "rep_core_set",
    "rep_glm",
    "rep_mean",
    "rep_ridge",
    "report",
    "restore",
    "ridge_bound",
    "simulate",
    "simulate_many",
    "smallest_rho",
    "start",
    "to_json",
]
