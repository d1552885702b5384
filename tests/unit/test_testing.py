"""The assertions for random tests: where they fail, what they say, and that they refuse to be empty."""

from typing import Any

import numpy as np
import pytest

from replibandit.errors import InvalidInput
from replibandit.intervals import binomial_tail
from replibandit.testing import assert_rate_at_least, assert_rate_at_most


def at_most_fails(events: int, trials: int, **budget: float) -> bool:
    try:
        assert_rate_at_most(events, trials, rate=0.1, **budget)
    except AssertionError:
        return True
    return False


def at_least_fails(events: int, trials: int, **budget: float) -> bool:
    try:
        assert_rate_at_least(events, trials, rate=0.9, **budget)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize(("trials", "limit"), [(200, 44), (400, 72), (1000, 149)])
def test_fails_from_the_limit_on(trials: int, limit: int) -> None:
    assert [k for k in range(trials + 1) if at_most_fails(k, trials)] == [*range(limit, trials + 1)]
    assert [k for k in range(trials + 1) if at_least_fails(k, trials)] == [*range(trials - limit + 1)]


@pytest.mark.parametrize("alarm", [1e-2, 1e-6, 1e-12])
def test_false_alarm_and_power(alarm: float) -> None:
    limit = next(k for k in range(401) if at_most_fails(k, 400, alarm=alarm))
    assert binomial_tail(limit, 400, 0.1) <= alarm < binomial_tail(limit - 1, 400, 0.1)
    assert binomial_tail(limit, 400, 0.3) > 0.99  # a threefold rate is caught


def test_message_says_everything() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_rate_at_most(np.int64(80), np.int64(400), rate=np.float64(0.1))  # type: ignore[arg-type]
    assert str(caught.value) == (
        "80 of 400 trials had the event, but its rate is claimed to be at most 0.1. "
        "The claim fails at 72 or more (false alarm 1e-06); the 95 % interval of the rate is [0.1619, 0.2426]."
    )


def test_zero_and_one_are_claims_too() -> None:
    assert_rate_at_most(0, 10, rate=0.0)
    assert_rate_at_least(10, 10, rate=1.0)
    with pytest.raises(AssertionError, match="fails at 1 or more"):
        assert_rate_at_most(1, 10, rate=0.0)
    with pytest.raises(AssertionError, match="fails at 9 or fewer"):
        assert_rate_at_least(9, 10, rate=1.0)


def test_refuses_what_no_outcome_contradicts() -> None:
    assert_rate_at_most(19, 20, rate=0.5)
    with pytest.raises(InvalidInput, match=r"no outcome of 19 trials contradicts a rate of at most 0\.5"):
        assert_rate_at_most(0, 19, rate=0.5)
    with pytest.raises(InvalidInput, match=r"a rate of at least 0\.5 .* so this test cannot fail"):
        assert_rate_at_least(19, 19, rate=0.5)
    with pytest.raises(InvalidInput, match="at most 1"):
        assert_rate_at_most(0, 10**6, rate=1.0)
    with pytest.raises(InvalidInput, match="at least 0"):
        assert_rate_at_least(10**6, 10**6, rate=0.0)


@pytest.mark.parametrize(
    ("events", "trials", "rate", "message"),
    [
        (-1, 400, 0.1, "events is -1; it must be a whole number from 0 to 400"),
        (401, 400, 0.1, "events is 401"),
        (float("nan"), 400, 0.1, "events is nan"),
        (1.5, 400, 0.1, "events is 1.5"),
        (1, 0, 0.1, "trials is 0"),
        (1, 400, 1.5, "rate is 1.5; it must lie between 0 and 1"),
        (1, 400, float("nan"), "rate is nan"),
    ],
)
def test_refuses_what_is_not_a_count_or_a_rate(events: Any, trials: Any, rate: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        assert_rate_at_most(events, trials, rate=rate)
    with pytest.raises(InvalidInput, match=message):
        assert_rate_at_least(events, trials, rate=rate)
