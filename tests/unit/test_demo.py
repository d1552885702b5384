"""The demonstration: six policies, what they promise and keep, one table, one page, the same every time."""

from html import unescape

import pytest

from replibandit import demo
from replibandit.catalog import POLICIES, from_json
from replibandit.findings import Audit
from replibandit.verdict import NOT_REPLICABLE

PAIRS = 20


@pytest.fixture(scope="module")
def found() -> demo.Demo:
    return demo.run(pairs=PAIRS, seed="test")


def test_each_replicable_policy_stands_beside_a_reference(found: demo.Demo) -> None:
    names = list(found.audits)
    assert len(names) == 6
    assert set(names) < set(POLICIES)
    assert list(found.prices) == [name for name in names if name.startswith("Rep")]
    assert found.bounds.keys() == found.environments.keys() == found.audits.keys()


def test_the_references_and_none_of_the_others_are_found_not_replicable(found: demo.Demo) -> None:
    """The verdict is "not replicable" if 6 of the 20 pairs differ.

    If 1 pair in 100 differs that has a probability below 4e-8; if all but 1 in 100 differ, its opposite below 1e-25.
    """
    verdicts = {name: audit.verdict == NOT_REPLICABLE for name, audit in found.audits.items()}
    assert verdicts == {name: name not in found.prices for name in verdicts}


def test_a_price_is_paid_over_the_rounds_of_its_reference(found: demo.Demo) -> None:
    for name, audit in found.prices.items():
        assert audit.reference is not None
        assert from_json(audit.reference).horizon == audit.horizon < found.audits[name].horizon
        assert audit.price is not None
        assert audit.price.value > 1.0


def test_the_table_has_a_row_for_each_policy(found: demo.Demo) -> None:
    rows = demo.table(found)
    assert [row[0] for row in rows] == list(found.audits)
    assert {len(row) for row in rows} == {len(demo.HEADINGS)}
    assert all(entry.isascii() for row in rows for entry in row)
    by_name = [dict(zip(demo.HEADINGS, row, strict=True)) for row in rows]
    assert [row["verdict"] for row in by_name] == [audit.verdict for audit in found.audits.values()]
    assert [bool(row["price"]) for row in by_name] == [row["policy"] in found.prices for row in by_name]


def test_the_sentences_say_what_was_done(found: demo.Demo) -> None:
    text = " ".join(demo.sentences(found))
    assert text.isascii()
    assert f"{PAIRS} pairs of runs" in text
    assert "RepUCB with UCB1 over 1,000 rounds" in text


def test_the_page_shows_every_audit(found: demo.Demo) -> None:
    page = demo.page(found)
    assert page == demo.page(found)
    assert [name for name in (*found.audits, *found.prices) if name not in unescape(page)] == []
    assert [audit.digest for audit in audits(found) if audit.digest not in page] == []


def test_a_second_run_finds_the_same_and_progress_goes_to_the_end() -> None:
    shown: list[tuple[int, int]] = []
    first = demo.run(pairs=1, progress=lambda done, total: shown.append((done, total)))
    again = demo.run(pairs=1)
    assert [audit.to_json() for audit in audits(first)] == [audit.to_json() for audit in audits(again)]
    shares = [done / total for done, total in shown]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def audits(found: demo.Demo) -> list[Audit]:
    """Return all audits of a demonstration."""
    return [*found.audits.values(), *found.prices.values()]
