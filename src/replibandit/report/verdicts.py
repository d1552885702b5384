"""What was found, in a few sentences a policy, and the table of verdicts."""

import json
import math
from collections.abc import Mapping

from replibandit.bounds import Bounds
from replibandit.findings import Audit
from replibandit.report.html import Html, element, figures, paragraph, section, table
from replibandit.report.parting import quantile
from replibandit.report.words import count, number, plural, share, span
from replibandit.verdict import NOT_REPLICABLE, REPLICABLE

_WIDTH, _HEIGHT = 150, 22


def summary(audits: Mapping[str, Audit], bounds: Mapping[str, Bounds]) -> Html:
    """Return the answers in words: replicable or not, how surely, where runs part, at what cost, what is promised."""
    answers = [_answer(name, found, bounds.get(name)) for name, found in audits.items()]
    return section(
        "summary",
        "In a few words",
        paragraph(
            "Every policy was played with many keys. The runs of one key share their internal randomness, which the "
            "key fixes, and have independent rewards. A policy is replicable with rho if two such runs choose the same "
            "action in every round, except with probability rho at most."
        ),
        element("dl", *answers, class_="answers"),
    )


def _answer(name: str, found: Audit, bound: Bounds | None) -> Html:
    said = [_verdict(found), _cost(found, bound), *([] if bound is None else [_promise(found, bound)])]
    return element("div", element("dt", name, " ", _badge(found)), element("dd", figures(" ".join(said))))


def verdicts(audits: Mapping[str, Audit]) -> Html:
    """Return the table of verdicts, and how to read it."""
    headings = (
        "Policy",
        "Verdict",
        "Rounds",
        "Pairs of runs",
        "Identical",
        "Differ, interval",
        "From 0 to 1",
        "Held against",
    )
    return section(
        "verdicts",
        "Is it replicable, and how sure is that?",
        table("Verdicts", headings, [_row(name, found) for name, found in audits.items()], words=(1,)),
        paragraph(
            element("b", "How to read it. "),
            "“Identical” is the share of pairs of runs that chose the same action in every round. The interval holds "
            "the probability of the opposite, that two runs differ, with the confidence in brackets; so does the "
            "verdict. An interval below the rho that the policy is held against, the upright line in the picture, "
            "means “replicable”, one above it “not replicable”, and one around it that the pairs are too few to tell. "
            "The picture runs from 0 to 1, on a square-root scale. A verdict speaks about the environment that was "
            "played.",
            class_="read",
        ),
    )


def pairs_of(found: Audit) -> int:
    """Return how many pairs of runs were compared."""
    return found.tally.keys * math.comb(found.replicates, 2)


def _row(name: str, found: Audit) -> tuple[str, ...]:
    low, high = found.interval
    return (
        name,
        _badge(found),
        count(found.horizon),
        count(pairs_of(found)),
        share(1.0 - found.mismatch),
        f"{span(low, high)} ({share(found.tally.level)})",
        _strip(low, high, found.rho),
        share(found.rho),
    )


def _badge(found: Audit) -> Html:
    colour = {REPLICABLE: "good", NOT_REPLICABLE: "bad"}.get(found.verdict, "open")
    return element("span", found.verdict, class_=f"badge {colour}")


def _strip(low: float, high: float, rho: float) -> Html:
    """Draw an interval and the line that it is held against."""
    a, b, line = (round(_WIDTH * math.sqrt(p), 1) for p in (low, high, rho))
    middle = _HEIGHT / 2
    return element(
        "svg",
        element("line", x1="0", x2=f"{_WIDTH}", y1=f"{middle}", y2=f"{middle}", class_="axis"),
        element("rect", x=f"{a}", y=f"{middle - 4}", width=f"{max(b - a, 2.0):.1f}", height="8", rx="2", class_="span"),
        element("line", x1=f"{line}", x2=f"{line}", y1="1", y2=f"{_HEIGHT - 1}", class_="rho"),
        viewBox=f"-2 0 {_WIDTH + 4} {_HEIGHT}",
        class_="strip",
        role="img",
        aria_label=f"{span(low, high)}, held against {share(rho)}",
    )


def _verdict(found: Audit) -> str:
    differing, pairs = round(found.mismatch * pairs_of(found)), pairs_of(found)
    (low, high), level = found.interval, share(found.tally.level)
    seen = f"{count(differing)} of {plural(pairs, 'pair')} of runs differ"
    if found.verdict == REPLICABLE:
        return (
            f"{seen}. Two runs differ with probability {share(high)} at most ({level} confidence), below the "
            f"{share(found.rho)} that it is held against."
        )
    if found.verdict == NOT_REPLICABLE:
        half = quantile(found.rounds, 0.5)
        parted = "" if half == found.horizon else f", half of them within {plural(half + 1, 'round')}"
        return (
            f"{seen}{parted}. Two runs differ with probability {share(low)} at least ({level} confidence), above the "
            f"{share(found.rho)} that it is held against."
        )
    return (
        f"{seen}. The probability of that is {span(low, high)} ({level} confidence), and the {share(found.rho)} that "
        "it is held against lie in between: take more pairs."
    )


def _cost(found: Audit, bound: Bounds | None) -> str:
    lost = found.mean_regret.value / found.horizon
    worst = "" if bound is None else f", where the worst action loses {number(bound.trivial / found.horizon, 2)}"
    text = f"It loses {number(lost, 2)} a round, over {plural(found.horizon, 'round')}{worst}."
    if found.price is not None and found.reference is not None:
        text += f" That is {number(found.price.value)} times what {json.loads(found.reference)['policy']} loses."
    return text


def _promise(found: Audit, bound: Bounds) -> str:
    allowed = f"{number(bound.regret / found.horizon, 2)} a round"
    if bound.informative:
        return f"The theorem allows {allowed}."
    return f"The theorem allows {allowed}, more than the worst action loses: at this horizon it says nothing."
