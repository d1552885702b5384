"""Write into every page of the documentation what its blocks print now.  Read the changes before you commit them.

python tools/refresh_pages.py [PAGE...]
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.docs.pages import PAGES, played


def main(pages: list[Path]) -> None:
    """Run the pages, and change those that say something else."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder:
            new = played(text, Path(folder), page.name)
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"{page}: changed")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or PAGES)
