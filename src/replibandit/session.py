"""A live experiment: ask for a decision, tell its reward, round by round.

    session = start(RepUCB(horizon=10_000, rho=0.1), actions=3, seed="trial-7")
    decision = session.ask()
    session.tell(decision, reward)

A session calls the same functions as the simulator: a decision of the policy stands for a whole batch, and the session
hands out its rounds one by one.  So the rewards of a batch may come late and in any order; only past its end does `ask`
have to wait for them.  Sets that change every round: `start(spec, dim=d, ...)` and `session.ask(actions=A_t)`.
"""

from collections.abc import Sequence
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
        self._total, self._open = 0, 0
        self._stand()

    def ask(self) -> Decision:
        """Return the decision of the next round."""
        if self._asked >= self.spec.horizon:
            raise HorizonReached(f"all {self.spec.horizon} rounds have been decided; tell what is open.")
        if self._asked >= self._stop:
            raise awaiting(self._ledger.missing(self._start, self._stop))
        self._asked += 1
        return self._decision(self._asked - 1)

    def tell(self, decision: Decision, reward: float) -> None:
        """Note the reward of a decision: once; the same value again does nothing, another value is an error."""
        check_asked(decision, self._asked, self._decision)
        cell = self._ledger.news(decision, reward)
        if cell is None:
            return
        if self._open > 1:
            self._total, self._open = self._total + cell, self._open - 1
            self._ledger.cells[decision.round] = cell
            return
        state = self.spec.update(self._state, self._pull, from_integers([self._total + cell]))
        self._ledger.cells[decision.round] = cell
        self._state, self._start = state, self._stop
        self._past.append(self._pull)
        self._stand()

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

    def _stand(self) -> None:
        """Take up the policy's standing decision, with what has been told of it."""
        self._pull = self.spec.choose(self._state)
        self._arm = int(self._pull.arms[0])
        self._vector = fixed(self._pull.vectors[0]) if self._pull.vectors.shape[1] else None
        self._stop = self._start + int(self._pull.times[0])
        told = [self._ledger.cells[t] for t in range(self._start, self._asked) if t in self._ledger.cells]
        self._total, self._open = sum(told), int(self._pull.times[0]) - len(told)

    def _decision(self, t: int) -> Decision:
        if t >= self._start:
            return Decision(t, self._arm, self._vector)
        ends = np.cumsum([int(pull.times[0]) for pull in self._past])
        pull = self._past[int(np.searchsorted(ends, t, side="right"))]
        return Decision(t, int(pull.arms[0]), pull.vectors[0] if pull.vectors.shape[1] else None)

    def _history(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the arms, times and vectors of the closed decisions and of the standing one so far."""
        pulls, rounds = (
            [*self._past, self._pull],
            [int(pull.times[0]) for pull in self._past] + [self._asked - self._start],
        )
        kept = [i for i, n in enumerate(rounds) if n > 0]
        return (
            np.array([int(pulls[i].arms[0]) for i in kept], dtype=np.int64),
            np.array([rounds[i] for i in kept], dtype=np.int64),
            np.array([pulls[i].vectors[0] for i in kept]).reshape(len(kept), self._pull.vectors.shape[1]),
        )


def restore(text: str) -> "Session | ContextSession":
    """Return the session that `to_json` wrote."""
    parts = unsealed(text)
    spec = from_json(parts["spec"])
    ledger = Ledger.of(spec.reward_exponent(), *decode(parts["told"]))
    if "batch" in parts:
        arms, batch = decode(parts["arms"]).tolist(), list(decode(parts["batch"]))
        return ContextSession(spec, decode(parts["state"]), ledger, arms=arms, batch=batch, ended=parts["ended"])
    return Session(spec, decode(parts["state"]), ledger, past=decode(parts["past"]), asked=parts["asked"])
