"""The estimate at a batch start: its radius, the grid on which it is rounded, and the rule that comes of it."""

import math
from collections.abc import Sequence

import numpy as np

from replibandit.arithmetic import log_det_ratio
from replibandit.arrays import FloatArray
from replibandit.calibration import PATH
from replibandit.estimators.grids import Design, Grid, paper_grid, sharp_grid
from replibandit.estimators.rounding import round_estimate
from replibandit.estimators.whitening import CholeskyRoot
from replibandit.key import Key, uniforms
from replibandit.policies.batched import Data, Rule
from replibandit.policies.plan import Plan, Settings


def batch_grid(spec: Settings, data: Data, batch: int, plan: Plan, *, slope: float | None = None) -> Grid:
    """Return the grid of batch `batch`; `slope` is min(1, c_mu) of a generalised linear model."""
    design = Design(
        root=CholeskyRoot(data.factor),
        gram=data.V - spec.penalty * np.eye(data.V.shape[-1]),
        log_det=log_det_ratio(data.factor, spec.penalty),
        slope=slope,
    )
    if spec.calibration == "paper":
        return paper_grid(spec, design, rho=plan.rho[batch], delta=plan.delta[batch])
    return sharp_grid(
        spec,
        design,
        rho=plan.rho[batch] if batch else math.inf,  # batch 0 has no data: width 0, and nothing is spent
        delta=spec.delta,
        runs=PATH,
        roundings=max(1, plan.batches - 1),
        candidates=data.candidates,
    )


def rounded_rule(
    data: Data, raw: FloatArray, grid: Grid, batch: int, keys: Sequence[Key], *, lipschitz: float = 1.0
) -> Rule:
    """Round the estimates of all lanes; where the width is 0 they stay as they are."""
    root, d = CholeskyRoot(data.factor), raw.shape[-1]
    radius = lipschitz * grid.inflated_radius
    if not grid.width.any():
        return Rule(theta=raw, radius=radius, V=data.V, factor=data.factor, z=root.whiten(raw), width=grid.width)
    draws = uniforms(keys, [("batch", batch)] * len(keys), d)
    fit = round_estimate(raw, root, width=grid.width, draws=draws)
    return Rule(theta=fit.theta, radius=radius, V=data.V, factor=data.factor, z=fit.z, width=fit.width)
