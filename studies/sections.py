"""The sections of docs/study.md, each from its table."""

from collections.abc import Callable

import numpy as np

from studies import worst as worst_gap
from studies.breaks import CORES
from studies.breaks import PAIRS as BROKEN
from studies.exponents import LONG, slope
from studies.instances import QUIET, SIGMA
from studies.logged import PRIOR, environment, noise
from studies.mismatch import HORIZON, PAIRS
from studies.price import AT, LEARNED
from studies.samples import DELTA, EPSILON
from studies.systems import REFERENCES
from studies.table import Row
from studies.words import figure, number, table


def one(rows: list[Row], **fixed: object) -> Row:
    """Return the only row with these values."""
    (row,) = [row for row in rows if all(row[key] == value for key, value in fixed.items())]
    return row


def times(first: float, second: float) -> str:
    """Return how many times the second the first is."""
    return f"{number(first / second)} times"


def opening(regret: list[Row], mismatch: list[Row]) -> str:
    violated = [row["system"] for row in mismatch if row["low"] > row["rho"]]
    verdict = (
        f"None of the systems differs more often than it promises on any of the {len(mismatch)} settings below."
        if not violated
        else f"More often than they promise differ: {', '.join(sorted(set(violated)))}."
    )
    long = {name: one(regret, instance="arms 5", system=name, horizon=LONG)["regret"] for name in _PAPER}
    return f"""
# The study: replicable systems side by side

Every replicable system that there is, the paper's, ours and the older ones, on the same instances: what they lose, how
often two runs really differ, and what breaks. This page is written by `make study` from the tables in `studies/data`,
which the scripts in `studies/` play; no number on it is typed. Runs are simulated exactly, decision by decision, at
horizons up to {number(LONG)}. rho is 0.1 unless another is named.

The older systems are {_code(_OLDER)} ([what they are](reference.md#older-replicable-policies), [what is ours in
them](paper.md#other-systems)). `Plain` is `EliminateInPhases` without replicability, the twin that prices are measured
by; it drops what trails by the confidence radius.

In short:

* {verdict}
* With the paper's constants, RepUCB loses {times(long["RepUCB"], long["RepCommit"])} as much as RepCommit on five arms
  at T = {number(LONG)}, and {times(long["RepUCB"], long["RepUCB sharp"])} as much as itself with the sharp calibration,
  which has the same guarantee.
* The dependence on rho, K, d and T is that of the theory where a theorem speaks of fixed gaps, and that of the
  worst-case theorems at the worst gap.
* The factor d between Lemma 9 of Esfandiari et al. and the core set of RepRidge is one of log log d.
"""


_PAPER = ("RepUCB", "RepUCB sharp", "RepCommit")
_OLDER = (
    "EsfandiariMean", "EsfandiariThreshold", "EsfandiariLinear", "EsfandiariNet", "EliminateInPhases", "CommitInPhases",
)  # fmt: skip


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def choice(regret: list[Row], price: list[Row]) -> str:
    powers = (10**4, 10**6, 10**8, 10**10, 10**12, 10**14)
    rows = []
    for name, words in _WHERE.items():
        here = [row for row in regret if row["instance"] == name and row["system"] not in REFERENCES]
        rows.append([words, *(_best([row for row in here if row["horizon"] == T]) for T in powers)])
    by_rho = []
    for name, words in {"equal 2": "2 arms", "equal 5": "5 arms", "finite 5": "15 vectors, d = 5"}.items():
        here = [row for row in price if row["instance"] == name and row["horizon"] == AT]
        rhos = sorted({row["rho"] for row in here})
        by_rho.append([words, *(_best([row for row in here if row["rho"] == rho]) for rho in rhos)])
    heads = [f"T = {number(T)}" for T in powers]
    return f"""
## Which system to use

The replicable system with the least mean regret, and by how much the next one is worse, at rho = 0.1:

{table(["instance", *heads], rows)}

At T = {number(AT)}, by rho:

{table(["instance", *(f"rho = {rho}" for rho in rhos)], by_rho)}

A factor near 1 says that the horizon is too short for either to have learned anything replicably: then the systems
differ by what they play in ignorance. Beyond that the table says: *a finite set, fixed: `RepCommit`*, or `RepEliminate`
where few actions are close to the best and the others far behind; *a ball, or sets that change: `RepLinUCB`, sharp*;
*generalised linear rewards: `RepGLMUCB`, sharp*, or `RepUCB`, sharp, on the actions as arms where they are few. The
paper's constants are for those who want the theorem to the letter.
"""


