"""The sections of docs/study.md about trust: promised and measured, samples, what breaks, the shop."""

from collections.abc import Callable

import numpy as np

from studies.breaks import CORES
from studies.breaks import PAIRS as BROKEN
from studies.exponents import slope
from studies.logged import PRIOR, environment, noise
from studies.mismatch import HORIZON, PAIRS
from studies.samples import DELTA, EPSILON
from studies.systems import REFERENCES
from studies.table import Row
from studies.words import figure, number, one, table, times


def conservative(mismatch: list[Row]) -> str:
    rhos = sorted({row["rho"] for row in mismatch})
    lines = []
    for kind in ("arms", "vectors"):
        for name in dict.fromkeys(row["system"] for row in mismatch if row["kind"] == kind):
            here = [one(mismatch, kind=kind, system=name, rho=rho) for rho in rhos]
            cells = [f"{row['rate']:.3f} ({row['low']:.3f} to {row['high']:.3f})" for row in here]
            lines.append([kind, name, *cells])
    spent = {(row["kind"], row["system"]): 0.0 for row in mismatch}
    for row in mismatch:
        spent[row["kind"], row["system"]] = max(spent[row["kind"], row["system"]], row["rate"] / row["rho"])
    ranked = sorted(spent.items(), key=lambda item: -item[1])
    most, least = ranked[0], ranked[-1]
    violated = [row for row in mismatch if row["low"] > row["rho"]]
    return f"""
## Promised and measured

{figure("mismatch", "the share of pairs of runs that differ, against the rho that was promised")}

Each cell is the worst of ten instances (two and five arms, gaps from 0 to 0.2) or of two (vectors, d = 2 and 5), with
{PAIRS} pairs each at T = {number(HORIZON)}, and the exact 95 % interval of that instance. The worst of several is above
its own mean by chance, so the table leans towards blaming.

{table(["actions", "system", *(f"rho = {rho}" for rho in rhos)], lines)}

{"No interval lies above its rho." if not violated else f"{len(violated)} intervals lie above their rho."} The most that
is spent of a promise is {most[1]:.0%}, by {most[0][1]} on {most[0][0]}; the least {least[1]:.1%}, by {least[0][1]} on
{least[0][0]}. What is not spent is paid in regret: the systems that spend little are those whose proof adds up chances
over all arms and all batches, most of which are never in doubt.
"""


