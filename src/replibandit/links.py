"""The links of generalised linear models (Alg. 4): mu, mu', an antiderivative, and the constants k_mu and c_mu.

A model with mean E[y | x] = mu(x'theta) goes by the name of its link function, the inverse of mu:

    name        mu(eta)              mu'(eta)                  b(eta), with b' = mu
    identity    eta                  1                         eta²/2
    logistic    1 / (1 + e^-eta)     e^-eta / (1 + e^-eta)²    log(1 + e^eta)
    probit      Phi(eta)             phi(eta)                  eta Phi(eta) + phi(eta)
    log         e^eta                e^eta                     e^eta

Each mu' rises up to a peak and falls from there on (identity: it is constant), so on a closed interval it is largest
at the point nearest to the peak and smallest at an end.  On the whole line the log link has no finite k_mu, and only
the identity has c_mu > 0: the theorems need a bounded domain.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from replibandit import checks
from replibandit.arithmetic.elementary import elementwise, exp, normal_cdf, normal_pdf, softplus
from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput

_Function = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Know a link by its `name`: links of one name are equal.

    `mean`, `slope` and `antiderivative` are mu, mu' and b, elementwise on arrays of any shape, with the same bits on
    every machine.  `slope` rises up to `peak` and falls from there on.
    """

    name: str
    mean: _Function = field(repr=False, compare=False)
    slope: _Function = field(repr=False, compare=False)
    antiderivative: _Function = field(repr=False, compare=False)
    peak: float = field(repr=False, compare=False)

    def lipschitz(self, low: float, high: float) -> float:
        """Return k_mu, the largest mu' on [low, high]; for |x'theta| <= L S that is [-L S, L S].

        >>> LINKS["logistic"].lipschitz(-2.0, 2.0)
        0.25
        """
        _check_interval(low, high)
        return float(self.slope(np.array(min(max(low, self.peak), high))))

    def min_slope(self, low: float, high: float) -> float:
        """Return c_mu, the smallest mu' on [low, high]; 0.0 if it underflows, and then no theorem holds.

        >>> LINKS["probit"].min_slope(-2.0, 40.0)
        0.0
        """
        _check_interval(low, high)
        return float(min(self.slope(np.array([low, high]))))


def as_link(link: Link | str) -> Link:
    """Return `link` if it is one, else the link of that name."""
    return link if isinstance(link, Link) else LINKS[checks.one_of("link", link, LINKS)]


def _check_interval(low: float, high: float) -> None:
    if not -np.inf < low <= high < np.inf:
        raise InvalidInput(
            f"the interval is [{low:g}, {high:g}]; it must have finite ends, low <= high. "
            "For |x'theta| <= L S give -L S and L S."
        )


@elementwise
def _itself(eta: FloatArray) -> FloatArray:
    return eta


@elementwise
def _one(eta: FloatArray) -> FloatArray:
    return np.ones_like(eta)


@elementwise
def _half_square(eta: FloatArray) -> FloatArray:
    return 0.5 * eta * eta


@elementwise
def _logistic_mean(eta: FloatArray) -> FloatArray:
    # 1 / (1 + e^-eta) = e^eta / (1 + e^eta): take the side whose exponential is at most 1
    t = exp(-np.abs(eta))
    return np.where(eta > 0, 1.0, t) / (1.0 + t)


@elementwise
def _logistic_slope(eta: FloatArray) -> FloatArray:
    # mu (1 - mu), where 1 - mu would lose its bits: e^-|eta| / (1 + e^-|eta|)²
    t = exp(-np.abs(eta))
    return t / ((1.0 + t) * (1.0 + t))


@elementwise
def _probit_antiderivative(eta: FloatArray) -> FloatArray:
    # eta Phi + phi.  The bound -40, where Phi is 0 in double precision, matters to eta = -inf alone.  For eta < 0 the
    # two terms cancel and the relative error grows like eta², to 6e-13 at -37; the absolute error stays below 2e-16.
    return np.maximum(eta, -40.0) * normal_cdf(eta) + normal_pdf(eta)


LINKS: dict[str, Link] = {
    link.name: link
    for link in (
        Link(name="identity", mean=_itself, slope=_one, antiderivative=_half_square, peak=0.0),
        Link(name="logistic", mean=_logistic_mean, slope=_logistic_slope, antiderivative=softplus, peak=0.0),
        Link(name="probit", mean=normal_cdf, slope=normal_pdf, antiderivative=_probit_antiderivative, peak=0.0),
        Link(name="log", mean=exp, slope=exp, antiderivative=exp, peak=np.inf),
    )
}
