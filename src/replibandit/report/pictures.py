"""Pictures for a report, if matplotlib is there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from replibandit.bounds import Bounds
from replibandit.findings import Audit
from replibandit.report.html import Html, element, join, paragraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """The pictures of a report, and, where they cannot be drawn, a paragraph that says what is missing."""

    survival: Html
    regret: Html
    missing: Html


def pictures(audits: Mapping[str, Audit], bounds: Mapping[str, Bounds]) -> Pictures:
    """Draw the pictures of a report."""
    if find_spec("matplotlib") is None:
        missing = paragraph(
            "This report has no curves, since matplotlib is not installed. With ",
            element("code", "pip install 'replibandit[plot]'"),
            " the next one has.",
            class_="small",
        )
        return Pictures(survival=join([]), regret=join([]), missing=missing)
    from replibandit.plots import regret_curves, survival

    informative = {name: bound.regret for name, bound in bounds.items() if bound.informative}
    return Pictures(
        survival=_figure(
            survival(audits).svg(),
            "Each step down is a pair of runs that parted in that round. A policy keeps its promise while its line "
            "stays above the dashed one.",
        ),
        regret=_figure(
            regret_curves(audits, bounds=informative).svg(),
            "Both axes are logarithmic: a line that goes on straight learns nothing, and bends where it begins to. A "
            "triangle is what the theorem allows, where that says something.",
        ),
        missing=join([]),
    )


def _figure(svg: str, caption: str) -> Html:
    # inside HTML an svg element needs no namespaces
    plain = re.sub(r'\s+xmlns(:\w+)?="[^"]*"', "", svg)
    return element("figure", Html(plain), element("figcaption", caption))
