"""Assertions for people who write their own: tests of random code, policies, environments."""

from replibandit.testing.environments import check_environment
from replibandit.testing.policies import check_policy
from replibandit.testing.rates import assert_rate_at_least, assert_rate_at_most

__all__ = ["assert_rate_at_least", "assert_rate_at_most", "check_environment", "check_policy"]
