"""Assertions about rates, with an error budget.

With `alarm=1e-6` a correct program fails one test in a million, whatever the seed; how wrong a program must be to be
caught is a matter of the number of trials.  Power of `assert_rate_at_most`:

    trials   claimed rate   fails at   caught if the truth is 1.5 times the claim      2 times      3 times
       200            0.1         44                                        0.5 %         26 %       99.6 %
       400            0.1         72                                          6 %         86 %        100 %
      1000            0.1        149                                         55 %        100 %        100 %
"""

import numpy as np

from replibandit.checks import positive_integer
from replibandit.errors import InvalidInput
from replibandit.intervals import clopper_pearson, fails_at


def assert_rate_at_most(events: int, trials: int, *, rate: float, alarm: float = 1e-6) -> None:
    """Fail if `events` of `trials` contradict "an event has probability at most `rate`".

    A true claim fails with probability at most `alarm`; of 400 trials at rate 0.1, 72 events fail, and a true rate
    of 0.2 is caught with probability 0.86.  Trials too few to contradict the claim at all are refused.

    >>> assert_rate_at_most(71, 400, rate=0.1)
    >>> assert_rate_at_most(72, 400, rate=0.1)
    Traceback (most recent call last):
    AssertionError: 72 of 400 trials had the event, but its rate is claimed to be at most 0.1.
    The claim fails at 72 or more (false alarm 1e-06); the 95 % interval of the rate is [0.1436, 0.2212].
    """
    __tracebackhide__ = True
    _check(events, trials, rate)
    limit = fails_at(trials, rate, alarm)
    if limit > trials:
        raise InvalidInput(_too_few(trials, f"at most {rate}", alarm))
    if events >= limit:
        raise AssertionError(_verdict(events, trials, f"at most {rate}", f"{limit} or more", alarm))


def assert_rate_at_least(events: int, trials: int, *, rate: float, alarm: float = 1e-6) -> None:
    """Fail if `events` of `trials` contradict "an event has probability at least `rate`".

    A true claim fails with probability at most `alarm`; of 400 trials at rate 0.9, 328 events fail, and a true rate
    of 0.8 is caught with probability 0.86.  Trials too few to contradict the claim at all are refused.

    >>> assert_rate_at_least(329, 400, rate=0.9)
    >>> assert_rate_at_least(328, 400, rate=0.9)
    Traceback (most recent call last):
    AssertionError: 328 of 400 trials had the event, but its rate is claimed to be at least 0.9.
    The claim fails at 328 or fewer (false alarm 1e-06); the 95 % interval of the rate is [0.7788, 0.8564].
    """
    __tracebackhide__ = True
    _check(events, trials, rate)
    # P(X <= k) at the rate p is P(X' >= n - k) at the rate 1 - p, X' = n - X being the non-events
    limit = trials - fails_at(trials, 1 - rate, alarm)
    if limit < 0:
        raise InvalidInput(_too_few(trials, f"at least {rate}", alarm))
    if events <= limit:
        raise AssertionError(_verdict(events, trials, f"at least {rate}", f"{limit} or fewer", alarm))


def _check(events: int, trials: int, rate: float) -> None:
    positive_integer("trials", trials)
    if not isinstance(events, int | np.integer) or isinstance(events, bool) or not 0 <= events <= trials:
        raise InvalidInput(f"events is {events!r}; it must be a whole number from 0 to {trials}, the number of trials.")
    if not 0 <= rate <= 1:
        raise InvalidInput(f"rate is {rate!r}; it must lie between 0 and 1.")


def _verdict(events: int, trials: int, claim: str, limit: str, alarm: float) -> str:
    low, high = clopper_pearson(events, trials)
    return (
        f"{events} of {trials} trials had the event, but its rate is claimed to be {claim}. "
        f"The claim fails at {limit} (false alarm {alarm:g}); the 95 % interval of the rate is [{low:.4g}, {high:.4g}]."
    )


def _too_few(trials: int, claim: str, alarm: float) -> str:
    return (
        f"no outcome of {trials} trials contradicts a rate of {claim} at a false alarm of {alarm:g}, "
        "so this test cannot fail. Take more trials, or claim a rate that trials can contradict."
    )
