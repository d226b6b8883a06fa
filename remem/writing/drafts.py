"""Drafts: the rows that a parsed file becomes, once it is decided which of its nodes are old ones. Reads the store only
to see which ids are taken; writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import orjson

from remem.ids import node_id
from remem.ingest.render import DEFAULT_GAP
from remem.records import Diagnostic, DocumentRow, FileStat, NodeRow, ParsedDocument, ParsedNode


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that was read and parsed. `hash` is that of its bytes, `seen_at` when it was read (ms), `settings` what it
    was parsed under; `diagnostics` those of reading and of parsing. `keys` say which nodes these are where that is
    known (one for each node, None: a new one)."""

    parsed: ParsedDocument
    hash: bytes
    stat: FileStat
    seen_at: int
    settings: str
    diagnostics: tuple[Diagnostic, ...]
    size: int
    keys: tuple[int | None, ...] | None = None

    @property
    def source(self) -> str:
        """The path below the root."""
        return self.parsed.source


@dataclass(frozen=True, slots=True)
class Batch:
    """What to write: parsed files of one root, and documents whose files are gone.

    `known` counts the documents that the compiled part of the root had; `open_id` is the unfinished snapshot that this
    belongs to, `finished` False keeps it open. `absorbed` are documents that this root took over from another one: what
    they say is unchanged, their place is not. `compiled`: the files come from the disk, so what calls changed in their
    documents gives way to them. `elsewhere` are files that are gone outside of the compiled part: their documents stay
    unless one of the files continues them.
    """

    root: int
    root_name: str
    files: Sequence[NewFile]
    vanished: Sequence[str]
    known: int
    message: str
    now: int
    prune: bool = False
    open_id: int | None = None
    finished: bool = True
    absorbed: frozenset[int] = frozenset()
    compiled: bool = False
    elsewhere: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OldTree:
    """A document as the store holds it: its row, its nodes in pre-order, their tags."""

    document: DocumentRow
    nodes: list[NodeRow]
    tags: dict[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Draft:
    """A document as it is to be: the file, its row, its nodes in pre-order. `old` is what it was, if it was there."""

    file: NewFile
    document: DocumentRow
    nodes: list[NodeRow]
    old: OldTree | None

    @property
    def is_renamed(self) -> bool:
        """Whether the document was there, at another place."""
        if self.old is None:
            return False
        was, now = self.old.document, self.document
        return (was.root, was.source) != (now.root, now.source)

    def node_tags(self) -> dict[int, tuple[str, ...]]:
        """The tags by node key."""
        return {row.key: node.tags for row, node in zip(self.nodes, self.file.parsed.nodes, strict=True) if node.tags}


@dataclass(frozen=True, slots=True)
class Identity:
    """Which node a new one is: its key, and its id where it has one already (None: to be made)."""

    key: int
    id: str | None


IdsInUse = Callable[[Iterable[str]], set[str]]


def heading_paths(nodes: Sequence[ParsedNode]) -> list[tuple[str, ...]]:
    """For each node the labels of the section headings above it, outermost first."""
    paths: list[tuple[str, ...]] = []
    below: list[tuple[str, ...]] = []
    for node in nodes:
        path = below[node.parent] if node.parent >= 0 else ()
        paths.append(path)
        below.append((*path, node.label) if node.level else path)
    return paths


def make_ids(
    root: str, files: Sequence[NewFile], identities: Sequence[Sequence[Identity]], in_use: IdsInUse
) -> list[list[str]]:
    """The ids of all nodes of the files: those they have, and new ones for the others."""
    ids = [[identity.id or "" for identity in known] for known in identities]
    wanted = _wanted_ids(root, files, ids)
    taken = {identity.id for known in identities for identity in known if identity.id}
    taken |= in_use([id for _, _, id, _ in wanted])
    ordinals: dict[str, int] = {}
    for file, index, id, parts in wanted:
        first, ordinal = id, ordinals.get(id, 0)
        while id in taken or (ordinal and in_use([id])):
            ordinal += 1
            id = node_id(*parts, ordinal)
        ordinals[first] = ordinal
        taken.add(id)
        ids[file][index] = id
    return ids


_Parts = tuple[str, str, tuple[str, ...], str, str]


def _wanted_ids(
    root: str, files: Sequence[NewFile], ids: Sequence[Sequence[str]]
) -> list[tuple[int, int, str, _Parts]]:
    wanted = []
    for number, (file, known) in enumerate(zip(files, ids, strict=True)):
        nodes, source = file.parsed.nodes, file.source
        paths = heading_paths(nodes)
        for index, id in enumerate(known):
            if not id:
                node = nodes[index]
                parts = (root, source, paths[index], node.kind, node.content)
                wanted.append((number, index, node_id(*parts, 0), parts))
    return wanted


def make_rows(file: NewFile, keys: Sequence[int], ids: Sequence[str]) -> list[NodeRow]:
    """The node rows of one file, in pre-order."""
    parsed = file.parsed
    document, title = keys[0], parsed.title_heading
    stations: list[int] = []
    rows: list[NodeRow] = []
    for index, node in enumerate(parsed.nodes):
        kind, content, label, parent, last, gap, prefixes, level, piece, tokens = node[:10]
        key = keys[index]
        station = key if index == 0 or (level and index != title) else stations[parent]
        stations.append(station)
        rows.append(
            NodeRow(
                key,
                ids[index],
                kind,
                document,
                keys[parent] if parent >= 0 else None,
                index,
                last,
                station,
                piece,
                tokens,
                label or None,
                content,
                None if gap == DEFAULT_GAP else gap,
                orjson.dumps(prefixes).decode() if prefixes else None,
            )
        )
    return rows


def make_document(file: NewFile, root: int, keys: Sequence[int]) -> DocumentRow:
    """The document row of one file."""
    parsed = file.parsed
    title = None if parsed.title_heading is None else keys[parsed.title_heading]
    return DocumentRow(
        node=keys[0],
        root=root,
        source=parsed.source,
        format=parsed.format,
        title_heading=title,
        tail=parsed.tail,
        hash=file.hash,
        size=file.stat.size,
        mtime=file.stat.mtime,
        inode=file.stat.inode,
        seen_at=file.seen_at,
        settings=file.settings,
    )
