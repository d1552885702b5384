"""Specs: what would be pre-registered; text and back, digests, and every wrong setting refused in words."""

import json
import re
from dataclasses import FrozenInstanceError, asdict, replace
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.catalog import POLICIES
from replibandit.errors import InvalidInput

UCB = rb.RepUCB(horizon=1000, rho=0.1)
LIN = rb.RepLinUCB(horizon=1000, rho=0.1, delta=0.01, noise=0.3)
GLM = rb.RepGLMUCB(horizon=10**12, rho=1 / 3, delta=0.01, noise=0.3, link="probit", norm_bound=2.5)
COMMIT = rb.RepCommit(horizon=1000, rho=0.1)
ELIMINATE = rb.RepEliminate(horizon=1000, rho=0.1)
SPECS: list[Any] = [UCB, LIN, GLM, COMMIT, ELIMINATE]
ODD_NUMBERS: list[Any] = [np.nan, np.inf, 0, -1.0, "0.1", None, True, [0.1], 10**400, 1j]
ODD_COUNTS: list[Any] = [0, -3, 2.0, np.nan, "ten", None, True, [1], 10**30, 1e3]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: type(spec).__name__)
def test_text_and_back(spec: Any) -> None:
    text = rb.to_json(spec)
    assert rb.from_json(text) == spec
    assert rb.to_json(rb.from_json(text)) == text
    assert rb.digest(rb.from_json(text)) == rb.digest(spec)
    assert json.loads(text)["policy"] == type(spec).__name__ in POLICIES


def test_equal_specs_have_equal_digests_and_others_do_not() -> None:
    as_integer, as_numpy = replace(UCB, noise=1), replace(UCB, horizon=np.int64(1000), rho=0.1)  # type: ignore[arg-type]
    assert replace(UCB, noise=1.0) == as_integer
    assert rb.digest(replace(UCB, noise=1.0)) == rb.digest(as_integer)
    assert as_numpy == UCB
    assert rb.digest(as_numpy) == rb.digest(UCB)
    assert rb.to_json(as_numpy) == rb.to_json(UCB)
    changes: list[dict[str, Any]] = [{"rho": 0.2}, {"horizon": 999}, {"noise": 0.4}]
    digests = {rb.digest(replace(spec, **change)) for spec in SPECS for change in changes}
    assert len(digests | {rb.digest(spec) for spec in SPECS}) == len(SPECS) * (1 + len(changes))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: type(spec).__name__)
def test_specs_are_frozen_and_keyword_only(spec: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        spec.rho = 0.2
    with pytest.raises(TypeError):
        type(spec)(*asdict(spec).values())


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: type(spec).__name__)
def test_every_setting_is_checked(spec: Any) -> None:
    """An odd value is refused as an argument and within a JSON text, by name."""
    for name in asdict(spec):
        if getattr(spec, name) is None:
            continue  # a schedule of one's own: see below
        odd = ODD_COUNTS if name == "horizon" else ODD_NUMBERS
        for value in ["nonsense", 3, None] if isinstance(getattr(spec, name), str) else odd:
            with pytest.raises(InvalidInput, match=f"{name} is "):
                replace(spec, **{name: value})
            if not isinstance(value, complex):
                with pytest.raises(InvalidInput, match=f"{name} is "):
                    rb.from_json(json.dumps({**json.loads(rb.to_json(spec)), name: value}))


ODD_SCHEDULES: list[tuple[dict[str, Any], str]] = [
    ({"batches": 0}, "batches is 0; it must be a whole number, 1 or above"),
    ({"batches": 2.0}, "batches is 2.0; it must be a whole number"),
    ({"growth": 1.0}, "growth is 1.0; it must be above 1"),
    ({"growth": float("inf")}, "growth is inf; it must be a finite number above 0"),
    ({"budgets": 0.1}, "budgets is 0.1; it must be a sequence of numbers, one for each batch"),
    ({"budgets": ()}, "budgets is (); it must be a sequence"),
    ({"budgets": "uniform"}, "budgets is 'uniform'; words are for calibration='sharp'"),
    ({"budgets": (0.1, -0.05)}, "budgets[1] is -0.05; it must be a finite number above 0"),
    ({"budgets": (0.1, 0.5)}, "budgets add up to 0.6; they must add up to rho = 0.5 at most"),
    ({"delta_budgets": (0.1, 0.1)}, "delta_budgets add up to 0.2; they must add up to delta = 0.1 at most"),
    ({"budgets": (0.1, 0.1), "batches": 3}, "budgets has 2 entries for 3 batches; give one for each batch"),
    ({"budgets": (0.1, 0.1), "delta_budgets": (0.01,)}, "delta_budgets has 1 entries for 2 batches"),
]


@pytest.mark.parametrize("spec", [LIN, GLM], ids=lambda spec: type(spec).__name__)
@pytest.mark.parametrize(("schedule", "words"), ODD_SCHEDULES, ids=lambda part: str(part)[:30])
def test_a_schedule_of_ones_own_is_checked(spec: Any, schedule: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(words)):
        replace(spec, **{"rho": 0.5, "delta": 0.1, **schedule})


@pytest.mark.parametrize("spec", [LIN, GLM], ids=lambda spec: type(spec).__name__)
def test_a_schedule_is_part_of_the_spec(spec: Any) -> None:
    own = replace(spec, rho=0.5, budgets=[0.25, 0.125, 0.125], growth=4, batches=3)
    assert own.budgets == (0.25, 0.125, 0.125)
    assert rb.from_json(rb.to_json(own)) == own
    assert rb.digest(own) != rb.digest(replace(own, budgets=None))
    assert "budgets" not in rb.to_json(spec)


