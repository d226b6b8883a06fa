"""Kept links: what a summary does not repeat of the links of the text that it replaced. They are its node's own, until
that says something else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

import orjson

from remem.ids import text_hash
from remem.ingest.labels import label_row
from remem.keys import strict_key
from remem.records import LinkRow, NodeRow, ParsedLink, ParsedNode, SummaryRow
from remem.storage import summaries as summary_rows
from remem.writing.drafts import Draft
from remem.writing.standing import read_link

if TYPE_CHECKING:
    from sqlite3 import Connection

KEPT = "kept"
"""The form of a link that a summary keeps."""


def choose_kept(rows: Iterable[LinkRow], repeated: Iterable[ParsedLink], gone: Sequence[int]) -> tuple[ParsedLink, ...]:
    """The links of a text that is replaced that stay with its summary: those that the summary does not repeat, each
    once with its greatest weight; none that led to what is `gone` or to what the text lies in."""
    lost = set(gone)
    said = {_hint(link) for link in repeated}
    kept: dict[tuple[str, ...], ParsedLink] = {}
    for row in rows:
        link = read_link(row)
        if row.rule == "id" and not link.id:
            link = link._replace(id=link.label.strip())
        key = _hint(link)
        if row.state == "inner" or row.target in lost or key in said:
            continue
        if key not in kept or kept[key].weight < link.weight:
            kept[key] = link._replace(form=KEPT)
    return tuple(kept.values())


def _hint(link: ParsedLink) -> tuple[str, ...]:
    return (strict_key(link.label), strict_key(link.anchor), strict_key(link.source), link.id, link.type)


def pack_links(links: Iterable[ParsedLink]) -> str:
    """Kept links for their row."""
    return orjson.dumps([tuple(link) for link in links]).decode()


def unpack_links(links: str) -> tuple[ParsedLink, ...]:
    """Kept links from their row."""
    return tuple(ParsedLink(*link) for link in orjson.loads(links))


def is_kept(links: str) -> bool:
    """Whether a row's links can be read."""
    try:
        return all(isinstance(link.label, str) for link in unpack_links(links))
    except (orjson.JSONDecodeError, TypeError):
        return False


def find_kept(connection: Connection, node: int, content: str) -> SummaryRow | None:
    """What the summary that a node has as its text keeps; None where it says anything else."""
    row = summary_rows.load_summaries(connection, [node]).get(node)
    return row if row is not None and row.hash == text_hash(content) else None


def forget_lost(connection: Connection, drafts: Sequence[Draft], changed: Set[int]) -> None:
    """Forgets what summaries kept of nodes that say the same as these, but not by them: what they say is their file's
    by now, or that of a later call, which kept nothing. Of what a call left as it is, nothing is forgotten."""
    nodes = {
        row.key: (row, node)
        for draft in drafts
        for row, node in zip(draft.nodes, draft.file.parsed.nodes, strict=True)
        if draft.file.keys is None or row.key in changed
    }
    kept = summary_rows.load_summaries(connection, nodes)
    lost = [key for key, summary in kept.items() if _is_lost(summary, *nodes[key])]
    if lost:
        summary_rows.delete_summaries(connection, lost)


def _is_lost(summary: SummaryRow, row: NodeRow, node: ParsedNode) -> bool:
    if summary.hash != text_hash(row.content) or not is_kept(summary.links):
        return False
    has_links = any(link.form == KEPT for link in node.links)
    return has_links != bool(unpack_links(summary.links)) or summary.label not in (None, label_row(row))
