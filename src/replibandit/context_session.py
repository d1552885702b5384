"""A live experiment whose action sets change from round to round (see `session.py`)."""

from typing import Any

import numpy as np

from replibandit import checks
from replibandit.arrays import FloatArray
from replibandit.catalog import to_json
from replibandit.errors import HorizonReached, InvalidInput
from replibandit.key import Key
from replibandit.ledger import Decision, Ledger, awaiting, check_asked, fixed
from replibandit.policies import contextual
from replibandit.policies.contextual import Block, ContextState
from replibandit.record import encode, sealed
from replibandit.runs import actions_fingerprint


class ContextSession:
    """A live run with a set of its own for every round: `batch` holds the vectors of the running batch."""

    def __init__(
        self, spec: Any, state: ContextState, ledger: Ledger, *, arms: list[int], batch: list[FloatArray], ended: bool
    ) -> None:
        self.spec = spec
        self._state = state
        self._ledger = ledger
        self._arms = arms
        self._batch = batch
        self._ended = ended

    @classmethod
    def begin(cls, spec: Any, dim: int, key: Key) -> "ContextSession":
        """Return a session before its first round."""
        state = contextual.init(spec, dim, key)
        return cls(spec, state, Ledger(spec.reward_exponent()), arms=[], batch=[], ended=False)

    def ask(self, *, actions: FloatArray) -> Decision:
        """Return the decision of the next round, an action of the set `actions` (candidates, dim)."""
        if len(self._arms) >= self.spec.horizon:
            raise HorizonReached(f"all {self.spec.horizon} rounds have been decided; tell what is open.")
        if self._ended:
            raise awaiting(self._ledger.missing(self._start, len(self._arms)))
        candidates = checks.matrix("actions", actions)
        d = len(self._state.look.factor)
        if candidates.shape[1] != d or len(candidates) == 0:
            raise InvalidInput(f"actions has shape {candidates.shape}; it must be (candidates, {d}), with a candidate.")
        checks.finite("actions", candidates)
        block, self._state = contextual.decide(self.spec, self._state, candidates[None])
        self._arms.append(int(block.arms[0]))
        self._batch.append(fixed(block.vectors[0]))
        self._ended = block.ends
        return self._decision(len(self._arms) - 1)

    def tell(self, decision: Decision, reward: float) -> None:
        """Note the reward of a decision: once; the same value again does nothing, another value is an error."""
        check_asked(decision, len(self._arms), self._decision)
        cell = self._ledger.news(decision, reward)
        if cell is None:
            return
        self._ledger.cells[decision.round] = cell
        if self._ended and not self._ledger.missing(self._start, len(self._arms)):
            try:
                self._learn()
            except BaseException:
                del self._ledger.cells[decision.round]
                raise

    @property
    def open(self) -> list[Decision]:
        """Return the decisions of the running batch whose rewards have not been told."""
        missing = self._ledger.missing(self._start, len(self._arms))
        return [self._decision(t) for t in missing]

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the actions so far: that of a simulated run with the same decisions."""
        arms = np.array(self._arms, dtype=np.int64)
        return actions_fingerprint(self.spec, arms, np.ones_like(arms), np.zeros((len(arms), 0)))

    def to_json(self) -> str:
        """Return everything there is to know of the session, to be resumed bit for bit."""
        d = len(self._state.look.factor)
        return sealed(
            {
                "spec": to_json(self.spec),
                "state": encode(self._state),
                "told": encode(self._ledger.arrays()),
                "arms": encode(np.array(self._arms, dtype=np.int64)),
                "batch": encode(np.array(self._batch).reshape(len(self._batch), d)),
                "ended": self._ended,
            }
        )

    @property
    def _start(self) -> int:
        return len(self._arms) - len(self._batch)

    def _decision(self, t: int) -> Decision:
        return Decision(t, self._arms[t], self._batch[t - self._start] if t >= self._start else None)

    def _learn(self) -> None:
        """Close the batch, all of whose rewards are in."""
        start, stop = self._start, len(self._arms)
        block = Block(arms=np.array(self._arms[start:]), vectors=np.array(self._batch), ends=True)
        self._state = contextual.learn(self.spec, self._state, block, self._ledger.values(start, stop))
        self._batch, self._ended = [], False
