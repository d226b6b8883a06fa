"""The engine for code that does not await: `RememSync` has the methods of `Remem`, blocking. It adds nothing else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from remem.engine import Remem

P = ParamSpec("P")
T = TypeVar("T")


def _block(
    method: Callable[Concatenate[Remem, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[RememSync, P], T]:
    @wraps(method)
    def run(self: RememSync, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._run(method(self._remem, *args, **kwargs))

    return run


class RememSync:
    """A store for scripts and notebooks: `with Remem.open_sync("memory.db") as remem: remem.compile("notes/")`.

    Its event loop runs on a thread of its own, so it works inside a running loop too, and from several threads.
    """

    def __init__(self, remem: Remem) -> None:
        self._remem = remem
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="remem", daemon=True)
        self._thread.start()
        try:
            self._run(remem.start())
        except BaseException:
            self._stop()
            raise

    def close(self) -> None:
        """Closes the store and ends the thread. May be called again."""
        if self._loop.is_closed():
            return
        try:
            self._run(self._remem.close())
        finally:
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        if self._loop.is_closed():
            call.close()
            raise self._remem.closed_error()
        future = asyncio.run_coroutine_threadsafe(call, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    compile = _block(Remem.compile)
    roots = _block(Remem.roots)
    drop = _block(Remem.drop)
    watch = _block(Remem.watch)
    unwatch = _block(Remem.unwatch)
    watches = _block(Remem.watches)
    watch_roots = _block(Remem.watch_roots)
    wait_watches = _block(Remem.wait_watches)
    tree = _block(Remem.tree)
    show = _block(Remem.show)
    store = _block(Remem.store)
    store_batch = _block(Remem.store_batch)
    update = _block(Remem.update)
    get = _block(Remem.get)
    get_batch = _block(Remem.get_batch)
    memories = _block(Remem.memories)
    delete = _block(Remem.delete)
    forget = _block(Remem.forget)
    write = _block(Remem.write)
    summarise = _block(Remem.summarise)
    unarchive = _block(Remem.unarchive)
    promote = _block(Remem.promote)
    expire = _block(Remem.expire)
    pin = _block(Remem.pin)
    unpin = _block(Remem.unpin)
    cold = _block(Remem.cold)
    take_cold_digest = _block(Remem.take_cold_digest)
    search = _block(Remem.search)
    near_duplicates = _block(Remem.near_duplicates)
    reembed = _block(Remem.reembed)
    embed = _block(Remem.embed)
    recall = _block(Remem.recall)
    work = _block(Remem.work)
    related = _block(Remem.related)
    path = _block(Remem.path)
    neighbourhood = _block(Remem.neighbourhood)
    overview = _block(Remem.overview)
    picture = _block(Remem.picture)
    place = _block(Remem.place)
    relate = _block(Remem.relate)
    unrelate = _block(Remem.unrelate)
    connect = _block(Remem.connect)
    connections = _block(Remem.connections)
    disconnect = _block(Remem.disconnect)
    reconnect = _block(Remem.reconnect)
    pending = _block(Remem.pending)
    mentions = _block(Remem.mentions)
    snapshots = _block(Remem.snapshots)
    delta = _block(Remem.delta)
    diff = _block(Remem.diff)
    history = _block(Remem.history)
    rollback = _block(Remem.rollback)
    purge = _block(Remem.purge)
    settle = _block(Remem.settle)
    check = _block(Remem.check)
    backup = _block(Remem.backup)
    import_file = _block(Remem.import_file)
    tasks = _block(Remem.tasks)
    run_task = _block(Remem.run_task)
    pause_task = _block(Remem.pause_task)
    resume_task = _block(Remem.resume_task)
    stats = _block(Remem.stats)
    graph_figures = _block(Remem.graph_figures)
    export = _block(Remem.export)
    export_markdown = _block(Remem.export_markdown)
    doctor = _block(Remem.doctor)
    data_version = _block(Remem.data_version)
    wait_change = _block(Remem.wait_change)
    marks = _block(Remem.marks)
