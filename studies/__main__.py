"""Play everything that has not been played, draw the figures, and write docs/study.md."""

from studies import breaks, exponents, logged, mismatch, page, price, regret, samples, worst


def main() -> None:
    """Do it all; with the tables in place it takes seconds."""
    horizons = price.main()
    found = page.Found(
        regret=regret.main(),
        slopes=exponents.main(),
        worst=worst.main(),
        mismatch=mismatch.main(),
        samples=samples.main(),
        price=horizons[0],
        horizons=horizons[1],
        breaks=breaks.main(),
        logged=logged.main(),
    )
    page.write(found)


if __name__ == "__main__":
    main()
