"""The report: a page that needs nothing else, whose numbers are those of the audits."""

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import replibandit as rb
from replibandit.arrays import IntArray
from replibandit.errors import InvalidInput
from replibandit.policies.base import Pull
from replibandit.report import report, write_text
from replibandit.report.parting import quantile

VOID = {"meta", "br", "hr", "img", "link", "input"}
EVIL = "<script>alert('x')</script> & \"quoted\""
COIN = rb.BernoulliArms(means=np.array([0.4, 0.6]))
ROWS = np.array([[0.875, 0.0], [0.0, 0.875], [0.625, 0.625], [-0.625, 0.625]])
LINEAR = rb.LinearArms(theta=np.array([0.75, 0.25]), actions=ROWS, noise=0.5)
LOGISTIC = rb.GLMArms(theta=np.array([0.75, -0.375]), actions=ROWS, link="logistic")
SETTINGS: dict[str, Any] = {"rho": 0.1, "delta": 0.01, "noise": 0.5}


@dataclass(frozen=True, kw_only=True)
class Stubborn:
    """Somebody else's policy: the first arm for ever."""

    horizon: int = 60

    def reward_exponent(self) -> int:
        return 0

    def init(self, actions: int, keys: Any) -> Any:
        return np.zeros(len(keys), dtype=np.int64)

    def choose(self, state: Any) -> Pull:
        stay = np.minimum(7, self.horizon - state)
        return Pull(arms=np.zeros_like(state), times=stay, vectors=np.zeros((len(state), 0)))

    def update(self, state: Any, pull: Pull, totals: IntArray) -> Any:
        return state + pull.times


