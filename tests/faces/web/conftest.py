"""A browser for the tests of the page, and stores to look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from remem import Remem
from tests.faces.server_process import ServerProcess

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NOTES = {
    "Deploy.md": "---\ntags: [work]\n---\n# Deploy\n\nSee [[Keys; w=2.5]], [[Keys#Rotation|how they turn]] and"
    " [[Runbook to come]].\n\n## Steps\n\nOne after the other, as in [the tide table](tides.md).\n",
    "Keys.md": "# Keys\n\nThe keys of the pier. #work\n\n## Rotation\n\nOn Fridays.\n",
    "tides.md": "# Tide table\n\nHigh water comes twice a day.\n\ncaused_by:: [[Moon]]\n",
    "Moon.md": "# Moon\n\nIt pulls. #sky\n",
    "Harbour/Keys.md": "# Keys of the harbour\n\nOther keys.\n",
}  # fmt: skip


def write_notes(folder: Path, notes: dict[str, str] = NOTES) -> Path:
    """A folder of notes."""
    for name, text in notes.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def make_store(folder: Path, notes: dict[str, str] = NOTES) -> Path:
    """A store beside a folder `notes` that it holds."""
    with Remem.open_sync(folder / "memory.db") as remem:
        remem.compile(write_notes(folder / "notes", notes))
    return folder / "memory.db"


def serve(store: Path, port: int = 0, **environ: str) -> ServerProcess:
    """A server of a store, without vectors: what texts say and link is all there is."""
    return ServerProcess(store, port=port, environ={"REMEM_EMBEDDING__PROVIDER": "none", **environ})


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser; pages that are opened in it know nothing of each other. It has an event loop of its own, which tests
    of other modules must not meet."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
    from tests.faces.web.browser import PATIENCE, find_chromium, start_browser

    if find_chromium() is None:
        pytest.skip("there is no Chromium on this machine (Debian: apt-get install chromium)")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as started:
        browser = start_browser(started)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[ServerProcess]:
    """A server of notes that nobody changes."""
    with serve(make_store(tmp_path_factory.mktemp("notes"))) as server:
        yield server
