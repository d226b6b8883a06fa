"""The store behind the tools: opened when a call first needs it and closed once, or one that is open already. Keeps
nothing else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from remem.faces.mcp.digest import DigestTeller
from remem.settings import Settings

if TYPE_CHECKING:
    from remem.engine import Remem


class StoreHost:
    """Opens the store of the settings at the first call, so that a client is greeted before anything heavy is loaded.

    An open that failed is tried again by the next call. An open store that is given is used, and left open.
    """

    def __init__(self, settings: Settings, remem: Remem | None = None) -> None:
        self.settings = settings
        self.digest = DigestTeller()
        self._lock = asyncio.Lock()
        self._remem = remem
        self._borrowed = remem is not None

    async def get(self) -> Remem:
        """The open store. Raises StoreError and its subclasses."""
        if self._remem is not None:
            return self._remem
        async with self._lock:
            if self._remem is None:
                from remem.engine import Remem

                self._remem = await Remem(self.settings).start()
            return self._remem

    async def close(self) -> None:
        """Closes the store where it was opened here, and what was looked for behind the calls."""
        await self.digest.close()
        async with self._lock:
            remem, self._remem = self._remem, None
            if remem is not None and not self._borrowed:
                await remem.close()
