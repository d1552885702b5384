"""Exact binomial tails and intervals: what a number of events out of a number of trials says about a rate.

Exact means: from the binomial distribution itself (as an incomplete beta function), not from a normal approximation,
so that the stated error probabilities hold for every number of trials, and far into the tails.
"""

from bisect import bisect_left

import numpy as np

from replibandit.checks import nonnegative, number, positive_integer, probability
from replibandit.errors import InvalidInput


def binomial_tail(successes: int, trials: int, rate: float) -> float:
    """Return P(X >= successes) for X ~ Binomial(trials, rate), with successes from 0 to trials + 1.

    The power of a test is the tail at its own limit, `binomial_tail(fails_at(400, 0.1), 400, truth)`.

    >>> binomial_tail(2, 2, 0.5)
    0.25
    """
    positive_integer("trials", trials)
    _check_successes(successes, trials + 1)
    _check_rate(rate)
    return _tail(successes, trials, rate)


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a rate: it covers the true rate with probability at least `level`.

    Each end misses with probability at most (1 - level) / 2 (Clopper and Pearson, 1934).

    >>> low, high = clopper_pearson(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    from scipy.special import betainccinv, betaincinv

    positive_integer("trials", trials)
    _check_successes(successes, trials)
    miss = (1 - probability("level", level)) / 2
    # low solves P(X >= k | low) = miss, and high solves P(X <= k | high) = miss
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, miss))
    high = 1.0 if successes == trials else float(betainccinv(successes + 1, trials - successes, miss))
    return low, high


def fails_at(trials: int, rate: float, alarm: float = 1e-6) -> int:
    """Return the fewest events that reject "the rate is at most `rate`": the smallest k with P(X >= k) <= alarm.

    A true claim is rejected with probability at most `alarm`.  The answer is `trials + 1` if no number of events
    rejects.

    >>> fails_at(400, 0.1)
    72
    """
    positive_integer("trials", trials)
    _check_rate(rate)
    probability("alarm", alarm)
    return bisect_left(range(trials + 1), True, key=lambda k: _tail(k, trials, rate) <= alarm)


def _tail(k: int, n: int, p: float) -> float:
    from scipy.special import betainc

    # P(X >= k) = I_p(k, n - k + 1), the regularised incomplete beta function
    if k == 0:
        return 1.0
    return 0.0 if k > n else float(betainc(k, n - k + 1, p))


def _check_successes(successes: int, most: int) -> None:
    if not isinstance(successes, int | np.integer) or isinstance(successes, bool) or not 0 <= successes <= most:
        raise InvalidInput(f"successes is {successes!r}; it must be a whole number from 0 to {most}.")


def _check_rate(rate: float) -> None:
    if nonnegative("rate", rate) > 1:
        raise InvalidInput(f"rate is {rate!r}; it must lie between 0 and 1.")


def anytime_interval(total: float, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return an interval of a mean that holds at every number of trials at once, with probability at least `level`.

    `total` is the sum of `trials` numbers in [0, 1] whose means, given those before them, are equal.  So one may look
    after every trial and stop when one likes.  With s = total and n = trials, the interval holds all p at which

        M_n(p) = B(s + 1/2, n - s + 1/2) / (B(1/2, 1/2) p^s (1 - p)^(n - s)) < 1 / (1 - level).

    M_n is a mixture over t of prod_i (t/p)^x_i ((1 - t)/(1 - p))^(1 - x_i).  Since a^x b^(1 - x) <= x a + (1 - x) b, it
    is a supermartingale that begins at 1, and Ville's inequality bounds the probability that it ever reaches a height.

    >>> low, high = anytime_interval(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.057)
    """
    from scipy.optimize import brentq
    from scipy.special import betaln, xlog1py, xlogy

    positive_integer("trials", trials)
    if not 0 <= number("total", total) <= trials:
        raise InvalidInput(f"total is {total!r}; a sum of {trials} numbers from 0 to 1 lies between 0 and {trials}.")
    miss, mean = 1.0 - probability("level", level), total / trials
    mixture = float(betaln(total + 0.5, trials - total + 0.5) - betaln(0.5, 0.5) + np.log(miss))

    def excess(p: float) -> float:
        """Return log(M_n(p)) - log(1 / (1 - level)), which falls up to the mean and rises from there on."""
        return mixture - float(xlogy(total, p) + xlog1py(trials - total, -p))

    least, most = float(np.nextafter(0.0, 1.0)), float(np.nextafter(1.0, 0.0))
    low = brentq(excess, least, mean, xtol=1e-15) if total > 0 and excess(least) > 0 else 0.0
    high = brentq(excess, mean, most, xtol=1e-15) if total < trials and excess(most) > 0 else 1.0
    return float(low), float(high)
