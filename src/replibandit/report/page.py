"""The report: sections one after another, in one file that needs nothing else."""

import os
from collections.abc import Mapping
from pathlib import Path

from replibandit.bounds import Bounds
from replibandit.environments.base import Environment
from replibandit.errors import InvalidInput
from replibandit.findings import Audit
from replibandit.machine import Machine, check_machine
from replibandit.report.costs import promises, regrets
from replibandit.report.html import Html, element
from replibandit.report.origin import again, machine_section, specs
from replibandit.report.parting import parting, spending
from replibandit.report.pictures import pictures
from replibandit.report.style import STYLE
from replibandit.report.verdicts import summary, verdicts


def report(
    audits: Mapping[str, Audit],
    *,
    bounds: Mapping[str, Bounds] | None = None,
    environments: Mapping[str, Environment] | None = None,
    machine: Machine | None = None,
    title: str = "Are these policies replicable?",
) -> str:
    """Return audits by name as a page of HTML: tables, pictures, and how to read them.

    `bounds` and `environments` of the same names add what the theorems allow, and what an audit was played on.  Equal
    input makes the same bytes; `machine` is this one unless given.  Curves need matplotlib.
    """
    bounds, environments = dict(bounds or {}), dict(environments or {})
    _check(audits, bounds, environments, title)
    drawn = pictures(audits, bounds)
    main = element(
        "main",
        element("h1", title),
        drawn.missing,
        summary(audits, bounds),
        verdicts(audits),
        parting(audits, drawn.survival),
        spending(audits),
        regrets(audits, bounds, drawn.regret),
        promises(audits, bounds),
        specs(audits),
        machine_section(check_machine() if machine is None else machine),
        again(audits, environments),
    )
    head = element("head", *_META, element("title", title), element("style", Html(STYLE)))
    return f"<!DOCTYPE html>\n{element('html', head, element('body', main), lang='en')}\n"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file whole or not at all: whatever stops this, the old file is there or the new one."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


_META = (
    Html('<meta charset="utf-8">'),
    Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
    Html('<meta name="color-scheme" content="light dark">'),
)


def _check(
    audits: Mapping[str, Audit], bounds: Mapping[str, Bounds], environments: Mapping[str, Environment], title: str
) -> None:
    if not isinstance(audits, Mapping) or not audits:
        shown = "empty" if isinstance(audits, Mapping) else f"a {type(audits).__name__}"
        raise InvalidInput(f'audits is {shown}; give one or more by name, such as {{"RepUCB": audit(...)}}.')
    for name in (title, *audits):
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InvalidInput(f"a name or the title is {name!r}; it must be text that can be printed.")
    for name, found in audits.items():
        if not isinstance(found, Audit):
            raise InvalidInput(f"audits[{name!r}] is a {type(found).__name__}; it must be an Audit.")
    for field, values in (("bounds", bounds), ("environments", environments)):
        if extra := sorted(set(values) - set(audits)):
            raise InvalidInput(f"{field} has {extra[0]!r}, which is not the name of an audit: {', '.join(audits)}.")
