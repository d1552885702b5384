"""The built site has every page, once, and asks nobody else for anything.  `make docs` builds it, strictly."""

import re

from tests.docs.pages import ROOT

CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
MADE = {"changelog.md", "contributing.md"}  # by tools/docs_hooks.py


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = CONFIG[CONFIG.index("\nnav:") : CONFIG.index("\ntheme:")]
    named = re.findall(r": (\S+\.md)$", navigation, re.MULTILINE)
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").glob("**/*.md")}
    assert sorted(named) == sorted(pages | MADE)


def test_the_site_needs_no_network() -> None:
    assert "font: false" in CONFIG
    assert "://" not in CONFIG
