"""What `compile --watch` does after the first compile: follows the folder, and tells of each compile in one line."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from remem.faces import wire
from remem.faces.cli.compiled import list_summary
from remem.faces.cli.output import print_json, say
from remem.faces.cli.session import Session
from remem.faces.running.ends import listen_signals

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import CompileReport


def follow_folder(session: Session, path: str, *, as_json: bool) -> None:
    """Compiles what changes below a folder until a signal comes, or until its root is dropped from the store."""

    def tell(report: CompileReport | None, problem: str) -> None:
        for line in list_news(report, problem):
            say(line)
        if as_json:
            print_json({"problem": problem} if report is None else wire.show_compile(report))
            sys.stdout.flush()  # whoever reads it waits for each line

    async def work(remem: Remem) -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()

        def stop() -> None:
            with suppress(RuntimeError):  # the loop is closed: the command ends by itself
                loop.call_soon_threadsafe(stopped.set)

        listen_signals(stop)
        state = await remem.watch(path, tell=tell)
        say(f"watching {state.path}; Ctrl+C ends it")
        waits = [asyncio.ensure_future(remem.wait_watches()), asyncio.ensure_future(stopped.wait())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for each in waits:
            each.cancel()

    session.run(work)


def list_news(report: CompileReport | None, problem: str) -> Iterator[str]:
    """The line that tells of a compile, with the time of day; before it, what it left alone."""
    clock = time.strftime("%H:%M:%S")
    if report is None:
        yield f"{clock} {problem}"
        return
    files, nodes, seconds = list(list_summary(report, 0))[-3:]
    yield f"{clock} {files}; {nodes}; {seconds}"
    if report.kept:
        gone = f"{len(report.kept)} known files are gone and stay in the store"
        yield f"{clock} {gone}. If that is meant: `remem compile --prune`"
