"""Batches that end when the determinant has grown by a factor q (Alg. 3 and 5), for sets that change every round.

The rule is frozen within a batch, so a whole block of rounds is scored at once.  The batch ends after the first round
t at which the strict log-determinant of the exact V_{t+1} exceeds that of V_{t_b} by more than log q: one definition
for every route.  In exact arithmetic the determinant never falls; in its last bits the computed one may.  So bisection
finds the first round within a margin of log q, and from there on every round is looked at.

Between two looks det V_t / det V_a <= exp(sum_s ||x_s||^2), norms in V_a^-1 of the last look a: as long as this stays
below q no factor is needed.  One lane; a state is a value.
"""

from dataclasses import dataclass, replace

import numpy as np

from replibandit.actions import action_cells, cell_vectors
from replibandit.arithmetic import (
    FEATURE_BITS,
    add,
    cholesky,
    exact_cross,
    exact_gram,
    exponent_above,
    log,
    log_det_ratio,
    solve_lower,
    squared_norm,
    to_float,
)
from replibandit.arithmetic.sums import spans
from replibandit.arithmetic.wide import LIMBS
from replibandit.arrays import BoolArray, FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.key import Key
from replibandit.policies.base import Rounding, best
from replibandit.policies.batched import Batched, Data, Rule, scores
from replibandit.policies.plan import Plan
from replibandit.rewards import REWARD_BITS, REWARD_ROOM

_STRICT_ROUNDS = 256
_ROUGH_ROWS = 2048  # small enough for BLAS to stay with one thread: two would wait for each other


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look:
    """The last time V was factored: exact Gram cells, factor, and the log-determinant's growth in the batch by then."""

    gram: IntArray
    factor: FloatArray
    growth: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ContextState:
    """A run before round `rounds` (from 0).

    `rule` and `log_det` are those of the batch start; `since` are the vectors played since the last look, whose squared
    norms add up to at most `slack`; `rows` are all vectors whose rewards are in, kept for a GLM only.
    """

    key: Key
    plan: Plan
    batch: int
    rounds: int
    cross: IntArray
    rows: tuple[FloatArray, ...]
    rule: Rule
    log_det: float
    look: Look
    since: tuple[FloatArray, ...]
    slack: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """The decisions of consecutive rounds: the index of each in its set, its vector, and whether the batch ends."""

    arms: IntArray
    vectors: FloatArray
    ends: bool


def init(spec: Batched, dim: int, key: Key) -> ContextState:
    """Return the first batch: an estimate on no data, rounded like every other."""
    if not hasattr(spec, "needs_rows"):
        raise InvalidInput(
            f"{type(spec).__name__} plays one set of arms; RepLinUCB and RepGLMUCB know sets that change."
        )
    gram, cross = np.zeros((LIMBS, dim, dim), dtype=np.int64), np.zeros((LIMBS, dim), dtype=np.int64)
    return _begin(spec, key, spec.plan(dim), 0, 0, gram=gram, cross=cross, rows=())


def decide(spec: Batched, state: ContextState, sets: FloatArray) -> tuple[Block, ContextState]:
    """Decide one round for each of `sets` (rounds, candidates, dim), up to the end of the batch at most."""
    sets = sets[: spec.horizon - state.rounds]
    arms = _best_arms(spec, state.rule, sets)
    cells, _ = action_cells(sets[np.arange(len(sets)), arms][:, None], spec.action_bound)
    vectors = cell_vectors(cells[:, 0], spec.action_bound)
    length, ends, state = _advance(spec, state, vectors)
    return Block(arms=arms[:length], vectors=vectors[:length], ends=ends), state


def rounding(state: ContextState) -> Rounding:
    """Return the rounding at the start of the running batch."""
    rule, names = state.rule, (("batch", state.batch),)
    if rule.z is None or rule.width is None:
        return Rounding(names=names, z=np.zeros_like(rule.theta), width=np.zeros(1))
    return Rounding(names=names, z=rule.z, width=rule.width, rho=np.array([state.plan.rho[state.batch]]))


