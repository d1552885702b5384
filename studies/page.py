"""Write docs/study.md: every number on it comes from the tables."""

from dataclasses import dataclass
from pathlib import Path

from studies import sections
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
        sections.opening(found.regret, found.mismatch),
        sections.choice(found.regret, found.price),
        sections.horizons(found.regret),
        sections.exponents(found.slopes, found.worst),
        sections.conservative(found.mismatch),
        sections.samples(found.samples),
        sections.price(found.price, found.horizons),
        sections.broken(found.breaks),
        sections.logged(found.logged),
    ]
    return "\n\n".join(map(wrapped, parts)) + "\n"


def write(found: Found) -> None:
    """Write the page."""
    PAGE.write_text(text(found), encoding="utf-8")
    print(f"wrote {PAGE.name}")
