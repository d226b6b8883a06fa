"""Tells clients that resources they follow have changed, whoever changed them. It reads no resource for a client."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from remem.errors import NotFoundError, RememError
from remem.faces.mcp.resources import check_resource, find_node, list_marks

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.faces.mcp.host import StoreHost
    from remem.records import ChangeMarks

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
"""How often the store is asked whether it has changed, while anybody follows anything."""
QUIET_SECONDS = 0.5
"""How long it must stay as it is before clients are told, so that many writes are one notice."""
LONGEST_SECONDS = 3.0
"""The same at most: a store that changes all the time is told of too."""

Tell: TypeAlias = Callable[[str], Awaitable[None]]
"""Tells one client of one resource. May raise: then the client has gone."""


class ResourceFeed:
    """Who follows what, and the task that looks for changes as long as anybody follows anything.

    What counts as a change depends on the resource: texts, memories and relations for all of them, for some the use of
    nodes or the work owed, for one node what it says and its edges. Reading a resource is none.
    """

    def __init__(self, host: StoreHost) -> None:
        self._host = host
        self._followers: dict[Tell, Counter[str]] = {}
        self._task: asyncio.Task[None] | None = None
        self._nodes: dict[str, object] = {}

    async def check(self, uris: Iterable[str]) -> None:
        """Raises NotFoundError, and others, where one of these addresses cannot be read."""
        remem = await self._host.get()
        for uri in uris:
            await check_resource(remem, uri)

    async def follow(self, tell: Tell, uris: Iterable[str]) -> None:
        """Has `tell` called with each of these addresses when it has changed from what it is now."""
        remem = await self._host.get()
        for uri in uris:
            self._followers.setdefault(tell, Counter())[uri] += 1
            if find_node(uri) is not None and uri not in self._nodes:
                self._nodes[uri] = await read_node(remem, uri)
        if self._task is None and self._followers:
            version, marks = await remem.data_version(), await remem.marks()
            self._start(remem, marks, version)

    def _start(self, remem: Remem, marks: ChangeMarks, version: int) -> None:
        if self._task is None and self._followers:  # others may have come or gone meanwhile
            self._task = asyncio.create_task(self._run(remem, marks, version))

    def leave(self, tell: Tell, uris: Iterable[str] | None = None) -> None:
        """Ends that; without `uris`, for all of them."""
        followed = self._followers.get(tell, Counter())
        followed -= Counter(followed if uris is None else uris)
        if uris is None or not followed:
            self._followers.pop(tell, None)
        else:
            self._followers[tell] = followed
        if not self._followers and self._task is not None:
            self._task.cancel()
            self._task = None

    async def close(self) -> None:
        """Ends it for all."""
        task, self._task = self._task, None
        self._followers.clear()
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self, remem: Remem, marks: ChangeMarks, version: int) -> None:
        while True:
            try:
                seen = await remem.wait_change(version, poll=POLL_SECONDS, quiet=QUIET_SECONDS, longest=LONGEST_SECONDS)
                now = await remem.marks()
                await self._tell_all(await self._find_changed(remem, marks, now))
                version, marks = seen, now
            except RememError as error:
                logger.warning("resources cannot be followed for the moment: %s", error.code)
                await asyncio.sleep(LONGEST_SECONDS)

    async def _find_changed(self, remem: Remem, old: ChangeMarks, new: ChangeMarks) -> set[str]:
        followed = {uri for uris in self._followers.values() for uri in uris}
        kinds = {name for name in ("content", "usage", "work") if getattr(old, name) != getattr(new, name)}
        changed = {uri for uri in followed if not kinds.isdisjoint(list_marks(uri))}
        for uri in [uri for uri in changed if find_node(uri) is not None]:
            said = await read_node(remem, uri)
            if self._nodes.get(uri) == said:
                changed.discard(uri)
            self._nodes[uri] = said
        self._nodes = {uri: said for uri, said in self._nodes.items() if uri in followed}
        return changed

    async def _tell_all(self, changed: set[str]) -> None:
        for tell, uris in list(self._followers.items()):
            for uri in sorted(changed & uris.keys()):
                try:
                    await tell(uri)
                except Exception:  # the client has gone
                    self._followers.pop(tell, None)
                    break


async def read_node(remem: Remem, uri: str) -> object:
    """What a node says, where it stands and its edges, as something that can be compared; None where it is gone."""
    with suppress(NotFoundError):
        page = await remem.show(find_node(uri) or "", 0, touch=False)
        view = page.items[0]
        return hash((view.node.label, view.text, view.breadcrumb, view.edges, view.node.tags))
    return None
