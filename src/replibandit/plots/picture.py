"""A picture: the numbers that were drawn, and the figure; as a file, or as SVG inside a page."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from xml.sax.saxutils import escape

from matplotlib.figure import Figure

from replibandit.arrays import FloatArray
from replibandit.errors import InvalidInput
from replibandit.plots.style import style

_PIXELS = 640
# what would name the day or the version
_NAMELESS: dict[str, dict[str, None]] = {
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "png": {"Software": None},
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
}
_ROOT = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="{box}" '
    'width="{width}" height="{height}" style="max-width: 100%; height: auto" role="img" '
    'aria-labelledby="title"><title id="title">{title}</title>'
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """The numbers that were drawn, by name, and the figure."""

    data: Mapping[str, FloatArray]
    figure: Figure

    @property
    def title(self) -> str:
        """Return what the picture shows, in words."""
        return self.figure.get_suptitle()

    def svg(self) -> str:
        """Return an `<svg>` element to put into a page: it scales, its text is text, its ids are its own.

        The ids begin with a digest of the picture, so that several pictures in a page do not meet.
        """
        drawn = _drawn(self.figure, "svg").decode("utf-8")
        box = re.search(r'viewBox="([^"]+)"', drawn)
        if box is None:
            raise RuntimeError("matplotlib wrote an SVG without a viewBox; this is a bug, please report it.")
        _, _, width, height = map(float, box[1].split())
        root = _ROOT.format(box=box[1], width=_PIXELS, height=round(_PIXELS * height / width), title=escape(self.title))
        body = drawn[drawn.index(">", box.start()) + 1 :]
        return _with_own_ids(root + body.strip() + "\n")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .svg, .png or .pdf file, whole or not at all."""
        target = Path(path)
        kind = target.suffix.lower().removeprefix(".")
        if kind not in _NAMELESS:
            raise InvalidInput(f"the file is {target.name!r}; its name must end with .svg, .png or .pdf.")
        content = self.svg().encode("utf-8") if kind == "svg" else _drawn(self.figure, kind)
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            beside.write_bytes(content)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)


def picture(data: Mapping[str, FloatArray], figure: Figure) -> Picture:
    """Lay the figure out, once and for all: every further layout would move things by a hair."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return Picture(data=MappingProxyType(dict(data)), figure=figure)


def _drawn(figure: Figure, kind: str) -> bytes:
    stream = BytesIO()
    with style():
        figure.savefig(stream, format=kind, metadata=_NAMELESS[kind])
    return stream.getvalue()


def _with_own_ids(svg: str) -> str:
    """Put a prefix before every id, and keep the style sheet to this picture."""
    prefix = f"p{blake2b(svg.encode('utf-8'), digest_size=6).hexdigest()}-"

    def renamed(tag: re.Match[str]) -> str:
        return re.sub(r'(\bid="|\bhref="#|url\(#|aria-labelledby=")', rf"\g<1>{prefix}", tag[0])

    tags = re.sub(r"<[^>]*>", renamed, svg)
    own = tags.replace("<svg ", f'<svg id="{prefix}svg" ', 1)
    return own.replace('<style type="text/css">*{', f'<style type="text/css">#{prefix}svg *{{', 1)
