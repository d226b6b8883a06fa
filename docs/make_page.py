"""Takes the pictures of docs/graph-page.md from the running program: the graph page over the sample notes, in the
Chromium of the system, and a neighbourhood that `remem graph` draws. They differ a little each time: nothing compares
them.

    python docs/make_page.py
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

TOP = Path(__file__).resolve().parent.parent
DOCS = TOP / "docs"
SAMPLES = TOP / "remem" / "samples"
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
LARGEST = 200_000
"""Bytes of a picture."""
CONNECTED = ("Seat inventory", "Payments", "--type", "supports", "--weight", "2")
FACTS = (
    "The deck crew counts [[Lane metres instead of car slots|lane metres]] again after boarding.",
    "Ingrid prints the [[Timetable]] on yellow paper in winter.",
)


def run(folder: Path, *arguments: str) -> None:
    """Runs a command of Remem in a folder."""
    command = [sys.executable, "-m", "remem", *arguments]
    subprocess.run(command, cwd=folder, env=make_environment(), check=True, capture_output=True)


def make_environment() -> dict[str, str]:
    """Without settings of Remem; no vectors, so that the edges are the same each time."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("REMEM_")}
    return {**kept, "PYTHONPATH": str(TOP), "REMEM_EMBEDDING__PROVIDER": "none"}


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """A server of the store in a folder; gives its address."""
    command = [sys.executable, "-m", "remem", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, env=make_environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = None
        while found is None:
            found = re.search(r"served at (\S+)", process.stdout.readline())
        try:
            yield found[1]
        finally:
            process.terminate()


@contextmanager
def visit(browser: Browser, address: str, width: int, height: int, dark: bool) -> Iterator[Page]:
    """The page at rest, at a size and in dark or light."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready=true]")
    page.wait_for_selector("#arrange[aria-pressed=false]", timeout=120_000)
    yield page
    context.close()


def open_node(page: Page, label: str) -> None:
    """Opens a node by its label."""
    page.goto(f"{page.url.partition('#')[0]}#node={quote(label)}")
    page.locator(".relation").first.wait_for()


def take(page: Page, name: str) -> None:
    """Keeps what is seen as a picture. Raises ValueError where it is too large."""
    page.wait_for_timeout(500)  # the last frame
    shot = Image.open(io.BytesIO(page.screenshot()))
    shot.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(DOCS / name, optimize=True)
    if (DOCS / name).stat().st_size > LARGEST:
        raise ValueError(f"{name} has more than {LARGEST} bytes")


def take_all(browser: Browser, address: str) -> None:
    """The pictures of the page."""
    with visit(browser, address, 1280, 800, dark=False) as page:
        open_node(page, "Lane metres instead of car slots")
        page.click("#zoom-fit")
        page.mouse.move(5, 5)
        take(page, "graph.png")
    with visit(browser, address, 1280, 800, dark=True) as page:
        open_node(page, "Seat inventory")
        page.click("#focus")
        page.fill("#depth", "2")
        far = page.locator(".relation").filter(has=page.locator("button", has_text="way")).first
        far.scroll_into_view_if_needed()
        far.hover()
        take(page, "graph-dark.png")
    with visit(browser, address, 390, 780, dark=False) as page:
        open_node(page, "Timetable")
        take(page, "graph-phone.png")


def main() -> None:
    """Makes all pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(SAMPLES, folder / "gangway")
        run(folder, "compile", "gangway")
        for fact in FACTS:
            run(folder, "store", fact)
        run(folder, "relate", *CONNECTED)
        run(folder, "graph", "Seat inventory", "--out", str(DOCS / "seats.svg"), "--force")
        program = next(found for name in NAMES if (found := shutil.which(name)))
        with serve(folder) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
            take_all(browser, address)
            browser.close()


if __name__ == "__main__":
    main()
