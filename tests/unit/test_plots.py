"""The pictures: the numbers that they give back, and that these are what is drawn."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text
from scipy.stats import beta
from scipy.stats import t as student

import replibandit as rb
from replibandit import plots
from replibandit.arrays import FloatArray
from replibandit.plots import Picture

COIN = rb.BernoulliArms(means=np.array([0.4, 0.6]))
THREE = rb.BernoulliArms(means=np.array([0.3, 0.6, 0.5]))
SPEC = rb.RepUCB(horizon=10**14, rho=0.1)
REFERENCE = rb.UCB1(horizon=400)
X = np.random.default_rng(0).normal(size=(300, 2))


@pytest.fixture(scope="module")
def found() -> rb.Audit:
    return rb.audit(SPEC, COIN, pairs=12)


@pytest.fixture(scope="module")
def priced() -> list[rb.Audit]:
    specs = [rb.RepUCB(horizon=400, rho=rho, noise=0.05) for rho in (0.5, 0.1, 0.3)]
    return [rb.audit(spec, COIN, pairs=30, reference=REFERENCE) for spec in specs]


def run_of(arms: list[int], times: list[int]) -> rb.Run:
    return rb.Run(
        spec=SPEC,
        key=rb.Key(1),
        arms=np.array(arms, dtype=np.int64),
        times=np.array(times, dtype=np.int64),
        totals=np.zeros(len(arms)),
        vectors=np.zeros((len(arms), 0)),
    )


def lines(picture: Picture) -> list[tuple[list[float], list[float]]]:
    """Return what every line of a picture goes through."""
    (axes,) = picture.figure.axes
    return [(np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist()) for line in axes.lines]


def words(picture: Picture) -> list[str]:
    """Return what is written in a picture, from top to bottom of its tree of artists, without ticks."""
    (axes,) = picture.figure.axes
    ticks = {id(text) for axis in (axes.xaxis, axes.yaxis) for text in axis.get_ticklabels(which="both")}
    texts = picture.figure.findobj(Text)
    return [text.get_text() for text in texts if text.get_text() and text.get_visible() and id(text) not in ticks]


def ticks(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


def test_regret_of_an_audit(found: rb.Audit) -> None:
    bound = rb.bounds(SPEC, COIN).regret
    drawn = plots.regret_curves({"RepUCB": found}, bounds={"RepUCB": bound})
    assert list(drawn.data) == [f"RepUCB/{part}" for part in ("rounds", "mean", "low", "high", "bound")]
    assert drawn.data["RepUCB/rounds"].tolist() == found.checkpoints.tolist()
    assert drawn.data["RepUCB/mean"].tolist() == found.curve.tolist()
    half = student.ppf(0.975, 11) * found.curve_error
    assert drawn.data["RepUCB/low"] == pytest.approx(found.curve - half)
    assert drawn.data["RepUCB/high"] == pytest.approx(found.curve + half)
    assert drawn.data["RepUCB/bound"].tolist() == [bound]
    (axes,) = drawn.figure.axes
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_xlim()) == ("log", "log", (1.0, 1e14))
    assert lines(drawn) == [(found.checkpoints.tolist(), found.curve.tolist()), ([1e14], [bound])]
    assert len(axes.collections) == 1  # the band
    assert axes.get_ylim()[1] >= bound
    assert {"1", "100", "10⁴", "10¹⁴"} <= set(ticks(axes.xaxis))
    assert {"round t", "regret", "RepUCB", "bound of RepUCB"} <= set(words(drawn))
    assert drawn.title == "Mean regret by round with 95 % band, and the theorem’s bound"


def test_regret_of_runs_counts_keys() -> None:
    spec = rb.RepUCB(horizon=1000, rho=0.3)
    runs = rb.simulate_many(spec, THREE, seeds=["a", "a", "b", "c"], rng=np.random.default_rng(0))
    drawn = plots.regret_curves({"x": runs}, env=THREE)
    rounds = drawn.data["x/rounds"].astype(np.int64)
    curves = np.array([rb.regret_after(run, THREE, rounds) for run in runs])
    by_key = np.array([(curves[0] + curves[1]) / 2, curves[2], curves[3]])
    assert (rounds[0], rounds[-1]) == (1, 1000)
    assert drawn.data["x/mean"] == pytest.approx(by_key.mean(axis=0))
    half = student.ppf(0.975, 2) * by_key.std(axis=0, ddof=1) / np.sqrt(3)
    assert drawn.data["x/high"] - drawn.data["x/mean"] == pytest.approx(half)


def test_one_run_has_no_band_and_no_regret_no_line() -> None:
    run = rb.simulate(rb.RepUCB(horizon=1000, rho=0.3), THREE, seed=1, rng=np.random.default_rng(0))
    drawn = plots.regret_curves({"x": run}, env=THREE)
    assert np.isnan(drawn.data["x/low"]).all()
    assert (drawn.title, len(drawn.figure.axes[0].collections)) == ("Mean regret by round", 0)
    flat = plots.regret_curves({"x": run}, env=rb.BernoulliArms(means=np.full(3, 0.5)))
    assert (flat.data["x/mean"] == 0).all()
    assert "x (no regret)" in words(flat)


def test_many_bounds_have_one_entry_below(found: rb.Audit) -> None:
    names = [f"policy {i}" for i in range(6)]
    drawn = plots.regret_curves(dict.fromkeys(names, found), bounds=dict.fromkeys(names, 1e12))
    assert [text for text in words(drawn) if "bound" in text] == [drawn.title, "bound, same colour"]
    assert sum(points == ([1e14], [1e12]) for points in lines(drawn)) == 6


def parted(found: rb.Audit, rounds: list[int], *, anytime: bool = False) -> rb.Audit:
    """Return an audit whose pairs first differ in these rounds; the horizon stands for never."""
    differing = (np.array(rounds) < found.horizon).astype(np.float64)
    tally = rb.Tally(differing=differing, rho=found.rho, level=0.95, anytime=anytime)
    return replace(found, rounds=np.array(rounds, dtype=np.int64), tally=tally)


def test_survival_by_hand(found: rb.Audit) -> None:
    T = found.horizon
    drawn = plots.survival({"x": parted(found, [0, 4, T, 4, T - 1, T])})
    assert drawn.data["x/rounds"].tolist() == [1, 5, T]
    assert drawn.data["x/share"] == pytest.approx([5 / 6, 3 / 6, 2 / 6])
    # Clopper and Pearson, as quantiles of a beta distribution
    assert drawn.data["x/low"] == pytest.approx([beta.ppf(0.025, k, 7 - k) for k in (5, 3, 2)])
    assert drawn.data["x/high"] == pytest.approx([beta.ppf(0.975, k + 1, 6 - k) for k in (5, 3, 2)])
    assert drawn.data["promised"].tolist() == [0.9]
    (curve, promise) = lines(drawn)
    assert curve == ([1, 5, T], drawn.data["x/share"].tolist())
    assert promise[1] == [0.9, 0.9]
    assert drawn.figure.axes[0].lines[0].get_drawstyle() == "steps-post"
    assert {"x", "promised 0.9", "share of pairs", "round t"} <= set(words(drawn))


def test_survival_of_none_and_of_all(found: rb.Audit) -> None:
    T = found.horizon
    none, every = (plots.survival({"x": parted(found, [first] * 40)}) for first in (T, 0))
    assert (none.data["x/rounds"].tolist(), none.data["x/share"].tolist()) == ([1, T], [1, 1])
    assert (every.data["x/rounds"].tolist(), every.data["x/share"].tolist()) == ([1, T], [0, 0])
    assert none.figure.axes[0].get_ylim()[0] == pytest.approx(0.8)  # 0.1 below what happens
    assert every.figure.axes[0].get_ylim()[0] == 0
    stopped = plots.survival({"x": parted(found, [T] * 40, anytime=True)})
    assert (stopped.data["x/low"] < none.data["x/low"]).all()  # an interval that holds at every stop is wider


def test_a_reference_promises_nothing() -> None:
    drawn = plots.survival({"UCB1": rb.audit(rb.UCB1(horizon=60), COIN, rho=0.1, pairs=10)})
    assert drawn.data["promised"].tolist() == []
    assert not any("promised" in text for text in words(drawn))


def test_calibration_is_what_the_audits_say(priced: list[rb.Audit]) -> None:
    drawn = plots.calibration(priced)
    for i, audit in enumerate(priced):
        assert audit.predicted is not None
        half = student.ppf(0.975, 29) * audit.predicted.error
        row = [drawn.data[name][i] for name in ("rho", "mismatch", "low", "high")]
        assert row == [audit.rho, audit.mismatch, *audit.interval]
        value = audit.predicted.value
        predicted = [drawn.data[f"predicted{part}"][i] for part in ("", "_low", "_high")]
        assert predicted == pytest.approx([value, max(value - half, 0.0), value + half])
    points = lines(drawn)
    assert points[0][0] == points[0][1]  # the diagonal
    order = [1, 2, 0]  # by rho
    assert points[1] == ([0.1, 0.3, 0.5], [priced[i].mismatch for i in order])
    assert points[2][1] == drawn.data["predicted"][order].tolist()
    assert {"RepUCB / UCB1, T = 400", "measured, 95 % interval", "predicted", "promised ρ"} <= set(words(drawn))


def test_a_prediction_above_1_is_drawn_at_1(priced: list[rb.Audit]) -> None:
    certain = replace(priced[0], risk=np.linspace(1.1, 1.3, 30))
    drawn = plots.calibration([certain])
    assert [drawn.data[f"predicted{part}"].tolist() for part in ("", "_low", "_high")] == [[1.0]] * 3


def test_a_policy_that_does_not_round_is_not_predicted() -> None:
    drawn = plots.calibration([rb.audit(rb.UCB1(horizon=60), COIN, rho=0.1, pairs=10)])
    assert np.isnan(drawn.data["predicted"]).all()


def test_settings_separate_audits_and_rho_does_not() -> None:
    specs = [rb.RepUCB(horizon=400, rho=rho, noise=noise) for rho in (0.3, 0.1) for noise in (0.05, 0.5)]
    drawn = plots.calibration([rb.audit(spec, COIN, pairs=5) for spec in specs])
    named = [text for text in words(drawn) if text.startswith("RepUCB")]
    assert named == ["RepUCB, T = 400, noise = 0.05", "RepUCB, T = 400, noise = 0.5"]
    assert [points[0] for points in lines(drawn)[1::2]] == [[0.1, 0.3]] * 2


def test_the_frontier_is_the_price(priced: list[rb.Audit]) -> None:
    drawn = plots.frontier(priced)
    for i, audit in enumerate(priced):
        assert audit.price is not None
        half = student.ppf(0.975, 29) * audit.price.error
        row = [drawn.data[name][i] for name in ("rho", "price", "low", "high")]
        assert row == pytest.approx([audit.rho, audit.price.value, audit.price.value - half, audit.price.value + half])
    no_price, joined, _ = lines(drawn)
    assert no_price[1] == [1, 1]
    assert joined == ([0.1, 0.3, 0.5], drawn.data["price"][[1, 2, 0]].tolist())
    low, high = drawn.figure.axes[0].get_ylim()
    assert low < 1 < high


def test_allocation_by_hand() -> None:
    run = run_of([0, 1, 0, 2], [1, 2, 1, 4])
    drawn = plots.allocation(run)
    assert drawn.data["rounds"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert drawn.data["arm 0"] == pytest.approx([1, 1 / 2, 1 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7, 2 / 8])
    assert drawn.data["arm 2"] == pytest.approx([0, 0, 0, 0, 1 / 5, 2 / 6, 3 / 7, 4 / 8])
    assert [name for name in drawn.data if name != "rounds"] == ["arm 0", "arm 1", "arm 2"]
    assert lines(drawn)[1] == (drawn.data["rounds"].tolist(), drawn.data["arm 1"].tolist())
    other = plots.allocation([run, run_of([1], [8])], arms=[1])
    assert other.data["arm 1"] == pytest.approx([1 / 2, 3 / 4, 5 / 6, 6 / 8, 7 / 10, 8 / 12, 9 / 14, 10 / 16])
    assert other.data["other arms"] == pytest.approx(1 - other.data["arm 1"])
    assert other.title.endswith("mean of 2 runs")


def test_many_arms_are_one_line() -> None:
    arms = rb.BernoulliArms(means=np.linspace(0.2, 0.8, 20))
    run = rb.simulate(SPEC, arms, seed="x", rng=np.random.default_rng(0))
    drawn = plots.allocation(run)
    assert len(drawn.data) == 1 + 6 + 1
    assert sum(drawn.data[name][-1] for name in drawn.data if name != "rounds") == pytest.approx(1)
    most = np.argsort(-np.bincount(run.arms, weights=run.times))[:6]
    assert {f"arm {arm}" for arm in most} <= set(drawn.data)


def test_the_timeline_has_the_first_round_of_every_decision() -> None:
    every = rb.simulate(rb.UCB1(horizon=50), COIN, seed=1, rng=np.random.default_rng(0))
    once = run_of([0], [50])
    drawn = plots.timeline({"UCB1": every, "once": once})
    assert drawn.data["UCB1"].tolist() == list(range(1, 51))
    assert drawn.data["once"].tolist() == [1]
    assert ticks(drawn.figure.axes[0].yaxis) == ["UCB1\n50 updates", "once\n1 update"]
    batches = rb.simulate(SPEC, THREE, seed=1, rng=np.random.default_rng(0))
    assert plots.timeline({"x": batches}).data["x"].tolist() == (batches.starts + 1).tolist()


def fits(n: int, d: int, **settings: Any) -> list[rb.RidgeFit]:
    theta, rng = np.array([0.5, -0.2])[:d], np.random.default_rng(1)
    given: dict[str, Any] = {"rho": 0.3, "delta": 0.01, "noise": 0.05, "seed": "lab", **settings}
    return [rb.rep_ridge(X[:, :d], X[:, :d] @ theta + rng.normal(size=len(X)), **given) for _ in range(n)]


@pytest.mark.parametrize("whitening", ["cholesky", "symmetric"])
@pytest.mark.parametrize("d", [1, 2])
def test_the_grid_is_that_of_the_fits(d: int, whitening: str) -> None:
    given = fits(25, d, whitening=whitening)
    drawn = plots.grid(given)
    assert drawn.data["cell"].tolist() == [fit.cell.tolist() for fit in given]
    assert drawn.data["width"].tolist() == [given[0].width]
    assert drawn.data["shift"].tolist() == given[0].shift.tolist()
    # the whitened coordinates have the norm |theta|_V, before and after rounding
    for name, which in (("z", "raw"), ("rounded", "theta")):
        norms = [getattr(fit, which) @ fit.gram @ getattr(fit, which) for fit in given]
        assert (drawn.data[name] ** 2).sum(axis=1) == pytest.approx(norms)
    cells = len(np.unique(drawn.data["cell"], axis=0))
    assert drawn.title == f"25 estimates in {cells} cell{'s' if cells > 1 else ''} of one randomly shifted grid"
    middles = given[0].shift + (drawn.data["cell"] + 0.5) * given[0].width
    assert drawn.data["rounded"] == pytest.approx(middles)
    assert {"estimate", "rounded: the middle of its cell", "shared shift u"} <= set(words(drawn))


def test_the_grid_of_means_needs_no_whitening() -> None:
    rng = np.random.default_rng(0)
    given = [rb.rep_mean(rng.random(400), rho=0.5, delta=0.1, seed=3) for _ in range(8)]
    drawn = plots.grid(given)
    assert drawn.data["z"][:, 0].tolist() == [fit.raw for fit in given]
    assert drawn.data["rounded"][:, 0] == pytest.approx([fit.theta for fit in given])
    assert drawn.figure.axes[0].get_xlabel() == "mean"
    below: FloatArray = given[0].shift + given[0].width * np.array([drawn.data["cell"].min()])
    verticals: Sequence[float] = [x[0] for x, y in lines(drawn) if len(x) == 2 and x[0] == x[1]]
    assert below[0] == pytest.approx(min(verticals))
