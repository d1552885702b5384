"""Normal and beta variates, logarithms of rounds and totals of rewards: right, and the same bits everywhere."""

import hashlib
import math

import numpy as np
import pytest
from mpmath import mp
from scipy.special import ndtri

import replibandit as rb
from replibandit.arithmetic import normals, to_float
from replibandit.arithmetic.logarithm import logs
from replibandit.arrays import FloatArray, IntArray
from replibandit.errors import InvalidInput
from replibandit.policies.every_round import log_round
from replibandit.policies.variates import _accepted, _ahead, _surely, beta_odds
from replibandit.rewards import REWARD_BITS, total_cells, total_values


def digest(array: FloatArray) -> str:
    return hashlib.blake2b(np.ascontiguousarray(array).tobytes(), digest_size=8).hexdigest()


def accept_all(places: IntArray, tries: int) -> FloatArray:
    raise AssertionError


def odds_by_name(shapes: FloatArray, seed: str) -> FloatArray:
    """Return Beta odds, with the uniforms of try i under the name i."""
    n, key = shapes[0].size, rb.Key(seed)
    draws = key.child(0).uniform(3 * n).reshape(3, n)

    def redraw(places: IntArray, tries: int) -> FloatArray:
        return key.child(tries).uniform(3 * n).reshape(n, 3)[places]

    return beta_odds(shapes, normals(draws[:2]), draws[2], redraw)


def shape_ladder(n: int) -> FloatArray:
    return np.stack([1.0 + np.arange(n) % 7, 1.0 + 3.0 * (np.arange(n) % 40)])


def test_bits() -> None:
    assert digest(normals(rb.Key("bits").uniform(100_000))) == "a334632d29d69994"
    assert digest(odds_by_name(shape_ladder(20_000), "bits")) == "557943bff177fc73"
    assert digest(np.array([log_round(t) for t in range(1, 5000)])) == "f449b0e7d4e7646c"


def test_an_element_does_not_see_its_neighbours() -> None:
    uniforms = rb.Key("elements").uniform(300)
    together = normals(uniforms)
    assert [float(normals(uniforms[i : i + 1])[0]) for i in range(300)] == together.tolist()
    assert normals(uniforms.reshape(3, 100)[:, ::-1]).tolist() == together.reshape(3, 100)[:, ::-1].tolist()


def test_normals_are_the_quantiles() -> None:
    edges = [k * 2.0**-53 for k in range(200)] + [2.0**-k for k in range(1, 54)]
    edges += [2.0**-k - 2.0**-53 for k in range(1, 53)] + [0.5 - k * 2.0**-53 for k in range(1, 200)]
    lower = np.array([u for u in edges if u < 0.5])
    uniforms = np.concatenate([lower, rb.Key("quantiles").uniform(200_000)])
    p = np.where(uniforms >= 0.5, uniforms - 0.5, uniforms) + 2.0**-54
    exact = np.where(uniforms >= 0.5, -1.0, 1.0) * ndtri(p)
    assert abs(normals(uniforms) - exact).max() < 2.0**-35
    assert (normals(lower + 0.5) == -normals(lower)).all()


def test_normals_at_the_ends() -> None:
    with mp.workdps(40):
        exact = mp.sqrt(2) * mp.erfinv(2 * mp.mpf(2) ** -54 - 1)
    assert normals(np.array([0.0]))[0] == pytest.approx(float(exact), abs=2.0**-35)
    assert normals(np.array([0.5]))[0] == pytest.approx(-float(exact), abs=2.0**-35)


@pytest.mark.parametrize("shape", [1.0, 1.5, 2.0, 10.0, 1e3, 1e6])
def test_certain_acceptance_is_acceptance(shape: float) -> None:
    """Where no logarithm is taken, the exact test would have accepted, too."""
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    z = np.linspace(-1 / c, 8.0, 2001)[1:]
    with mp.workdps(40):
        log_p = [float(x * x / 2 + d * (1 - (1 + c * x) ** 3 + 3 * mp.log1p(c * x))) for x in map(mp.mpf, z)]
    pair = np.stack([z, np.zeros_like(z)])  # the second gamma is accepted whatever u is
    constants = np.full_like(pair, c)
    assert not _surely(constants, pair, np.minimum(np.exp(log_p) * (1 + 1e-12), 1.0)).any()
    lower = 1.0 - 0.2 * (c * z * z) ** 2
    assert (_surely(constants, pair, lower * (1 - 1e-12)) == (lower > 0)).all()
    assert (lower > 0).any()


def test_a_root_below_zero_is_rejected() -> None:
    shapes, u = np.ones((2, 1)), np.zeros(1)
    with pytest.raises(AssertionError):
        beta_odds(shapes, np.array([[-3.0], [0.0]]), u, accept_all)
    assert beta_odds(shapes, np.zeros((2, 1)), u, accept_all).tolist() == [1.0]


def test_logarithms_of_rounds() -> None:
    for t in (1, 2, 3, 1023, 1024, 1025, 10**6, 10**12):
        assert log_round(t) == pytest.approx(math.log(t), rel=2e-16, abs=0.0)


def test_totals_are_exact_whatever_their_sign_and_size() -> None:
    rng = np.random.default_rng(0)
    for totals in (rng.normal(size=500), 1e6 * rng.normal(size=500), 1e12 * rng.normal(size=500), np.zeros(2)):
        wide = total_cells(totals, 0)
        units = [int(x) for x in np.rint(np.ldexp(totals, REWARD_BITS)).tolist()]
        assert [sum(int(limb) << (30 * i) for i, limb in enumerate(column)) for column in wide.T] == units
        assert (total_values(wide, 0) == to_float(wide, -REWARD_BITS)).all()


@pytest.mark.parametrize("total", [np.nan, np.inf, -(2.0**80)])
def test_totals_out_of_range_are_errors(total: float) -> None:
    with pytest.raises(InvalidInput, match="a total reward is"):
        total_cells(np.array([0.0, total]), 0)


def test_the_machines_logarithm_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Acceptance by strict logarithms alone, and by a logarithm that errs by several units, is the same."""
    rng, n = np.random.default_rng(0), 40_000
    d = 10.0 ** rng.uniform(0, 6, (2, n))
    c, z, u = 1.0 / np.sqrt(9.0 * d), 1.5 * rng.standard_normal((2, n)), rng.random(n)
    root = 1.0 + c * z
    strict = logs(np.concatenate([u[None], np.where(root > 0, root, 1.0)]), np.zeros((3, n), dtype=np.int64))
    ahead, margin = _ahead(strict, d, z, np.where(root > 0, root, 1.0))
    u[::4] = np.minimum(u * np.exp(ahead), 1.0 - 2.0**-53)[::4]  # ties, up to rounding
    found, log = _accepted(d, c, z, u), np.log
    monkeypatch.setattr("replibandit.policies.variates._ahead", lambda *parts: (_ahead(*parts)[0], np.inf))
    monkeypatch.setattr(np, "log", lambda x: 0.0 * x)
    everything_strict = _accepted(d, c, z, u)
    assert (found == everything_strict).all()
    monkeypatch.undo()
    monkeypatch.setattr(np, "log", lambda x: log(x) * (1.0 + 2.0**-50))
    assert (_accepted(d, c, z, u) == found).all()
    assert (abs(ahead) > margin).mean() > 0.99  # and strict logarithms are rare
    assert 0.1 < found.mean() < 0.999
