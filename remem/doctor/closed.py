"""Links and names of documents that calls changed so that their text would make another tree: each node by itself tells
what it says. What a node says only together with others stays as it is stored. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from remem.ids import text_hash
from remem.ingest.parse import parse_source
from remem.ingest.render import render
from remem.records import NodeRow, ParsedDocument, ParsedLink, ParsedNode, SummaryRow
from remem.writing.kept import KEPT, is_kept, unpack_links
from remem.writing.standing import find_front

PROSE = ("text", "heading", "list", "item", "quote", "table", "embed")
"""Kinds of nodes that say the same alone as among others."""


def settle_closed(
    parsed: ParsedDocument, again: ParsedDocument, rows: Sequence[NodeRow], kept: Mapping[int, SummaryRow], limit: int
) -> ParsedDocument:
    """A standing Markdown document with the links, block ids and aliases that its nodes say: where its text, parsed
    `again`, has the same node, as it is there, else as it is alone. `rows` are its nodes, `kept` what summaries keep,
    by node."""
    text = render(((node.gap, node.content, node.prefixes) for node in parsed.nodes), parsed.tail)
    found: dict[tuple[str, str], list[ParsedNode]] = {}
    for node in reversed(again.nodes):
        found.setdefault(node[:2], []).append(node)
    nodes = []
    for node, row in zip(parsed.nodes, rows, strict=True):
        same = found.get(node[:2])
        alone = node.kind in PROSE and not node.piece and "%%" not in text
        said = same.pop() if same else _read_alone(node, parsed.format, limit) if alone else None
        links = _settle_links(node, said, _find_kept(node, kept.get(row.key)), text)
        more = () if said is None else (block for block in said.blocks if f"^{block}" in node.content)
        nodes.append(node._replace(links=links, blocks=tuple(sorted({*node.blocks, *more}))))
    return replace(parsed, nodes=tuple(nodes), aliases=_settle_aliases(parsed))


def _read_alone(node: ParsedNode, format: str, limit: int) -> ParsedNode:
    """What a node's content says by itself."""
    found = parse_source("", node.content, format, max_tokens=limit).nodes[1:]
    links = tuple(link for part in found for link in part.links)
    return node._replace(links=links, blocks=tuple(block for part in found for block in part.blocks))


def _find_kept(node: ParsedNode, summary: SummaryRow | None) -> tuple[ParsedLink, ...]:
    if summary is None or summary.hash != text_hash(node.content) or not is_kept(summary.links):
        return ()
    return unpack_links(summary.links)


def _settle_links(
    node: ParsedNode, told: ParsedNode | None, kept: Sequence[ParsedLink], text: str
) -> tuple[ParsedLink, ...]:
    """The links of a node: those that it says, as they are stored where they are (their type may be that of a list
    around it), others that the document explains, and those that its summary keeps."""
    said = list(told.links) if told is not None else []
    places: list[tuple[int, int, ParsedLink]] = []
    last = -1
    for link in node.links:
        place = next((at for at, other in enumerate(said) if _show(other) == _show(link)), None)
        if place is not None:
            last = place
            places.append((place, 0, link))
            said[place] = said[place]._replace(form="")
        elif link.form != KEPT and _is_explained(link, text, said):
            places.append((last, 1, link))
    places += [(at, 0, link) for at, link in enumerate(said) if link.form]
    own = [link for *_, link in sorted(places, key=lambda item: item[:2])]
    return (*own, *(link._replace(line=0) for link in kept))


def _show(link: ParsedLink) -> tuple[object, ...]:
    return link._replace(type="", line=0, weight=round(link.weight, 6))


def _is_explained(link: ParsedLink, text: str, said: Sequence[ParsedLink]) -> bool:
    """Whether a link may follow from the text around its node: its words stand there, and the node itself says none
    that would be this one but for its parameters."""
    if any(other.form and (other.label, other.anchor) == (link.label, link.anchor) for other in said):
        return False
    words = [word for word in (link.label, link.anchor, link.id) if word]
    return bool(words) and all(word.casefold() in text.casefold() for word in words)


def _settle_aliases(parsed: ParsedDocument) -> tuple[str, ...]:
    """The aliases of the front matter, where there is one."""
    front = parsed.nodes[1 : find_front(parsed.nodes)]
    if not front:
        return parsed.aliases
    text = "".join((node.gap if node.piece else "") + node.content for node in front)
    return parse_source("", text, "markdown").aliases