_WHERE = {
    "arms 2": "2 arms",
    "arms 5": "5 arms",
    "arms 20": "20 arms",
    "finite 2": "6 vectors, d = 2",
    "finite 5": "15 vectors, d = 5",
    "finite 10": "30 vectors, d = 10",
    "finite 20": "60 vectors, d = 20",
    "ball 2": "ball, d = 2",
    "ball 5": "ball, d = 5",
    "ball 10": "ball, d = 10",
    "logistic 2": "logistic, d = 2",
    "logistic 5": "logistic, d = 5",
}


def _best(rows: list[Row]) -> str:
    ranked = sorted(rows, key=lambda row: float(row["regret"]))
    if len(ranked) < 2:
        return "-"
    return f"{ranked[0]['system']} ({number(ranked[1]['regret'] / ranked[0]['regret'])})"


def horizons(regret: list[Row]) -> str:
    def at(name: str, system: str, T: int) -> float:
        return float(one(regret, instance=name, system=system, horizon=T)["regret"])

    systems = [row["system"] for row in regret if row["instance"] == "arms 5" and row["horizon"] == LONG]
    powers = (10**4, 10**6, 10**8, 10**10, LONG)
    cells = [[name, *(number(at("arms 5", name, T)) for T in powers)] for name in systems]
    bound = [row for row in regret if row["bound"] != "" and row["error"] >= 0]
    held = all(row["regret"] - 4.0 * row["error"] <= row["bound"] for row in bound)
    tight = min(bound, key=lambda row: row["bound"] / row["regret"])
    return f"""
## Regret and horizon

{figure("regret", "mean regret against the horizon, for arms, vectors, balls, changing sets and logistic rewards")}

Arms: the best one has mean 0.7, the others lie from 0.3 to 0.6, all with Bernoulli rewards, and the best is in the
middle, so that no system finds it by its number. Vectors: 3d unit vectors, normal noise {SIGMA}. Five arms in numbers:

{table(["system", *(f"T = {number(T)}" for T in powers)], cells)}

* Every curve begins as a straight line: until a system can decide replicably it loses in proportion to T. Replicable
  systems leave that line later than `Plain`, in proportion to rho^-2.
* `RepCommit` and `RepEliminate` level off: after their decision they lose nothing more. `RepUCB` decides anew at every
  doubling and pays for each of these decisions; with the paper's constants it has hardly left the straight line at
  T = {number(10**8)} with 20 arms ({number(at("arms 20", "RepUCB", 10**8))} of {number(10**8)} rounds' gaps).
* *Where the paper's algorithms lose.* On five arms at T = {number(LONG)}, `EsfandiariThreshold` of 2023 loses
  {times(at("arms 5", "RepUCB", LONG), at("arms 5", "EsfandiariThreshold", LONG))} less than `RepUCB` with the paper's
  constants. Theory agrees: the bounds are K^2/rho^2 log T for the former, and K^2/rho^2 log^3 T for the latter. On
  vectors with d = 5 `EsfandiariLinear` loses
  {times(at("finite 5", "RepLinUCB", LONG), at("finite 5", "EsfandiariLinear", LONG))} less than `RepLinUCB`, although
  its theorem has K^2/rho^2 where the paper has d^3/rho: see the next section for the reason.
* *Where they win.* On the disc `RepLinUCB` needs no net: at T = {number(10**12)} `EsfandiariNet`, on a net coarser than
  the theorem's, loses {times(at("ball 2", "EsfandiariNet", 10**12), at("ball 2", "RepLinUCB", 10**12))} as much, and in
  more dimensions it cannot be run. On sets that change only the paper's systems are replicable at all.
* All {len(bound)} bounds that this package states {"hold" if held else "DO NOT HOLD"}. The tightest is that of
  {tight["system"]} ({tight["instance"]}, T = {number(tight["horizon"])}): {times(tight["bound"], tight["regret"])} the
  measured regret.
"""


