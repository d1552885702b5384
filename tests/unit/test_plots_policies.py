"""Every policy of the catalogue can be drawn and reported, on every kind of action set; a new one when it is listed."""

from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit import plots
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from tests.unit.test_contracts import ENVIRONMENTS, SPECS

FIRST = {type(spec): (spec, fitting[0]) for spec, fitting in reversed(SPECS)}
LINEAR = rb.RepLinUCB(horizon=300, rho=0.5, delta=0.05, noise=0.5)
CASES = [*FIRST.values(), (LINEAR, "ball"), (LINEAR, "linear contexts")]


@pytest.mark.parametrize(("spec", "name"), CASES, ids=str)
def test_every_policy_is_drawn_and_reported(spec: Any, name: str) -> None:
    env: Environment = ENVIRONMENTS[name]
    found = rb.audit(spec, env, pairs=3, rho=0.5, reference=spec)
    assert plots.calibration([found]).data["mismatch"].tolist() == [found.mismatch]
    if found.price is not None:
        assert plots.frontier([found]).data["price"].tolist() == [found.price.value]
    page = rb.report({"policy": found}, environments={"policy": env})
    assert found.digest in page
    assert page.count("</figure>") == 2


@pytest.mark.parametrize(("spec", "name"), CASES, ids=str)
def test_every_run_is_drawn(spec: Any, name: str) -> None:
    run = rb.simulate(spec, ENVIRONMENTS[name], seed=1, rng=np.random.default_rng(0))
    if (run.arms < 0).any():
        with pytest.raises(InvalidInput, match="points of a ball"):
            plots.allocation(run)
    else:
        data = dict(plots.allocation(run).data)
        rounds = data.pop("rounds")
        assert sum(data.values()) == pytest.approx(np.ones(len(rounds)))
    try:
        starts = plots.timeline({"policy": run}).data["policy"]
    except InvalidInput:
        assert isinstance(ENVIRONMENTS[name].actions, rb.Contexts)
    else:
        assert starts.tolist() == (run.starts + 1).tolist()
