"""A live session says what it waits for, and refuses what is wrong without a trace."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.errors import AwaitingRewards, HorizonReached, InvalidInput, NotPositiveDefinite
from tests.reference.routes import CASES, Case, round_by_round, world

TABLE = np.array([[0.6, 0.0], [0.0, 0.6], [0.5, 0.5]])
KINDS = ["arms", "finite", "ball", "contexts"]
LIN = rb.RepLinUCB(horizon=8, rho=0.5, delta=0.1, noise=0.5)


def begun(kind: str) -> tuple[Any, Callable[[], Any]]:
    """Begin a session, and return it with its `ask`."""
    if kind == "contexts":
        session: Any = rb.start(LIN, dim=2, seed="s")
        return session, lambda: session.ask(actions=TABLE)
    if kind == "arms":
        session = rb.start(rb.RepUCB(horizon=8, rho=0.5), actions=2, seed="s")
    else:
        session = rb.start(LIN, actions=TABLE if kind == "finite" else rb.Ball(1.0, 2), seed="s")
    return session, session.ask


def waiting(kind: str) -> Any:
    """Return a session in its first batch of two rounds or more, all of it asked for."""
    session, ask = begun(kind)
    while True:
        try:
            ask()
        except AwaitingRewards:
            if len(session.open) > 1:
                return session
            session.tell(session.open[0], 0.5)


def refused(session: Any, act: Callable[[], object], error: type[Exception] = InvalidInput) -> str:
    """Check that `act` raises and that the session is as before; return what it said."""
    before, fingerprint = session.to_json(), session.fingerprint
    with pytest.raises(error) as caught:
        act()
    assert type(caught.value) is error
    assert (session.to_json(), session.fingerprint) == (before, fingerprint)
    return str(caught.value)


ODD_REWARDS = [np.nan, np.inf, -np.inf, 1e9, -8192.0, 10**400, None, "1", True, [1.0], 1j, np.array([1.0])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reward", ODD_REWARDS, ids=lambda reward: str(reward)[:12])
def test_a_reward_is_a_number_of_a_likely_size(kind: str, reward: Any) -> None:
    session = waiting(kind)
    said = refused(session, lambda: session.tell(session.open[0], reward))
    assert said.startswith("reward is ")
    assert "must be" in said or "too large" in said


@pytest.mark.parametrize("kind", KINDS)
def test_telling_twice(kind: str) -> None:
    """The same value does nothing: now, after the batch has closed, after a restore; another value is an error."""
    session = waiting(kind)
    first, *rest = session.open
    session.tell(first, 0.25)
    before = session.to_json()
    session.tell(first, 0.25)
    assert session.to_json() == before
    assert "was told 0.25 before" in refused(session, lambda: session.tell(first, 0.5))
    for decision in rest:
        session.tell(decision, 1.0)
    assert session.open == []
    for now in (session, rb.restore(session.to_json())):
        closed = now.to_json()
        now.tell(first, 0.25)
        now.tell(first, 0.25 + 1e-15)  # the same point of the rewards' grid
        assert now.to_json() == closed
        said = refused(now, lambda now=now: now.tell(first, 0.5))  # type: ignore[misc]
        assert said.startswith(f"reward is 0.5 for round {first.round}, which was told 0.25 before")


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_that_were_not_asked_for(kind: str) -> None:
    session = waiting(kind)
    known = session.open[0]
    odd: Any = rb.Decision
    strangers = [
        odd(99, known.arm),
        odd(-1, known.arm),
        odd(known.round, known.arm + 1),
        odd(known.round + 0.5, known.arm),
        odd("a", known.arm),
        odd(None, known.arm),
        odd(known.round, None),
        None,
        known.round,
        "a",
    ]
    for stranger in strangers:
        said = refused(session, lambda stranger=stranger: session.tell(stranger, 0.5))  # type: ignore[misc]
        assert "was not asked for in this session" in said


@pytest.mark.parametrize("kind", ["ball", "contexts"])
def test_the_decision_of_another_session(kind: str) -> None:
    """Round and index agree, the action does not."""
    session = waiting(kind)
    known = session.open[0]
    assert known.vector is not None
    foreign = rb.Decision(known.round, known.arm, -known.vector)
    assert "was not asked for" in refused(session, lambda: session.tell(foreign, 0.5))


@pytest.mark.parametrize("kind", ["finite", "ball", "contexts"])
def test_a_caller_cannot_reach_into_a_session(kind: str) -> None:
    """Whoever writes on the vector of a decision, if that is allowed, writes on a copy."""

    def played(overwrite: bool) -> Any:
        session, ask = begun(kind)
        for _ in range(LIN.horizon):
            decision = ask()
            answered = rb.Decision(decision.round, decision.arm, decision.vector.copy())
            if overwrite and decision.vector.flags.writeable:
                decision.vector[:] = 0.5
            session.tell(answered, 1.0)
        return session

    touched, untouched = played(True), played(False)
    assert touched.fingerprint == untouched.fingerprint
    assert touched.to_json() == untouched.to_json()


@pytest.mark.parametrize("kind", KINDS)
def test_awaiting_rewards_names_the_open_rounds(kind: str) -> None:
    session, ask = begun(kind)
    while len(session.open) < 2:
        try:
            ask()
        except AwaitingRewards:
            session.tell(session.open[0], 0.5)
    while True:
        due = [decision.round for decision in session.open]
        try:
            ask()
        except AwaitingRewards:
            break
    said = refused(session, ask, AwaitingRewards)
    assert f"rounds {', '.join(map(str, due))}. Tell them first." in said
    for decision in session.open[1:]:
        session.tell(decision, 0.5)
    assert f" {due[0]}. Tell" in refused(session, ask, AwaitingRewards)
    session.tell(session.open[0], 0.5)
    assert session.open == []
    assert ask().round == due[-1] + 1


def test_a_long_wait_is_told_in_short() -> None:
    spec = rb.RepUCB(horizon=64, rho=0.5)
    session: Any = rb.start(spec, actions=1, seed="s")
    for _ in range(16):
        session.tell(session.ask(), 0.5)
    for _ in range(16):
        session.ask()
    assert "rounds 16, 17, 18, 19, 20 and 11 more." in refused(session, session.ask, AwaitingRewards)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_nothing_is_decided_past_the_horizon(case: Case) -> None:
    here = world(case, 12, data=6)
    session = round_by_round(here, "a")
    said = refused(session, lambda: here.ask(session, 0), HorizonReached)
    assert said.startswith("all 12 rounds have been decided")
    assert session.open == []
    assert rb.restore(session.to_json()).to_json() == session.to_json()


ODD_SETS: list[Any] = [
    np.ones((2, 3)),
    np.zeros((0, 2)),
    np.ones((2, 0)),
    np.array([0.5, 0.5]),
    np.ones((1, 2, 2)) / 2,
    [[np.nan, 0.0]],
    [[np.inf, 0.0]],
    [[1.0, 0.1]],
    [[1e300, 1e300]],
    [[0.5], [0.5, 0.5]],
    [["a", "b"]],
    "abc",
    None,
]


@pytest.mark.parametrize("actions", ODD_SETS, ids=lambda actions: str(actions)[:20])
def test_a_set_is_a_table_of_vectors_within_the_bound(actions: Any) -> None:
    session: Any = rb.start(LIN, dim=2, seed="s")
    assert "action" in refused(session, lambda: session.ask(actions=actions))
    assert session.ask(actions=TABLE).round == 0
    with pytest.raises(InvalidInput, match="action"):
        rb.start(LIN, actions=actions, seed="s")


@pytest.mark.parametrize("kind", ["finite", "contexts"])
def test_a_failed_update_leaves_no_trace(kind: str) -> None:
    """A penalty below the rounding errors leaves a matrix without a factor; the reward is then not told."""
    spec = rb.RepLinUCB(horizon=50, rho=0.5, delta=0.1, noise=0.5, penalty=1e-20)
    table = np.array([[0.9, 0.3], [0.27, 0.09]])
    settings: dict[str, Any] = {"dim": 2} if kind == "contexts" else {"actions": table}
    session: Any = rb.start(spec, seed="s", **settings)
    for _ in range(spec.horizon):
        before = session.to_json()
        try:
            decision = session.ask(actions=table) if kind == "contexts" else session.ask()
            before = session.to_json()
            session.tell(decision, 1.0)
        except NotPositiveDefinite:
            break
    else:
        pytest.fail("every matrix had a factor")
    assert session.to_json() == before


def record(case: Case) -> str:
    here = world(case, 50, data=7)
    session = here.start("a")
    for t in itertools.count():
        try:
            decision = here.ask(session, t)
        except AwaitingRewards:
            break
        if t < 2:
            here.tell(session, decision)
    text: str = session.to_json()
    return text


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_record_is_whole(case: Case) -> None:
    text = record(case)
    for cut in range(0, len(text), 97):
        with pytest.raises(InvalidInput, match=r"not a session record"):
            rb.restore(text[:cut])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_record_has_all_its_parts(case: Case) -> None:
    parts = json.loads(record(case))
    for gone in parts:
        with pytest.raises(InvalidInput, match="record"):
            rb.restore(json.dumps({name: part for name, part in parts.items() if name != gone}))


ODD_PARTS: list[Any] = ["x", None, [], {}, 3.5, -1, [[]], [1], ["x", "y"]]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_record_has_parts_of_the_right_kind(case: Case) -> None:
    parts = json.loads(record(case))
    for name in parts:
        for odd in [odd for odd in ODD_PARTS if odd != parts[name]]:
            with pytest.raises(InvalidInput):
                rb.restore(json.dumps({**parts, name: odd}))


@pytest.mark.parametrize("text", [None, 3, b"\xff", "", "[]", "{}", "3", '"x"', rb.to_json(LIN)], ids=str)
def test_other_texts_are_not_records(text: Any) -> None:
    with pytest.raises(InvalidInput, match="not a session record"):
        rb.restore(text)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_records_of_other_versions(case: Case) -> None:
    text = record(case)
    for other in (text.replace("session.1", "session.2"), text.replace('"Plan"', '"Plot"').replace('"Key"', '"Lock"')):
        assert other != text
        with pytest.raises(InvalidInput, match=r"record"):
            rb.restore(other)
