"""Play everything that has not been played, draw the figures, and write docs/study.md."""

from studies import breaks, exponents, logged, mismatch, page, price, regret, samples, worst


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
    page.write(found())
