"""The folders of `[compile] roots` at the start of a server that does not watch them: each is compiled once, behind
what is served."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from remem.engine import Remem
from remem.engine.watching import describe_compile
from remem.errors import RememError

_log = logging.getLogger(__name__)


@asynccontextmanager
async def compiled_folders(remem: Remem, folders: Sequence[str]) -> AsyncIterator[None]:
    """Compiles the folders one by one while its block runs; one that cannot be is told to the log and passed over. A
    compile that is under way at the end is given up, and the next one goes on from there."""
    task = asyncio.create_task(_compile_folders(remem, folders), name="compile folders")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _compile_folders(remem: Remem, folders: Sequence[str]) -> None:
    for folder in folders:
        try:
            report = await remem.compile(folder)
        except RememError as error:
            _log.warning("[compile] roots: %s", error.message)
        except Exception as error:  # a fault of ours must not keep the other folders out; its message may hold content
            _log.error("a compile of %s failed by an unexpected %s", folder, type(error).__name__)
        else:
            _log.info("%s", describe_compile(report))
            if report.kept:
                _log.warning("%s: %d known files are gone and stay in the store", report.root, len(report.kept))
