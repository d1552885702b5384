"""`fit mean`, `fit ridge` and `fit glm`: replicable estimates from a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from replibandit.arrays import FloatArray
from replibandit.cli import options
from replibandit.cli.terminal import facts, listing, show, show_json
from replibandit.errors import InvalidInput
from replibandit.estimators.glm import GLMFit, rep_glm
from replibandit.estimators.mean import MeanFit, rep_mean
from replibandit.estimators.ridge import RidgeFit, rep_ridge
from replibandit.links import LINKS
from replibandit.tables import column_names, columns

MEAN_EXAMPLES = options.examples(
    "replibandit fit mean --data lab.csv --target score --rho 0.1 --delta 0.01 --seed lab-7",
)
RIDGE_EXAMPLES = options.examples(
    "replibandit fit ridge --data lab.csv --target y --features a,b,c \\",
    "    --rho 0.1 --delta 0.01 --noise 1 --seed lab-7 --json > fit.json",
)
GLM_EXAMPLES = options.examples(
    "replibandit fit glm --data lab.parquet --target y --features a,b,c \\",
    "    --link logistic --rho 0.1 --delta 0.01 --noise 0.5 --seed lab-7",
)

Data = Annotated[Path, typer.Option(metavar="FILE", help="The data: .csv, with the names of the columns, or .parquet.")]
Target = Annotated[str, typer.Option(metavar="COLUMN", help="The column of the responses.")]
Features = Annotated[
    str | None,
    typer.Option(metavar="A,B,...", help="The columns of the design, in this order; all others unless said."),
]
Rho = Annotated[
    float,
    typer.Option(parser=options.number, metavar="RHO", help="The probability that another lab finds another answer."),
]
Delta = Annotated[
    float, typer.Option(parser=options.number, metavar="DELTA", help="The probability that a radius fails.")
]
Noise = Annotated[
    float, typer.Option(parser=options.number, metavar="SIGMA", help="The sub-Gaussian parameter of the noise.")
]
Seed = Annotated[
    Any, typer.Option(parser=options.seed_of, metavar="SEED", help="Text or a whole number: what the labs share.")
]
Penalty = Annotated[
    float, typer.Option(parser=options.number, metavar="LAMBDA", help="The weight of the ridge penalty.")
]
NormBound = Annotated[float, typer.Option(parser=options.number, metavar="S", help="A bound on the norm of the truth.")]


def mean(
    data: Data,
    target: Target,
    rho: Rho,
    delta: Delta,
    seed: Seed,
    noise: Noise = 0.5,
    as_json: options.AsJson = False,
) -> None:
    """Fit a replicable mean of one column.  The default noise is that of values from 0 to 1."""
    values = columns(data, [target])[:, 0]
    settings: dict[str, Any] = {"rho": rho, "delta": delta, "noise": noise, "seed": seed}
    _print(rep_mean(values, **settings), [target], {"rows": len(values), **settings}, as_json)


def ridge(
    data: Data,
    target: Target,
    rho: Rho,
    delta: Delta,
    noise: Noise,
    seed: Seed,
    features: Features = None,
    penalty: Penalty = 1.0,
    norm_bound: NormBound = 1.0,
    as_json: options.AsJson = False,
) -> None:
    """Fit a replicable ridge regression.  For an intercept the data need a column of ones."""
    names, X, y = _design(data, target, features)
    settings: dict[str, Any] = {"rho": rho, "delta": delta, "noise": noise, "seed": seed}
    settings |= {"penalty": penalty, "norm_bound": norm_bound}
    _print(rep_ridge(X, y, **settings), names, {"rows": len(y), **settings}, as_json)


def glm(
    data: Data,
    target: Target,
    link: Annotated[
        str,
        typer.Option(metavar="NAME", help=f"The link: {', '.join(LINKS)}.", autocompletion=options.links),
    ],
    rho: Rho,
    delta: Delta,
    noise: Noise,
    seed: Seed,
    features: Features = None,
    penalty: Penalty = 1.0,
    norm_bound: NormBound = 1.0,
    as_json: options.AsJson = False,
) -> None:
    """Fit a replicable generalised linear model.  For an intercept the data need a column of ones."""
    names, X, y = _design(data, target, features)
    settings: dict[str, Any] = {"rho": rho, "delta": delta, "noise": noise, "seed": seed, "link": link}
    settings |= {"penalty": penalty, "norm_bound": norm_bound}
    _print(rep_glm(X, y, **settings), names, {"rows": len(y), **settings}, as_json)


def _design(data: Path, target: str, features: str | None) -> tuple[list[str], FloatArray, FloatArray]:
    """Return the names of the features, their columns, and the column of the responses."""
    others = [name for name in column_names(data) if name != target]
    names = others if features is None else [name.strip() for name in features.split(",")]
    if not names or target in names or len(set(names)) < len(names):
        raise InvalidInput(
            f"the features are {', '.join(names) or 'none'} and the target is {target}; at least one feature is "
            "needed, each named once, and the target is none of them."
        )
    table = columns(data, [*names, target])
    return names, table[:, :-1], table[:, -1]


def _print(fit: MeanFit | RidgeFit | GLMFit, names: Sequence[str], settings: dict[str, Any], as_json: bool) -> None:
    estimator = {MeanFit: "RepMean", RidgeFit: "RepRidge", GLMFit: "RepGLM"}[type(fit)]
    vectors = {part: np.atleast_1d(getattr(fit, part)).tolist() for part in ("theta", "raw", "cell", "shift")}
    scalars = {part: getattr(fit, part) for part in ("width", "radius", "inflated_radius")}
    if as_json:
        by_name = {part: dict(zip(names, values, strict=True)) for part, values in vectors.items()}
        fingerprint = {"fingerprint": fit.fingerprint}
        show_json({"estimator": estimator, "settings": settings, **by_name, **scalars, **fingerprint})
        return
    given = ", ".join(f"{name} {value}" for name, value in settings.items())
    rows = [
        (name, f"{theta:.9g}", f"{raw:.9g}")
        for name, theta, raw in zip(names, vectors["theta"], vectors["raw"], strict=True)
    ]
    norm = "" if isinstance(fit, MeanFit) else " in the norm of V"
    show(
        facts([("estimator", estimator), ("settings", given)]),
        listing(("", "replicable estimate", "before rounding"), rows),
        facts(
            [
                ("error", f"at most {fit.inflated_radius:.6g}{norm}, before rounding {fit.radius:.6g}"),
                ("width", f"{fit.width:.6g}"),
                ("fingerprint", fit.fingerprint),
            ]
        ),
    )
