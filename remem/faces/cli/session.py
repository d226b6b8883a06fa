"""One run of the command line: which store and settings it means, and calls on the engine. Prints nothing."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from remem.errors import NotFoundError

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.settings import Settings

T = TypeVar("T")
OPTIONS = {"storage.path": "--db", "server.host": "--host", "server.port": "--port"}
"""What the options that stand for settings are called."""


@dataclass(frozen=True, slots=True)
class Session:
    """The global options: the store and the configuration file, None where they were not given."""

    db: str | None
    config: str | None

    def open(self) -> Remem:
        """The store, not entered yet. Raises ConfigError."""
        from remem.engine import Remem

        return Remem(self.load_settings())

    def load_settings(self, given: Mapping[str, object] | None = None) -> Settings:
        """The settings of the run, with what a command was given by dotted name. Raises ConfigError."""
        from remem.config import load_settings

        config = None if self.config is None else Path(self.config)
        return load_settings(config, overrides={"storage.path": self.db, **(given or {})}, names=OPTIONS)

    def find_store(self) -> str:
        """Where the store lies, or would. Raises ConfigError."""
        return self.load_settings().storage.path

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
        with keep_absent(path, when=False):
            asyncio.run(_run_open(remem, work, found, settle=settle))
        return found[0]

    def keep_absent(self, *, when: bool) -> AbstractContextManager[None]:
        """Takes a store away again that was made only for a call that failed or, `when` true, that changes nothing."""
        return keep_absent(self.find_store(), when=when)


@contextmanager
def keep_absent(path: str, *, when: bool) -> Iterator[None]:
    """The same for the store at a path. What another process, or a part of the call, wrote into it stays."""
    is_new = not os.path.exists(path)
    done = False
    try:
        yield
        done = not when
    finally:
        if is_new and not done and os.path.exists(path):
            from remem.storage.backup import discard_empty

            discard_empty(path)


async def _run_open(remem: Remem, work: Callable[[Remem], Awaitable[T]], found: list[T], *, settle: bool) -> None:
    """Puts what `work` gives into `found`: a task's result is written out in full by Python 3.11 when its loop ends."""
    async with remem:
        found.append(await work(remem))
        if settle:
            await remem.settle()


pass_session = click.make_pass_decorator(Session)
