"""Planning: which files of a root a compile must read, and which are gone. It reads the store and what folders list,
never a file, and writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from remem.errors import ConflictError, RememError
from remem.ingest.redacted import hide_names
from remem.records import Diagnostic, DocumentRow, FileStat, HeldRow, RootPlan, Scan, SourceFile
from remem.sources.absence import list_gone
from remem.sources.read import is_unchanged
from remem.sources.scan import is_shielded, scan_file, scan_folder
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.writing.history import find_open
from remem.writing.slicing import slice_files

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.redaction.redactor import Redactor


_TWICE = (
    "{outer}/{source} is a note of the roots {outer} and {inner}, of which {outer} would take over {inner}:"
    " `remem drop {inner}` leaves the one of {outer}"
)
_LEFT_OUT = "was a note of the root that is taken over, and the ignore rules leave it out here"


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows of the root: its key (None: a new one), documents by source, keys of documents that come
    from roots taken over, the unfinished snapshot, the files that are held."""

    key: int | None
    documents: Mapping[str, DocumentRow]
    absorbed: frozenset[int]
    open_id: int | None
    held: Mapping[str, HeldRow]


@dataclass(frozen=True, slots=True)
class Plan:
    """What one run will do: files to read, files that are gone, in slices; what files are parsed under. `elsewhere` are
    known files of the root outside of the compiled part that are gone: they may stand in it now. `first` are what the
    first slice is about at any rate: where files are gone, these, and all new ones, which may be renamed ones."""

    root: RootPlan
    known: Known
    scan: Scan
    slices: tuple[tuple[SourceFile, ...], ...]
    first: frozenset[str]
    vanished: tuple[str, ...]
    elsewhere: tuple[str, ...]
    known_part: int
    fingerprint: str

    def list_missing(self) -> list[str]:
        """The held files that are not on the disk, documents or not: of the compiled part, and what may have moved into
        it."""
        present = {file.source for file in self.scan.files}
        missing = [
            source for source in self.known.held
            if source not in present and _is_below(source, self.root) and self.root.single_file is None
            and not is_shielded(source, self.scan.unreadable)
        ]  # fmt: skip
        return missing + [source for source in self.elsewhere if source in self.known.held]


class StalePlanError(RememError):
    """Another process changed the documents that this plan is about."""


def load_known(connection: Connection, plan: RootPlan) -> Known:
    """What the store knows of a root. Raises StalePlanError, ConflictError."""
    keys = {root.name: root.key for root in document_rows.load_roots(connection)}
    documents: dict[str, DocumentRow] = {}
    held: dict[str, HeldRow] = {}
    absorbed: set[int] = set()
    taken = dict(plan.takes_over)
    if plan.name in keys and plan.name not in taken:
        documents.update(document_rows.load_documents(connection, keys[plan.name]))
        held.update(held_rows.load_held(connection, keys[plan.name]))
    for name, prefix in plan.takes_over:
        if name not in keys:
            raise StalePlanError(f"root {name} went while the compile was planned")
        for source, row in document_rows.load_documents(connection, keys[name]).items():
            place = f"{prefix}/{source}" if prefix else source
            if place in documents:
                raise ConflictError(_TWICE.format(outer=plan.name, inner=name, source=place))
            documents[place] = row
            absorbed.add(row.node)
        for source, kept in held_rows.load_held(connection, keys[name]).items():
            held[f"{prefix}/{source}" if prefix else source] = kept
    return Known(keys.get(plan.name), documents, frozenset(absorbed), find_open(connection), held)


def make_plan(
    root: RootPlan, known: Known, fingerprint: str, max_bytes: int, slice_bytes: int, redactor: Redactor | None = None
) -> Plan:
    """What is to be read: files that are new, changed, or were parsed under another `fingerprint`. `max_bytes` is the
    greatest file, `slice_bytes` the greatest slice (0: no limit); files whose paths hold secrets are left out."""
    if root.single_file is not None:
        scan = scan_file(Path(root.folder), root.single_file, max_bytes=max_bytes)
    else:
        scan = scan_folder(Path(root.folder), below=root.below, max_bytes=max_bytes)
    scan = hide_names(redactor, scan)
    found = {file.source for file in scan.files}
    part = [source for source in known.documents if _is_below(source, root)]
    vanished = tuple(
        source
        for source in part
        if root.single_file is None and source not in found and not is_shielded(source, scan.unreadable)
        and (source not in known.held or known.held[source].hash)
    )  # fmt: skip
    stale = [file for file in scan.files if not _is_current(file, known, fingerprint)]
    elsewhere = _find_elsewhere(root, known, stale)
    scan = replace(scan, diagnostics=(*scan.diagnostics, *_tell_left_out(root, known, scan, vanished)))
    first = frozenset((*vanished, *elsewhere))
    if first:
        first |= {file.source for file in stale if file.source not in known.documents}
    slices = tuple(slice_files(stale, slice_bytes, first))
    return Plan(root, known, scan, slices, first, vanished, elsewhere, len(part), fingerprint)


def _is_below(source: str, root: RootPlan) -> bool:
    if root.single_file is not None:
        return source == root.single_file
    return not root.below or source.startswith(root.below + "/")


def _is_current(file: SourceFile, known: Known, fingerprint: str) -> bool:
    row, held = known.documents.get(file.source), known.held.get(file.source)
    if row is None:
        return held is not None and is_unchanged(file.stat, FileStat(held.size, held.mtime, held.inode), held.seen_at)
    # A document that is taken over gets another source, which its names depend on.
    if row.settings != fingerprint or row.source != file.source:
        return False
    return is_unchanged(file.stat, FileStat(row.size, row.mtime, row.inode), row.seen_at)


def _tell_left_out(root: RootPlan, known: Known, scan: Scan, vanished: Sequence[str]) -> list[Diagnostic]:
    """The notes of roots taken over that are there and that the rules of this root leave out."""
    taken = [source for source in vanished if known.documents[source].node in known.absorbed]
    gone = set(list_gone(Path(root.folder), taken, scan.files))
    return [Diagnostic(source, 0, "ignored", _LEFT_OUT) for source in taken if source not in gone]


def _find_elsewhere(root: RootPlan, known: Known, stale: Sequence[SourceFile]) -> tuple[str, ...]:
    """The files outside of the compiled part that are gone and may be in it under another name: any, where it has new
    files; else those that may have been put in the place of a changed one, which have its size or inode."""
    if not stale or not (root.below or root.single_file):
        return ()
    has_new = any(file.source not in known.documents for file in stale)
    sizes, inodes = {file.stat.size for file in stale}, {file.stat.inode for file in stale} - {0}
    rows: dict[str, DocumentRow | HeldRow] = {**known.held, **known.documents}
    outside = [
        source for source, row in rows.items()
        if (has_new or row.size in sizes or row.inode in inodes) and not _is_below(source, root)
        and (source not in known.held or known.held[source].hash)
    ]  # fmt: skip
    return list_gone(Path(root.folder), outside, stale)
