"""Places of documents that are rolled back: the root and source that each gets, and the file that it stands against
from now on, so that compile leaves it until that file changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import ConflictError, RefusedError
from remem.records import DocumentRow, FileStat, HeldRow, RootRow, SourceFile, SourceText
from remem.sources.read import read_source
from remem.storage import documents as document_rows
from remem.storage import former
from remem.storage import held as held_rows
from remem.storage import states as state_rows
from remem.writing.drafts import OldTree
from remem.writing.holding import describe_rows, pack_tree, unpack_tree
from remem.writing.rollback.drafts import FileState

if TYPE_CHECKING:
    from sqlite3 import Connection

UNKNOWN = FileStat(-1, 0, 0)


class Spot(NamedTuple):
    """Where a document stands: the key of its root, and its source."""

    root: int
    source: str


class Places:
    """The roots and files of a store while it is rolled back."""

    def __init__(self, connection: Connection, now: int) -> None:
        self.connection, self.now = connection, now
        self.roots: dict[str, RootRow] = {root.name: root for root in document_rows.load_roots(connection)}
        self._held: dict[int, dict[str, HeldRow]] = {}

    def choose_spot(self, name: str, source: str, present: DocumentRow | None) -> Spot:
        """Where a document goes that stood at a source of a root: there, be the root made again or part of another one
        by now. Raises RefusedError where it is not known where the root lay."""
        root = self.roots.get(name)
        if root is not None:
            return Spot(root.key, source)
        path = former.find_former_root(self.connection, name)
        for other in self.roots.values():
            inside = None if path is None else _find_inside(path, other.path)
            if inside is not None:
                return Spot(other.key, str(inside / source))
        if present is not None:
            return Spot(present.root, present.source)
        if path is None:
            raise RefusedError(
                f"it is not known any more where the root {name} lay: compile its folder first", root=name
            )
        return Spot(self._make_root(name, path), source)

    def _make_root(self, name: str, path: str) -> int:
        key = document_rows.save_root(self.connection, None, name, path, self.now)
        self.roots[name] = RootRow(key, name, path)
        return key

    # --- files -------------------------------------------------------------------------------------------------------

    def find_file(self, spot: Spot, present: DocumentRow | None) -> FileState:
        """The file at a place: as the document that stands there was compiled from it, or is held against it; else as
        it lies on the disk."""
        held = self._load_held(spot.root).get(spot.source)
        if present is not None:
            hash = present.hash if held is None else held.hash
            return FileState(hash, FileStat(present.size, present.mtime, present.inode), present.seen_at)
        found = self._read_file(spot)
        if found is None:
            return FileState(b"", UNKNOWN, 0)
        if held is not None and held.hash:
            # A file that changed since it was held wins with the next compile.
            return FileState(held.hash, FileStat(held.size, held.mtime, held.inode), held.seen_at)
        return FileState(found.hash, found.stat, self.now)

    def _read_file(self, spot: Spot) -> SourceText | None:
        root = next(root for root in self.roots.values() if root.key == spot.root)
        parts = PurePosixPath(spot.source).parts
        path = str(Path(root.path, *parts))
        found = None if ".." in parts else read_source(SourceFile(spot.source, path, UNKNOWN))
        return found if isinstance(found, SourceText) else None

    def hold(self, spot: Spot, file: FileState, present: OldTree | None, back: Set[int]) -> None:
        """Has compile leave what stands at a place, or does not, until the file is another one. Nodes that are `back`
        are forgotten no more."""
        held = self._load_held(spot.root).get(spot.source)
        if held is not None and held.hash == file.hash:
            nodes = unpack_tree(held) or []
            if any(node.forgotten and node.key in back for node in nodes):
                kept = [node._replace(forgotten=0) if node.key in back else node for node in nodes]
                held_rows.save_held(self.connection, [held._replace(tree=pack_tree(kept))])
            return
        tree = None if present is None else pack_tree(describe_rows(present.nodes))
        stat = file.stat
        row = HeldRow(
            spot.root, spot.source, file.hash, tree, stat.size, stat.mtime, stat.inode, file.seen_at
        )  # fmt: skip
        held_rows.save_held(self.connection, [row])

    def _load_held(self, root: int) -> Mapping[str, HeldRow]:
        if root not in self._held:
            self._held[root] = held_rows.load_held(self.connection, root)
        return self._held[root]


def _find_inside(path: str, outer: str) -> PurePosixPath | None:
    """The way from one folder down to another; None where it does not lie below."""
    try:
        return PurePosixPath(*Path(path).relative_to(outer).parts)
    except ValueError:
        return None


def find_spot(row: DocumentRow) -> Spot:
    """Where a document stands."""
    return Spot(row.root, row.source)


def settle_spots(
    connection: Connection, wanted: Mapping[int, Spot], present: Mapping[int, DocumentRow], roots: Iterable[RootRow]
) -> dict[int, Spot]:
    """The places of the wanted documents (by key), where those that others take stay with these: a document that is
    there keeps the place that it has, and so does the next one, which was to go to that. `present` are the documents of
    the rollback that are there now. Linear.

    Raises ConflictError where two would stand at one place.
    """
    own = {key: find_spot(row) for key, row in present.items()}
    owners = _Owners(connection, {spot.root for spot in wanted.values()}, present, roots)
    spots = dict(wanted)
    comers: dict[Spot, list[int]] = {}
    for key, spot in wanted.items():
        if own.get(key, spot) == spot:
            owners.add(spot, key)
        else:
            comers.setdefault(spot, []).append(key)
    staying = [key for spot, keys in comers.items() for key in (keys if spot in owners.keys else keys[1:])]
    while staying:
        key = staying.pop()
        if spots[key] == own[key]:
            continue
        spots[key] = own[key]
        owners.add(own[key], key)
        staying += comers.get(own[key], ())
    return spots


class _Owners:
    """Who stands where: the documents that are not of the rollback, and those that are sure of their places."""

    def __init__(
        self, connection: Connection, roots: Iterable[int], present: Mapping[int, DocumentRow], known: Iterable[RootRow]
    ) -> None:
        self.connection, self.names = connection, {root.key: root.name for root in known}
        rows = [row for root in roots for row in document_rows.load_documents(connection, root).values()]
        self.keys = {find_spot(row): row.node for row in rows if row.node not in present}

    def add(self, spot: Spot, key: int) -> None:
        """Raises ConflictError where another one stands there."""
        if spot in self.keys:
            owner = state_rows.load_ids(self.connection, [self.keys[spot]]).get(self.keys[spot], "")
            place = f"{self.names.get(spot.root, '')}/{spot.source}"
            raise ConflictError(
                f"{place} is another document by now ({owner}): roll back that one too, or all notes", place=place
            )
        self.keys[spot] = key