def samples(rows: list[Row]) -> str:
    dims = sorted({row["d"] for row in rows})
    names = list(dict.fromkeys(row["estimator"] for row in rows))

    def line(name: str, column: str) -> list[str]:
        here = [one(rows, estimator=name, d=d) for d in dims]
        b, half = slope(dims, [row[column] for row in here])
        return [*(number(row[column]) for row in here), f"{b:.2f} ± {half:.2f}"]

    lines = [[f"{name}, {what}", *line(name, column)] for column, what in _SAMPLES.items() for name in names]
    first, last = dims[0], dims[-1]
    core, lemma = ([one(rows, estimator=name, d=d) for d in dims] for name in ("core set", "Lemma 9"))
    ratio = [number(a["rounds"] / b["rounds"]) for a, b in zip(core, lemma, strict=True)]
    powers = [slope(dims, [row["rounds"] for row in here])[0] for here in (core, lemma)]
    found = [slope(dims, [row["needed"] for row in here])[0] for here in (core, lemma)]
    # |C| n, n being of order |C|^2 g(pi) log(|C|/delta): with d in the place of |C| and g(pi), and no logarithm
    even, half = slope(
        dims,
        [
            row["rounds"] * (row["d"] / row["core"]) ** 3 * row["d"] / row["certificate"] / np.log(row["core"] / DELTA)
            for row in lemma
        ],
    )
    loose = [number(row["certificate"] / row["d"]) for row in lemma]
    sharp = one(rows, estimator="core set, sharp", d=last)["rounds"]
    return f"""
## Samples for one error over all actions

{figure("samples", "samples for a uniform error, planned and measured, against the dimension")}

The error of every action is to be at most {EPSILON} with probability {1 - DELTA:g}, replicably, among 10d unit vectors.
*Planned* is what the theorem asks for; *measured* is what would be enough, from the 95 % quantile of the largest error
in {rows[0]["draws"]} estimates of each plan (errors fall as the root of the samples). The last column is the power of
d.

{table(["estimator", *(f"d = {d}" for d in dims), "power of d"], lines)}

The paper says that RepRidge on a core set needs a factor d less than Lemma 9 of Esfandiari et al., d^4 and not d^5. The
plans have the powers {powers[0]:.2f} and {powers[1]:.2f}. Lemma 9 needs |C|^3 g(pi) log(|C|/delta), and here core sets
C grow from {lemma[0]["core"]} to {lemma[-1]["core"]} actions and designs get looser, g(pi) from {loose[0]} d to
{loose[-1]} d, of 4 d that are allowed. With d in the place of |C| and g(pi), and without the logarithm, its power is
{even:.2f} ± {half:.2f}. What is really needed has the powers {found[0]:.2f} and {found[1]:.2f}. So
the factor is one of log log d, and explicit constants weigh more: the core set of Prop. 4.1 needs {ratio[0]} times as
much as Lemma 9 at d = {first} and {ratio[-1]} times at d = {last}. The d^5 comes from adding up the errors of all
means;
the inequality of Cauchy and Schwarz does with the root (`estimators/least_squares.py`). What does help is the sharp
calibration: {times(lemma[-1]["rounds"], sharp)} less than Lemma 9 at d = {last}.
"""


_SAMPLES = {"rounds": "planned", "needed": "measured"}


def broken(rows: list[Row]) -> str:
    def rate(row: Row) -> str:
        return f"{row['apart'] / row['pairs']:.3f} ({row['low']:.3f} to {row['high']:.3f})"

    said: dict[str, Callable[[float], str]] = {
        "machines": lambda x: ("ordinary arithmetic", "its cells", "strict arithmetic")[int(x)],
        "sequence": lambda x: f"{x:g} more numbers drawn before the second run",
        "contexts": lambda x: f"sets moved by up to {x:g}",
        "tails": lambda x: f"Student's law, {x:g} degrees of freedom",
        "drift": lambda x: f"gap {x:g}, reversed at T/2",
    }
    heads = {
        "machines": "two kinds of processor, the same data",
        "sequence": "a stream in place of named randomness",
        "contexts": "unequal contexts",
        "tails": "heavy tails",
        "drift": "rewards that drift",
    }
    lines = [
        [heads[row["kind"]], row["system"], said[row["kind"]](row["level"]), rate(row), _lost(row)]
        for row in rows
        if row["kind"] in heads
    ]
    bits = [one(rows, kind="machines", level=level) for level in (0, 1, 2)]
    levels = sorted({row["level"] for row in rows if row["kind"] == "noise"}, reverse=True)
    shares = ", ".join(
        f"{one(rows, kind='noise', system=name, level=0.5)['apart'] / BROKEN:.2f} ({name})"
        for name in ("RepUCB sharp", "RepCommit", "RepEliminate")
    )
    declared = [
        [name, *(f"{one(rows, kind='noise', system=name, level=x)['apart'] / BROKEN:.2f}" for x in levels)]
        for name in dict.fromkeys(row["system"] for row in rows if row["kind"] == "noise")
    ]
    return f"""
## What breaks

One condition of the theorems is violated at a time. The share of pairs that differ, with its exact 95 % interval,
beside a promised rho of 0.1:

{table(["violated", "system", "how", "differ", "mean regret"], lines)}

* *Arithmetic.* The same data on two kinds of processor, {CORES[0]} and {CORES[1]}: in ordinary floating point
  {bits[0]["apart"]} of {bits[0]["of"]} estimates differ in their bits, although only {bits[1]["apart"]} differ in a
  cell; in strict arithmetic {bits[2]["apart"]} differ.
* *Named randomness.* One more number drawn in one of two runs, and a sequential stream has nothing in common any more.
* *Contexts* have to be the same in both runs. Differences far below the resolution of the estimates do nothing; those
  that are not are another instance.
* *Heavy tails*: with three degrees of freedom, beyond what sub-Gaussian theory covers, sums of many rewards are still
  normal enough; without a variance (rewards cut at ±1000, which the arithmetic asks for) they are not.
* *Drift* is shared by both runs, so that they agree as promised, and are both wrong: who has committed to an arm loses
  the gap in every round after the change.

Less noise declared than there is, three arms with gaps of 0.05, T = {number(10**8)}; the share of pairs that differ, by
declared over true noise:

{table(["system", *(f"{x:g}" for x in levels)], declared)}

{figure("noise", "the share of pairs that differ, against declared over true noise")}

The sharp systems have no slack: with half of the true noise declared {shares} of the pairs differ. The paper's
constants and the older systems have slack for a factor of about ten. That `RepUCB` sharp differs rarely at the smallest
ratios is due to these gaps, and no theorem says it.
"""


