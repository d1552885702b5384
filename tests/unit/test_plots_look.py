"""How the pictures look: every word is legible, no setting of matplotlib moves, wrong input is refused in words."""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

import replibandit as rb
from replibandit import plots
from replibandit.errors import InvalidInput
from replibandit.plots import Picture, style

COIN = rb.BernoulliArms(means=np.array([0.4, 0.6]))
TWENTY = rb.BernoulliArms(means=np.linspace(0.2, 0.8, 20))
SPEC = rb.RepUCB(horizon=10**14, rho=0.1)
FOUND = rb.audit(SPEC, COIN, pairs=12)
SMALL = rb.audit(rb.UCB1(horizon=60), COIN, rho=0.1, pairs=10)
RUN = rb.simulate(SPEC, TWENTY, seed=1, rng=np.random.default_rng(0))
PRICED = rb.audit(rb.RepUCB(horizon=60, rho=0.1), COIN, pairs=10, reference=rb.UCB1(horizon=60))
X = np.random.default_rng(0).normal(size=(100, 3))
LONG = "a policy whose name goes on and on and on, K = 20, seed 17, the one with more arms than anyone needs"


def fits(n: int, d: int = 2, seed: str = "lab") -> list[rb.RidgeFit]:
    rng = np.random.default_rng(0)
    return [rb.rep_ridge(X[:, :d], rng.normal(size=100), rho=0.3, delta=0.01, noise=0.05, seed=seed) for _ in range(n)]


def means(n: int) -> list[rb.MeanFit]:
    rng = np.random.default_rng(0)
    return [rb.rep_mean(rng.random(400), rho=0.5, delta=0.1, seed=3) for _ in range(n)]


def held_against(rho: float) -> rb.Audit:
    return replace(PRICED, spec=rb.to_json(rb.RepUCB(horizon=60, rho=rho)), tally=replace(PRICED.tally, rho=rho))


PICTURES: dict[str, Callable[[], Picture]] = {
    "regret, one": lambda: plots.regret_curves({"RepUCB": FOUND}, bounds={"RepUCB": 1e10}),
    "regret, seven that end alike": lambda: plots.regret_curves({f"policy {i}": FOUND for i in range(7)}),
    "regret, many": lambda: plots.regret_curves({f"policy number {i}": FOUND for i in range(12)} | {"UCB1": SMALL}),
    "regret, long": lambda: plots.regret_curves({LONG: FOUND, "<b> & $x^2$": SMALL}, bounds={LONG: 1e10}),
    "survival, one": lambda: plots.survival({"RepUCB": FOUND}),
    "survival, six rho": lambda: plots.survival({f"rho = 0.{i}": held_against(0.1 * i) for i in range(1, 7)}),
    "survival, two horizons": lambda: plots.survival({"RepUCB": FOUND, "UCB1": SMALL}),
    "calibration": lambda: plots.calibration([FOUND, SMALL, PRICED, held_against(0.5), held_against(0.04)]),
    "calibration, one": lambda: plots.calibration([SMALL]),
    "frontier": lambda: plots.frontier([PRICED, held_against(0.5), held_against(0.9)]),
    "allocation, many arms": lambda: plots.allocation(RUN),
    "allocation, two arms": lambda: plots.allocation(RUN, arms=[0, 1]),
    "timeline": lambda: plots.timeline({"RepUCB": RUN, LONG: RUN}),
    "grid, a line": lambda: plots.grid(means(30)),
    "grid, one fit": lambda: plots.grid(means(1)),
    "grid, a plane": lambda: plots.grid(fits(40)),
}


