"""The rows that RepGLM has seen, which its fit needs one by one."""

from dataclasses import dataclass

import numpy as np

from replibandit.arithmetic import Scale
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """The rows seen and their grid; two of the same grid are put together with `+`, and the order does not matter."""

    scale: Scale
    X: FloatArray
    y: FloatArray

    def __add__(self, other: "Rows") -> "Rows":
        if self.scale != other.scale:
            raise InvalidInput(
                f"rows on the grids {self.scale} and {other.scale} cannot be merged. Declare the same bounds "
                "before both."
            )
        return Rows(scale=self.scale, X=np.concatenate([self.X, other.X]), y=np.concatenate([self.y, other.y]))