def _lost(row: Row) -> str:
    return "-" if row["kind"] == "machines" else number(row["regret"])


def logged(rows: list[Row]) -> str:
    rates = np.sort(environment().means)
    levels = sorted({row["noise"] for row in rows}, reverse=True)
    powers = sorted({row["horizon"] for row in rows})
    lines = []
    for level in levels:
        for name in dict.fromkeys(row["system"] for row in rows):
            here = [one(rows, noise=level, system=name, horizon=T) for T in powers]
            worst = max(here, key=lambda row: float(row["low"])) if name not in REFERENCES else here[-1]
            cells = [number(row["regret"]) for row in here]
            lines.append([f"{level:.3g}", name, *cells, f"{worst['apart']} of {worst['pairs']}"])
    bad = [row for row in rows if row["system"] not in REFERENCES and row["low"] > row["rho"]]
    late = {row["system"]: row["regret"] for row in rows if row["noise"] == levels[-1] and row["horizon"] == powers[-1]}
    replicable = {name: lost for name, lost in late.items() if name not in REFERENCES}
    first = min(replicable, key=lambda name: float(replicable[name]))
    return f"""
## Real data: clicks in a shop

34 items of a fashion shop as arms, with the click rates of a log of 20,000 impressions, drawn to the overall rate as by
{PRIOR:g} impressions. Source: the sample of the Open Bandit Dataset (ZOZO, Inc.; Saito, Aihara, Matsutani and Narita
2021), campaign "men", that ships inside the Python package obp 0.4.1, which is under the Apache License 2.0.
`studies/data/clicks.csv` has the counts that are used, `studies/logged.py` extracts them. The largest rate is
{100 * float(rates[-1]):.2g} %, the second {100 * float(rates[-2]):.2g} %: a hard instance. Clicks are in [0, 1], noise
0.5; no click rate here has a sub-Gaussian
parameter above {noise():.3g}, and who knows that may declare it.

{figure("logged", "clicks lost on 34 items, for two declared noise levels")}

Clicks lost by the horizon, and the pairs that differ at the horizon where most do:

{table(["noise", "system", *(f"T = {number(T)}" for T in powers), "differ"], lines)}

{"All systems keep their promise." if not bad else f"{len(bad)} audits fail."} A shop with a million impressions cannot
learn replicably which of 34 items is clicked most: until {number(10**8)} every replicable system loses about as much as
random play. (`EsfandiariThreshold` plays the first item that is left, which here happens to be better than the average
one.) By {number(powers[-1])} `{first}` has lost least, {number(replicable[first])} clicks,
{times(replicable[first], late["Plain"])} what `Plain` loses.
"""
