"""An audit read from a text that was cut, or changed by hand: refused in words, and never half read."""

import json
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.errors import InvalidInput

LISTS = ("rounds", "causes", "risk", "regret", "checkpoints", "curve", "curve_error")
WRONG: tuple[Any, ...] = (None, "x", -1, 1.5, [], {}, [1], ["a"], float("inf"), [None], [[1]])
MAY_BE_NONE = ("risk", "spent", "reference", "reference_regret")


@pytest.fixture(scope="module")
def text() -> str:
    arms = rb.BernoulliArms(means=np.array([0.2, 0.7]))
    found = rb.audit(rb.RepUCB(horizon=1000, rho=0.1), arms, pairs=4, reference=rb.UCB1(horizon=1000))
    return found.to_json()


def test_a_whole_text_is_read(text: str) -> None:
    assert rb.Audit.from_json(text).to_json() == text


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_was_cut_is_named(name: str, text: str) -> None:
    data = json.loads(text)
    data[name].pop()
    with pytest.raises(InvalidInput, match=r"the audit is damaged: .*Read what `to_json` wrote"):
        rb.Audit.from_json(json.dumps(data))


@pytest.mark.parametrize("name", [*LISTS, "spec", "horizon", "replicates", "reference", "reference_regret", "tally"])
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_a_part_of_another_kind_is_refused(name: str, value: Any, text: str) -> None:
    data = {**json.loads(text), name: value}
    if value is None and name in MAY_BE_NONE:
        assert rb.Audit.from_json(json.dumps(data)).to_json() == json.dumps(data)
        return
    with pytest.raises(InvalidInput, match=r"to_json"):
        rb.Audit.from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("name", "value"), [("rho", 0.0), ("rho", "x"), ("level", 1.0), ("differing", [2.0] * 4), ("anytime", "x")]
)
def test_a_wrong_tally_is_refused(name: str, value: Any, text: str) -> None:
    data = json.loads(text)
    data["tally"][name] = value
    with pytest.raises(InvalidInput, match=r"to_json"):
        rb.Audit.from_json(json.dumps(data))


@pytest.mark.parametrize("cause", [{"name": "x"}, {"name": [1.5], "place": 0, "apart": 0.1, "distance": 0.1}, "", []])
def test_a_wrong_cause_is_refused(cause: Any, text: str) -> None:
    data = json.loads(text)
    data["causes"][0] = cause
    with pytest.raises(InvalidInput, match=r"to_json"):
        rb.Audit.from_json(json.dumps(data))
