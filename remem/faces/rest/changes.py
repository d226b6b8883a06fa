"""Tells those who listen that the store has changed, whoever changed it: one task looks, as long as anybody listens.
What has changed they read themselves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from remem.errors import RateLimitError, RememError
from remem.faces.rest.events import HEARTBEAT, HEARTBEAT_SECONDS, write_event

if TYPE_CHECKING:
    from remem.engine import Remem

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
QUIET_SECONDS = 0.4
"""How long the store must stay as it is before listeners are told, so that many writes are one notice."""
LONGEST_SECONDS = 2.0
"""The same at most: of a store that changes all the time is told too."""
MOST_LISTENERS = 200


class ChangeFeed:
    """The listeners of one service. `close` ends their streams."""

    def __init__(self, remem: Remem) -> None:
        self._remem = remem
        self._listeners: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None
        self._following = asyncio.Event()
        """Set once any later change will be told of."""
        self._count = 0
        self._closed = False

    def listen(self) -> AsyncIterator[bytes]:
        """Server-sent events: `change` at each change of what the store holds. Raises RateLimitError where too many
        listen."""
        if len(self._listeners) >= MOST_LISTENERS:
            raise RateLimitError(f"{MOST_LISTENERS} clients listen already: try again later", retry_after=30)
        return self._stream()

    async def close(self) -> None:
        """Ends all streams. May be called again."""
        self._closed = True
        for listener in self._listeners:
            listener.set()
        self._following.set()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _stream(self) -> AsyncIterator[bytes]:
        heard = asyncio.Event()
        self._listeners.add(heard)
        if self._task is None and not self._closed:
            self._following.clear()
            self._task = asyncio.create_task(self._watch(), name="follow the store")
        try:
            await self._following.wait()
            yield b": listening\n\n"
            while not self._closed:
                try:
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        await heard.wait()
                except TimeoutError:
                    yield HEARTBEAT
                    continue
                heard.clear()
                if not self._closed:
                    yield write_event("change", {"number": self._count})
        finally:
            self._listeners.discard(heard)
            if not self._listeners and self._task is not None:
                self._task.cancel()
                self._task = None

    async def _watch(self) -> None:
        marks = None
        while True:
            try:
                version = await self._remem.data_version()
                while True:
                    now = await self._remem.marks()
                    # How nodes were used changes with each reading, and is no news.
                    if marks is not None and now.content != marks.content:
                        self._tell()
                    marks = now
                    self._following.set()
                    version = await self._remem.wait_change(
                        version, poll=POLL_SECONDS, quiet=QUIET_SECONDS, longest=LONGEST_SECONDS
                    )
            except RememError as error:
                logger.warning("the store cannot be followed for the moment: %s", error.code)
                await asyncio.sleep(LONGEST_SECONDS)

    def _tell(self) -> None:
        self._count += 1
        for listener in self._listeners:
            listener.set()