def _best_arms(spec: Batched, rule: Rule, sets: FloatArray) -> IntArray:
    """Return the candidate with the largest strict score in every round, the lowest index of those that tie.

    A BLAS product gives every score to within a known error.  Where one candidate is ahead by more than that, it is the
    one; all other rounds are scored again in strict arithmetic.  So the speed is BLAS's and the decisions are not.
    """
    rough, margin, valid = _rough_scores(spec, rule, sets)
    top = np.max(rough, axis=1, keepdims=True)
    arms: IntArray = np.argmax(rough, axis=1).astype(np.int64)
    open_rounds = np.flatnonzero(np.count_nonzero(rough >= top - margin, axis=1) > 1)
    for start in range(0, len(open_rounds), _STRICT_ROUNDS):
        rounds = open_rounds[start : start + _STRICT_ROUNDS]
        cells, _ = action_cells(sets[rounds], spec.action_bound)
        vectors = cell_vectors(cells, spec.action_bound)
        strict = scores(spec, rule, vectors.reshape(-1, vectors.shape[2])).reshape(vectors.shape[:2])
        arms[rounds] = best(np.where(valid[rounds], strict, -np.inf))
    return arms


def _rough_scores(spec: Batched, rule: Rule, sets: FloatArray) -> tuple[FloatArray, float, BoolArray]:
    """Return all scores with a bound on twice their error, and which candidates there are; bad sets are errors."""
    n, candidates, d = sets.shape
    limit = spec.action_bound * (1.0 + 2.0**-41)
    valid = np.einsum("nkd,nkd->nk", sets, sets) <= limit * limit
    if not valid.all():
        _, valid = action_cells(sets, spec.action_bound)  # says what is wrong, or that some candidates are absent
        sets = np.where(valid[..., None], sets, 0.0)
    rows, eta, norm = sets.reshape(-1, d), np.empty(n * candidates), np.empty(n * candidates)
    image = np.column_stack([solve_lower(rule.factor[0], np.eye(d)).T, rule.theta[0]])
    for part in spans(len(rows), _ROUGH_ROWS):
        product = rows[part] @ image
        eta[part] = product[:, d]
        np.sqrt(np.einsum("nd,nd->n", product[:, :d], product[:, :d]), out=norm[part])
    rough = spec.score(rule, eta[None], norm[None]).reshape(n, candidates)
    # The errors of <a, theta> and of ||a||_{V^-1} are below 2^-36 of L ||theta|| and of L/sqrt(lambda), the rounding of
    # the actions to their grid included, and strict scores that tie are closer than 2^-40 of a score.
    length, width = float(np.sqrt(rule.theta[0] @ rule.theta[0])), 1.0 / float(np.sqrt(spec.penalty))
    reach = spec.action_bound * (spec.lipschitz() * length + float(rule.radius[0]) * width)
    margin = 2.0**-30 * (reach + float(np.max(abs(rough), initial=0.0)))
    return np.where(valid, rough, -np.inf), margin, valid


def learn(spec: Batched, state: ContextState, block: Block, rewards: FloatArray) -> ContextState:
    """Take in the rewards of decided rounds, all of them grid points; begin the next batch if they end one."""
    e, place = _exponents(spec, block.vectors.shape[1]), np.array(spec.reward_exponent() + REWARD_ROOM)
    cross = add(state.cross, exact_cross(block.vectors, e, rewards, place))
    rows = (*state.rows, block.vectors) if spec.needs_rows else ()
    if not block.ends or state.rounds >= spec.horizon:
        return replace(state, cross=cross, rows=rows)
    gram = state.look.gram  # the batch ended with a look
    return _begin(spec, state.key, state.plan, state.batch + 1, state.rounds, gram=gram, cross=cross, rows=rows)


def _advance(spec: Batched, state: ContextState, chosen: FloatArray) -> tuple[int, bool, ContextState]:
    """Return how many of the rounds belong to the batch, whether it ends with them, and the state after them."""
    norms = squared_norm(np.swapaxes(solve_lower(state.look.factor, chosen.T), -1, -2))
    slack = state.slack + float(np.sum(norms)) * (1.0 + 2.0**-20)  # a bound only: its last bits decide nothing
    target = log(state.plan.growth)
    n = len(chosen)
    if state.batch > state.plan.batches - 2:  # b <= B - 2 fails: the last batch runs to the horizon
        return n, False, replace(state, rounds=state.rounds + n)
    # V_t <= (1 + slack) V_a, so the error of a log-determinant is at most 1 + slack times that of the last look.
    if state.look.growth + slack < target - (1.0 + slack) * _margin(spec, state.look):
        return n, False, replace(state, rounds=state.rounds + n, since=(*state.since, chosen), slack=slack)
    start = add(state.look.gram, *(exact_gram(rows, _exponents(spec, rows.shape[1])) for rows in state.since))
    length, ends, look = _first_beyond(spec, state, start, chosen, target)
    return length, ends, replace(state, rounds=state.rounds + length, look=look, since=(), slack=0.0)


