"""What a plan says: the choices in order, what backs each of them, and a paragraph for the protocol."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from replibandit.catalog import digest, spec_settings, to_json
from replibandit.errors import InvalidInput
from replibandit.findings import Estimate, mean_of
from replibandit.intervals import clopper_pearson
from replibandit.planner.candidates import THEOREM
from replibandit.planner.measure import Measured

LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """A spec, what backs its rho, the theorem's bound (None: none is stated), and what was measured on each instance.

    `reference` is the regret of the twin that is not replicable, on the same instances.
    """

    spec: Any
    guarantee: str
    bound: float | None
    cases: tuple[Measured, ...]
    reference: Estimate

    @property
    def regret(self) -> Estimate:
        """Return the expected regret of a run, on average over the instances."""
        return averaged([mean_of(case.regret) for case in self.cases])

    @property
    def exploration(self) -> Estimate:
        """Return the expected number of rounds with an action that is not best, likewise."""
        return averaged([mean_of(case.exploration) for case in self.cases])

    @property
    def success(self) -> float:
        """Return the share of runs whose last action is a best one."""
        return sum(case.right for case in self.cases) / (2 * sum(case.pairs for case in self.cases))

    @property
    def worst(self) -> Measured:
        """Return the instance on which most pairs differ."""
        return max(self.cases, key=lambda case: case.differing / case.pairs)

    @property
    def mismatch(self) -> float:
        """Return the share of pairs that differ on the worst instance."""
        return self.worst.differing / self.worst.pairs

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval of that share: those of all instances hold at once, with probability 95 %."""
        level = 1.0 - (1.0 - LEVEL) / len(self.cases)
        return clopper_pearson(self.worst.differing, self.worst.pairs, level)

    @property
    def price(self) -> Estimate | None:
        """Return the regret over that of the twin; None where the twin loses nothing."""
        ours, theirs = self.regret, self.reference
        if not (ours.value > 0 and theirs.value > 0):
            return None
        ratio = ours.value / theirs.value
        return Estimate(ratio, ratio * math.hypot(ours.error / ours.value, theirs.error / theirs.value))

    @property
    def refuted(self) -> bool:
        """Say whether more pairs differ than rho allows, beyond chance."""
        return self.interval[0] > float(self.spec.rho)

    @property
    def digest(self) -> str:
        """Return the fingerprint of the spec."""
        return digest(self.spec)

    def summary(self) -> dict[str, Any]:
        """Return the row of the table, in types that JSON knows."""
        low, high = self.interval
        return {
            "spec": spec_settings(self.spec),
            "digest": self.digest,
            "guarantee": self.guarantee,
            "bound": self.bound,
            "regret": _pair(self.regret),
            "exploration": _pair(self.exploration),
            "success": self.success,
            "mismatch": {"value": self.mismatch, "low": low, "high": high, "case": self.worst.case},
            "price": None if self.price is None else _pair(self.price),
            "cases": [
                {"case": case.case, "pairs": case.pairs, "differing": case.differing, "regret": _pair(case.mean_regret)}
                for case in self.cases
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrialPlan:
    """The choices in order of their regret: those backed by a theorem, and those that were measured only.

    `question` is what was asked, by name.
    """

    question: Mapping[str, Any]
    choices: tuple[Choice, ...]

    @property
    def best(self) -> Choice:
        """Return the choice with the least regret among those that a theorem backs."""
        return self.ranked(THEOREM)[0]

    def ranked(self, guarantee: str | None = None) -> tuple[Choice, ...]:
        """Return the choices with some guarantee, or all of them, that were not refuted."""
        found = tuple(c for c in self.choices if not c.refuted and guarantee in (None, c.guarantee))
        if not found:
            raise InvalidInput("no policy plays these actions for so many rounds. Raise the horizon.")
        return found

    def to_json(self) -> str:
        """Return the plan as text."""
        found = {"question": dict(self.question), "choices": [choice.summary() for choice in self.choices]}
        return json.dumps(found, indent=2, allow_nan=False)

    def protocol(self, choice: Choice | None = None) -> str:
        """Return a paragraph for the protocol of the trial, about the best choice or another."""
        chosen, asked = self.best if choice is None else choice, self.question
        (_, high), cases, regret = chosen.interval, len(chosen.cases), chosen.regret
        backed = "is a theorem" if chosen.guarantee == THEOREM else "is no theorem but was measured, as said below"
        allowed = "" if chosen.bound is None else f"; the theorem allows {chosen.bound:,.0f}"
        sentences = (
            f"Allocation follows the policy {type(chosen.spec).__name__} of the software replibandit with the settings "
            f"{to_json(chosen.spec)} (digest {chosen.digest}).",
            "Two executions of this protocol with the same seed and independent outcomes make the same allocations in "
            f"every round with probability at least {1.0 - asked['rho']:.4g}; this {backed}.",
            f"The policy was chosen among {len(self.choices)} specifications by exact simulation of "
            f"{chosen.cases[0].pairs} pairs of executions on each of {cases} instances with a smallest difference of "
            f"{asked['gap']:.4g}; on the worst of them {chosen.mismatch:.1%} of the pairs differed (upper limit "
            f"{high:.1%}, {LEVEL:.0%} confidence).",
            f"On average over the instances, {chosen.exploration.value:,.0f} of {asked['horizon']:,} rounds go to an "
            f"action that is not best, the expected regret is {regret.value:,.0f} (standard error {regret.error:,.0f}"
            f"{allowed}), and {chosen.success:.1%} of the executions end on a best action.",
            "The seed is drawn before the first round, kept from everybody who can influence an outcome until the last "
            "one is recorded, and published with the results.",
        )
        return " ".join(sentences)


def averaged(parts: list[Estimate]) -> Estimate:
    """Return the mean of independent estimates."""
    n = len(parts)
    return Estimate(math.fsum(p.value for p in parts) / n, math.sqrt(math.fsum(p.error**2 for p in parts)) / n)


def _pair(estimate: Estimate) -> dict[str, float | None]:
    return {"value": estimate.value, "error": None if math.isnan(estimate.error) else estimate.error}
