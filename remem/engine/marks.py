"""The calls of class `Remem` for whoever follows the store: whether it has changed, and what. It knows no SQL and no
face."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from remem.checks import check_int, check_weight
from remem.engine.base import StoreCalls

if TYPE_CHECKING:
    from remem.records import ChangeMarks


LARGEST = 2**63 - 1


class MarkCalls(StoreCalls):
    """How a store is followed. All methods raise subclasses of `remem.errors.RememError`."""

    async def data_version(self) -> int:
        """A number that changes with each commit to the file, by this or any other process. It costs next to nothing,
        and can only be compared within one open store."""
        return await self.storage.data_version()

    async def wait_change(self, version: int, *, poll: float, quiet: float, longest: float) -> int:
        """Returns the data version once it differs from `version`, and the store has then been left alone for `quiet`
        seconds, or has changed for the `longest`; it is looked at every `poll` seconds. Raises InvalidInputError."""
        poll, quiet = check_weight("poll", poll), check_weight("quiet", quiet)
        longest = check_weight("longest", longest)
        now = version = check_int("version", version, 0, LARGEST)
        while now == version:
            await asyncio.sleep(poll)
            now = await self.data_version()
        loop = asyncio.get_running_loop()
        deadline, still = loop.time() + longest, loop.time() + quiet
        while loop.time() < min(deadline, still):
            await asyncio.sleep(poll)
            last, now = now, await self.data_version()
            if now != last:
                still = loop.time() + quiet
        return now

    async def marks(self) -> ChangeMarks:
        """What can be compared to see whether texts and relations, the use of nodes, or the work owed have changed."""
        from remem.storage.marks import load_marks

        return await self.storage.read(load_marks)
