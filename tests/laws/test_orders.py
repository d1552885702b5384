"""L0 within one machine: the bits depend on no order of the rows, no chunking, no merging and no layout in memory."""

import numpy as np
import pytest

import replibandit as rb
from replibandit.arithmetic import Moments, Scale, moments, no_moments
from replibandit.arrays import FloatArray, IntArray
from replibandit.estimators.ridge import rep_ridge_of
from tests.programs.estimators import bits, designs, digest, fit_glm, fit_ridge, naive_ridge

DESIGNS = designs(n=1200, d=8)
WHITENINGS = ("cholesky", "symmetric")
ORDERS = 20
CHUNKS = (1, 7, 100, 513, 1200)


def responses(X: FloatArray) -> FloatArray:
    return (rb.Key("orders").uniform(len(X)) < 0.5).astype(np.float64)


def orders(n: int) -> list[IntArray]:
    return [np.argsort(rb.Key("order").child(k).uniform(n)) for k in range(ORDERS)]


@pytest.mark.parametrize("whitening", WHITENINGS)
@pytest.mark.parametrize("name", DESIGNS)
def test_row_orders(name: str, whitening: str) -> None:
    X, y = DESIGNS[name], responses(DESIGNS[name])
    ridge = {bits(fit_ridge(X[o], y[o], whitening=whitening)) for o in orders(len(X))}
    glm = {bits(fit_glm(X[o], y[o], whitening=whitening)) for o in orders(len(X))}
    assert len(ridge) == len(glm) == 1


def test_row_orders_show_in_the_naive_computation() -> None:
    X = DESIGNS["continuous"]
    y = responses(X)
    naive = {digest(naive_ridge(X[o], y[o])) for o in orders(len(X))}
    assert len(naive) > 1


@pytest.mark.parametrize("whitening", WHITENINGS)
@pytest.mark.parametrize("name", DESIGNS)
def test_chunks_and_merges(name: str, whitening: str) -> None:
    X, y = DESIGNS[name], responses(DESIGNS[name])
    scale = Scale.declared(X.shape[1], feature_bound=1.0, response_bound=1.0)

    def fit(sums: Moments) -> str:
        return bits(rep_ridge_of(sums, rho=0.1, delta=0.01, noise=0.5, seed="machines", whitening=whitening))

    whole = fit(moments(X, y, scale=scale))
    for chunk in CHUNKS:
        parts = [moments(X[i : i + chunk], y[i : i + chunk], scale=scale) for i in range(0, len(X), chunk)]
        forwards, backwards = sum(parts, no_moments(scale)), sum(reversed(parts), no_moments(scale))
        pairs = [a + b for a, b in zip(parts[::2], [*parts[1::2], no_moments(scale)], strict=False)]
        tree = sum(pairs, no_moments(scale)) if len(parts) > 1 else forwards
        assert {fit(forwards), fit(backwards), fit(tree)} == {whole}


@pytest.mark.parametrize("name", DESIGNS)
def test_layouts_in_memory(name: str) -> None:
    X, y = DESIGNS[name], responses(DESIGNS[name])
    wide = np.zeros((len(X), 2 * X.shape[1]))
    wide[:, ::2] = X
    layouts = [X, np.asfortranarray(X), wide[:, ::2], X[::-1][::-1]]
    assert len({bits(fit_ridge(layout, y)) for layout in layouts}) == 1
    assert len({bits(fit_glm(layout, y)) for layout in layouts}) == 1
