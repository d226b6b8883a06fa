"""Summaries: puts a shorter text in the place of a long one. The node keeps its id and its label; links that the
summary does not repeat stay with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.errors import ConflictError
from remem.ids import text_hash
from remem.ingest.labels import label_row
from remem.ingest.parse import WHOLE, parse_source
from remem.ingest.splice import Splice, find_prefix, indent_nodes, replace_nodes
from remem.ingest.tags import drop_repeats
from remem.ingest.tokens import count_tokens
from remem.records import Edited, KeyedNode, ParsedNode, SummaryRow
from remem.storage import links as link_rows
from remem.storage import nodes as node_rows
from remem.storage import summaries as summary_rows
from remem.writing.kept import choose_kept, pack_links
from remem.writing.revising import Spot, find_at, revise, tell_edit

if TYPE_CHECKING:
    from sqlite3 import Connection

_BLOCKS = ("text", "list", "table", "code", "quote", "html", "embed")


def summarise_node(connection: Connection, spot: Spot, text: str, now: int) -> Edited:
    """Replaces the text of a block, or what lies below a heading or document, by one node. Front matter and the title
    heading of a document stay.

    Raises ConflictError for front matter, which is no text to be told in other words.
    """
    nodes = spot.standing.splice.nodes
    node = nodes[spot.index].node
    if 0 < spot.index < spot.standing.front:
        place = f"{spot.root.name}/{spot.standing.document.source}"
        raise ConflictError(f"{spot.row.id} is the front matter of {place}", id=spot.row.id, place=place)
    if spot.index == 0 or node.level:
        return _summarise_section(connection, spot, text, now)
    below = [row.key for row in node_rows.load_subtree(connection, spot.row)]
    summary = read_summary(text)
    kept = choose_kept(link_rows.load_links_of_nodes(connection, below), summary.links, below)
    label = label_row(spot.row)
    new = summary._replace(
        label=label, gap=node.gap, links=(*summary.links, *kept), blocks=(*node.blocks, *summary.blocks)
    )
    inside = nodes[node.parent].node
    prefix = "" if node.parent == 0 or inside.level else find_prefix(node.gap, node.prefixes)
    item = indent_nodes([KeyedNode(new, spot.row.key)], prefix)
    after = replace_nodes(spot.standing.splice, spot.index, node.last, node.parent, item)
    return _write(
        connection, spot, after, spot.index, SummaryRow(0, text_hash(summary.content), label, pack_links(kept)), now
    )


def _summarise_section(connection: Connection, spot: Spot, text: str, now: int) -> Edited:
    """One node below the heading, or below the document or its title heading."""
    nodes, standing = spot.standing.splice.nodes, spot.standing
    title = standing.document.title_heading
    place = spot.index
    if place == 0:
        place = next((index for index, item in enumerate(nodes) if title is not None and item.key == title), 0)
    first = standing.front if place == 0 else place + 1
    last = nodes[spot.index].node.last
    gone = [row.key for row in standing.old.nodes[first : last + 1]]
    summary = read_summary(text)
    kept = choose_kept(link_rows.load_links_of_nodes(connection, gone), summary.links, gone)
    # A section that was summarised before is summarised anew: the node is the same.
    again = gone[0] if len(gone) == 1 and gone[0] in summary_rows.load_summaries(connection, gone) else None
    item = KeyedNode(summary._replace(links=(*summary.links, *kept)), again)
    after = replace_nodes(standing.splice, first, last, place, [item])
    return _write(
        connection, spot, after, first, SummaryRow(0, text_hash(summary.content), None, pack_links(kept)), now
    )


def _write(connection: Connection, spot: Spot, after: Splice, index: int, row: SummaryRow, now: int) -> Edited:
    outcome = revise(connection, spot, after, f"summarise {spot.row.id}", now)
    edited = tell_edit(connection, spot, spot.index, outcome)
    if outcome.changes:
        summary_rows.save_summary(connection, row._replace(node=find_at(connection, spot, index).key))
    return edited


# --- the text ---------------------------------------------------------------------------------------------------------


def read_summary(text: str) -> ParsedNode:
    """A summary as one node, whatever blocks it holds; links, tags and block ids are those of all of them."""
    content = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip()
    nodes = parse_source("", content, "markdown", max_tokens=WHOLE).nodes
    alone = len(nodes) == 2 and nodes[1].content == content and nodes[1].kind in _BLOCKS
    return ParsedNode(
        kind=nodes[1].kind if alone else "text",
        content=content,
        label="",
        parent=-1,
        last=0,
        tokens=count_tokens(content),
        blocks=tuple(dict.fromkeys(block for node in nodes for block in node.blocks)),
        links=tuple(link for node in nodes for link in node.links),
        tags=tuple(drop_repeats(tag for node in nodes for tag in node.tags)),
    )
