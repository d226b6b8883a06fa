"""Layouts: what of a document's text no node holds, packed for the store and back. Pure."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import orjson

from remem.records import DocumentRow, Layout, LayoutNode, LayoutRow, NodeRow

_LEVEL = 6


def pack_layout(root: str, document: DocumentRow, nodes: Sequence[NodeRow]) -> LayoutRow:
    """The layout of a document as it stands; snapshot 0, for whoever stores it to fill in."""
    places = [(row.key, row.parent, row.piece, row.gap, row.prefix, row.station == row.key) for row in nodes]
    data = zlib.compress(orjson.dumps((places, document.title_heading, document.tail)), _LEVEL)
    return LayoutRow(
        document.node, 0, root, document.source, document.format, document.hash, document.settings, data
    )  # fmt: skip


def unpack_layout(data: bytes) -> Layout:
    """The layout of `LayoutRow.nodes`."""
    places, title, tail = orjson.loads(zlib.decompress(data))
    return Layout(tuple(LayoutNode(*place) for place in places), title, tail)