def exponents(slopes: list[Row], worst: list[Row]) -> str:
    def cell(rows: list[Row]) -> str:
        return f"{rows[0]['slope']:.2f} ± {rows[0]['half']:.2f}" if rows else ""

    axes = ["rho", "K", "T", "rho, vectors", "d", "T, vectors"]
    names = list(dict.fromkeys(row["system"] for row in slopes))
    lines = []
    for words in ("", "quiet "):
        for name in names:
            here = {axis: [r for r in slopes if r["axis"] == words + axis and r["system"] == name] for axis in axes}
            if any(here.values()):
                cells = [f"{cell(rows)} ({rows[0]['theory']})" if rows else "" for rows in here.values()]
                lines.append([f"{name}{', quiet' if words else ''}", *cells])
    gaps = [
        [name, *(cell([r for r in worst if r["system"] == name and r["axis"] == axis]) for axis in ("rho", "T", "d"))]
        for name in dict.fromkeys(row["system"] for row in worst)
    ]
    lin = {axis: one(worst, system="RepLinUCB", axis=axis)["slope"] for axis in ("rho", "T", "d")}
    fixed = {axis: one(slopes, system="RepLinUCB", axis=axis)["slope"] for axis in ("rho, vectors", "d")}
    flat = tuple(row["system"] for row in worst if row["axis"] == "rho" and abs(row["slope"]) < 0.005)
    return f"""
## Exponents

{figure("exponents", "mean regret as one of rho, K, d and T moves")}

Slopes on logarithmic axes with Student's 95 % intervals, which contain what the points deviate from a line; in
parentheses what the theorems have, up to logarithms ("log" stands for logarithms only). Arms have equal gaps of 0.2, so
that the sum over 1/gap has a factor K; rho runs from 0.05 to 0.4, K from 2 to 32, d from 2 to 16, T from
{number(10**10)} to {number(LONG)}. "Quiet" instances have noise {QUIET}, as if T were {number((SIGMA / QUIET) ** 2)}
times as long: a test of whether the horizon is long enough to show the exponent.

{table(["system", *axes], lines)}

* *rho.* Slopes are near -2, the price K^2/rho^2 of the theorems. Those of `RepCommit` and `EsfandiariThreshold` are
  flatter with wide intervals: at large rho another term rules, there the confidence radius, and here the floor of 2304
  under beta, which the source has.
* *K.* Near 3 where every estimate has to agree; between 1 and 2 for the two systems with one decision, `RepCommit` and
  `CommitInPhases`. `RepEliminate` is flatter than 3: with two arms it is `RepCommit`, and with many it commits before
  it eliminates.
* *T.* Powers near 0, as logarithms have. The local slope of log^3 T is 3/log T, about 0.1 here.
* *Where theory seems to disagree: RepLinUCB.* Its theorem has d^3/rho sqrt(T); at a fixed gap the slope is
  {fixed["rho, vectors"]:.2f} in rho and {fixed["d"]:.2f} in d. The theorem is about the worst gap: at a fixed one
  regret
  goes as the square of the radius over the gap, hence with rho^-2, and with up to d^6. The test: orthogonal actions,
  the
  largest regret over {len(worst_gap.GAPS)} gaps from {max(worst_gap.GAPS)} to {min(worst_gap.GAPS):.2g}.

{table(["system, at its worst gap", "slope in rho", "slope in T", "slope in d"], gaps)}

{figure("worst", "the largest regret over all gaps, against rho, T and d")}

There `RepLinUCB` has {lin["rho"]:.2f} in rho, {lin["T"]:.2f} in T and {lin["d"]:.2f} in d, beside -1, 1/2 and 3. The
same explains why elimination beats `RepLinUCB` on the vectors above, although its theorem has K^2/rho^2: with a fixed
gap it stops paying once it has decided. Without dependence on rho here: {_code(flat)}; with two actions the floor of
2304 is beta for all rho of the table.
"""


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


def price(rows: list[Row], found: list[Row]) -> str:
    words = {"equal 2": "2 arms", "equal 5": "5 arms", "finite 5": "vectors, d = 5"}
    rhos = sorted({row["rho"] for row in rows})
    lines = []
    for name, shown in words.items():
        for system in dict.fromkeys(row["system"] for row in rows if row["instance"] == name):
            here = [one(rows, instance=name, system=system, rho=rho, horizon=AT)["ratio"] for rho in rhos]
            first = [one(found, instance=name, system=system, rho=rho)["horizon"] for rho in rhos]
            cells = [f"{number(r)}; {number(T) if T else 'none'}" for r, T in zip(here, first, strict=True)]
            lines.append([shown, system, *cells])
    reached = [row for row in found if row["horizon"]]
    return f"""
## The price of replicability

{figure("price", "regret over that of the twin that is not replicable, against rho")}

Regret over that of `Plain` at T = {number(AT)}; after the semicolon the smallest horizon, of the powers of ten played,
at which it is below 2. Horizons at which `Plain` still loses {LEARNED:.0%} or more of what random play loses do not
count.

{table(["instance", "system", *(f"rho = {rho}" for rho in rhos)], lines)}

A ratio below 2 is reached {len(reached)} times in {len(found)}: {_systems(reached)}. The others do not reach it by
{number(max(row["horizon"] for row in rows))}. Where regret levels off, that of `Plain` still grows with log T, so that
the ratio does fall; but a
factor of ten takes the tenfold log T. Replicability is free asymptotically, at horizons that nobody plays; with one
decision, few actions and a generous rho it is nearly free at once.
"""


def _systems(rows: list[Row]) -> str:
    return ", ".join(f"{row['system']} ({_SHORT[row['instance']]}, rho = {row['rho']})" for row in rows) or "by none"


_SHORT = {"equal 2": "2 arms", "equal 5": "5 arms", "finite 5": "vectors"}


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
