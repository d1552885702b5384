"""Lemmas D.2 and E.5 for the batches of one run: its own determinants in place of the largest ones.

A run has the actions, and they are all it takes: V_t, the batch starts and the radii do not look at the rewards.  V_t
is exact, and a batch ends where the strict determinant says so, as in the policy.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from replibandit.actions import Contexts
from replibandit.arithmetic import FEATURE_BITS, add, cholesky, exact_gram, exponent_above, log, log_det_ratio, to_float
from replibandit.arithmetic.sums import spans
from replibandit.arithmetic.wide import LIMBS, carry
from replibandit.arrays import FloatArray
from replibandit.bounds.bound import Bounds, named
from replibandit.bounds.instance import instance_of
from replibandit.bounds.linear import LINEAR, Design
from replibandit.bounds.regret import entry_of
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from replibandit.runs import Run

_BLOCK = 1 << 12  # decisions worked on at a time
_ROUNDING = 2.0**-50  # of a log-determinant, for each dimension


def realised_bound(run: Run, env: Environment) -> Bounds:
    """Return the right-hand side of Lemma D.2 or E.5 on the batches of `run`, whatever the number of its rounds.

    The largest radius, D_T and M_T are those of the run; its batches are counted by "batches_begun".  It holds with
    the probability of the theorem, at once for all runs whose estimates are within their radii.
    """
    entry, instance = entry_of(run.spec), instance_of(env, None, None)
    if entry not in LINEAR:
        raise InvalidInput(f"the bound of {entry[0].__name__} does not depend on the batches of a run; use `bounds`.")
    dim = run.vectors.shape[1]
    if dim != instance.dim or run.horizon == 0:
        raise InvalidInput(
            f"the run has {run.horizon} rounds with actions in {dim} dimensions, the environment has {instance.dim}. "
            "Give a run of one round or more, and its environment."
        )
    log_dets = np.concatenate([[0.0], *_log_dets(run)])
    starts = _batch_starts(run, log_dets) if isinstance(env.actions, Contexts) else log_dets[:-1].tolist()
    design = Design(
        dim=instance.dim_of(run.spec) or dim,
        rounds=run.horizon,
        starts=starts,
        end=max(float(log_dets[-1]), 0.0) + _ROUNDING * dim,  # a huge penalty drowns the design in rounding errors
        gap=instance.largest,
        text="D_T = log(det V_(T+1)/det(lambda I)) of the run",
        candidates=instance.candidates,
    )
    bound = LINEAR[entry](run.spec, design)
    return replace(bound, ingredients=named(**bound.ingredients, batches_begun=len(starts)))


def _log_dets(run: Run) -> Iterator[FloatArray]:
    """Yield log(det V / det(lambda I)) after each decision, in blocks."""
    penalty, d = run.spec.penalty, run.vectors.shape[1]
    exponent = int(exponent_above(np.array(run.spec.action_bound)))
    before = np.zeros((LIMBS, 1, d, d), dtype=np.int64)
    for block in spans(len(run.times), _BLOCK):
        rows, times = run.vectors[block, None, :], run.times[block, None]
        grams = exact_gram(rows, np.full(d, exponent, dtype=np.int64), counts=times)
        sums = add(before, carry(np.cumsum(grams, axis=1)))
        before = sums[:, -1:]
        V = penalty * np.eye(d) + to_float(sums, 2 * (exponent - FEATURE_BITS))
        yield log_det_ratio(cholesky(V), penalty)


def _batch_starts(run: Run, log_dets: FloatArray) -> list[float]:
    """Return the log-determinants at the batch starts of a run whose sets change every round."""
    plan = run.spec.plan(run.vectors.shape[1])
    target, starts = log(plan.growth), [0.0]
    for log_det in log_dets[1:-1].tolist():
        # lines 11 and 12: b <= B - 2 and det V_{t+1} > q det V_{t_b}
        if len(starts) < plan.batches and log_det - starts[-1] > target:
            starts.append(log_det)
    return starts
