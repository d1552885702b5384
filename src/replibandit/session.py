"""A live experiment: ask for a decision, tell its reward, round by round.

    session = start(RepUCB(horizon=10_000, rho=0.1), actions=3, seed="trial-7")
    decision = session.ask()
    session.tell(decision, reward)

A session calls the same functions as the simulator: a decision of the policy stands for a whole batch, and the session
hands out its rounds one by one.  So the rewards of a batch may come late and in any order; only past its end does `ask`
have to wait for them.  A policy that plays in phases decides at their ends only, and `ask` runs through a whole phase.
Sets that change every round: `start(spec, dim=d, ...)` and `session.ask(actions=A_t)`.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from replibandit import checks
from replibandit.arithmetic.wide import from_integers
from replibandit.arrays import FloatArray, IntArray
from replibandit.catalog import from_json, to_json
from replibandit.context_session import ContextSession
from replibandit.errors import HorizonReached, InvalidInput
from replibandit.key import Key, as_key
from replibandit.ledger import Decision, Ledger, awaiting, check_asked, fixed
from replibandit.policies.base import Pull
from replibandit.record import decode, encode, sealed, unsealed
from replibandit.runs import actions_fingerprint


def start(
    spec: Any, *, seed: Key | str | int, actions: Any = None, dim: int | None = None
) -> "Session | ContextSession":
    """Begin a live experiment: with `actions`, one set throughout (a number of arms, vectors, a Ball); with `dim`, sets
    of vectors that are given round by round.  Keep the seed secret until the experiment is over.

    >>> from replibandit.policies.rep_ucb import RepUCB
    >>> session = start(RepUCB(horizon=100, rho=0.3), actions=2, seed="trial-7")
    >>> decision = session.ask()
    >>> session.tell(decision, 1.0)
    >>> session.ask()
    Decision(round=1, arm=1, vector=None)
    """
    if (actions is None) == (dim is None):
        raise InvalidInput("give either actions (one set throughout) or dim (sets given round by round), not both.")
    if dim is not None:
        return ContextSession.begin(spec, checks.positive_integer("dim", dim), as_key(seed))
    state = spec.init(actions, [as_key(seed)])
    return Session(spec, state, Ledger(spec.reward_exponent()), past=(), asked=0)


class Session:
    """A live run with one action set throughout."""

    def __init__(self, spec: Any, state: Any, ledger: Ledger, *, past: Sequence[Pull], asked: int) -> None:
        self.spec = spec
        self._state = state
        self._ledger = ledger
        self._past = list(past)
        self._asked = asked
        self._start = sum(int(pull.times[0]) for pull in self._past)
        self._standing: list[Standing] = []
        self._stand()

    def ask(self) -> Decision:
        """Return the decision of the next round."""
        if self._asked >= self.spec.horizon:
            raise HorizonReached(f"all {self.spec.horizon} rounds have been decided; tell what is open.")
        if self._asked >= self._standing[-1].stop:
            raise awaiting(self._ledger.missing(self._start, self._asked))
        self._asked += 1
        return self._decision(self._asked - 1)

    def tell(self, decision: Decision, reward: float) -> None:
        """Note the reward of a decision: once; the same value again does nothing, another value is an error."""
        check_asked(decision, self._asked, self._decision)
        cell = self._ledger.news(decision, reward)
        if cell is None:
            return
        here = self._standing_at(decision.round)
        told = replace(here, total=here.total + cell, open=here.open - 1)
        self._take_in([told if block is here else block for block in self._standing])
        self._ledger.cells[decision.round] = cell

    @property
    def open(self) -> list[Decision]:
        """Return the decisions that have been asked for and whose rewards have not been told."""
        return [self._decision(t) for t in self._ledger.missing(self._start, self._asked)]

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the actions so far: that of a simulated run with the same decisions."""
        arms, times, vectors = self._history()
        return actions_fingerprint(self.spec, arms, times, vectors)

    def to_json(self) -> str:
        """Return everything there is to know of the session, to be resumed bit for bit."""
        rounds, cells = self._ledger.arrays()
        return sealed(
            {
                "spec": to_json(self.spec),
                "asked": self._asked,
                "state": encode(self._state),
                "past": encode(self._past),
                "told": encode([rounds, cells]),
            }
        )

    def _take_in(self, standing: list["Standing"]) -> None:
        """Update the state with the decisions whose rewards are all in, from the first on; all of it or nothing."""
        done = next((i for i, block in enumerate(standing) if block.open), len(standing))
        state = self._state
        for block in standing[:done]:
            state = self.spec.update(state, block.pull, from_integers([block.total]))
        self._state, self._standing = state, standing[done:]
        self._past += [block.pull for block in standing[:done]]
        if done:
            self._start = standing[done - 1].stop
        if not self._standing:
            self._stand()

    def _stand(self) -> None:
        """Take up the policy's standing decisions, with what has been told of them."""
        start, self._standing = self._start, []
        for pull in _pulls_ahead(self.spec, self._state):
            stop = start + int(pull.times[0])
            told = [self._ledger.cells[t] for t in range(start, min(stop, self._asked)) if t in self._ledger.cells]
            vector = fixed(pull.vectors[0]) if pull.vectors.shape[1] else None
            block = Standing(
                pull=pull, vector=vector, start=start, stop=stop, total=sum(told), open=stop - start - len(told)
            )
            self._standing.append(block)
            start = stop

    def _standing_at(self, t: int) -> "Standing":
        """Return the standing decision of a round."""
        return self._standing[bisect_right([block.stop for block in self._standing], t)]

    def _decision(self, t: int) -> Decision:
        if t >= self._start:
            block = self._standing_at(t)
            return Decision(t, int(block.pull.arms[0]), block.vector)
        ends = np.cumsum([int(pull.times[0]) for pull in self._past])
        pull = self._past[int(np.searchsorted(ends, t, side="right"))]
        return Decision(t, int(pull.arms[0]), pull.vectors[0] if pull.vectors.shape[1] else None)

    def _history(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the arms, times and vectors of the closed decisions and of the standing ones so far."""
        asked = [(block.pull, min(block.stop, self._asked) - block.start) for block in self._standing]
        kept = [(pull, n) for pull, n in [*((pull, int(pull.times[0])) for pull in self._past), *asked] if n > 0]
        return (
            np.array([int(pull.arms[0]) for pull, _ in kept], dtype=np.int64),
            np.array([n for _, n in kept], dtype=np.int64),
            np.array([pull.vectors[0] for pull, _ in kept]).reshape(len(kept), self._standing[0].pull.vectors.shape[1]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """A decision that stands from round `start` to `stop`: the sum of what has been told, and how much has not."""

    pull: Pull
    vector: FloatArray | None
    start: int
    stop: int
    total: int
    open: int


def _pulls_ahead(spec: Any, state: Any) -> Iterator[Pull]:
    """Yield the standing decision, and those after it that wait for no reward."""
    yield (pull := spec.choose(state))
    while hasattr(spec, "ahead") and spec.ahead(state):
        # whatever the rewards are, the next decision is the same
        state = spec.update(state, pull, from_integers([0]))
        yield (pull := spec.choose(state))


def restore(text: str) -> "Session | ContextSession":
    """Return the session that `to_json` wrote."""
    parts = unsealed(text)
    spec = from_json(parts["spec"])
    ledger = Ledger.of(spec.reward_exponent(), *decode(parts["told"]))
    if "batch" in parts:
        arms, batch = decode(parts["arms"]).tolist(), list(decode(parts["batch"]))
        return ContextSession(spec, decode(parts["state"]), ledger, arms=arms, batch=batch, ended=parts["ended"])
    return Session(spec, decode(parts["state"]), ledger, past=decode(parts["past"]), asked=parts["asked"])
