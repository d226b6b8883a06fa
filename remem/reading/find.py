"""Finds the node that a caller means by an id or an unambiguous label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NoReturn

from remem.checks import check_text
from remem.errors import AmbiguousError, NotFoundError
from remem.graph.resolve import resolve
from remem.keys import name_key, strict_key
from remem.limits import LONGEST_REFERENCE
from remem.reading.catalog import load_catalog
from remem.records import Hint, NodeRow, Place
from remem.rendering.lines import show_place
from remem.storage import documents as document_rows
from remem.storage import memories as memory_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.storage import outline

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_CANDIDATES = 10
MOST_ANCHORS = 5
NOWHERE = Place(None, "", 0)


def get_node(connection: Connection, reference: object, field: str = "node") -> NodeRow:
    """The living node of an id, or else of a label as a link would say it (`Label`, `folder/Label`, `Label#Heading`).
    `field` is what the call takes it as.

    Raises InvalidInputError for no text, NotFoundError with close names, AmbiguousError with the ids of the candidates.
    """
    text = check_text(field, reference, longest=LONGEST_REFERENCE)
    node = node_rows.find_node(connection, text)
    if node is not None:
        return node
    for hint, place in _read_reference(connection, text):
        found = resolve(hint, place, load_catalog(connection, [(hint, place)]))
        if found.state != "edge" or found.target is None:
            continue
        if found.ambiguous:
            _refuse_ambiguous(connection, hint, text)
        return node_rows.load_nodes(connection, [found.target])[found.target]
    raise NotFoundError(f"not found: {text}. {_offer(connection, text)}", id=text)


def _read_reference(connection: Connection, text: str) -> Iterator[tuple[Hint, Place]]:
    """What a text may mean, likeliest first: a name as it stands (`C#`), a name and a heading, and the place that
    answers print, `root/source`."""
    root, _, source = text.partition("/")
    is_place = source and any(known.name == root for known in document_rows.load_roots(connection))
    for label, anchor in _split_anchor(text):
        yield Hint(label, anchor), NOWHERE
        if is_place:
            yield Hint(label[len(root) :], anchor), Place(root, "", 0)


def _split_anchor(text: str) -> Iterator[tuple[str, str]]:
    """The text as a name alone, then as a name and an anchor for each `#` that may part them."""
    yield text.strip(), ""
    parts = text.split("#")
    for count in range(1, min(len(parts), MOST_ANCHORS + 1)):
        yield "#".join(parts[:count]).strip(), "#".join(parts[count:]).strip()


def _refuse_ambiguous(connection: Connection, hint: Hint, text: str) -> NoReturn:
    rows = name_rows.load_candidates(connection, [name_key(hint.label)])
    same = {row.node for row in rows if strict_key(row.text) == strict_key(hint.label)}
    shown = outline.load_shown(connection, same or {row.node for row in rows}).values()
    found = sorted(shown, key=lambda node: (node.root, node.source, node.position))
    places = ", ".join(
        f"{node.id} ({node.kind} in {show_place(node.root, node.source) or 'memory'})"
        for node in found[:MOST_CANDIDATES]
    )
    more = f" and {len(found) - MOST_CANDIDATES} more" if len(found) > MOST_CANDIDATES else ""
    raise AmbiguousError(
        f"{text} names several nodes, give an id: {places}{more}", candidates=[node.id for node in found]
    )


def _offer(connection: Connection, text: str) -> str:
    """What to do about a name that means nothing."""
    from remem.graph.suggest import suggest  # loads numpy, which most calls do not need

    if memory_rows.find_memory(connection, text) is not None:
        return "That memory is archived, or has expired; unarchive brings it back"
    if not node_rows.last_key(connection):
        return "The store is empty: compile a folder or store a memory first"
    close = suggest(Hint(text.partition("#")[0].strip()), name_rows.load_every_name(connection))
    if not close:
        return "Give an id or a name; search finds nodes by what they say, tree lists them"
    ids = {key: row.id for key, row in node_rows.load_nodes(connection, [name.node for name in close]).items()}
    return f"Close names: {', '.join(f'{name.text} ({ids[name.node]})' for name in close)}"
