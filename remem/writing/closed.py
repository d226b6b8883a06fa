"""Closed documents: the links and block ids of the nodes of a document that a call changed. Where its text makes the
same nodes, it tells; else a node that the text does not have tells by itself what it says, and what a node says only
together with others stays as it is. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from remem.ingest.parse import parse_source
from remem.ingest.render import render_parsed
from remem.keys import strict_key
from remem.records import ParsedDocument, ParsedLink, ParsedNode
from remem.writing.kept import KEPT
from remem.writing.standing import MARKED, find_front, parse_again

PROSE = ("text", "heading", "list", "item", "quote", "table", "embed")
"""Kinds of nodes that say the same alone as among others."""
FAR = ("]:", "%%")
"""What may decide on the links of other blocks: definitions, and the marks of comments."""


def settle_links(parsed: ParsedDocument, was: str, settings: str) -> ParsedDocument:
    """A document that was made of parts of texts, with the links that its text as a whole gives its nodes; `was` is the
    text before. The links that summaries keep stay."""
    text = render_parsed(parsed)
    if parsed.format not in MARKED or not any(mark in one for mark in FAR for one in (was, text)):
        return parsed
    again = parse_again(parsed, settings)
    kept = [tuple(link for link in node.links if link.form == KEPT) for node in parsed.nodes]
    if [_show_state(node) for node in again.nodes] == [_show_state(node) for node in parsed.nodes]:
        links = [(*node.links, *more) for node, more in zip(again.nodes, kept, strict=True)]
    else:
        closed = settle_closed(parsed, again, kept, int(settings.rpartition("/")[2]))
        links = [node.links for node in closed.nodes]
    nodes = (node._replace(links=own) for node, own in zip(parsed.nodes, links, strict=True))
    return replace(parsed, nodes=tuple(nodes))


def _show_state(node: ParsedNode) -> tuple[object, ...]:
    """What the state of a document holds of a node, but for the label, which may be that of what a summary replaced."""
    return node.kind, node.content, node.parent, sorted(set(map(strict_key, node.tags)))


def settle_closed(
    parsed: ParsedDocument, again: ParsedDocument, kept: Sequence[Sequence[ParsedLink]], limit: int
) -> ParsedDocument:
    """A standing Markdown document with the links, block ids and aliases that its nodes say: where its text, parsed
    `again`, has the same node, as it is there, else as it is alone. `kept` are the links that summaries keep, by
    place."""
    text = render_parsed(parsed)
    found: dict[tuple[str, str], list[ParsedNode]] = {}
    for node in reversed(again.nodes):
        found.setdefault(node[:2], []).append(node)
    nodes = []
    for node, own in zip(parsed.nodes, kept, strict=True):
        same = found.get(node[:2])
        alone = node.kind in PROSE and not node.piece and "%%" not in text
        said = same.pop() if same else _read_alone(node, parsed.format, limit) if alone else None
        links = _settle_links(node, said, own, text)
        more = () if said is None else (block for block in said.blocks if f"^{block}" in node.content)
        nodes.append(node._replace(links=links, blocks=tuple(sorted({*node.blocks, *more}))))
    return replace(parsed, nodes=tuple(nodes), aliases=_settle_aliases(parsed))


def _read_alone(node: ParsedNode, format: str, limit: int) -> ParsedNode:
    """What a node's content says by itself."""
    found = parse_source("", node.content, format, max_tokens=limit).nodes[1:]
    links = tuple(link for part in found for link in part.links)
    return node._replace(links=links, blocks=tuple(block for part in found for block in part.blocks))


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
