"""The systems by name, for a horizon, a rho and a noise level; and a twin that is not replicable."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import replibandit as rb
from replibandit.policies import phases
from replibandit.policies.eliminate_in_phases import EliminateInPhases, drawn
from replibandit.policies.elimination import all_left, design_estimates, design_pulls, equal_pulls, orders
from replibandit.policies.phases import Evidence, Orders

DELTA = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """EliminateInPhases without replicability: drop what trails by s_p."""

    horizon: int
    noise: float = 0.5

    def reward_exponent(self) -> int:
        return self._twin().reward_exponent()

    def _twin(self) -> EliminateInPhases:
        return EliminateInPhases(horizon=self.horizon, rho=0.999, noise=self.noise)

    def prepare(self, vectors: Any) -> Any:
        pulls, _, widths = self._twin().prepare(vectors)
        counts = [4**p for p in range(len(widths))]
        tail = np.log(2.0 * len(vectors) * max(1, len(counts)) * self.horizon)
        # s_p = 2 sigma sqrt(2 log(2 K P T)/N_p), and B_p = 0
        return pulls, tuple(2.0 * self.noise * float(np.sqrt(2.0 * tail / n)) for n in counts), (0.0,) * len(counts)

    def init(self, actions: Any, keys: Sequence[rb.Key]) -> Any:
        return phases.init(self, actions, keys)

    def choose(self, state: Any) -> Any:
        return phases.choose(self, state)

    def update(self, state: Any, pull: Any, totals: Any) -> Any:
        return phases.update(self, state, pull, totals)

    def decide(self, evidence: Evidence) -> Orders:
        pulls, least, widths = evidence.prepared
        arms, active, exponent = evidence.vectors.shape[1] == 0, evidence.active, self.reward_exponent()
        estimated = evidence.means(exponent) if arms else design_estimates(pulls, evidence, exponent)
        if evidence.phase.any():
            largest = np.where(active, estimated, -np.inf).max(axis=1, keepdims=True)
            active = active & ~(largest - estimated > drawn(evidence, least, widths))
        times = equal_pulls(pulls, active, evidence, self.horizon) if arms else design_pulls(pulls, active, evidence)
        return orders(evidence, self.horizon, active=active, times=times, rest=all_left(evidence, active, self.horizon))


Make = Callable[[int, float, float], Any]


def _linear(calibration: str) -> Make:
    return lambda T, rho, sigma: rb.RepLinUCB(
        horizon=T, rho=rho, delta=min(DELTA, rho / 10.0), noise=sigma, calibration=calibration
    )


def _logistic(calibration: str) -> Make:
    return lambda T, rho, sigma: rb.RepGLMUCB(
        horizon=T, rho=rho, delta=min(DELTA, rho / 10.0), noise=sigma, link="logistic", calibration=calibration
    )


def _of(policy: Any, **settings: Any) -> Make:
    return lambda T, rho, sigma: policy(horizon=T, rho=rho, noise=sigma, **settings)


SYSTEMS: dict[str, Make] = {
    "RepUCB": _of(rb.RepUCB),
    "RepUCB sharp": _of(rb.RepUCB, calibration="sharp"),
    "RepLinUCB": _linear("paper"),
    "RepLinUCB sharp": _linear("sharp"),
    "RepGLMUCB": _logistic("paper"),
    "RepGLMUCB sharp": _logistic("sharp"),
    "RepCommit": _of(rb.RepCommit),
    "RepEliminate": _of(rb.RepEliminate),
    "EsfandiariMean": _of(rb.EsfandiariMean),
    "EsfandiariThreshold": _of(rb.EsfandiariThreshold),
    "EsfandiariLinear": _of(rb.EsfandiariLinear),
    "EsfandiariNet": _of(rb.EsfandiariNet, resolution=0.1),
    "EliminateInPhases": _of(rb.EliminateInPhases),
    "CommitInPhases": _of(rb.CommitInPhases),
    "Plain": lambda T, rho, sigma: Plain(horizon=T, noise=sigma),
    "UCB1": lambda T, rho, sigma: rb.UCB1(horizon=T, noise=sigma),
    "Thompson": lambda T, rho, sigma: rb.Thompson(horizon=T),
    "LinUCB": lambda T, rho, sigma: rb.LinUCB(horizon=T, delta=DELTA, noise=sigma),
}
ARMS = (
    "RepUCB", "RepUCB sharp", "RepCommit", "RepEliminate", "EsfandiariMean", "EsfandiariThreshold",
    "EliminateInPhases", "CommitInPhases",
)  # fmt: skip
VECTORS = (
    "RepLinUCB", "RepLinUCB sharp", "RepCommit", "RepEliminate", "EsfandiariLinear", "EsfandiariNet",
    "EliminateInPhases",
)  # fmt: skip
REFERENCES = ("Plain", "UCB1", "Thompson", "LinUCB")
