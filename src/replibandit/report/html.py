"""HTML by functions: elements close themselves, and every text that is not `Html` is escaped."""

import re
from collections.abc import Iterable, Sequence
from html import escape

_SHORT = 12  # letters of a heading that needs no room of its own


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(tag: str, *children: str, **attributes: str) -> Html:
    """Return an element; an attribute that is a word of Python is written with a line after it.

    >>> print(element("p", "1 < 2 ", element("b", "so"), class_="odd"))
    <p class="odd">1 &lt; 2 <b>so</b></p>
    """
    given = "".join(f' {name.rstrip("_").replace("_", "-")}="{text(value)}"' for name, value in attributes.items())
    return Html(f"<{tag}{given}>{join(children)}</{tag}>")


def join(children: Iterable[str]) -> Html:
    """Return text and elements one after another."""
    return Html("".join(child if isinstance(child, Html) else text(child) for child in children))


def text(value: str) -> Html:
    r"""Return text as HTML; what cannot be printed, half a surrogate pair say, becomes a replacement character.

    >>> text("<script>'\x00'")
    '&lt;script&gt;&#x27;\ufffd&#x27;'
    """
    shown = "".join(c if c.isprintable() or c in "\n\N{NO-BREAK SPACE}" else "\ufffd" for c in value)
    return Html(escape(shown))


def figures(value: str) -> Html:
    r"""Return text with numbers that `words` wrote, with raised exponents and proper signs, that do not break.

    >>> figures("(1.2 +- 0.1) x 10^-8"), figures("10 %")
    ('(1.2 ± 0.1)\xa0×\xa010<sup>−8</sup>', '10\xa0%')
    """
    signed = re.sub(r"(?<!\w)-(?=\d)", "−", text(value).replace("+-", "±"))
    whole = signed.replace(" x 10^", "\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10^").replace(" %", "\N{NO-BREAK SPACE}%")
    return Html(re.sub(r"\b10\^(−?\d+)", r"10<sup>\1</sup>", whole))


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]], *, words: Sequence[int] = ()) -> Html:
    """Return a table that scrolls by itself where it is too wide; its first column names the rows.

    The columns at the places `words` hold words, and the others numbers.
    """

    def cell(column: int, value: str) -> Html:
        if column == 0:
            return element("th", value, scope="row")
        shown = value if column in words or isinstance(value, Html) else figures(value)
        return element("td", shown, **({"class_": "words"} if column in words else {}))

    head = element("tr", *(_heading(i, name, words) for i, name in enumerate(headings)))
    body = [element("tr", *(cell(i, value) for i, value in enumerate(row))) for row in rows]
    whole = element(
        "table", element("caption", element("span", caption)), element("thead", head), element("tbody", *body)
    )
    return element("div", whole, class_="scroll", role="region", aria_label=caption, tabindex="0")


def _heading(column: int, name: str, words: Sequence[int]) -> Html:
    kinds = [*(["words"] if column == 0 or column in words else []), *(["long"] if len(name) > _SHORT else [])]
    return element("th", figures(name), scope="col", **({"class_": " ".join(kinds)} if kinds else {}))


def paragraph(*sentences: str, **attributes: str) -> Html:
    """Return a paragraph."""
    return element("p", *sentences, **attributes)


def section(name: str, title: str, *parts: str) -> Html:
    """Return a section with a heading; `name` is its id."""
    heading = element("h2", title, id=f"{name}-title")
    return element("section", heading, *parts, id=name, aria_labelledby=f"{name}-title")
