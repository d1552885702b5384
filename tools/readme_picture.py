"""Draw the pictures of the documentation: what the blocks of docs/how-to/read-a-report.md save, and their report.

python tools/readme_picture.py

The .svg files are the same with every run and one version of matplotlib.  The report is photographed by a browser,
Chromium or Chrome, so that `report.png` is what a reader sees; without one it stays as it is.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.docs.pages import ROOT, played

PAGE = ROOT / "docs" / "how-to" / "read-a-report.md"
IMAGES = ROOT / "docs" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1120, 1070  # pixels: the answers and the table of verdicts


def main() -> None:
    """Run the page in an empty folder, and keep what it draws."""
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as name:
        folder = Path(name)
        played(PAGE.read_text(encoding="utf-8"), folder, PAGE.name)
        for picture in sorted(folder.glob("*.svg")):
            shutil.copyfile(picture, IMAGES / picture.name)
            print(f"{picture.name}: {picture.stat().st_size:,} bytes")
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            print(f"report.png stays as it is: there is none of {', '.join(BROWSERS)}.")
            return
        target = IMAGES / "report.png"
        shot = photograph(browser, folder / "report.html")
        shot.convert("P", palette=Image.Palette.ADAPTIVE, colors=256).save(target, optimize=True)
        print(f"{target.name}: {target.stat().st_size:,} bytes")


def photograph(browser: str, page: Path) -> Image.Image:
    """Return the upper part of a page as a reader sees it."""
    target = page.with_suffix(".png")
    # the page is our own, so that the browser needs no sandbox, which would need rights
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    places = (f"--window-size={WIDTH},{HEIGHT + 200}", f"--user-data-dir={page.with_suffix('.profile')}")
    command = [browser, *options, *places, f"--screenshot={target}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return Image.open(target).crop((0, 0, WIDTH, HEIGHT))


if __name__ == "__main__":
    main()
