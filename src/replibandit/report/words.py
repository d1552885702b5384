"""Numbers as people read them.  10^12 stands for a power of ten; `html.number` sets it as one.

Whatever the locale, and with characters that every terminal has.
"""

import math

from replibandit.findings import Estimate

NEVER = "never"
_SMALLEST, _LARGEST = 1e-4, 1e6  # between these a number is written without a power of ten


def count(n: int) -> str:
    """Write a whole number; from a million on with a power of ten if it is one, else to four digits.

    >>> count(1000), count(10**12), count(123456789), count(2**33)
    ('1,000', '10^12', '1.235 x 10^8', '8.59 x 10^9')
    """
    exponent = len(str(abs(n))) - 1
    if exponent < 6:
        return f"{n:,}"
    if n == 10**exponent:
        return f"10^{exponent}"
    return number(float(n), digits=4)


def number(x: float, digits: int = 3) -> str:
    """Write a number to some significant digits.

    >>> number(0.0001234), number(-0.5), number(1.25e8), number(2e-7), number(123456.0), number(0.0), number(math.nan)
    ('0.000123', '-0.5', '1.25 x 10^8', '2 x 10^-7', '123,456', '0', 'not known')
    """
    if not math.isfinite(x):
        return "not known" if math.isnan(x) else ("infinite" if x > 0 else "-infinite")
    if x == 0:
        return "0"
    mantissa, exponent = f"{x:.{digits - 1}e}".split("e")
    if not _SMALLEST <= abs(x) < _LARGEST:
        return f"{_trimmed(mantissa)} x 10^{int(exponent)}"
    return _trimmed(f"{x:,.{max(0, digits - 1 - int(exponent))}f}")


def share(p: float) -> str:
    """Write a probability in percent, to two digits of its distance to 0 or to 1, and at least to a tenth.

    >>> share(0.0), share(0.1), share(0.000127), share(0.0362), share(0.995), share(0.99987), share(1.0)
    ('0 %', '10 %', '0.013 %', '3.6 %', '99.5 %', '99.987 %', '100 %')
    """
    near = min(p, 1.0 - p) * 100.0
    decimals = 1 if near <= 0 else max(1, 1 - math.floor(math.log10(near)))
    return _trimmed(f"{100.0 * p:.{min(decimals, 12)}f}") + " %"


def span(low: float, high: float) -> str:
    """Write an interval of probabilities.

    >>> span(0.0, 0.0362)
    '0 to 3.6 %'
    """
    return f"{share(low).removesuffix(' %')} to {share(high)}"


def with_error(estimate: Estimate) -> str:
    """Write an estimate and its standard error, both to two digits of the error.

    >>> with_error(Estimate(13.0123, 0.513)), with_error(Estimate(1.23456e8, 4.2e6)), with_error(Estimate(0.5, 0.0))
    ('13.01 +- 0.51', '(1.235 +- 0.042) x 10^8', '0.5 +- 0')
    >>> with_error(Estimate(0.5, math.nan))
    '0.5 +- ?'
    """
    value, error = estimate.value, estimate.error
    if math.isnan(error):
        return f"{number(value)} +- ?"
    if not (error > 0 and math.isfinite(value) and math.isfinite(error)):
        return f"{number(value)} +- {number(error)}"
    largest = max(abs(value), error)
    exponent = 0 if _SMALLEST <= largest < _LARGEST else math.floor(math.log10(largest))
    value, error = value / 10.0**exponent, error / 10.0**exponent
    decimals = max(0, 1 - math.floor(math.log10(error)))
    text = f"{value:,.{decimals}f} +- {error:,.{decimals}f}"
    return f"({text}) x 10^{exponent}" if exponent else text


def share_with_error(estimate: Estimate) -> str:
    """Write a probability and its standard error in percent.

    >>> share_with_error(Estimate(0.00505, 0.00012))
    '0.505 +- 0.012 %'
    """
    return with_error(Estimate(100.0 * estimate.value, 100.0 * estimate.error)) + " %"


def rounds_until(first: int, horizon: int) -> str:
    """Write in how many rounds two runs agree before they first differ."""
    return NEVER if first >= horizon else count(first)


def plural(n: int, thing: str) -> str:
    """Write a number of things.

    >>> plural(1, "pair"), plural(2000, "round")
    ('1 pair', '2,000 rounds')
    """
    return f"{count(n)} {thing}{'' if n == 1 else 's'}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
