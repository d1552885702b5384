"""How many pulls of a core set are enough: the inequalities of Prop. 4.1 and of its sharp version, decided exactly."""

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from replibandit.calibration import dither
from replibandit.estimators.design import Design

_DIGITS = 60


def smallest(enough: Callable[[int], bool]) -> int:
    """Return the smallest whole N that is enough, decided exactly.

    The difference of the sides, N minus an increasing concave function of N, is convex and negative at N = 0.  Such a
    function stays nonnegative from its first nonnegative value on, so that bisection finds the smallest N.
    """
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def paper_enough(
    d: int, design: Design, longest: float, *, rho: float, delta: float, epsilon: float, noise: float, norm_bound: float
) -> Callable[[int], bool]:
    """Return whether N >= 72 d^3 (sigma^2 B_N + S^2) / (rho^2 epsilon^2)."""
    # N rho^2 epsilon^2 / (72 d^3 sigma^2) - S^2/sigma^2 >= d log(1 + L^2 (N + |C|)/d) + 2 log(1/delta_0)
    slope = (Fraction(rho) * Fraction(epsilon) / Fraction(noise)) ** 2 / (72 * d**3)
    offset = (Fraction(norm_bound) / Fraction(noise)) ** 2
    spread, size = Fraction(longest) / d, len(design.indices)

    def enough(N: int) -> bool:
        return _at_least(N * slope - offset, (d, 1 + spread * (N + size)), (2, 1 / Fraction(delta)))

    return enough


def sharp_enough(
    shape: tuple[int, ...],
    design: Design,
    longest: float,
    *,
    rho: float,
    delta: float,
    epsilon: float,
    noise: float,
    norm_bound: float,
) -> Callable[[int], bool]:
    """Return whether N >= (4 r/epsilon^2) (sigma sqrt(B_N) + S + c (2/sqrt 3) sigma sqrt(d r)/rho)^2."""
    (K, d), r, size = shape, design.rank, len(design.indices)
    reach, rest = dither(d, delta=delta, candidates=K)
    context = _context(_DIGITS)
    number = context.create_decimal_from_float
    sigma, target = number(noise), context.power(number(epsilon), 2)
    root = context.sqrt(context.divide(4 * d * r, 3))
    fixed = context.add(
        number(norm_bound), context.multiply(number(reach), context.divide(context.multiply(sigma, root), number(rho)))
    )
    tail = context.multiply(-2, context.ln(number(rest)))

    def enough(N: int) -> bool:
        # B_N = r log(1 + L^2 (N + |C|)/r) + 2 log(1/delta')
        volume = context.add(1, context.divide(context.multiply(number(longest), N + size), r))
        B = context.fma(r, context.ln(volume), tail)
        radius = context.fma(sigma, context.sqrt(B), fixed)
        return context.multiply(N, target) >= context.multiply(4 * r, context.power(radius, 2))

    return enough


def _at_least(value: Fraction, *terms: tuple[int, Fraction]) -> bool:
    """Decide value >= sum of k log(x) over the terms (k, x), all x above 1.

    The sum is the logarithm of a rational number above 1, hence irrational and not the value: enough digits tell.
    """
    digits = 40
    while True:
        context = _context(digits)
        total, size = Decimal(0), Decimal(1)
        for k, x in terms:
            log = context.ln(context.divide(Decimal(x.numerator), Decimal(x.denominator)))
            total = context.fma(k, log, total)
            size = context.fma(k, context.add(log, 1), size)
        # Rounding x moves log(x) by half a unit of the last digit of 1, and each later step adds as little relatively.
        margin = Fraction(context.scaleb(size, 2 - digits))
        if abs(value - Fraction(total)) > margin:
            return value > Fraction(total)
        digits *= 2


def _context(digits: int) -> Context:
    return Context(digits, ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, capitals=1, clamp=0, flags=[], traps=[])
