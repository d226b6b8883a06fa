"""The calls of class `Remem` for whoever follows the store: whether it has changed, and what. It knows no SQL and no
face."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.engine.base import StoreCalls

if TYPE_CHECKING:
    from remem.records import ChangeMarks


class MarkCalls(StoreCalls):
    """How a store is followed. All methods raise subclasses of `remem.errors.RememError`."""

    async def data_version(self) -> int:
        """A number that changes with each commit to the file, by this or any other process. It costs next to nothing,
        and can only be compared within one open store."""
        return await self.storage.data_version()

    async def marks(self) -> ChangeMarks:
        """What can be compared to see whether texts and relations, the use of nodes, or the work owed have changed."""
        from remem.storage.marks import load_marks

        return await self.storage.read(load_marks)
