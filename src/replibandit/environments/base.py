"""What an environment is: it knows the truth, and draws the sum of the rewards of a decision at once.

No environment takes a key.  The theorems need noise that is centred given the past and the key: an environment that
knew the grid could place its rewards beside a boundary.
"""

from typing import Any, Protocol

import numpy as np

from replibandit.arrays import FloatArray, IntArray
from replibandit.policies.base import Pull


class Environment(Protocol):
    """A bandit instance: its action set, its rewards, and how much every decision loses."""

    @property
    def actions(self) -> Any:
        """The number of arms, or an action set."""

    def draw(self, pull: Pull, rng: np.random.Generator, start: IntArray) -> FloatArray:
        """Return the sum of the rewards of each decision, which stands from round `start` (from 0) on."""

    def gaps(self, pull: Pull, start: IntArray) -> FloatArray:
        """Return the expected loss of one round of each decision against the best action of that round."""
