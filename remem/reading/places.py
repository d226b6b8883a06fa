"""Where a node or a link is written, for people: `root/source:line`. It reads the document that it lies in, so only
what is refused asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.ingest.html.marks import FORMAT as PAGE
from remem.reading.text import render_document
from remem.storage import documents as document_rows
from remem.storage import links as link_rows
from remem.storage import nodes as node_rows

if TYPE_CHECKING:
    from collections.abc import Collection
    from sqlite3 import Connection

    from remem.records import DocumentRow, LinkRow, NodeRow


def find_file(connection: Connection, node: NodeRow) -> str | None:
    """The file that a node of a note lies in, as `root/source`; None for a memory or an entity."""
    document = document_rows.find_document(connection, node.document)
    return None if document is None else _name_file(connection, document)


def find_place(connection: Connection, node: NodeRow, targets: Collection[int] = (), type: int | None = None) -> str:
    """The place of a node, or of its first link (of a type, by code) to one of some nodes where `targets` are given.
    Without a line where the lines are not those of a file; of a memory or an entity its id."""
    document = document_rows.find_document(connection, node.document)
    if document is None:
        return node.id
    place = _name_file(connection, document)
    if document.format == PAGE:
        return place
    rows = node_rows.load_trees(connection, [document.node])[document.node]
    before = render_document(rows[: node.position + 1], "").count("\n") - node.content.count("\n")
    links = link_rows.load_links_of_nodes(connection, [node.key]) if targets else []
    meant = [link for link in links if link.target in targets and type in (None, link.type)]
    within = _find_link(node.content, min(meant, key=lambda link: link.ordinal)) if meant else 0
    return f"{place}:{1 + before + node.content.count(chr(10), 0, within)}"


def _name_file(connection: Connection, document: DocumentRow) -> str:
    root = next(root.name for root in document_rows.load_roots(connection) if root.key == document.root)
    return f"{root}/{document.source}"


def _find_link(content: str, link: LinkRow) -> int:
    """Where a link stands in the text of its node, as far as its own text tells."""
    written = (f"[[{link.label or '#'}", f"]({link.label or '#'}", link.label, link.shown)
    return next((at for text in written if text and (at := content.find(text)) >= 0), 0)
