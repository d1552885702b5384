"""Write docs/study.md: every number on it comes from the tables."""

from dataclasses import dataclass
from pathlib import Path

from studies import page_costs, page_trust
from studies.table import Row
from studies.words import wrapped

PAGE = Path(__file__).parents[1] / "docs" / "study.md"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What every script found."""

    regret: list[Row]
    slopes: list[Row]
    worst: list[Row]
    mismatch: list[Row]
    samples: list[Row]
    price: list[Row]
    horizons: list[Row]
    breaks: list[Row]
    logged: list[Row]


def text(found: Found) -> str:
    """Return the page."""
    parts = [
        page_costs.opening(found.regret, found.mismatch),
        page_costs.choice(found.regret, found.price),
        page_costs.horizons(found.regret),
        page_costs.exponents(found.slopes, found.worst),
        page_trust.conservative(found.mismatch),
        page_trust.samples(found.samples),
        page_costs.price(found.price, found.horizons),
        page_trust.broken(found.breaks),
        page_trust.logged(found.logged),
    ]
    return "\n\n".join(map(wrapped, parts)) + "\n"


def write(found: Found) -> None:
    """Write the page."""
    PAGE.write_text(text(found), encoding="utf-8")
    print(f"wrote {PAGE.name}")
