"""What must hold of any store whatever was done to it: no fault for the doctor, the graph of `fresh(store)`, one answer
of both engines of traversal. Documents that calls changed, and links of theirs or to them, are left out of the
comparison with the fresh store: what their texts make is theirs alone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

from remem import Remem
from remem.engine.sync import RememSync
from remem.graph.memory.snapshot import Snapshot
from remem.graph.memory.walker import GraphMemory, Walker
from remem.graph.service import walk
from remem.records import Direction, Memory, Rank, Scope, TraversalRequest
from remem.storage import sqlite
from remem.storage.sqlite import Connection
from tests.writing.describe import Description, LinkSeen, Place, connect, describe, differences

SELECT_HELD = """
SELECT r.name, h.source
FROM held AS h
JOIN roots AS r ON r.key = h.root
UNION ALL
SELECT '', n.id
FROM summaries AS s
JOIN nodes AS n ON n.key = s.node AND n.kind = 'memory'
"""
SELECT_ENTITIES = """
SELECT n.label, e.type
FROM entities AS e
JOIN nodes AS n ON n.key = e.node
ORDER BY n.key
"""
SELECT_KEYS = """
SELECT key
FROM nodes
ORDER BY key
"""
DIRECTIONS: tuple[Direction, ...] = ("both", "out", "in")
SCOPES: tuple[Scope, ...] = ("section", "node", "document")
RANKS: tuple[Rank, ...] = ("sum", "strength")
FORMS = tuple(product(DIRECTIONS, (2, 5), SCOPES, RANKS))


def list_faults(remem: RememSync) -> list[str]:
    """What the doctor finds broken."""
    return [f"{finding.check}: {finding.message}" for finding in remem.doctor().findings if finding.fault]


def list_memories(remem: RememSync) -> list[Memory]:
    """All living memories, oldest first (fewer than 200)."""
    return list(remem.memories(200, order="asc"))


class FreshStore:
    """`fresh(store)` of an open store; `pages` are the files of HTML that it was compiled from, by root and source."""

    def __init__(self, remem: RememSync, path: Path, folder: Path, pages: dict[tuple[str, str], bytes]) -> None:
        self.remem, self.path, self.folder, self.pages = remem, path, folder, pages
        connection = connect(path)
        try:
            self.held = set(connection.execute(SELECT_HELD).fetchall())
            self.entities = connection.execute(SELECT_ENTITIES).fetchall()
        finally:
            connection.close()

    def find_differences(self, config: Path) -> list[str]:
        """What the two say differently; empty where they are equal. Makes the folder, and removes it."""
        texts, fresh = self.folder / "texts", self.folder / "fresh.db"
        self.folder.mkdir()
        try:
            self._write_texts(texts)
            self._compile(fresh, texts, config)
            have, want = describe(self.path), describe(fresh)
        finally:
            shutil.rmtree(self.folder)
        return differences(*self._drop_held(have, want))

    def _write_texts(self, texts: Path) -> None:
        self.remem.export_markdown(texts)
        for path in texts.rglob("*.html*.md"):
            path.unlink()
        here = {(node.root, node.source) for node in self.remem.export().nodes if node.kind == "document"}
        for (root, source), data in self.pages.items():
            if (root, source) in here:
                path = texts / root / source
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)

    def _compile(self, fresh: Path, texts: Path, config: Path) -> None:
        entities = [{"name": name, "type": type} if type else {"name": name} for name, type in self.entities]
        with Remem.open_sync(fresh, config=config) as new:
            if entities:
                first = new.store("for the entities", graph_extraction={"entities": entities})
                new.forget(first.id, hard=True)
            for memory in list_memories(self.remem):
                new.store(memory.content, id=memory.id, tags=memory.tags, source=memory.source)
            for root in sorted(texts.iterdir()) if texts.exists() else ():
                new.compile(root)

    def _drop_held(self, have: Description, want: Description) -> tuple[Description, Description]:
        """Both without what concerns held documents."""

        def concerns(place: Place | None) -> bool:
            return place is not None and place[:2] in self.held

        without = {
            (link.place, link.hint)
            for link in (*have.links, *want.links)
            if concerns(link.place) or concerns(link.target)
        }
        told = []
        for one in (have, want):
            links = [self._relieve(link) for link in one.links if (link.place, link.hint) not in without]
            told.append(replace(one, nodes={p: n for p, n in one.nodes.items() if not concerns(p)}, links=links))
        return told[0], told[1]

    def _relieve(self, link: LinkSeen) -> LinkSeen:
        """A link without its doubts where a held document could be what it might mean as well."""
        return link._replace(ambiguous=0) if self.held else link


class Follower:
    """A graph in memory that follows a store from outside, through all that happens to it."""

    def __init__(self, path: Path) -> None:
        self.connection: Connection = sqlite.choose().connect(str(path), isolation_level=None)
        self.memory = GraphMemory()
        self.turn = 0

    def close(self) -> None:
        """Lets the file go."""
        self.connection.close()

    def find_differences(self) -> list[str]:
        """The walks that the two engines answer differently; another few of all kinds with each call."""
        self.connection.execute("BEGIN")
        try:
            return list(self._compare())
        finally:
            self.connection.execute("ROLLBACK")

    def _compare(self) -> Iterator[str]:
        keys: Sequence[int] = [key for (key,) in self.connection.execute(SELECT_KEYS)]
        for number, key in enumerate(keys[self.turn % 5 :: 5]):
            direction, depth, scope, rank = FORMS[(self.turn + number) % len(FORMS)]
            request = TraversalRequest(key, direction, depth, scope=scope, rank=rank)
            if list(self._walk(request)) != list(walk(self.connection, request)):
                yield f"the engines differ on {request}"
        self.turn += 1

    def _walk(self, request: TraversalRequest) -> Sequence[object]:
        walker = Walker(self.memory, patient=True)
        found = walker.walk(self.connection, request).tell_all()
        if walker.missed or walker.waits:
            self.memory.put(Snapshot(self.connection))
            found = (walker := Walker(self.memory, patient=True)).walk(self.connection, request).tell_all()
            assert not walker.waits
        return found


def show_few(differences: Sequence[str], most: int = 5) -> str:
    """The first of some lines, for a message."""
    return "\n".join(islice(differences, most))