def _first_beyond(
    spec: Batched, state: ContextState, gram: IntArray, chosen: FloatArray, target: float
) -> tuple[int, bool, Look]:
    """Find the first round after which the log-determinant has grown by more than `target`, if there is one."""
    e = _exponents(spec, chosen.shape[1])
    low, high, end = 0, len(chosen), _look(spec, state, add(gram, exact_gram(chosen, e)))
    margin = _margin(spec, end)
    if end.growth <= target - margin:
        return high, False, end
    grown, halve = state.look.growth, False
    while high - low > 1:  # growth <= target - margin at `low`, above it at `high`
        rise = end.growth - grown
        share = 0.5 if halve or not rise > 0 else (target - margin - grown) / rise
        middle = min(max(low + int(share * (high - low)), low + 1), high - 1)
        look = _look(spec, state, add(gram, exact_gram(chosen[low:middle], e)))
        if look.growth > target - margin:
            high, end = middle, look
        else:
            low, gram, grown = middle, look.gram, look.growth
        halve = not halve  # interpolation and bisection in turns: the route decides nothing
    while end.growth <= target and high < len(chosen):
        end = _look(spec, state, add(end.gram, exact_gram(chosen[high : high + 1], e)))
        high += 1
    return high, end.growth > target, end


def _look(spec: Batched, state: ContextState, gram: IntArray) -> Look:
    factor = cholesky(_matrix(spec, gram))
    return Look(gram=gram, factor=factor, growth=float(log_det_ratio(factor, spec.penalty)) - state.log_det)


def _margin(spec: Batched, look: Look) -> float:
    """Return more than the error of a difference of computed log-determinants: a multiple of d^2 2^-53 cond(V).

    The computed factor is that of a matrix V + E with ||E|| <= 4 d 2^-53 trace(V), which moves log det by at most
    d ||E||/lambda; twice, with room, and 2^-44 d^2 for the product of the pivots.
    """
    d, trace = len(look.factor), float(np.sum(look.factor * look.factor))  # a bound only: its last bits decide nothing
    return 2.0**-50 * d * d * (trace / spec.penalty + 64.0)


def _begin(
    spec: Batched,
    key: Key,
    plan: Plan,
    batch: int,
    rounds: int,
    *,
    gram: IntArray,
    cross: IntArray,
    rows: tuple[FloatArray, ...],
) -> ContextState:
    """Estimate at a batch start and freeze the rule."""
    V = _matrix(spec, gram)
    factor, d = cholesky(V), V.shape[-1]
    place = _exponents(spec, d) + spec.reward_exponent() - FEATURE_BITS - REWARD_BITS
    past = np.concatenate(rows) if rows else np.zeros((0, d))
    data = Data(V=V[None], factor=factor[None], cross=to_float(cross, place)[None], vectors=past, counts=None)
    return ContextState(
        key=key,
        plan=plan,
        batch=batch,
        rounds=rounds,
        cross=cross,
        rows=(past,) if rows else (),
        rule=spec.rule(data, batch, plan, [key]),
        log_det=float(log_det_ratio(factor, spec.penalty)),
        look=Look(gram=gram, factor=factor, growth=0.0),
        since=(),
        slack=0.0,
    )


def _matrix(spec: Batched, gram: IntArray) -> FloatArray:
    e = _exponents(spec, gram.shape[-1])
    return np.asarray(spec.penalty * np.eye(len(e)) + to_float(gram, e[:, None] + e[None, :] - 2 * FEATURE_BITS))


def _exponents(spec: Batched, d: int) -> IntArray:
    return np.full(d, int(exponent_above(np.array(spec.action_bound))), dtype=np.int64)
