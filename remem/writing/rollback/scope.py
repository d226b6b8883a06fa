"""The scope of a rollback: which documents, section, memories and entities it is about. Reads the store alone."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, NamedTuple

from remem.checks import check_text
from remem.errors import AmbiguousError, NotFoundError, RememError
from remem.limits import LONGEST_REFERENCE
from remem.reading import find
from remem.reading.net import list_documents
from remem.reading.states import (
    MOST_SNAPSHOTS,
    SINGLE_KINDS,
    Span,
    find_documents_at,
    load_present_documents,
    load_span,
)
from remem.storage import layouts as layout_rows
from remem.storage import sources
from remem.storage import states as state_rows

if TYPE_CHECKING:
    from sqlite3 import Connection

ALL, NOTES = "all", "notes"


class Scope(NamedTuple):
    """What is rolled back, of what has changed, or stands elsewhere, since: documents (keys), those of them that were
    there, memories and entities (keys), a single node with all below it."""

    name: str
    documents: Set[int] = frozenset()
    living: Set[int] = frozenset()
    singles: Set[int] = frozenset()
    section: int | None = None


class _Changed(NamedTuple):
    """What has changed since a snapshot: documents (those that merely stand elsewhere among them), those of them that
    were there then, memories, entities."""

    documents: Set[int]
    living: Set[int]
    memories: Set[int]
    entities: Set[int]


def find_scope(connection: Connection, given: object, snapshot: int) -> tuple[Scope, Span]:
    """What a scope means: "notes", "all", a root's name, the id, source or label of a document, the id or label of
    another node, and what has changed since the snapshot.

    Raises InvalidInputError, NotFoundError, AmbiguousError.
    """
    name = check_text("scope", given, longest=LONGEST_REFERENCE)
    span = load_span(connection, snapshot, MOST_SNAPSHOTS)
    changed = _sort_changes(connection, span)
    if name == ALL:
        return Scope(name, changed.documents, changed.living, changed.memories | changed.entities), span
    if name == NOTES:
        return Scope(name, changed.documents, changed.living, changed.entities), span
    root = name.removesuffix("/")
    if root in sources.list_root_names(connection):
        return _take(name, changed, _list_of_root(connection, root, changed, snapshot)), span
    key = state_rows.find_key(connection, name)
    if key is None:
        standing = _find_standing(connection, name)
        if standing:
            return _take(name, changed, standing), span
        key = _find_label(connection, name)
        # Labels are what nodes say, and no text of a node is to stand in a message.
        name = state_rows.load_ids(connection, [key])[key]
    kind = sources.find_kind(connection, key)
    if kind in SINGLE_KINDS:
        return Scope(name, singles={key} & (changed.memories | changed.entities)), span
    if kind == "document":
        return _take(name, changed, {key}), span
    return Scope(name, section=key), span


def _take(name: str, changed: _Changed, documents: Set[int]) -> Scope:
    return Scope(name, changed.documents & documents, changed.living & documents)


def _sort_changes(connection: Connection, span: Span) -> _Changed:
    concerned = list_documents(span.old.values()) | list_documents(span.new.values())
    singles = {
        key: kind
        for key in span.old
        if (kind := span.old[key].kind or span.new[key].kind or _gone_kind(connection, key)) in SINGLE_KINDS
    }
    moved = layout_rows.list_documents_after(connection, span.after) - span.old.keys()
    documents = (concerned | moved) - singles.keys()
    # A document that has no change of its own was there then as it is now.
    living = {key for key in documents if key not in span.old or span.old[key].presence == "living"}
    memories = {key for key, kind in singles.items() if kind == "memory"}
    return _Changed(documents, living, memories, singles.keys() - memories)


def _gone_kind(connection: Connection, key: int) -> str:
    """The kind of what came and went."""
    return sources.find_kind(connection, key)


def _list_of_root(connection: Connection, root: str, changed: _Changed, snapshot: int) -> set[int]:
    """The documents that lie in a root now, or did."""
    now = load_present_documents(connection, changed.documents)
    then = find_documents_at(connection, changed.living, snapshot)
    found = {key for key, document in now.items() if document.root == root}
    return found | {key for key, document in then.items() if document.root == root}


def _find_standing(connection: Connection, name: str) -> set[int]:
    """The documents that stand or stood at a source, given with or without its root. Raises AmbiguousError where there
    is one in several roots."""
    root, _, source = name.partition("/")
    rows = [row for row in sources.find_standing(connection, source) if row.root == root] if source else []
    rows = rows or sources.find_standing(connection, name)
    places = sorted({f"{row.root}/{row.source}" for row in rows})
    if len(places) > 1:
        raise AmbiguousError(f"{name} is in several roots: {', '.join(places)}", candidates=places)
    return {row.document for row in rows}


def _find_label(connection: Connection, name: str) -> int:
    try:
        return find.get_node(connection, name).key
    except NotFoundError as error:
        raise _explain(error, name) from None


def _explain(error: RememError, name: str) -> NotFoundError:
    return NotFoundError(
        f'the scope {name} is no root, document, node or memory. Give one of these, "notes" or "all". {error.message}',
        **{**error.facts, "scope": name},
    )
