"""The regret that a theorem allows to a spec."""

from typing import Any

from replibandit.bounds.arms import ARMS
from replibandit.bounds.bound import Bounds
from replibandit.bounds.instance import Gaps, Instance, instance_of
from replibandit.bounds.linear import LINEAR, worst_case
from replibandit.bounds.phased import PHASED
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput


def bounds(spec: Any, env: Environment | None = None, *, gaps: Gaps | None = None, dim: int | None = None) -> Bounds:
    """Return the explicit right-hand side of the theorem on the regret of `spec`, and what it is made of.

    In place of an environment, `gaps` are those of all arms (the best arm's is 0), or `dim` is the dimension of the
    actions.  Bounds for linear rewards are the worst case over all designs and, without an environment, all gaps.

    >>> from replibandit.policies.rep_ucb import RepUCB
    >>> bound = bounds(RepUCB(horizon=10**12, rho=0.1), gaps=[0.0, 0.5])
    >>> f"{bound.regret:.4g} {bound.holds}", bound.informative, bound.ingredients["calls"]
    ('4.055e+08 in expectation', True, 82.0)
    """
    return statement(spec, instance_of(env, gaps, dim))


def statement(spec: Any, instance: Instance) -> Bounds:
    """Return the bound of `spec` on an instance."""
    entry = entry_of(spec)
    if entry in PHASED:
        return PHASED[entry](spec, instance)
    if entry in ARMS:
        if instance.gaps is None:
            raise InvalidInput(
                f"the bound of {entry[0].__name__} needs the gap of every arm; give an environment with arms or one "
                "finite set, or gaps=."
            )
        spec.init(len(instance.gaps), [])  # a horizon below the number of arms is refused there
        return ARMS[entry](spec, instance.gaps)
    if (dim := instance.dim_of(spec)) is None:
        raise InvalidInput(
            f"the bound of {entry[0].__name__} needs the dimension of the actions; give an environment whose actions "
            "are vectors, or dim=."
        )
    return LINEAR[entry](spec, worst_case(spec, dim, instance.largest, instance.candidates))


def entry_of(spec: Any) -> tuple[type[Any], str | None]:
    """Return the entry of `spec` in the tables: a policy, and its calibration if it has one."""
    entry = type(spec), getattr(spec, "calibration", None)
    if entry not in ARMS and entry not in PHASED and entry not in LINEAR:
        known = ", ".join(dict.fromkeys(policy.__name__ for policy, _ in (*ARMS, *PHASED, *LINEAR)))
        calibration = "" if entry[1] is None else f" with calibration {entry[1]!r}"
        raise InvalidInput(
            f"no finite-time bound is stated for {entry[0].__name__}{calibration}; there is one for {known}."
        )
    return entry
