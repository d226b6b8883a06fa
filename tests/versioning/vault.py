"""A folder of notes with a store beside it, and what a store was at each snapshot."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from remem.engine.sync import RememSync
from remem.records import Finding


class Vault:
    """Notes that a test writes and compiles."""

    def __init__(self, folder: Path, remem: RememSync) -> None:
        self.folder, self.remem = folder, remem
        folder.mkdir(parents=True, exist_ok=True)

    def compile(self, **notes: str | None) -> int:
        """Writes notes (`a="text"` is a.md; None deletes it), compiles, and gives the number of the newest snapshot."""
        for name, text in notes.items():
            path = self.folder / f"{name}.md"
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8")
        self.remem.compile(self.folder)
        return find_newest(self.remem)

    def find(self, label: str, kind: str | None = None) -> str:
        """The id of the living node of a label."""
        lines = self.remem.tree(depth=1000)
        return next(line.id for line in lines if line.label == label and kind in (None, line.kind))


class Line(NamedTuple):
    """A node as the index shows it."""

    id: str
    kind: str
    label: str
    parent: str | None


@dataclass
class Record:
    """What a store was: the nodes of each document in order, what they said, its state hash."""

    trees: dict[str, list[Line]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    state: str = ""

    @property
    def lines(self) -> dict[str, Line]:
        """All nodes by id."""
        return {line.id: line for tree in self.trees.values() for line in tree}


def find_newest(remem: RememSync) -> int:
    """The number of the newest snapshot, 0 where there is none."""
    page = remem.snapshots(1)
    return page[0].id if page else 0


def read_state(remem: RememSync) -> str:
    """The state hash of the newest snapshot."""
    page = remem.snapshots(1)
    return page[0].state_hash if page else "0" * 32


def read_trees(remem: RememSync, as_of: int | None = None) -> dict[str, list[Line]]:
    """The nodes of each document in order, by the document's id."""
    trees: dict[str, list[Line]] = {}
    for line in remem.tree(depth=1000, as_of=as_of):
        if line.parent_id is None:
            trees[line.id] = []
        trees[next(reversed(trees))].append(Line(line.id, line.kind, line.label, line.parent_id))
    return trees


def record(remem: RememSync) -> Record:
    """What a store is now."""
    nodes = remem.export().nodes
    return Record(
        read_trees(remem),
        {node.id: node.content for node in nodes},
        {node.id: node.tags for node in nodes},
        read_state(remem),
    )


def list_faults(remem: RememSync) -> list[Finding]:
    """What the doctor finds broken."""
    return [finding for finding in remem.doctor().findings if finding.fault]


def tell(changes: object) -> list[tuple[str, str]]:
    """(op, label) of changes."""
    assert isinstance(changes, (list, tuple))
    return [(change.op, change.label) for change in changes]
