"""A page in a real browser: what a person does with it, and what the browser says about it. All waits are for what
stands in the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Dialog, Locator, Page, Playwright, expect

from tests.faces.server_process import ServerProcess

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 30_000
"""Milliseconds after which what is waited for never comes."""
ARGUMENTS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def find_chromium() -> str | None:
    """The browser of the system; None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def start_browser(playwright: Playwright) -> Browser:
    """Starts the browser of the system."""
    return playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))


class View:
    """A page that is open. `faults` are errors, violated policies and requests to elsewhere."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.faults: list[str] = []
        self.lost = False
        """Whether the service is meant to be away: what fails then is no fault."""
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self._note("error", str(error)))
        page.on("dialog", self._refuse_dialog)
        page.on("request", lambda request: self._check_request(request.url))
        page.on("popup", lambda popup: self._note("error", f"a window opened: {popup.url}"))

    def _note(self, kind: str, text: str) -> None:
        known = "Failed to load resource" in text  # answers that are no success; what they mean is told in the page
        if kind == "error" and not known and not self.lost:
            self.faults.append(text)

    def _refuse_dialog(self, dialog: Dialog) -> None:
        self._note("error", f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    def _check_request(self, url: str) -> None:
        if not url.startswith((self.address + "/", "data:image/svg+xml", "blob:")):
            self.faults.append(f"fetched {url}")

    def open(self, fragment: str = "") -> None:
        """Loads the page and waits for the graph."""
        self.page.goto(f"{self.address}/{fragment}")
        self.wait_ready()

    def reset(self) -> None:
        """Takes back what was chosen, typed and hidden, without loading the page again."""
        self.ask("document.activeElement.blur(), document.querySelector('dialog').close()")
        self.ask("['filter-reset', 'tab-tree'].forEach(id => document.getElementById(id).click())")
        self.find("#query").fill("")
        self.ask("location.hash = '#depth=1'")
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("Escape")
        expect(self.find("#panel")).to_be_hidden()
        expect(self.find("#hits")).to_be_hidden()

    def wait_ready(self) -> None:
        self.page.wait_for_selector("html[data-ready=true]")

    def find(self, selector: str, has_text: str | None = None) -> Locator:
        return self.page.locator(selector, has_text=has_text)

    def rest(self) -> None:
        """Waits until the nodes stand still."""
        expect(self.find("#arrange")).to_have_attribute("aria-pressed", "false")

    def search(self, query: str) -> None:
        """Opens the first hit of a search."""
        self.page.keyboard.press("/")
        expect(self.find("#query")).to_be_focused()
        self.find("#query").fill(query)
        self.find(".hit").first.wait_for()
        self.page.keyboard.press("Enter")

    def expect_open(self, label: str) -> None:
        """Waits until the panel shows a node."""
        expect(self.find(".panel-title h2")).to_have_text(label)

    def settle(self, milliseconds: int = 0) -> None:
        """Waits until the page has done what it had to do by now, and what its timers of so many milliseconds do."""
        frame = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))"
        self.ask(f"new Promise(done => setTimeout(done, {milliseconds})).then(() => {frame}).then(() => {frame})")

    def ask(self, expression: str) -> Any:
        """What an expression is in the page, or what it promises; the policy of the page is not in the way."""
        session = self.page.context.new_cdp_session(self.page)
        try:
            asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
            found = session.send("Runtime.evaluate", asked)
            return found["result"].get("value")
        finally:
            session.detach()


@contextmanager
def view(browser: Browser, server: ServerProcess, **options: Any) -> Iterator[View]:
    """A fresh visitor of a server. Nothing may have gone wrong in the page when it is left."""
    context = browser.new_context(**{"reduced_motion": "reduce", "viewport": {"width": 1200, "height": 800}, **options})
    context.set_default_timeout(PATIENCE)
    try:
        shown = View(context.new_page(), server.address)
        yield shown
        assert shown.faults == []
    finally:
        context.close()
