"""Many writers on one store: two servers, two MCP processes with the SDK's client, processes that compile again and
again while the notes are edited, and a library that writes into a note. What each was told is there in the end.

`python -m tests.campaigns.writers --seconds 60 --seed 0` runs the long form and prints what was done.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

from mcp import Client, StdioServerParameters

from remem import Remem
from remem.records import Memory
from tests.campaigns.fresh import find_differences, list_memories
from tests.faces.server_process import PATIENCE, ServerProcess, make_environment
from tests.writing.vaults import WORDS, edit_vault, make_line, make_vault, write_note

API = "/api/v1"
SHARED = "The fact that all of them tell, number "
"""It is stored by all, each time with another tag: one memory must hold all tags in the end."""
TELLINGS = 7
"""So often each writer tells one of these facts: a memory takes fifty tags."""
HASHING = "REMEM_EMBEDDING__PROVIDER"


@dataclass
class Ledger:
    """What one writer was told was done."""

    name: str
    contents: dict[str, str] = field(default_factory=dict)
    edges: set[tuple[str, str]] = field(default_factory=set)
    tags: dict[str, set[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)

    def choose_shared(self) -> tuple[str, str]:
        """A fact that all tell, and a tag that nobody else gives it."""
        told = sum(map(len, self.tags.values()))
        return f"{SHARED}{told // TELLINGS}.", f"{self.name}-{told}"

    def note_tag(self, content: str, tag: str) -> None:
        """Notes that the fact has the tag."""
        self.tags.setdefault(content, set()).add(tag)


class Busy:
    """Says until when to go on; the first that fails ends all."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._failed = threading.Event()

    def __bool__(self) -> bool:
        return time.monotonic() < self._end and not self._failed.is_set()

    def run(self, work: Callable[..., None], *given: Any) -> None:
        """Runs a writer."""
        try:
            work(self, *given)
        except BaseException:
            self._failed.set()
            raise


# --- the writers ------------------------------------------------------------------------------------------------------


def write_by_rest(busy: Busy, server: ServerProcess, ledger: Ledger, seed: int) -> None:
    """Stores, batches, updates, connects, reads and searches over HTTP."""
    chance = Random(seed)

    def ask(method: str, path: str, body: object = None) -> None:
        reply = server.ask(method, API + path, body)
        assert reply.status in (200, 201), (method, path, reply.status, reply.body[:500])
        ledger.calls[f"{method} /{path.split('/')[1]}"] += 1

    while busy:
        id, content = f"{ledger.name}x{len(ledger.contents)}", f"{make_line(chance)} {chance.random()}"
        ask("POST", "/memories", {"id": id, "content": content})
        ledger.contents[id] = content
        shared, tag = ledger.choose_shared()
        ask("POST", "/memories", {"content": shared, "tags": [tag]})
        ledger.note_tag(shared, tag)
        items = [{"id": f"{id}b{n}", "content": f"{make_line(chance)} {id} {n}"} for n in range(5)]
        ask("POST", "/memories/batch", {"memories": items})
        ledger.contents.update((item["id"], item["content"]) for item in items)
        ask("PATCH", f"/memories/{id}", {"content": content + " again"})
        ledger.contents[id] = content + " again"
        ask("POST", "/connections", {"source_id": id, "target_id": f"anchor-{ledger.name}"})
        ledger.edges.add((id, f"anchor-{ledger.name}"))
        ask("POST", "/memories/search", {"query": chance.choice(WORDS)})
        ask("GET", f"/memories/{id}/related?depth=2")


async def write_by_mcp(busy: Busy, store: Path, ledger: Ledger, seed: int) -> None:
    """The same by the tools of an MCP process."""
    chance = Random(seed)
    environ = make_environment(**{HASHING: "hashing"})
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "remem", "--db", str(store), "mcp"], env=dict(environ)
    )
    async with Client(command) as client:

        async def call(name: str, **given: Any) -> None:
            result = await client.call_tool(name, given)
            assert not result.is_error, (name, given, result.content)
            ledger.calls[name] += 1

        while busy:
            id, content = f"{ledger.name}x{len(ledger.contents)}", f"{make_line(chance)} {chance.random()}"
            await call("store_memory", id=id, content=content)
            ledger.contents[id] = content
            shared, tag = ledger.choose_shared()
            await call("store_memory", content=shared, tags=[tag])
            ledger.note_tag(shared, tag)
            await call("update_memory", memory_id=id, content=content + " again")
            ledger.contents[id] = content + " again"
            await call("create_connection", source_id=id, target_id=f"anchor-{ledger.name}")
            ledger.edges.add((id, f"anchor-{ledger.name}"))
            await call("MemoryRelate", source_id=id, target_label=f"later {id}")
            ledger.edges.add((id, f"later {id}"))
            await call("MemorySearch", query=chance.choice(WORDS))
            await call("MemoryRelated", anchor=id, depth=2)
            await call("MemoryTree", budget=300)