def illegible(figure: Any) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the texts that leave the page, and the pairs of texts that touch."""
    draw, boxes = Text.draw, []

    def note(text: Text, renderer: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            box = Text.get_window_extent(text, renderer)
            boxes.append((text.get_text(), box.padded(-1.0)))  # by a pixel, of 100 an inch
        draw(text, renderer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", note)
        figure.draw_without_rendering()
    assert len(boxes) > 4
    page = figure.bbox
    outside = [a for a, b in boxes if b.x0 < page.x0 or b.x1 > page.x1 or b.y0 < page.y0 or b.y1 > page.y1]
    return outside, [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]


@pytest.mark.parametrize("name", PICTURES)
def test_every_word_is_legible(name: str) -> None:
    assert illegible(PICTURES[name]().figure) == ([], [])


def test_words_that_touch_are_caught() -> None:
    figure = plots.survival({"RepUCB": FOUND}).figure
    figure.text(0.1, 0.97, "on the title")
    figure.text(0.9, 0.5, "over the edge of the page")
    outside, touching = illegible(figure)
    assert outside == ["over the edge of the page"]
    assert (figure.get_suptitle(), "on the title") in touching


def test_colours_differ_for_everybody() -> None:
    """The colours have a contrast of 2 with white, and differ from each other also without red, green or blue cones."""
    blind = {  # Machado, Oliveira, Fernandes (2009), severity 1
        "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
        "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
    }
    colours = np.array([to_rgb(colour) for colour in style.COLOURS])
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    assert (1.05 / (luminance + 0.05) > 2).all()
    for name, matrix in blind.items():
        seen = np.clip(linear @ np.array(matrix).T, 0.0, 1.0) ** (1 / 2.2)
        apart = [float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)]
        assert min(apart) > 0.1, name
    looks = [(style.colour(i), style.line(i)) for i in range(28)]
    assert len(set(looks)) == 28
    assert len({(style.colour(i), style.marker(i)) for i in range(35)}) == 35


PROGRAM = """
import sys
import matplotlib as mpl
mpl.rcParams["font.size"] = 31.0
before = {name: mpl.rcParams[name] for name in mpl.rcParams if name != "backend"}
import numpy as np
import replibandit as rb
from replibandit import plots
env = rb.BernoulliArms(means=np.array([0.4, 0.6]))
found = rb.audit(rb.RepUCB(horizon=10**6, rho=0.1), env, pairs=5)
drawn = plots.survival({"RepUCB": found}), plots.regret_curves({"RepUCB": found})
for kind in ("svg", "png", "pdf"):
    drawn[0].save(sys.argv[1] + "." + kind)
