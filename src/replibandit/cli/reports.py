"""`report` and `demo`: pages that answer whether policies are replicable."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from replibandit import demo as demonstration
from replibandit.cli import options
from replibandit.cli.files import check_output, read_text, save
from replibandit.cli.terminal import listing, note, show, show_json
from replibandit.errors import InvalidInput
from replibandit.findings import Audit
from replibandit.report import report as page

DEMO_EXAMPLES = options.examples("replibandit demo", "replibandit demo --pairs 400 --jobs -1 --output demo.html")
REPORT_EXAMPLES = options.examples(
    "replibandit audit trial.toml --output ours.json",
    "replibandit report ours.json theirs.json --output report.html",
)

Page = Annotated[Path, typer.Option(metavar="FILE", help="Where to write the page: .html.")]


def demo(
    pairs: Annotated[
        int, typer.Option(parser=options.whole(1), metavar="N", help="The number of pairs of runs.")
    ] = demonstration.PAIRS,
    seed: Annotated[Any, typer.Option(parser=options.seed_of, metavar="SEED", help="Text or a whole number.")] = (
        demonstration.SEED
    ),
    jobs: options.Jobs = 1,
    output: Page = Path("report.html"),
    as_json: options.AsJson = False,
) -> None:
    """Audit six policies on small instances.  Which are replicable, and what does it cost?"""
    check_output(output, (".html",))
    found = demonstration.run(pairs=pairs, seed=seed, n_jobs=jobs)
    _save_page(output, demonstration.page(found))
    if as_json:
        audits = {name: findings(audit) for name, audit in found.audits.items()}
        show_json({"audits": audits, "report": str(output)})
    else:
        show(listing(demonstration.HEADINGS, demonstration.table(found)), *demonstration.sentences(found))


def report(
    audits: Annotated[
        list[Path], typer.Argument(metavar="AUDIT", help="Files that `replibandit audit --output` wrote.")
    ],
    output: Page = Path("report.html"),
    title: Annotated[
        str, typer.Option(metavar="TEXT", help="The heading of the page.")
    ] = "Are these policies replicable?",
    as_json: options.AsJson = False,
) -> None:
    """Make a page of HTML from audits.  It needs no network and no script."""
    check_output(output, (".html",))
    found = dict(zip(names(audits), map(read_audit, audits), strict=True))
    _save_page(output, page(found, title=title))
    if as_json:
        show_json({"audits": {name: findings(audit) for name, audit in found.items()}, "report": str(output)})
    else:
        show(listing(("audit", "verdict"), [(name, audit.verdict) for name, audit in found.items()]))


def _save_page(path: Path, text: str) -> None:
    """Write a page, and say what is left out."""
    save(path, text)
    if find_spec("matplotlib") is None:
        note("It has no curves, since matplotlib is not installed; pip install 'replibandit[plot]' brings it.")


def names(paths: Sequence[Path]) -> list[str]:
    """Return what the audits are called: the names of their files, with the folders if they are needed."""
    stems = [path.stem for path in paths]
    given = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(given)) < len(given):
        raise InvalidInput(f"a file is named twice: {', '.join(given)}. Name each audit once.")
    return given


def read_audit(path: Path) -> Audit:
    """Return the audit in a file."""
    text = read_text(path)
    try:
        return Audit.from_json(text)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def findings(found: Audit) -> dict[str, Any]:
    """Return the numbers of an audit that a page begins with."""
    numbers = ("digest", "verdict", "mismatch", "interval", "rho", "horizon")
    regret = {"regret": found.mean_regret.value, "regret_error": found.mean_regret.error}
    return {**{name: getattr(found, name) for name in numbers}, **regret}
