"""Tells an agent which long texts nobody has used for long: one digest a day for a store, looked for behind the calls.
It goes with the answer of MemoryTree or MemoryStats, and as a log message to a client that takes these."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp.server.connection import allowed_log_levels
from mcp.types import EmptyResult, LoggingMessageNotification, LoggingMessageNotificationParams

from remem.errors import RememError
from remem.faces.mcp.sessions import Context, find_connection
from remem.ingest.tokens import count_tokens
from remem.rendering.lines import show_count, show_name

if TYPE_CHECKING:
    from mcp.types import LoggingLevel, SetLevelRequestParams

    from remem.engine import Remem
    from remem.records import ColdDigest

logger = logging.getLogger(__name__)

LOOK_SECONDS = 3600.0
"""After so long this process looks again whether there is something to tell."""
WAIT_SECONDS = 0.25
"""So long an answer waits for the digest; what comes later goes with the next one."""
SHARE_OF_ANSWER = 4
"""The digest takes no more than this part of a budget."""
LEAST_BUDGET = 400
"""Below it an answer has no room for one."""
LEVEL: LoggingLevel = "notice"
LEVELS: tuple[LoggingLevel, ...] = (
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
)  # fmt: skip
LOG_LEVEL = "remem.log_level"
"""Under this name a session's state holds from which level on it takes log messages."""

TakeDigest: TypeAlias = Callable[[], Awaitable["ColdDigest | None"]]


class DigestTeller:
    """The digest of one server: looked for at most once an hour, told once in an answer and once as a message. Owned by
    the host of the store, and closed before it."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._next_look = 0.0
        self._answer: ColdDigest | None = None
        self._message: ColdDigest | None = None

    def begin(self, remem: Remem) -> None:
        """Has a look taken in the background, where one is due."""
        now = time.monotonic()
        if now >= self._next_look and (self._task is None or self._task.done()):
            self._next_look = now + LOOK_SECONDS
            self._task = asyncio.create_task(self._look(remem.take_cold_digest), name="remem cold digest")

    async def take_answer(self, remem: Remem) -> ColdDigest | None:
        """The digest for an answer: once each. Waits a moment for a look that is under way."""
        self.begin(remem)
        if self._task is not None and not self._task.done():
            await asyncio.wait([self._task], timeout=WAIT_SECONDS)
        found, self._answer = self._answer, None
        return found

    async def close(self) -> None:
        """Ends a look that is under way. May be called again."""
        task, self._task, self._next_look = self._task, None, float("inf")
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    def take_message(self) -> ColdDigest | None:
        """The digest for a message: once each."""
        found, self._message = self._message, None
        return found

    async def _look(self, take: TakeDigest) -> None:
        try:
            found = await take()
        except RememError as error:  # as where another process writes for long: nobody has asked for it
            logger.info("no cold digest for the moment: %s", error.code)
            return
        if found is not None:
            self._answer = self._message = found


def tell_digest(digest: ColdDigest, budget: int | None) -> tuple[str, list[str]]:
    """The digest as text within its share of a budget, and the ids of the nodes that it names."""
    most = None if budget is None else budget // SHARE_OF_ANSWER
    named = list(digest.nodes)
    while True:
        text = _compose(digest, len(named))
        if not named or most is None or count_tokens(text) <= most:
            return text, [node.id for node in named]
        named.pop()


def _compose(digest: ColdDigest, count: int) -> str:
    nodes = digest.nodes[:count]
    cold = show_count(digest.total, "long text has", "long texts have")
    lines = [f"{cold} gone cold; MemorySummarize shortens one that still matters:"]
    lines += [f"- {show_name(node.label, node.kind, node.id)} {node.tokens}t {node.temperature:.2f}°" for node in nodes]
    if digest.total > count:
        lines.append(f"… {digest.total - count} more in remem://temperature")
    return "\n".join(lines)


# --- log messages -----------------------------------------------------------------------------------------------------


async def set_level(context: Context, params: SetLevelRequestParams) -> EmptyResult:
    """Notes from which level on a session takes log messages."""
    find_connection(context).state[LOG_LEVEL] = params.level
    return EmptyResult()


def takes_messages(context: Context) -> bool:
    """Whether the client has asked for log messages of the digest's level: in its session, or with this request."""
    if not allowed_log_levels(context.protocol_version, None):  # without sessions, each request asks for itself
        return LEVEL in allowed_log_levels(context.protocol_version, context.meta)
    wanted: Any = find_connection(context).state.get(LOG_LEVEL)
    return wanted in LEVELS and LEVELS.index(wanted) <= LEVELS.index(LEVEL)


async def offer_message(teller: DigestTeller, remem: Remem, context: Context) -> None:
    """Sends the digest, where it is there, as a log message beside the answer of a request."""
    if not takes_messages(context):
        return
    teller.begin(remem)
    digest = teller.take_message()
    if digest is None:
        return
    params = LoggingMessageNotificationParams(level=LEVEL, logger="remem", data=tell_digest(digest, None)[0])
    with suppress(Exception):  # the client has gone
        await context.session.send_notification(LoggingMessageNotification(params=params), context.request_id)
