"""What replicability costs: regret, its price against a reference, and what the theorem allows."""

import json
from collections.abc import Mapping

from replibandit.bounds import Bounds
from replibandit.findings import Audit, Estimate
from replibandit.report.html import Html, element, figures, join, paragraph, section, table
from replibandit.report.words import count, number, with_error


def regrets(audits: Mapping[str, Audit], bounds: Mapping[str, Bounds], *pictures: Html) -> Html:
    """Return the table of regrets and prices, and how to read it."""
    headings = ("Policy", "Rounds", "Regret", "Regret a round", "Worst a round", "Reference", "Price")
    rows = [_row(name, found, bounds.get(name)) for name, found in audits.items()]
    return section(
        "regret",
        "What does it cost?",
        table("Regret and the price of replicability", headings, rows, words=(5,)),
        paragraph(
            element("b", "How to read it. "),
            "Regret is what a run loses against the best action, in expectation, over all its rounds: a mean over "
            "keys, with its standard error behind ±. “Worst” is the largest loss of one round; a regret near it means "
            "that little was learnt. Regrets over different numbers of rounds do not compare. The price is the regret "
            "over that of a reference, a policy that need not be replicable, over as many rounds of the same "
            "environment; it is empty where no reference was played.",
            class_="read",
        ),
        *pictures,
    )


def promises(audits: Mapping[str, Audit], bounds: Mapping[str, Bounds]) -> Html:
    """Return what the theorems allow, beside what was measured, and what the bounds are made of."""
    if not bounds:
        return section("bounds", "What does the theorem promise?", paragraph("No bound was given to this report."))
    headings = ("Policy", "Bound, a round", "Measured, a round", "Bound over measured", "Says something", "Holds")
    rows = [_promise(audits[name], name, bound) for name, bound in bounds.items()]
    return section(
        "bounds",
        "What does the theorem promise?",
        table("Bounds on the regret", headings, rows, words=(4, 5)),
        paragraph(
            element("b", "How to read it. "),
            "The bound is the right-hand side of the theorem on the regret, with every constant, over the number of "
            "rounds; measured is the mean regret with its standard error behind ±. The bound says something once it is "
            "below what the worst action loses in a round, which needs no theorem. Bounds of linear policies hold for "
            "every sequence of action sets, so they may be far above what is measured in one environment.",
            class_="read",
        ),
        element("dl", *(join(_ingredients(name, bound)) for name, bound in bounds.items()), class_="made"),
    )


def _row(name: str, found: Audit, bound: Bounds | None) -> tuple[str, ...]:
    T, regret = found.horizon, found.mean_regret
    referred = "" if found.reference is None else str(json.loads(found.reference)["policy"])
    return (
        name,
        count(T),
        with_error(regret),
        with_error(Estimate(regret.value / T, regret.error / T)),
        "" if bound is None else number(bound.trivial / T),
        referred,
        "" if found.price is None else with_error(found.price),
    )


def _promise(found: Audit, name: str, bound: Bounds) -> tuple[str, ...]:
    T, lost = found.horizon, found.mean_regret
    return (
        name,
        number(bound.regret / T),
        with_error(Estimate(lost.value / T, lost.error / T)),
        number(bound.regret / lost.value) if lost.value > 0 else "",
        "yes" if bound.informative else f"no, above {number(bound.trivial / T)}",
        bound.holds,
    )


def _ingredients(name: str, bound: Bounds) -> tuple[Html, Html, Html]:
    equal = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
    made = "; ".join(f"{key}{equal}{number(value, 4)}" for key, value in bound.ingredients.items())
    return element("dt", name), element("dd", element("code", bound.formula)), element("dd", figures(made))
