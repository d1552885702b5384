"""The sections of docs/study.md about regret: the opening, which system to use, horizons, exponents, the price."""

from studies import worst as worst_gap
from studies.exponents import LONG
from studies.instances import QUIET, SIGMA
from studies.mismatch import HORIZON
from studies.price import AT, LEARNED, POWERS
from studies.regret import RHO
from studies.systems import REFERENCES
from studies.table import Row, read
from studies.words import figure, named, number, one, table, times


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
which the scripts in `studies/` play; no result on it is typed. Runs are simulated exactly, decision by decision, at
horizons up to {number(10 ** max(POWERS))}. rho is 0.1 unless another is named.

The older systems are {named(_OLDER)} ([what they are](reference.md#older-replicable-policies), [what is ours in
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
    near = [row for row in read("mismatch") if row["instance"].startswith("gap 5") and row["rho"] == RHO]
    gaps = sorted({float(row["instance"].split()[2]) for row in near} - {0.0})
    by_gap = [_best([row for row in near if row["instance"] == f"gap 5 {gap}"]) for gap in gaps]
    return f"""
## Which system to use

The replicable system with the least mean regret, and by how much the next one is worse, at rho = 0.1:

{table(["instance", *heads], rows)}

At T = {number(AT)}, by rho:

{table(["instance", *(f"rho = {rho}" for rho in rhos)], by_rho)}

Five arms at T = {number(HORIZON)}, two of which differ by a gap while the others are far behind:

{table([f"gap {gap}" for gap in gaps], [by_gap])}

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
gap it stops paying once it has decided. Without dependence on rho here: {named(flat)}; with two actions the floor of
2304 is beta for all rho of the table.
"""


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
