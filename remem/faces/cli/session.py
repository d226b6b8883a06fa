"""One run of the command line: which store and settings it means, and calls on the engine. Prints nothing."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

from remem.errors import NotFoundError

if TYPE_CHECKING:
    from remem.engine import Remem

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Session:
    """The global options: the store and the configuration file, None where they were not given."""

    db: str | None
    config: str | None

    def open(self) -> Remem:
        """The store, not entered yet. Raises ConfigError."""
        from remem.engine import Remem

        return Remem.open(self.db, config=self.config)

    def run(self, work: Callable[[Remem], Awaitable[T]], *, create: bool = False, settle: bool = False) -> T:
        """What `work` gives on the open store. Only with `create` is a store made where there is none. With `settle`,
        it waits for what the work leaves owed: vectors, discovery, mentions.

        Raises NotFoundError where the store does not exist, and whatever the call raises.
        """
        remem = self.open()
        path = remem.settings.storage.path
        if not create and not (os.path.exists(path) and os.path.getsize(path)):  # an empty file would become a store
            message = (
                f"there is no store at {path}; `remem compile FOLDER` makes one of notes, `remem init` an empty one"
            )
            raise NotFoundError(message, path=path)
        import asyncio  # loaded late: `remem --version` needs none of it

        found: list[T] = []
        asyncio.run(_run_open(remem, work, found, settle=settle))
        return found[0]

    @contextmanager
    def keep_absent(self, *, when: bool) -> Iterator[None]:
        """Takes a store away again that was made only for a call that failed or, `when` true, that changes nothing."""
        path = self.open().settings.storage.path
        is_new = not os.path.exists(path)
        done = False
        try:
            yield
            done = not when
        finally:
            if is_new and not done:
                for ending in ("", "-wal", "-shm"):
                    with suppress(OSError):
                        os.unlink(path + ending)


async def _run_open(remem: Remem, work: Callable[[Remem], Awaitable[T]], found: list[T], *, settle: bool) -> None:
    """Puts what `work` gives into `found`: a task's result is written out in full by Python 3.11 when its loop ends."""
    async with remem:
        found.append(await work(remem))
        if settle:
            await remem.settle()


pass_session = click.make_pass_decorator(Session)
