"""Naming: which names a document's nodes have, and which keys a change of them concerns. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from remem.graph.catalog import INDEX_STEMS
from remem.keys import name_key
from remem.records import DocumentRow, NodeRow, ParsedDocument
from remem.storage.names import NameRow

EARLIER_KINDS = ("old_label", "old_stem", "old_source")


class Nodes(NamedTuple):
    """A document's row and its nodes in order."""

    document: DocumentRow
    rows: Sequence[NodeRow]


def stem_of(source: str) -> str:
    """The file stem of a source: its last segment without the extension."""
    return PurePosixPath(source).stem


def document_names(parsed: ParsedDocument, rows: Sequence[NodeRow]) -> list[NameRow]:
    """All names of a document's nodes, in document order."""
    names = _own_names(parsed, rows[0].key)
    for node, row in zip(parsed.nodes, rows, strict=True):
        if node.kind == "heading":
            names.append(NameRow(name_key(node.label), "heading", row.key, node.label))
        for block in node.blocks:
            names.append(NameRow(name_key(f"^{block}"), "block", row.key, block))
    return list(dict.fromkeys(names))


def _own_names(parsed: ParsedDocument, document: int) -> list[NameRow]:
    path = PurePosixPath(parsed.source)
    names = [NameRow(name_key(path.stem), "stem", document, path.stem)]
    title = parsed.nodes[0].label
    if title:
        names.append(NameRow(name_key(title), "title", document, title))
    names += [NameRow(name_key(alias), "alias", document, alias) for alias in parsed.aliases if alias.strip()]
    if path.stem.casefold() in INDEX_STEMS and path.parent.name:
        names.append(NameRow(name_key(path.parent.name), "folder", document, path.parent.name))
    return names


def earlier_names(old_source: str, source: str, pairs: Iterable[tuple[NodeRow, NodeRow]]) -> list[NameRow]:
    """What kept nodes were called before: labels that changed, and the document's stem and source if it moved. `pairs`
    are the old and the new row of each kept node, the document's own included."""
    names = []
    for old, new in pairs:
        if new.kind == "document" and old_source != source:
            names += _earlier_places(old_source, source, new.key)
        if new.kind in ("document", "heading") and old.label and old.label != new.label:
            names.append(NameRow(name_key(old.label), "old_label", new.key, old.label))
    return names


def _earlier_places(old_source: str, source: str, document: int) -> list[NameRow]:
    stem = stem_of(old_source)
    names = [NameRow(name_key(stem), "old_source", document, old_source)]
    if stem != stem_of(source):
        names.append(NameRow(name_key(stem), "old_stem", document, stem))
    return names


def changed_keys(old: Sequence[NameRow], new: Sequence[NameRow], moved: bool) -> set[str]:
    """The loose keys under which something changed: another set or order of names. `moved`: the document's place or
    title heading changed, which concerns all its names."""
    if moved:
        return {name.key for name in old} | {name.key for name in new}
    before, after = _by_key(old), _by_key(new)
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def _by_key(names: Iterable[NameRow]) -> dict[str, list[NameRow]]:
    grouped: dict[str, list[NameRow]] = {}
    for name in names:
        grouped.setdefault(name.key, []).append(name)
    return grouped


def moved_keys(earlier: Iterable[NameRow], old: Iterable[Nodes], new: Iterable[Nodes]) -> set[str]:
    """The loose keys of those earlier names whose nodes stand elsewhere now, or in another order: of several nodes that
    had a name, place and order decide."""
    names: dict[int, list[NameRow]] = {}
    for name in earlier:
        names.setdefault(name.node, []).append(name)
    if not names:
        return set()
    before, after = _places_by_key(names, old), _places_by_key(names, new)
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def _places_by_key(names: Mapping[int, Sequence[NameRow]], documents: Iterable[Nodes]) -> dict[str, list[object]]:
    places: dict[str, list[object]] = {}
    for document, rows in sorted(documents, key=lambda nodes: nodes.document.source):
        place = (document.root, document.source, document.node, document.title_heading)
        for row in rows:
            for name in names.get(row.key, ()):
                places.setdefault(name.key, []).append((place, name))
    return places


def outline_of(rows: Sequence[NodeRow], names: Iterable[NameRow]) -> list[tuple[str, str, int, int | None]]:
    """What anchors of a document depend on, from its names in document order: kind, text and node of each heading and
    block id, and the heading that it lies below."""
    above: dict[int | None, int | None] = {}
    headings: set[int | None] = set()
    for row in rows:
        above[row.key] = row.parent if row.parent in headings else above.get(row.parent)
        if row.kind == "heading":
            headings.add(row.key)
    return [(name.kind, name.text, name.node, above[name.node]) for name in names if name.kind in ("heading", "block")]
