"""Print what every policy does and knows on every kind of action set, and what a naive LinUCB estimates.

A line holds the fingerprint of a live run and a digest of all bits of its records.  So little noise is declared that
the estimates, and not the radii alone, decide what is played.
"""

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import replibandit as rb
from replibandit.arrays import FloatArray
from replibandit.catalog import POLICIES

DIM, ARMS = 10, 24
_REPLICABLE = {"rho": 0.5, "delta": 0.05, "noise": 0.01, "penalty": 0.01}
_PLAIN = {"delta": 0.05, "noise": 0.01, "penalty": 0.01}
SETTINGS: dict[str, dict[str, Any]] = {
    "RepUCB": {"horizon": 400, "rho": 0.5, "noise": 0.01},
    "RepLinUCB": {"horizon": 48, **_REPLICABLE},
    "RepGLMUCB": {"horizon": 24, "link": "logistic", "rho": 0.5, "delta": 0.05, "noise": 0.5},
    "RepCommit": {"horizon": 400, "rho": 0.5, "noise": 0.02},
    "RepEliminate": {"horizon": 800, "rho": 0.5, "noise": 0.002},
    "UCB1": {"horizon": 80},
    "LinUCB": {"horizon": 16, **_PLAIN},
    "GLMUCB": {"horizon": 8, "link": "logistic", "delta": 0.05, "noise": 0.5},
    "Thompson": {"horizon": 40},
}
FINITE = ("continuous", "binary", "one-hot", "tied")
VECTORS = (*FINITE, "contexts")
KINDS: dict[str, tuple[str, ...]] = {
    "RepUCB": ("arms",),
    "RepLinUCB": (*VECTORS, "ball"),
    "RepGLMUCB": VECTORS,
    "RepCommit": ("arms", *FINITE),
    "RepEliminate": ("arms", *FINITE),
    "UCB1": ("arms",),
    "LinUCB": VECTORS,
    "GLMUCB": VECTORS,
    "Thompson": ("arms",),
}
TAPE = rb.Key("tape").uniform(800)


@dataclass(frozen=True, eq=False)
class Case:
    """A policy on a kind of action set; where the sets change, `actions` has one for every round."""

    kind: str
    spec: Any
    actions: Any

    def __str__(self) -> str:
        sharp = "-sharp" if getattr(self.spec, "calibration", None) == "sharp" else ""
        return f"{type(self.spec).__name__}-{self.kind}{sharp}"

    def session(self) -> Any:
        """Play to the end; return the session and a digest of its records, taken eight times."""
        changing = self.kind == "contexts"
        session: Any = rb.start(self.spec, seed="machines", **({"dim": DIM} if changing else {"actions": self.actions}))
        records = hashlib.blake2b(digest_size=16)
        for t in range(self.spec.horizon):
            decision = session.ask(actions=self.actions[t]) if changing else session.ask()
            session.tell(decision, reward(decision.arm, t))
            if (t + 1) % (self.spec.horizon // 8) == 0:
                records.update(session.to_json().encode())
        return session, records.hexdigest()


def reward(arm: int, t: int) -> float:
    """Return what is written for an arm (or, as -1, for a ball) in a round."""
    return float(TAPE[t] < 0.3 + 0.4 * (arm % ARMS) / ARMS)


def vectors(kind: str, horizon: int) -> Any:
    """Return an action set, the same on every machine; norms are at most 1."""
    numbers = rb.Key("actions").child(kind)
    side = 2.0 / np.sqrt(DIM)
    if kind == "contexts":
        return side * (numbers.uniform(horizon * ARMS * DIM).reshape(horizon, ARMS, DIM) - 0.5)
    continuous = side * (numbers.uniform(ARMS * DIM).reshape(ARMS, DIM) - 0.5)
    return {
        "arms": ARMS,
        "ball": rb.Ball(1.0, DIM),
        "continuous": continuous,
        "binary": (continuous > 0) * 0.25,
        "one-hot": np.eye(DIM),
        "tied": np.concatenate([continuous[: ARMS // 2]] * 2),
    }[kind]


def cases() -> list[Case]:
    """Return every policy of the catalogue, in each calibration, on every kind of action set that fits it."""
    specs = [policy(**SETTINGS[name]) for name, policy in POLICIES.items()]
    specs += [replace(spec, calibration="sharp") for spec in specs if getattr(spec, "calibration", None) == "paper"]
    return [Case(kind, spec, vectors(kind, spec.horizon)) for spec in specs for kind in KINDS[type(spec).__name__]]


def naive_lin_ucb(actions: FloatArray, horizon: int) -> str:
    """Return a digest of the estimates of LinUCB in ordinary floating point: the power control."""
    d, digest = actions.shape[1], hashlib.blake2b(digest_size=16)
    X, y = np.zeros((0, d)), np.zeros(0)
    for t in range(horizon):
        inverse = np.linalg.inv(np.eye(d) + X.T @ X)
        theta = inverse @ (X.T @ y)
        arm = int(np.argmax(actions @ theta + 0.5 * np.sqrt(((actions @ inverse) * actions).sum(axis=1))))
        X, y = np.vstack([X, actions[arm]]), np.append(y, reward(arm, t))
        digest.update(theta.tobytes())
    return digest.hexdigest()


def main() -> None:
    for case in cases():
        session, records = case.session()
        print(case, session.fingerprint, records)
    print("naive", naive_lin_ucb(vectors("continuous", 0), 100))


if __name__ == "__main__":
    main()
