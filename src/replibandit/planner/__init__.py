"""The planner: which policy, calibration and growth to register for a trial, and what it will cost.

`plan`              compares everything that is admissible, on a declared family of instances, by exact simulation
`smallest_rho`      the smallest rho that a horizon affords
`horizon_needed`    the horizon that a rho needs
"""

from replibandit.planner.answer import Choice, TrialPlan
from replibandit.planner.compare import plan
from replibandit.planner.inverse import horizon_needed, smallest_rho

__all__ = ["Choice", "TrialPlan", "horizon_needed", "plan", "smallest_rho"]
