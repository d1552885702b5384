"""Print the constants of the normal distribution that `replibandit.arithmetic.elementary` holds.

The upper tail is Q(t) = e^(-t²/2) g(s) / (t + 4) with s = (t - 4) / (t + 4), which maps [0, ∞) onto [-1, 1), and

    g(s) = (t + 4) e^(t²/2) Q(t),    g(-1) = 2,    g(1) = 1/√(2π).

g is smooth on [-1, 1], so its Chebyshev series converges fast: 26 terms leave 2e-18.  The series is cut there and
rewritten in powers of s, with coefficients rounded to double precision.  Run it with
`python tools/normal_coefficients.py`; a test compares the output with the module.
"""

from mpmath import mp, mpf

DIGITS, NODES, TERMS, CENTRE = 60, 80, 26, 4


def scaled_tail(s: mpf) -> mpf:
    """Return g(s) to the working precision."""
    t = CENTRE * (1 + s) / (1 - s)
    return (t + CENTRE) * mp.exp(t * t / 2) * mp.erfc(t / mp.sqrt(2)) / 2


def chebyshev_series(terms: int) -> list[mpf]:
    """Return the first coefficients of g = c_0 + c_1 T_1 + c_2 T_2 + ... from its values at the Chebyshev nodes."""
    angles = [mp.pi * (2 * j + 1) / (2 * NODES) for j in range(NODES)]
    values = [scaled_tail(mp.cos(angle)) for angle in angles]
    sums = [mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles, strict=True)) for k in range(terms)]
    return [(2 if k else 1) * total / NODES for k, total in enumerate(sums)]


def powers(series: list[mpf]) -> list[mpf]:
    """Rewrite a Chebyshev series in powers of s, by T_(k+1) = 2 s T_k - T_(k-1)."""
    before, now = [mpf(0)] * len(series), [mpf(1)] + [mpf(0)] * (len(series) - 1)
    result = [mpf(0)] * len(series)
    for k, coefficient in enumerate(series):
        result = [total + coefficient * entry for total, entry in zip(result, now, strict=True)]
        shifted = [mpf(0), *now[:-1]]
        after = [(2 if k else 1) * up - down for up, down in zip(shifted, before, strict=True)]
        before, now = now, after
    return result


def constants() -> str:
    """Return the Python text that stands in the module."""
    with mp.workdps(DIGITS):
        density = float(1 / mp.sqrt(2 * mp.pi))
        coefficients = [float(c) for c in powers(chebyshev_series(TERMS))]
    lines = "".join(f"    {c!r},\n" for c in coefficients)
    return f"_DENSITY_AT_ZERO = {density!r}\n_SCALED_TAIL = (\n{lines})\n"


if __name__ == "__main__":
    print(constants(), end="")
