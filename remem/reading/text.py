"""Text again: nodes back to the text that they were parsed from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from remem.ingest.html.marks import strip_anchors
from remem.ingest.render import DEFAULT_GAP, render
from remem.ingest.syntax import DELIMITER_ROW
from remem.records import NodeRow


def render_document(rows: Iterable[NodeRow], tail: str) -> str:
    """The text of a document from its nodes in pre-order."""
    return render(((_gap(row), row.content, _prefixes(row)) for row in rows), tail)


def render_section(rows: Iterable[NodeRow], tail: str = "") -> str:
    """The text of a subtree as it stands in the file, without what surrounds it. Of a page without its anchors. A whole
    document has a `tail`: what closes it, as a brace does in JSON."""
    nodes = ((strip_anchors(_gap(row)), row.content, _prefixes(row)) for row in rows)
    return render(nodes, strip_anchors(tail)).strip()


def read_header(content: str) -> str:
    """The two lines with which a table's first piece says what the columns are, for its later pieces; "" where it has
    none."""
    lines = content.split("\n", 2)
    return f"{lines[0]}\n{lines[1]}\n" if len(lines) > 2 and DELIMITER_ROW.fullmatch(lines[1]) else ""


def _gap(row: NodeRow) -> str:
    return DEFAULT_GAP if row.gap is None else row.gap


def _prefixes(row: NodeRow) -> Sequence[str]:
    return orjson.loads(row.prefix) if row.prefix else ()
