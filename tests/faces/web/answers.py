"""Answers of a service that come when a test says so: late, after newer ones, or not at all."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from playwright.sync_api import APIResponse, Error, Page, Route

from tests.faces.web.browser import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern

STEP = 20
"""Milliseconds between two looks at what is waited for."""


class Answers:
    """The answers to requests whose address fits a pattern: each is made at once and kept back, until `stop`. The route
    stays: while one is taken away, Playwright does not tell of requests that begin."""

    def __init__(self, page: Page, pattern: str | Pattern[str]) -> None:
        self._page = page
        self._kept: list[tuple[Route, APIResponse]] = []
        self._passing = False
        page.route(pattern, self._keep)

    def _keep(self, route: Route) -> None:
        if self._passing:
            return route.fallback()
        with suppress(Error):  # who asked has gone
            self._kept.append((route, route.fetch()))

    def wait(self, count: int = 1) -> None:
        """Waits until so many answers are kept back."""
        wait_until(self._page, lambda: len(self._kept) >= count)

    def send(self, at: int = 0) -> None:
        """Lets one go: the oldest, or with -1 the newest."""
        route, answer = self._kept.pop(at)
        with suppress(Error):  # who asked wants it no more
            route.fulfill(response=answer)

    def stop(self) -> None:
        """Lets all go, the newest first, and those to come pass."""
        self._passing = True
        while self._kept:
            self.send(-1)


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Waits until something holds that the page or its requests bring about."""
    for _ in range(PATIENCE // STEP):
        if holds():
            return
        page.wait_for_timeout(STEP)
    raise AssertionError("what was waited for did not come")


def fail_once(page: Page, pattern: str | Pattern[str]) -> None:
    """Has the next request whose address fits fail, as if the service were too busy."""
    failed: list[Route] = []

    def fail(route: Route) -> None:
        if failed:
            return route.fallback()
        failed.append(route)
        route.fulfill(status=503, json={"code": "busy", "detail": "Too busy."})

    page.route(pattern, fail)
