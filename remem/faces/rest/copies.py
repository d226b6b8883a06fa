"""A copy of the store that is sent: made whole beside the store first, so that it is of one instant, and taken away
when it was sent or the client is gone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.engine import Remem

PART = 1 << 18
PREFIX = ".remem-backup-"
FILE_NAME = "copy.db"
LEFT_SECONDS = 86_400.0


async def stream_copy(folder: str) -> AsyncIterator[bytes]:
    """The bytes of the copy in a folder that `make_copy` made."""
    file = await asyncio.to_thread(open, os.path.join(folder, FILE_NAME), "rb")
    try:
        while part := await asyncio.to_thread(file.read, PART):
            yield part
    finally:
        file.close()


async def make_copy(remem: Remem) -> tuple[str, int]:
    """A new folder beside the store with a copy of it, and its bytes. Raises StoreError and its subclasses."""
    folder = await asyncio.to_thread(tempfile.mkdtemp, prefix=PREFIX, dir=os.path.dirname(remem.storage.path))
    try:
        made = await remem.backup(os.path.join(folder, FILE_NAME))
    except BaseException:
        remove_copy(folder)
        raise
    return folder, made.bytes


def remove_copy(folder: str) -> None:
    """Takes a copy away."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)


def clear_copies(path: str) -> None:
    """Takes away what processes that were killed have left beside a store, a day ago or earlier."""
    place = os.path.dirname(os.path.abspath(path))
    for name in os.listdir(place):
        folder = os.path.join(place, name)
        with contextlib.suppress(OSError):
            # A link of that name was not made here; where it leads is nobody's to clear.
            left = name.startswith(PREFIX) and os.path.isdir(folder) and not os.path.islink(folder)
            if left and time.time() - os.stat(folder).st_mtime > LEFT_SECONDS:
                remove_copy(folder)
