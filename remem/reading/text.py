"""Text again: nodes back to the text that they were parsed from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from remem.ingest.html_marks import strip_anchors
from remem.ingest.render import render
from remem.records import NodeRow

DEFAULT_GAP = "\n\n"


def render_document(rows: Iterable[NodeRow], tail: str) -> str:
    """The text of a document from its nodes in pre-order."""
    return render(((_gap(row), row.content, _prefixes(row)) for row in rows), tail)


def render_section(rows: Iterable[NodeRow]) -> str:
    """The text of a subtree as it stands in the file, without what surrounds it. Of a page without its anchors."""
    return render(((strip_anchors(_gap(row)), row.content, _prefixes(row)) for row in rows), "").strip()


def _gap(row: NodeRow) -> str:
    return DEFAULT_GAP if row.gap is None else row.gap


def _prefixes(row: NodeRow) -> Sequence[str]:
    return orjson.loads(row.prefix) if row.prefix else ()
