"""Where runs part: after how many rounds, at which estimate, and how rho was spent from estimate to estimate."""

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.findings import Audit, mean_of
from replibandit.report.html import Html, element, paragraph, section, table
from replibandit.report.words import count, number, plural, rounds_until, share, share_with_error
from replibandit.trace import Cause, Name

_QUANTILES = (0.05, 0.25, 0.5, 0.75)
_MOST_CAUSES = 6
_FIFTHS = ("First", "Second", "Third", "Fourth", "Fifth")


def quantile(rounds: IntArray, level: float) -> int:
    """Return the least round by which a share `level` of the pairs have parted."""
    return int(np.sort(rounds)[math.ceil(level * len(rounds)) - 1])


def parting(audits: Mapping[str, Audit], *pictures: Html) -> Html:
    """Return the tables of first differences and of their causes, and how to read them."""
    times = (
        "Policy",
        "Pairs",
        "That part",
        "Earliest",
        *(share(level) for level in _QUANTILES[:2]),
        "Half",
        *(share(level) for level in _QUANTILES[3:]),
        "Identical share of the horizon",
    )
    return section(
        "parting",
        "Where do runs part?",
        table("Identical rounds before the first difference", times, [_times(*item) for item in audits.items()]),
        paragraph(
            element("b", "How to read it. "),
            "Two runs of each key are followed until they first act differently; the entries are the numbers of "
            "identical rounds before that. “Half” is the number after which half of all pairs have parted, and so on; "
            "“never” means that fewer pairs part within the horizon. The last column is the mean share of the "
            "horizon up to the first difference, with its standard error behind ±.",
            class_="read",
        ),
        *pictures,
        *_causes(audits),
    )


def spending(audits: Mapping[str, Audit]) -> Html:
    """Return how the probability of a difference is spread over the estimates of a run, predicted and measured."""
    title, rows = "How was rho spent?", [row for item in audits.items() for row in _spent(*item)]
    if not rows:
        return section("spending", title, paragraph("None of these policies rounds its estimates."))
    headings = ("Policy", "How", "Estimates", *(f"{part} fifth" for part in _FIFTHS), "All", "Held against")
    return section(
        "spending",
        title,
        table("Cells that first differ, by estimate", headings, rows, words=(1,)),
        paragraph(
            element("b", "How to read it. "),
            "The estimates of a run in five groups, from the first to the last. “Allotted” is the part of rho that the "
            "theorem lets them spend, for as long as runs agree; “predicted” is the mean probability "
            "that a line of the grid falls between two runs there, given how close their estimates came, and behind ± "
            "is the standard error; “measured” is the share of keys in which it did. The last two estimate the same, "
            "so they agree up to chance, and the prediction varies less. It is at least the probability that actions "
            "differ. What is left of the rho in the last column the theorem holds in reserve, for rewards that vary "
            "as much as it allows.",
            class_="read",
        ),
    )


def estimate_name(name: Name) -> str:
    """Write the name of an estimate.

    >>> estimate_name(("arm", 1, "pulls", 4096))
    'arm 1, pulls 4,096'
    """
    words = [f"{part:,}" if isinstance(part, int) else part for part in name]
    return ", ".join(" ".join(words[i : i + 2]) for i in range(0, len(words), 2))


def _times(name: str, found: Audit) -> tuple[str, ...]:
    apart = int((found.rounds < found.horizon).sum())
    firsts = [int(found.rounds.min()), *(quantile(found.rounds, level) for level in _QUANTILES)]
    until = [rounds_until(first, found.horizon) for first in firsts]
    return name, count(len(found.rounds)), count(apart), *until, share_with_error(mean_of(found.rounds / found.horizon))


def _causes(audits: Mapping[str, Audit]) -> tuple[Html, ...]:
    rows = [row for item in audits.items() for row in _causes_of(*item)]
    if not rows:
        return (paragraph("No two runs of one key had an estimate in different cells of a grid."),)
    headings = ("Policy", "Estimate", "Pairs", "Apart, in widths", "From the line, in widths")
    return (
        table("Estimates that parted runs", headings, rows, words=(1,)),
        paragraph(
            element("b", "How to read it. "),
            "A replicable policy rounds each estimate to the middle of a cell of a grid that both runs share, so runs "
            "can part only where a line of the grid falls between their estimates. For each estimate that was the "
            "first one to do so: in how many pairs, how far apart the two values were, and how far the first one was "
            "from the line, both in widths of a cell and on average. Cells that differ need not change an action. A "
            "policy that does not round is not listed: any reward may part its runs.",
            class_="read",
        ),
    )


def _causes_of(name: str, found: Audit) -> list[tuple[str, ...]]:
    causes = [cause for cause in found.causes if cause is not None]
    groups = Counter(cause.name for cause in causes).most_common()
    rows = [_cause(name, [c for c in causes if c.name == which]) for which, _ in groups[:_MOST_CAUSES]]
    if rest := sum(times for _, times in groups[_MOST_CAUSES:]):
        rows.append((name, f"{plural(len(groups) - _MOST_CAUSES, 'other')}", count(rest), "", ""))
    return rows


def _cause(policy: str, causes: list[Cause]) -> tuple[str, ...]:
    n = len(causes)
    apart, distance = (math.fsum(values) / n for values in ([c.apart for c in causes], [c.distance for c in causes]))
    return policy, estimate_name(causes[0].name), count(n), number(apart, 2), number(distance, 2)


def _spent(name: str, found: Audit) -> list[tuple[str, ...]]:
    if found.spent is None or found.predicted is None:
        return []
    n, keys, rho = len(found.spent), len(found.causes), share(found.rho)
    counts = np.bincount([cause.place for cause in found.causes if cause is not None], minlength=n)
    measured_all = mean_of(np.array([cause is not None for cause in found.causes], dtype=np.float64))
    rows = [
        (name, "predicted", count(n), *_fifths(found.spent), share_with_error(found.predicted), rho),
        (name, "measured", count(n), *_fifths(counts / keys), share_with_error(measured_all), rho),
    ]
    if found.allotted is not None:
        whole = share(math.fsum(found.allotted.tolist()))
        rows.insert(0, (name, "allotted", count(n), *_fifths(found.allotted), whole, rho))
    return rows


def _fifths(values: FloatArray) -> list[str]:
    return [share(math.fsum(part.tolist())) for part in np.array_split(values, len(_FIFTHS))]
