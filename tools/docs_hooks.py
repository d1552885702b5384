"""What `make docs` does beside building pages: formulas become MathML, and the changelog is a page.

Formulas are written as `$...$` and `$$...$$`, which GitHub shows too.  Browsers draw MathML without a script.
"""

import html
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parents[1]
_PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
_FORMULA = re.compile(r'<(?P<tag>span|div) class="arithmatex">\s*\\[(\[](?P<latex>.*?)\\[)\]]\s*</(?P=tag)>', re.DOTALL)
_CODE = re.compile(r"<code\b.*?</code>", re.DOTALL)
_ALIASES = {r"\\arg\b": r"\\operatorname{arg}", r"\\argmax\b": r"\\operatorname{arg\\,max}"}


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the pages that stand beside the folder of the others."""
    for source, target in _PAGES.items():
        text = (_ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, target, content=text))
    return files


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Turn every formula of a page into MathML."""
    drawn = _FORMULA.sub(lambda found: _mathml(found, page.file.src_uri), content)
    if "$$" in _CODE.sub("", drawn):
        raise PluginError(
            f"{page.file.src_uri}: a $$ is left over. Begin a paragraph with it, 4 blanks deep in a list."
        )
    return drawn


def _mathml(found: re.Match[str], page: str) -> str:
    latex = html.unescape(found["latex"]).strip()
    for pattern, known in _ALIASES.items():
        latex = re.sub(pattern, known, latex)
    try:
        drawn = convert(latex, display="block" if found["tag"] == "div" else "inline")
    except Exception as error:
        raise PluginError(f"{page}: the formula {latex!r} cannot be typeset ({error!r}).") from None
    if unknown := re.search(r"\\[A-Za-z]+", drawn):
        raise PluginError(f"{page}: the formula {latex!r} has {unknown[0]}, which is not known; add it to _ALIASES.")
    return drawn.replace('<mo stretchy="false">&#x0007C;', '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;')