assert "matplotlib.pyplot" not in sys.modules
assert before == {name: mpl.rcParams[name] for name in before}
mpl.use("agg")
import matplotlib.pyplot as plt
assert plt.get_fignums() == []
print("".join(picture.svg() for picture in drawn), end="")
"""


def test_nothing_moves_and_the_bytes_are_the_same_in_every_process(tmp_path: Path) -> None:
    found = rb.audit(rb.RepUCB(horizon=10**6, rho=0.1), COIN, pairs=5)
    here = plots.survival({"RepUCB": found}), plots.regret_curves({"RepUCB": found})
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "there")],
        env=os.environ | {"PYTHONHASHSEED": "17", "PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == "".join(picture.svg() for picture in here)
    for kind in ("svg", "png", "pdf"):
        here[0].save(tmp_path / f"here.{kind}")
        assert (tmp_path / f"here.{kind}").read_bytes() == (tmp_path / f"there.{kind}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 6  # and no file that was half written


def test_the_settings_of_the_user_do_not_show() -> None:
    plain = plots.timeline({"RepUCB": RUN}).svg()
    with mpl.rc_context({"font.size": 31.0, "axes.facecolor": "red", "lines.linewidth": 9.0, "svg.fonttype": "path"}):
        drawn = plots.timeline({"RepUCB": RUN})
        assert drawn.svg() == plain
        assert mpl.rcParams["font.size"] == 31.0


def test_svg_is_well_formed_and_keeps_to_itself() -> None:
    one, other = (plots.survival({name: FOUND}) for name in ("<b> & $x^2$", "RepUCB"))
    trees = [ElementTree.fromstring(picture.svg()) for picture in (one, other)]
    assert "<b> & $x^2$" in [node.text for node in trees[0].iter("{http://www.w3.org/2000/svg}text")]
    title = trees[0].find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == one.title
    ids = [[node.attrib["id"] for node in tree.iter() if "id" in node.attrib] for tree in trees]
    assert all(len(set(own)) == len(own) for own in ids)
    assert set(ids[0]).isdisjoint(ids[1])
    links = [value for node in trees[0].iter() for key, value in node.attrib.items() if key.endswith("href")]
    assert set(links) <= {f"#{own}" for own in ids[0]}


def test_data_are_read_only_and_other_files_are_refused(tmp_path: Path) -> None:
    drawn = plots.survival({"RepUCB": FOUND})
    with pytest.raises(TypeError):
        drawn.data["promised"] = np.zeros(1)  # type: ignore[index]
    with pytest.raises(InvalidInput, match=r"'a.jpg'; its name must end with .svg, .png or .pdf"):
        drawn.save(tmp_path / "a.jpg")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "replibandit.plots")
    with pytest.raises(ImportError, match=r"pip install 'replibandit\[plot\]'"):
        importlib.import_module("replibandit.plots")


SETS = np.random.default_rng(0).uniform(-0.7, 0.7, size=(30, 4, 2))
CHANGING = rb.simulate(
    rb.RepLinUCB(horizon=30, rho=0.3, delta=0.05, noise=0.5),
    rb.LinearArms(theta=np.array([0.2, 0.7]), actions=rb.Contexts.of(SETS), noise=0.5),
    seed=1,
    rng=np.random.default_rng(0),
)
BALL = rb.simulate(
    rb.RepLinUCB(horizon=30, rho=0.3, delta=0.05, noise=0.5),
    rb.LinearArms(theta=np.array([0.2, 0.7]), actions=rb.Ball(1.0, 2), noise=0.5),
    seed=1,
    rng=np.random.default_rng(0),
)
FREE = replace(PRICED, regret=np.zeros(10))
REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]] = [
    (plots.regret_curves, ({},), {}, r"the results are empty; give them by name"),
    (plots.regret_curves, ([FOUND],), {}, r"the results are a list; give them by name"),
    (plots.regret_curves, ({" ": FOUND},), {}, r"called ' '; its name must be text"),
    (plots.regret_curves, ({"a\nb": FOUND},), {}, r"must be text that can be printed"),
    (plots.regret_curves, ({"x": RUN},), {}, r"x is made of runs, .* give env"),
    (plots.regret_curves, ({"x": 3},), {"env": COIN}, r"x is 3; it must be a Run, or a list"),
    (plots.regret_curves, ({"x": [RUN, BALL]},), {"env": COIN}, r"x has runs of 30 and of 10+ rounds"),
    (plots.regret_curves, ({"x": FOUND},), {"bounds": {"y": 1.0}}, r"bounds has \['y'\], .* use the same names"),
    (plots.regret_curves, ({"x": FOUND},), {"bounds": {"x": -1.0}}, r"the bound of x is -1"),
    (plots.survival, ({"x": RUN},), {}, r"x is a Run; it must be an Audit"),
    (plots.calibration, ([],), {}, r"the audits are \[\]; give a list"),
    (plots.calibration, ([FOUND, 3],), {}, r"audit 1 is a int; it must be an Audit"),
    (plots.frontier, ([PRICED, FOUND],), {}, r"audit 1 has no reference; run it with one"),
    (plots.frontier, ([FREE],), {}, r"audit 0 has no price, since a mean regret is 0"),
    (plots.allocation, (BALL,), {}, r"points of a ball"),
    (plots.allocation, (RUN,), {"arms": []}, r"arms is \[\]; give a list of arms"),
    (plots.allocation, (RUN,), {"arms": [0, -1]}, r"arms has -1; arms are numbered 0, 1"),
    (plots.timeline, ({"x": FOUND},), {}, r"x is a Audit; it must be a Run"),
    (plots.timeline, ({"x": CHANGING},), {}, r"its sets changed from round to round"),
    (plots.grid, ([],), {}, r"the fits are \[\]; give a list"),
    (plots.grid, ([FOUND],), {}, r"fit 0 is a Audit; it must come from rep_mean"),
    (plots.grid, ([*fits(1), *fits(1, seed="other")],), {}, r"fits 0 and 1 are on different grids"),
    (plots.grid, (fits(2, d=3),), {}, r"the fits have 3 coordinates; a picture has room for 1 or 2"),
    (plots.grid, ([replace(fits(1)[0], cell=np.array([7, 7]))],), {}, r"give fits as they were returned"),
]


@pytest.mark.parametrize(("draw", "given", "named", "message"), REFUSED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_refused(draw: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        draw(*given, **named)
