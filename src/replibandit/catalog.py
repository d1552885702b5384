"""The policies by name, and specs as text."""

import json
from dataclasses import asdict, fields
from typing import Any

from replibandit.errors import InvalidInput
from replibandit.fingerprint import Setting, fingerprint
from replibandit.policies.glm_ucb import GLMUCB
from replibandit.policies.lin_ucb import LinUCB
from replibandit.policies.rep_commit import RepCommit
from replibandit.policies.rep_eliminate import RepEliminate
from replibandit.policies.rep_glm_ucb import RepGLMUCB
from replibandit.policies.rep_lin_ucb import RepLinUCB
from replibandit.policies.rep_ucb import RepUCB
from replibandit.policies.thompson import Thompson
from replibandit.policies.ucb1 import UCB1

_REPLICABLE = (RepUCB, RepLinUCB, RepGLMUCB, RepCommit, RepEliminate)
_REFERENCES = (UCB1, LinUCB, GLMUCB, Thompson)

POLICIES: dict[str, type[Any]] = {policy.__name__: policy for policy in (*_REPLICABLE, *_REFERENCES)}


def spec_settings(spec: Any) -> dict[str, Setting]:
    """Return the name and the settings of a spec as plain values.

    A setting that is None is left to the algorithm and not named: a new one does not rename the specs that there are.
    """
    given = {name: value for name, value in asdict(spec).items() if value is not None}
    return {"policy": type(spec).__name__, **given}


def digest(spec: Any) -> str:
    """Return the fingerprint of a spec: equal exactly for equal specs."""
    return fingerprint("Spec", spec_settings(spec))


def to_json(spec: Any) -> str:
    """Return a spec as JSON, to be pre-registered.

    >>> print(to_json(RepUCB(horizon=1000, rho=0.1)))
    {"policy": "RepUCB", "horizon": 1000, "rho": 0.1, "noise": 0.5, "calibration": "paper"}
    """
    return json.dumps(spec_settings(spec))


def from_json(text: str) -> Any:
    """Return the spec that `to_json` wrote.

    >>> from_json(to_json(RepCommit(horizon=1000, rho=0.1)))
    RepCommit(horizon=1000, rho=0.1, noise=0.5, growth=4, calibration='sharp')
    """
    if not isinstance(text, str):
        raise InvalidInput(f"the spec is a {type(text).__name__}; it must be the text that to_json wrote.")
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"the spec is not JSON: {error}. Write specs with to_json.") from None
    if not isinstance(settings, dict) or str(settings.get("policy")) not in POLICIES:
        raise InvalidInput(f"the spec has no known policy; 'policy' must be one of {', '.join(POLICIES)}.")
    policy = POLICIES[settings.pop("policy")]
    known = {field.name for field in fields(policy)}
    if extra := set(settings) - known:
        raise InvalidInput(f"{policy.__name__} has no setting {sorted(extra)}; its settings are {sorted(known)}.")
    try:
        return policy(**settings)
    except TypeError as error:
        raise InvalidInput(f"the spec is incomplete: {error}.") from None
