"""Play everything that has not been played, draw the figures, and write docs/study.md.

python -m studies            play what the tables lack
python -m studies --fresh    play all of it again: a table does not know when a policy changes
"""

import sys

from studies import breaks, exponents, logged, mismatch, page, price, regret, samples, table, worst


def found() -> page.Found:
    """Return what every script finds; with the tables in place it takes seconds."""
    ratios, horizons = price.main()
    return page.Found(
        regret=regret.main(),
        slopes=exponents.main(),
        worst=worst.main(),
        mismatch=mismatch.main(),
        samples=samples.main(),
        price=ratios,
        horizons=horizons,
        breaks=breaks.main(),
        logged=logged.main(),
    )


if __name__ == "__main__":
    if "--fresh" in sys.argv[1:]:
        table.clear()
    page.write(found())
