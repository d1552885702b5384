"""What an audit found, as a value: a verdict, an interval, where runs part, what it costs; to JSON and back."""

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.trace import Cause
from replibandit.verdict import Tally

FORMAT = "replibandit.audit.1"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over independent keys, with its standard error."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Spending:
    """What one estimate spends of rho: the share that the theorem allots, what its risk predicts, and how often it was
    in fact the first to part the runs of a key.
    """

    allotted: float
    predicted: float
    measured: float


def mean_of(values: FloatArray) -> Estimate:
    """Return the mean of independent values and its standard error (NaN for a single one)."""
    n = len(values)
    mean = math.fsum(values.tolist()) / n
    squares = math.fsum(((values - mean) ** 2).tolist())
    return Estimate(mean, math.sqrt(squares / (n - 1) / n) if n > 1 else math.nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Audit:
    """What an audit found.  Arrays have one entry for each key, unless it says otherwise; rounds are counted from 0.

    `rounds` is the first round in which the first two runs of a key differ, the horizon if they never do, and `causes`
    the estimate that parted them.  `risk` is the probability that cells differ, given the unrounded estimates, and
    `spent` the same for each estimate in turn, averaged over the keys (None where a policy does not round); `allotted`
    is the share of rho that the theorem allows to each, averaged alike (None where a policy does not say).  `regret` is
    the mean over the runs of a key; `curve` its mean over all keys after each number of rounds in `checkpoints`, and
    `curve_error` the standard error of that.
    """

    spec: str
    digest: str
    seed: str
    horizon: int
    replicates: int
    tally: Tally
    rounds: IntArray
    causes: tuple[Cause | None, ...]
    risk: FloatArray | None
    spent: FloatArray | None
    allotted: FloatArray | None
    regret: FloatArray
    checkpoints: IntArray
    curve: FloatArray
    curve_error: FloatArray
    reference: str | None
    reference_regret: FloatArray | None

    @property
    def verdict(self) -> str:
        """Return "replicable", "not replicable" or "undecided"."""
        return self.tally.verdict

    @property
    def rho(self) -> float:
        """Return the probability of a difference that is promised."""
        return self.tally.rho

    @property
    def mismatch(self) -> float:
        """Return the estimate of the probability that two runs differ in some round."""
        return self.tally.mismatch

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval of that probability."""
        return self.tally.interval

    @property
    def predicted(self) -> Estimate | None:
        """Return the Rao-Blackwell estimate of the probability that some cell differs, which is at least the mismatch.

        It is the mean of `risk`: see `trace.py`.  None for a policy that does not round.
        """
        return None if self.risk is None else mean_of(self.risk)

    @property
    def spending(self) -> tuple["Spending", ...]:
        """Return what each estimate may spend of rho, was predicted to spend, and spent; none if nothing is rounded."""
        if self.spent is None:
            return ()
        allotted = np.full(len(self.spent), math.nan) if self.allotted is None else self.allotted
        parted = [cause.place for cause in self.causes if cause is not None]
        return tuple(
            Spending(allotted=float(allotted[i]), predicted=float(spent), measured=parted.count(i) / len(self.rounds))
            for i, spent in enumerate(self.spent)
        )

    @property
    def prefix(self) -> float:
        """Return the mean share of the horizon up to the first difference."""
        return math.fsum(self.rounds.tolist()) / (len(self.rounds) * self.horizon)

    @property
    def mean_regret(self) -> Estimate:
        """Return the mean regret of a run."""
        return mean_of(self.regret)

    @property
    def price(self) -> Estimate | None:
        """Return the mean regret over that of the reference: the price of replicability.  None without a reference."""
        if self.reference_regret is None:
            return None
        ours, theirs = mean_of(self.regret), mean_of(self.reference_regret)
        if not (ours.value > 0 and theirs.value > 0):
            return None
        # to first order the relative errors of a ratio of independent means add up in squares
        ratio = ours.value / theirs.value
        return Estimate(ratio, ratio * math.hypot(ours.error / ours.value, theirs.error / theirs.value))

    def to_json(self) -> str:
        """Return everything as JSON, with the verdict and its numbers first, for those who only read them."""
        low, high = self.interval
        head = {"format": FORMAT, "verdict": self.verdict, "mismatch": self.mismatch, "interval": [low, high]}
        return json.dumps({**head, **{field.name: _plain(getattr(self, field.name)) for field in fields(self)}})

    @classmethod
    def from_json(cls, text: str) -> "Audit":
        """Return the audit that `to_json` wrote."""
        try:
            data = json.loads(text)
            if data["format"] != FORMAT:
                raise InvalidInput(f"the audit has format {data['format']!r}; this version reads {FORMAT!r}.")
            tally = {**data["tally"], "differing": np.array(data["tally"]["differing"], dtype=np.float64)}
            causes = tuple(None if c is None else Cause(**{**c, "name": tuple(c["name"])}) for c in data["causes"])
            made: dict[str, Any] = {"tally": Tally(**tally), "causes": causes}
            for name in ("risk", "spent", "allotted", "regret", "curve", "curve_error", "reference_regret"):
                made[name] = None if data[name] is None else np.array(data[name], dtype=np.float64)
            for name in ("rounds", "checkpoints"):
                made[name] = np.array(data[name], dtype=np.int64)
            plain = {name: data[name] for name in ("spec", "digest", "seed", "horizon", "replicates", "reference")}
            found = cls(**plain, **made)
            if damaged := _damaged(found):
                raise InvalidInput(f"the audit is damaged: {', '.join(damaged)}. Read what `to_json` wrote.")
            return found
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(
                f"the text is not an audit ({type(error).__name__}: {error}). Read what `to_json` wrote."
            ) from None


def _damaged(found: Audit) -> list[str]:
    """Return the names of the parts that cannot be: a text may have been cut, or changed by hand."""
    tally, keys, points = found.tally, found.tally.differing.shape, found.checkpoints.shape
    always = {"rounds": keys, "regret": keys, "curve": points}
    shapes = {**always, "risk": keys, "reference_regret": keys}
    fine = {
        "tally": len(keys) == 1 and min(keys) > 0 and tally.anytime in (True, False),
        "differing": ((tally.differing >= 0) & (tally.differing <= 1)).all(),
        "rho": 0 < tally.rho < 1,
        "level": 0 < tally.level < 1,
        "horizon": type(found.horizon) is int and found.horizon > 0,
        "replicates": type(found.replicates) is int and found.replicates > 1,
        "spec": isinstance(json.loads(found.spec)["policy"], str),
        "reference": found.reference is None or isinstance(json.loads(found.reference)["policy"], str),
        "digest": isinstance(found.digest, str),
        "seed": isinstance(found.seed, str),
        "causes": keys == (len(found.causes),) and all(c is None or _is_cause(c) for c in found.causes),
        "checkpoints": len(points) == 1 and min(points) > 0,
        "curve_error": found.curve_error.shape == points and not np.isinf(found.curve_error).any(),
        "spent": found.spent is None or (found.spent.ndim == 1 and np.isfinite(found.spent).all()),
        **{name: _fits(getattr(found, name), shape, name not in always) for name, shape in shapes.items()},
    }
    return [name for name, is_fine in fine.items() if not is_fine]


def _fits(part: FloatArray | IntArray | None, shape: tuple[int, ...], optional: bool) -> bool:
    return optional if part is None else part.shape == shape and bool(np.isfinite(part).all())


def _is_cause(cause: Cause) -> bool:
    numbers = (cause.apart, cause.distance)
    named = all(isinstance(word, str | int) for word in cause.name)
    return named and type(cause.place) is int and all(type(value) is float for value in numbers)


def _plain(value: Any) -> Any:
    """Return `value` in types that JSON knows; a float comes back with the same bits, NaN is null."""
    if isinstance(value, np.ndarray):
        return [None if item != item else item for item in value.tolist()]
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Tally | Cause):
        return {name: _plain(item) for name, item in asdict(value).items()}
    return value