def compile_again(busy: Busy, store: Path, vault: Path, ledger: Ledger, seed: int) -> None:
    """Edits the notes and has the command line compile them, each time in a process of its own."""
    chance = Random(seed)
    command = [sys.executable, "-m", "remem", "--db", str(store), "compile", str(vault)]
    environ = make_environment(**{HASHING: "hashing"}, REMEM_COMPILE__SLICE_BYTES="2000")
    while busy:
        for _ in range(chance.randint(1, 3)):
            edit_vault(vault, chance)
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environ)
        assert done.returncode == 0, done.stderr
        ledger.calls["compile"] += 1


def write_a_journal(busy: Busy, store: Path, ledger: Ledger) -> None:
    """Adds to a note by calls of the library."""
    with Remem.open_sync(store) as remem:
        while busy:
            line = f"Entry {len(ledger.lines)} of the journal."
            remem.write(line, parent="Journal of all")
            ledger.lines.append(line)
            ledger.calls["write"] += 1


# --- the campaign -----------------------------------------------------------------------------------------------------


def play(place: Path, seconds: float, seed: int) -> Counter[str]:
    """Has all of them write for so long, and judges the store; gives how often each call was made."""
    store, vault, names = place / "store.db", place / "vault", ("rest0", "rest1", "rest2", "rest3", "mcp0", "mcp1")
    make_vault(vault, Random(seed))
    write_note(place / "journal" / "log.md", "# Journal of all\n\nFirst.\n")
    with Remem.open_sync(store) as remem:
        remem.compile(vault)
        remem.compile(place / "journal")
        for name in names:
            remem.store(f"Where {name} ties its edges.", id=f"anchor-{name}")
    ledgers = {name: Ledger(name) for name in (*names, "compile", "journal")}
    with (
        ServerProcess(store, environ={HASHING: "hashing"}) as one,
        ServerProcess(store, environ={HASHING: "hashing"}) as two,
    ):
        busy = Busy(seconds)
        with ThreadPoolExecutor(8) as pool:
            works = [
                pool.submit(busy.run, write_by_rest, (one, two)[number % 2], ledgers[f"rest{number}"], seed + number)
                for number in range(4)
            ]
            works.append(pool.submit(busy.run, compile_again, store, vault, ledgers["compile"], seed + 4))
            works.append(pool.submit(busy.run, write_a_journal, store, ledgers["journal"]))
            works.append(pool.submit(busy.run, _write_by_two_clients, store, ledgers["mcp0"], ledgers["mcp1"], seed))
        for work in works:
            work.result()
    assert one.errors + two.errors == ""
    judge(place, list(ledgers.values()))
    return sum((ledger.calls for ledger in ledgers.values()), Counter())


def _write_by_two_clients(busy: Busy, store: Path, one: Ledger, two: Ledger, seed: int) -> None:
    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(write_by_mcp(busy, store, one, seed + 5))
            group.create_task(write_by_mcp(busy, store, two, seed + 6))

    asyncio.run(run())


def judge(place: Path, ledgers: list[Ledger]) -> None:
    """All that was told is there, the doctor finds no fault, the graph is that of the texts."""
    store = place / "store.db"
    assert all(ledger.calls for ledger in ledgers), [ledger.name for ledger in ledgers if not ledger.calls]
    with Remem.open_sync(store) as remem:
        remem.compile(place / "vault", prune=True)
        faults = [finding for finding in remem.doctor().findings if finding.fault]
        assert not faults, faults
        export = remem.export()
        journal = "\n".join(node.content for node in export.nodes if node.source == "log.md")
    memories = {memory.id: memory for memory in list_memories(store)}
    made = {(edge.source_id, edge.target_id) for edge in export.edges if edge.origin == "manual"}
    made |= {(edge.source_id, edge.label) for edge in export.pending}
    for ledger in ledgers:
        lost = {id for id, content in ledger.contents.items() if _read(memories.get(id)) != content}
        assert lost == set(), ledger.name
        assert ledger.edges - made == set(), ledger.name
        places = [journal.find(line) for line in ledger.lines]
        assert places == sorted(places) and -1 not in places
    told = {content for ledger in ledgers for content in ledger.tags}
    wanted = [
        (content, set().union(*(ledger.tags.get(content, set()) for ledger in ledgers))) for content in sorted(told)
    ]
    shared = [(each.content, set(each.tags)) for each in memories.values() if each.content.startswith(SHARED)]
    assert sorted(shared, key=itemgetter(0)) == wanted
    assert find_differences(store, place / "fresh") == []


def _read(memory: Memory | None) -> str | None:
    return None if memory is None else memory.content


def main() -> None:
    """The long form."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.environ[HASHING] = "hashing"
    with tempfile.TemporaryDirectory() as folder:
        calls = play(Path(folder), options.seconds, options.seed)
    print(f"{calls.total()} calls in {options.seconds:g} s")
    for name, count in sorted(calls.items()):
        print(f"{name}: {count}")


if __name__ == "__main__":
    main()
