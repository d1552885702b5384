"""The audit of an estimator: one key, two data sets, one answer?

audit_estimator(lambda y, seed: rep_ridge(X, y, ..., seed=seed), lambda rng: X @ theta + rng.normal(size=n), rho=.1)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.audit import generator, in_order
from replibandit.errors import InvalidInput
from replibandit.key import Key, as_key
from replibandit.machine import check_machine
from replibandit.verdict import UNDECIDED, Tally

_BLOCK = 50


def audit_estimator(
    fit: Callable[[Any, Key], Any],
    sampler: Callable[[np.random.Generator], Any],
    *,
    rho: float,
    pairs: int = 1000,
    seed: Key | str | int = 0,
    level: float = 0.95,
    sequential: bool = False,
    n_jobs: int = 1,
) -> Tally:
    """Measure how often `fit(data, key)` differs between two data sets that `sampler(rng)` draws, for one key.

    Two answers are equal if their fingerprints are, or, where there is none, if they are equal arrays or numbers to the
    bit.  A design that both runs share belongs into `fit`; what `sampler` returns is drawn anew.

    >>> from replibandit import rep_mean
    >>> fit = lambda x, seed: rep_mean(x, rho=0.1, delta=0.01, seed=seed)
    >>> audit_estimator(fit, lambda rng: rng.random(500), rho=0.1, pairs=100).verdict
    'replicable'
    >>> audit_estimator(lambda x, seed: x.mean(), lambda rng: rng.random(500), rho=0.1, pairs=100).verdict
    'not replicable'
    """
    check_machine().require()
    key, rho = as_key(seed), checks.probability("rho", rho)
    checks.probability("level", level)
    count, workers = checks.positive_integer("pairs", pairs), checks.workers(n_jobs)

    def play(keys: range) -> list[bool]:
        rng = generator(key, "data", keys.start)
        return [_differ(fit, sampler, key.child("audit", "key", i), rng) for i in keys]

    differing: list[bool] = []
    blocks = [range(first, min(first + _BLOCK, count)) for first in range(0, count, _BLOCK)]
    for block in in_order(play, blocks, workers):
        differing += block
        tally = Tally(differing=np.array(differing, dtype=np.float64), rho=rho, level=level, anytime=sequential)
        if sequential and tally.verdict != UNDECIDED:
            break
    return tally


def _differ(fit: Callable[[Any, Key], Any], sampler: Callable[[np.random.Generator], Any], key: Key, rng: Any) -> bool:
    first, second = (_identity(fit(sampler(rng), key)) for _ in range(2))
    return bool(first != second)


def _identity(answer: Any) -> Any:
    """Return what two equal answers have in common: the fingerprint, or the bits."""
    named = getattr(answer, "fingerprint", None)
    if isinstance(named, str):
        return named
    array = np.asarray(answer)
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise InvalidInput(
            f"fit returned a {type(answer).__name__}; it must have a fingerprint, or be an array of finite numbers."
        )
    return array.shape, (array + 0.0).tobytes() if array.dtype.kind == "f" else array.tobytes()
