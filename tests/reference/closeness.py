"""How close the decisions of a transcription came to going the other way."""

import math


class Closeness:
    """Keep the smallest relative distance to a tie, to a grid boundary or to a threshold.

    A transcription in plain floats and the strict arithmetic may differ in the last bits.  Where `least` is far above
    them, a different action is a disagreement about the algorithm, not about rounding.
    """

    def __init__(self) -> None:
        self.least = math.inf

    def note(self, distance: float) -> None:
        self.least = min(self.least, distance)

    def choice(self, scores: list[float]) -> None:
        """Note the lead of the best score over the second."""
        if len(scores) > 1:
            second, best = sorted(scores)[-2:]
            self.note((best - second) / max(abs(best), abs(second)))

    def cell(self, position: float) -> None:
        """Note the distance of a position on the grid, in cells, to the next boundary."""
        self.note(min(position - math.floor(position), math.ceil(position) - position) / max(1.0, abs(position)))