@pytest.mark.parametrize("spec", [LIN, GLM], ids=lambda spec: type(spec).__name__)
def test_the_budgets_of_every_batch_are_admissible(spec: Any) -> None:
    own = replace(spec, rho=0.5, delta=0.1, budgets=(0.05, 0.4))
    words = "batch 0 has the budgets rho_b = 0.05 and delta_b = 0.05; the theorem needs rho_b > 2 delta_b"
    with pytest.raises(InvalidInput, match=words):
        own.plan(3)


@pytest.mark.parametrize("spec", [LIN, GLM], ids=lambda spec: type(spec).__name__)
def test_rho_exceeds_three_delta(spec: Any) -> None:
    for rho, delta in ((0.03, 0.01), (0.02, 0.01), (1.0, 0.01), (0.3, 0.1)):
        if rho == 3 * delta or rho < 3 * delta:
            with pytest.raises(InvalidInput, match=r"needs rho > 3 delta\. Lower delta below .* or raise rho above"):
                replace(spec, rho=rho, delta=delta)
        else:
            with pytest.raises(InvalidInput, match="rho is"):
                replace(spec, rho=rho, delta=delta)


def test_rep_ucb_needs_a_horizon_of_two_over_rho() -> None:
    assert rb.RepUCB(horizon=20, rho=0.1).horizon == 20
    with pytest.raises(
        InvalidInput, match=r"horizon is 19 and rho is 0\.1; RepUCB needs horizon >= 2/rho = 20\. Raise"
    ):
        rb.RepUCB(horizon=19, rho=0.1)


@pytest.mark.parametrize(("link", "reach"), [("logistic", 800.0), ("probit", 40.0), ("log", 800.0)])
def test_a_link_needs_a_slope(link: str, reach: float) -> None:
    changes: list[dict[str, Any]] = [{"norm_bound": reach}, {"norm_bound": 1.0, "action_bound": reach}]
    for change in changes:
        with pytest.raises(InvalidInput, match=r"c_mu, the least slope .* is 0\. Lower norm_bound or action_bound"):
            replace(GLM, link=link, **change)


ODD_TEXTS: list[Any] = [
    "",
    "{",
    rb.to_json(LIN)[:-1],
    "[]",
    "3",
    "null",
    '"RepUCB"',
    "{}",
    '{"policy": "UCB9000"}',
    '{"policy": ["RepUCB"]}',
    '{"policy": {"RepUCB": 1}}',
    '{"policy": null}',
    '{"policy": "RepUCB"}',
    '{"policy": "RepUCB", "horizon": 1000, "rho": 0.1, "penalty": 3}',
    '{"policy": "RepUCB", "horizon": 1' + "0" * 5000 + ', "rho": 0.1}',
    b"\xff",
    None,
    3,
]


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: str(text)[:30])
def test_other_texts_are_not_specs(text: Any) -> None:
    with pytest.raises(InvalidInput, match=r"spec|RepUCB"):
        rb.from_json(text)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: type(spec).__name__)
def test_a_missing_setting_is_named(spec: Any) -> None:
    for gone in ("horizon", "rho"):
        settings = json.loads(rb.to_json(spec))
        del settings[gone]
        with pytest.raises(InvalidInput, match=gone):
            rb.from_json(json.dumps(settings))


def test_what_start_refuses() -> None:
    table = np.eye(2) / 2
    small = rb.RepUCB(horizon=4, rho=0.5)
    calls: list[tuple[Any, dict[str, Any], str]] = [
        (LIN, {}, "not both"),
        (LIN, {"actions": table, "dim": 2}, "not both"),
        (LIN, {"dim": 0}, "dim is 0"),
        (LIN, {"dim": True}, "dim is True"),
        (LIN, {"actions": 3}, "needs vectors"),
        (LIN, {"actions": rb.Contexts.of(np.zeros((5, 1, 2)))}, "change from round to round"),
        (LIN, {"actions": rb.Ball(1.5, 2)}, "action_bound"),
        (LIN, {"actions": 3 * table}, "action_bound"),
        (LIN, {"actions": [[0.5], [0.5, 0.5]]}, "actions"),
        (LIN, {"actions": "abc"}, "actions"),
        (GLM, {"actions": rb.Ball(1.0, 2)}, "ball"),
        (small, {"actions": 5}, "horizon is 4 with 5 arms"),
        (small, {"actions": 0}, "arms is 0"),
        (small, {"actions": 2.0}, "arms is 2.0"),
        (small, {"actions": rb.Ball(1.0, 2)}, "plays arms"),
        (small, {"dim": 2}, "RepUCB"),
    ]
    for spec, settings, words in calls:
        with pytest.raises(InvalidInput, match=words):
            rb.start(spec, seed="s", **settings)
    for seed in (None, 1.5, True, b"x"):
        with pytest.raises(InvalidInput, match="seed is"):
            rb.start(LIN, actions=table, seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "spec",
    [
        rb.RepUCB(horizon=3, rho=0.7),
        rb.RepLinUCB(horizon=1, rho=0.5, delta=0.1, noise=0.5),
        rb.RepGLMUCB(horizon=1, rho=0.5, delta=0.1, noise=0.5, link="logistic"),
    ],
    ids=lambda spec: type(spec).__name__,
)
def test_the_smallest_experiments(spec: Any) -> None:
    """One action, one dimension, a round or two; and nothing but the zero vector."""
    sets: list[Any] = [1] if isinstance(spec, rb.RepUCB) else [np.array([[0.5]]), np.array([[0.0]])]
    for actions in sets:
        session: Any = rb.start(spec, actions=actions, seed="s")
        for t in range(spec.horizon):
            decision = session.ask()
            assert (decision.round, decision.arm) == (t, 0)
            session.tell(decision, 1.0)
        with pytest.raises(rb.errors.HorizonReached):
            session.ask()