@dataclass
class Page(HTMLParser):
    """What a page is made of: whether its tags match, its attributes, its tables by caption, its words."""

    text: str
    open_: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    tables: dict[str, list[list[str]]] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._caption = ""
        self.feed(self.text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open_.append(tag)
        if tag == "caption":
            self._caption = ""
        elif tag == "tr":
            self.tables.setdefault(self._caption, []).append([])
        elif tag in {"th", "td"}:
            self.tables[self._caption][-1].append("")
        elif tag == "sup":
            self.handle_data("^")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if not self.open_ or self.open_.pop() != tag:
            self.faults.append(f"</{tag}> in line {self.getpos()[0]}")

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if "caption" in self.open_:
            self._caption += data
        elif {"th", "td"} & set(self.open_):
            self.tables[self._caption][-1][-1] += data

    def rows(self, caption: str) -> dict[str, dict[str, str]]:
        """Return a table by the names of its rows and columns; rows of one name by their second entry too."""
        heading, *rows = self.tables[caption]
        names = [row[0] for row in rows]
        keys = [row[0] if names.count(row[0]) == 1 else f"{row[0]}: {row[1]}" for row in rows]
        return {key: dict(zip(heading, row, strict=True)) for key, row in zip(keys, rows, strict=True)}


def numbers(cell: str) -> Iterator[tuple[float, float]]:
    """Yield the numbers of a cell, each with half a unit of its last digit; a percentage is a share."""
    power = re.search(r"×\s10\^(−?\d+)", cell)
    plain = cell if power is None else cell[: power.start()]
    scale = 10.0 ** (int(power[1].replace("−", "-")) if power else 0) * (0.01 if "%" in cell else 1.0)
    whole = re.fullmatch(r"10\^(\d+)", cell)
    if whole:
        yield 10.0 ** int(whole[1]), 0.0
        return
    for digits in re.findall(r"−?[\d,]+(?:\.\d+)?", plain):
        _, _, decimals = digits.partition(".")
        yield float(digits.replace(",", "").replace("−", "-")) * scale, 0.51 * 10.0 ** -len(decimals) * scale


def says(cell: str, *values: float) -> bool:
    """Tell whether a cell gives these numbers, each to half a unit of its last digit."""
    return all(abs(x - value) <= half for (x, half), value in zip(numbers(cell), values, strict=True))


def test_a_wrong_number_is_caught() -> None:
    cell = "(4.99 ± 0.35)\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10^−8"
    assert says(cell, 4.994e-8, 3.46e-9)
    assert not says(cell, 5.02e-8, 3.46e-9)
    assert not says(cell, 4.994e-8, 3.4e-9)
    assert says("99.5 %", 0.9954)
    assert not says("99.5 %", 0.9943)


@pytest.fixture(scope="module")
def audits() -> dict[str, rb.Audit]:
    understated = rb.RepUCB(horizon=10**4, rho=0.3, noise=0.002)
    short = rb.RepUCB(horizon=200, rho=0.1)
    return {
        "RepUCB": rb.audit(rb.RepUCB(horizon=10**14, rho=0.1), COIN, pairs=60),
        "RepLinUCB": rb.audit(rb.RepLinUCB(horizon=10**12, **SETTINGS), LINEAR, pairs=40),
        "RepGLMUCB": rb.audit(rb.RepGLMUCB(horizon=10**6, link="logistic", **SETTINGS), LOGISTIC, pairs=20),
        "UCB1": rb.audit(rb.UCB1(horizon=200), COIN, rho=0.1, pairs=50),
        "understated": rb.audit(understated, COIN, pairs=40),
        "short": rb.audit(short, COIN, pairs=30, replicates=3, reference=rb.UCB1(horizon=200)),
        EVIL: rb.audit(Stubborn(), COIN, rho=0.1, pairs=20),
    }


@pytest.fixture(scope="module")
def bounds() -> dict[str, rb.Bounds]:
    ours: dict[str, tuple[Any, Any]] = {
        "RepUCB": (rb.RepUCB(horizon=10**14, rho=0.1), COIN),
        "UCB1": (rb.UCB1(horizon=200), COIN),
    }
    linear: dict[str, tuple[Any, Any]] = {"RepLinUCB": (rb.RepLinUCB(horizon=10**12, **SETTINGS), LINEAR)}
    return {name: rb.bounds(spec, env) for name, (spec, env) in {**ours, **linear}.items()}


ENVIRONMENTS: dict[str, Any] = {"RepUCB": COIN, "RepLinUCB": LINEAR, "short": COIN, EVIL: COIN}


@pytest.fixture(scope="module")
def text(audits: dict[str, rb.Audit], bounds: dict[str, rb.Bounds]) -> str:
    return report(audits, bounds=bounds, environments=ENVIRONMENTS, title="Title <i>")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_the_page_is_well_formed(page: Page) -> None:
    assert page.text.startswith("<!DOCTYPE html>\n<html lang=")
    assert (page.faults, page.open_) == ([], [])
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(set(ids)) == len(ids)
    named = [value for _, name, value in page.attributes if name == "aria-labelledby"]
    assert set(named) <= set(ids)
    assert Page("<p><b></p>").faults == ["</p> in line 1"]  # the test can fail


def test_what_the_page_says_by_itself_can_be_printed(audits: dict[str, rb.Audit]) -> None:
    name, env = "RepUCB", rb.BernoulliArms(means=np.array([0.75, 0.25]))
    spec = rb.from_json(audits[name].spec)
    page = rb.report({name: audits[name]}, bounds={name: rb.bounds(spec, env)}, environments={name: env})
    assert "calls" in page
    assert "\ufffd" not in page


def test_the_page_needs_no_network_and_no_script(page: Page) -> None:
    tags = {tag for tag, _, _ in page.attributes} | set(re.findall(r"<([a-z]+)[ >]", page.text))
    assert tags.isdisjoint({"script", "link", "iframe", "object", "embed", "img", "image", "base", "form"})
    assert [name for _, name, _ in page.attributes if name.startswith("on")] == []
    ids = {value for _, name, value in page.attributes if name == "id"}
    links = [value for _, name, value in page.attributes if name in {"src", "href", "xlink:href"}]
    assert links
    assert {link.removeprefix("#") for link in links} <= ids
    assert {target.removeprefix("#") for target in re.findall(r"url\(([^)]*)\)", page.text)} <= ids
    assert "@import" not in page.text
    assert "://" not in page.text


def test_text_of_others_is_text(page: Page) -> None:
    assert "<script" not in page.text
    assert "<i>" not in page.text
    words = "".join(page.words)
    assert EVIL in words
    assert "Title <i>" in words


def test_a_page_of_many_audits_is_small(audits: dict[str, rb.Audit]) -> None:
    many = {f"{name}, {i}": found for i in range(6) for name, found in audits.items()}
    assert len(report(many).encode("utf-8")) < 2_000_000


PROGRAM = """
import sys
from pathlib import Path
import replibandit as rb
from replibandit.report import report
paths = sorted(Path(sys.argv[1]).iterdir())
sys.stdout.buffer.write(report({path.stem: rb.Audit.from_json(path.read_text()) for path in paths}).encode())
"""


def test_the_bytes_are_the_same_every_time(audits: dict[str, rb.Audit], tmp_path: Path) -> None:
    names = ("RepLinUCB", "UCB1", "understated")
    for name in names:
        (tmp_path / f"{name}.json").write_text(audits[name].to_json())
    here = [report({name: audits[name] for name in names}) for _ in range(2)]
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": "31"}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert here[0] == here[1] == done.stdout.decode("utf-8")


def test_verdicts_are_those_of_the_audits(page: Page, audits: dict[str, rb.Audit]) -> None:
    rows = page.rows("Verdicts")
    assert list(rows) == list(audits)
    assert {row["Verdict"] for row in rows.values()} == {"replicable", "not replicable", "undecided"}
    for name, found in audits.items():
        row = rows[name]
        assert row["Verdict"] == found.verdict
        assert says(row["Rounds"], found.horizon)
        assert says(row["Pairs of runs"], found.tally.keys * math.comb(found.replicates, 2))
        assert says(row["Identical"], 1.0 - found.mismatch)
        assert says(row["Differ, interval"].replace(" to ", " "), *found.interval, found.tally.level)
        assert says(row["Held against"], found.rho)


def test_where_runs_part(page: Page, audits: dict[str, rb.Audit]) -> None:
    rows = page.rows("Identical rounds before the first difference")
    for name, found in audits.items():
        row, T = rows[name], found.horizon
        assert says(row["That part"], int((found.rounds < T).sum()))
        for heading, level in (("5 %", 0.05), ("25 %", 0.25), ("Half", 0.5), ("75 %", 0.75)):
            first = int(np.sort(found.rounds)[math.ceil(level * len(found.rounds)) - 1])
            cell = row[heading.replace(" ", "\N{NO-BREAK SPACE}")]
            assert cell == "never" if first == T else says(cell, first)
        shares = found.rounds / T
        error = shares.std(ddof=1) / math.sqrt(len(shares))
        assert says(row["Identical share of the horizon"], found.prefix, error)


def test_how_rho_was_spent(page: Page, audits: dict[str, rb.Audit]) -> None:
    rows = page.rows("Cells that first differ, by estimate")
    rounding = {name: found for name, found in audits.items() if found.predicted is not None}
    assert list(rows) == [f"{name}: {how}" for name in rounding for how in ("allotted", "predicted", "measured")]
    for name, found in rounding.items():
        assert found.allotted is not None
        assert says(rows[f"{name}: allotted"]["All"], found.allotted.sum())
        predicted, measured = rows[f"{name}: predicted"], rows[f"{name}: measured"]
        assert found.predicted is not None
        assert found.spent is not None
        assert says(predicted["All"], found.predicted.value, found.predicted.error)
        parted = np.array([cause is not None for cause in found.causes], dtype=np.float64)
        assert says(measured["All"], parted.mean(), parted.std(ddof=1) / math.sqrt(len(parted)))
        assert says(predicted["Held against"], found.rho)
        fifths = [
            next(numbers(predicted[f"{part} fifth"]))[0] for part in ("First", "Second", "Third", "Fourth", "Fifth")
        ]
        assert sum(fifths) == pytest.approx(found.spent.sum(), rel=0.1)


def test_costs_are_those_of_the_audits(
    page: Page, audits: dict[str, rb.Audit], bounds: Mapping[str, rb.Bounds]
) -> None:
    rows, promises = page.rows("Regret and the price of replicability"), page.rows("Bounds on the regret")
    assert list(promises) == list(bounds)
    for name, found in audits.items():
        regret, T = found.mean_regret, found.horizon
        assert says(rows[name]["Regret"], regret.value, regret.error)
        assert says(rows[name]["Regret a round"], regret.value / T, regret.error / T)
        assert (rows[name]["Price"] == "") == (found.price is None)
        if name in bounds:
            assert says(promises[name]["Bound, a round"], bounds[name].regret / T)
            assert says(promises[name]["Measured, a round"], regret.value / T, regret.error / T)
            assert promises[name]["Says something"].startswith("yes" if bounds[name].informative else "no")
            assert promises[name]["Holds"] == bounds[name].holds
    price = audits["short"].price
    assert price is not None
    assert says(rows["short"]["Price"], price.value, price.error)
    assert rows["short"]["Reference"] == "UCB1"


def test_every_table_says_how_to_read_it(page: Page) -> None:
    assert page.words.count("How to read it. ") >= len(page.tables)
    assert len(page.tables) == 7


def test_specs_digests_and_the_machine_are_named(page: Page, audits: dict[str, rb.Audit]) -> None:
    words = "".join(page.words)
    for found in audits.values():
        assert found.spec in words
        assert found.digest in words
    machine = rb.check_machine()
    rows = page.rows("Fingerprints")
    assert {name: row["Here"] for name, row in rows.items()} == dict(machine.computed)
    assert {row["Equal"] for row in rows.values()} == {"yes"}
    assert machine.platform in words
    assert machine.blas in words
    other = replace(machine, computed=tuple((name, bits[::-1]) for name, bits in machine.computed))
    elsewhere = Page(report({"UCB1": audits["UCB1"]}, machine=other)).rows("Fingerprints")
    assert {row["Equal"] for row in elsewhere.values()} == {"no"}


@pytest.mark.parametrize("name", ["RepUCB", "RepLinUCB", "short"])
def test_the_programs_find_the_audits_again(
    name: str, page: Page, audits: dict[str, rb.Audit], capsys: pytest.CaptureFixture[str]
) -> None:
    programs = [words for words in page.words if words.startswith("import replibandit as rb")]
    assert len(programs) == len(audits)
    exec(dict(zip(audits, programs, strict=True))[name], {})
    assert capsys.readouterr().out == audits[name].to_json() + "\n"


def test_what_only_its_author_has_is_left_open(page: Page) -> None:
    programs = [words for words in page.words if words.startswith("import replibandit as rb")]
    assert 'spec = ...  # {"policy": "Stubborn", "horizon": 60}, as it was audited' in programs[-1]
    assert "env = rb.BernoulliArms(means=[0.4, 0.6])" in programs[-1]
    assert "env = ...  # the environment that was audited" in programs[3]


def test_pictures_are_those_of_the_plots(page: Page) -> None:
    titles = re.findall(r"<title id=\S+>([^<]*)</title>", page.text)
    assert titles == [
        "Pairs of runs that are still identical, with 95 % interval",
        "Mean regret by round with 95 % band, and the theorem’s bound",
    ]


def test_one_pair_and_no_regret() -> None:
    flat = rb.BernoulliArms(means=np.array([0.5, 0.5]))
    found = rb.audit(rb.RepUCB(horizon=1000, rho=0.1), flat, pairs=1)
    page = Page(report({"flat": found}, bounds={"flat": rb.bounds(rb.RepUCB(horizon=1000, rho=0.1), COIN)}))
    assert page.rows("Regret and the price of replicability")["flat"]["Regret"] == "0 ± ?"
    assert page.rows("Bounds on the regret")["flat"]["Bound over measured"] == ""
    assert "0 of 1 pair of runs differ." in "".join(page.words)


def test_without_matplotlib_the_extra_is_named(audits: dict[str, rb.Audit], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plain = report({"UCB1": audits["UCB1"]})
    assert "pip install &#x27;replibandit[plot]&#x27;" in plain
    assert "<figure" not in plain
    assert Page(plain).faults == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"audits": {}}, r"audits is empty; give one or more by name"),
        ({"audits": []}, r"audits is a list; give one or more by name"),
        ({"audits": {"x": 3}}, r"audits\['x'\] is a int; it must be an Audit"),
        ({"title": "two\nlines"}, r"it must be text that can be printed"),
        ({"bounds": {"y": None}}, r"bounds has 'y', which is not the name of an audit: x"),
        ({"environments": {"y": COIN}}, r"environments has 'y', which is not the name of an audit: x"),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str, audits: dict[str, rb.Audit]) -> None:
    with pytest.raises(InvalidInput, match=message):
        report(**{"audits": {"x": audits["UCB1"]}, **given})


def test_quantiles_by_hand() -> None:
    rounds = np.array([7, 1, 5, 3])
    assert [quantile(rounds, level) for level in (0.05, 0.25, 0.5, 0.75, 1.0)] == [1, 1, 3, 5, 7]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    write_text(target, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "new \ud800")
    assert target.read_text() == "old"
    write_text(target, "new\n")
    assert target.read_bytes() == b"new\n"
    assert list(tmp_path.iterdir()) == [target]
