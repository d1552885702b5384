"""L0 on this machine: a few small fits and runs, whose fingerprints and bits must be the published ones.

Two laboratories whose machines pass get the same bits from the same data.  Without that an audit would be about
rounding errors, so every audit begins here.
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from replibandit.actions import Ball
from replibandit.arrays import FloatArray
from replibandit.environments.arms import Tape
from replibandit.errors import NotReproducible
from replibandit.estimators.glm import rep_glm
from replibandit.estimators.ridge import rep_ridge
from replibandit.key import Key
from replibandit.policies.rep_commit import RepCommit
from replibandit.policies.rep_eliminate import RepEliminate
from replibandit.policies.rep_glm_ucb import RepGLMUCB
from replibandit.policies.rep_lin_ucb import RepLinUCB
from replibandit.policies.rep_ucb import RepUCB
from replibandit.simulate import simulate

_KEY = Key("machine")
_ROWS, _DIM = 200, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What was computed here, what is published, and what computed it."""

    computed: tuple[tuple[str, str], ...]
    published: tuple[tuple[str, str], ...]
    platform: str
    versions: tuple[tuple[str, str], ...]
    blas: str
    processor_features: tuple[str, ...]

    @property
    def reproduces(self) -> bool:
        """Say whether every fingerprint is the published one."""
        return self.computed == self.published

    def require(self) -> None:
        """Raise `NotReproducible` unless this machine computes the published bits."""
        wrong = [
            name for (name, ours), (_, theirs) in zip(self.computed, self.published, strict=True) if ours != theirs
        ]
        if wrong:
            raise NotReproducible(
                f"this machine ({self.platform}; BLAS {self.blas}) computes other bits than the published ones for "
                f"{', '.join(wrong)}. Its results would not agree with those of other machines. Run `replibandit "
                "check-machine`, and report what it prints."
            )


PUBLISHED = {
    "RepRidge": "784c3d322a4e9af08cc36003b1854eb6",
    "RepGLM": "6c7014a5fb5f1ea0ce8430febc3bb918",
    "RepUCB": "356a4eb373296b180ad05d46ce156210",
    "RepLinUCB": "b76961d21d81bfd215941c7c4b5d978b",
    "RepLinUCB, a ball": "240801505129973183cdfd19204b43f8",
    "RepGLMUCB": "26a98ad6104710aadbe31dfe50390566",
    "RepCommit": "f6fd2d071204d1ec1bae0be5d986f725",
    "RepEliminate": "5cb6e80dcc4858bc2a94c81c889df6ee",
}


@lru_cache(maxsize=1)
def check_machine() -> Machine:
    """Compute the fingerprints, once in a process.

    >>> check_machine().reproduces
    True
    """
    return Machine(
        computed=tuple((name, work()) for name, work in _works().items()),
        published=tuple(PUBLISHED.items()),
        platform=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        versions=tuple((name, _version(name)) for name in ("replibandit", "numpy", "scipy")),
        blas=_blas(),
        processor_features=_processor_features(),
    )


def naive_digest() -> str:
    """Return the digest of a ridge estimate in ordinary floating point, which depends on the machine."""
    X, y = _design()
    return _digest(np.linalg.solve(np.eye(_DIM) + X.T @ X, X.T @ y))


def _works() -> dict[str, Callable[[], str]]:
    X, y = _design()
    common: dict[str, Any] = {"rho": 0.3, "delta": 0.05, "noise": 0.02}
    lin = RepLinUCB(horizon=300, penalty=0.01, **common)
    glm = RepGLMUCB(horizon=20, link="logistic", penalty=0.01, **common)
    rows = X[:12] / 2.0
    return {
        "RepRidge": lambda: _digest_of_fit(rep_ridge(X, y, seed="machine", **common)),
        "RepGLM": lambda: _digest_of_fit(rep_glm(X, y, seed="machine", link="logistic", **common)),
        "RepUCB": lambda: _digest_of_run(RepUCB(horizon=1000, rho=0.3, noise=0.01), None),
        "RepLinUCB": lambda: _digest_of_run(lin, rows),
        "RepLinUCB, a ball": lambda: _digest_of_run(lin, Ball(1.0, 3)),
        "RepGLMUCB": lambda: _digest_of_run(glm, rows),
        "RepCommit": lambda: _digest_of_run(RepCommit(horizon=5000, rho=0.3, noise=0.1), rows),
        "RepEliminate": lambda: _digest_of_run(RepEliminate(horizon=5000, rho=0.3, noise=0.01), None),
    }


def _design() -> tuple[FloatArray, FloatArray]:
    X = _KEY.child("design").uniform(_ROWS * _DIM).reshape(_ROWS, _DIM) - 0.5
    return X, np.floor(2.0 * _KEY.child("responses").uniform(_ROWS))


def _digest_of_fit(fit: Any) -> str:
    return _digest(fit.raw, fit.theta, fit.gram, np.array([fit.radius, fit.width]))


def _digest_of_run(spec: Any, actions: Any) -> str:
    env = Tape(means=0.2 + 0.6 * _KEY.child("means").uniform(12), key=_KEY.child("tape"), actions=actions)
    return simulate(spec, env, seed=_KEY, rng=np.random.default_rng(0)).fingerprint


def _digest(*arrays: Any) -> str:
    return blake2b(
        b"".join(np.ascontiguousarray(a).astype("<f8").tobytes() for a in arrays), digest_size=16
    ).hexdigest()


def _version(name: str) -> str:
    from importlib.metadata import version

    return version(name)


def _blas() -> str:
    built = np.show_config(mode="dicts")
    library = built.get("Build Dependencies", {}).get("blas", {})
    return f"{library.get('name', 'unknown')} {library.get('version', '')}".strip()


def _processor_features() -> tuple[str, ...]:
    found = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return (*found.get("baseline", ()), *found.get("found", ()))
