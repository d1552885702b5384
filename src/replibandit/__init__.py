"""replibandit: replicable adaptive decisions."""

from replibandit.estimators.glm import GLMFit, rep_glm
from replibandit.estimators.mean import MeanFit, mean_sample_size, mean_tolerance, rep_mean
from replibandit.estimators.ridge import RidgeFit, band, rep_ridge
from replibandit.key import Key

__version__ = "0.1.0"

__all__ = [
    "GLMFit",
    "Key",
    "MeanFit",
    "RidgeFit",
    "band",
    "mean_sample_size",
    "mean_tolerance",
    "rep_glm",
    "rep_mean",
    "rep_ridge",
]
