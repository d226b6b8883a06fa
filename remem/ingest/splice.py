"""Splices: takes nodes out of a document's tree and puts others in, with the gaps between them kept fit to be read as
text. Pure: lists in, lists out; it parses nothing and knows no store."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from remem.records import KeyedNode, ParsedNode

BLANK_LINE = "\n\n"
_BLANK_END = re.compile(r"[ \t]+(?=\n)")
_NO_MARK = re.compile(r"[^>\s]")


class Splice(NamedTuple):
    """A document's nodes in pre-order, the document itself first, and what stands after the last one."""

    nodes: list[KeyedNode]
    tail: str


def remove_nodes(before: Splice, gone: Set[int]) -> Splice:
    """The document without the nodes at these places (never 0). What stays below one of them rises to the nearest node
    above that stays; rules and link definitions that stood before it stay too. Linear."""
    nodes: list[KeyedNode] = []
    places: dict[int, int] = {-1: -1}
    pending = ""
    pieces = _number_pieces(before.nodes, gone)
    for index, (node, key) in enumerate(before.nodes):
        if index in gone:
            places[index] = places[node.parent]
            pending = _join_gaps(pending, node.gap)
            continue
        places[index] = len(nodes)
        gap = _join_gaps(pending, node.gap) if pending else node.gap
        if index and index - 1 in gone:
            gap = gap.lstrip("\n") if len(nodes) == 1 else widen_gap(gap)
        nodes.append(KeyedNode(node._replace(parent=places[node.parent], gap=gap, piece=pieces[index]), key))
        pending = ""
    tail = _join_gaps(pending, before.tail) if pending.strip() else before.tail
    return Splice(_set_lasts(nodes), tail)


def replace_nodes(
    before: Splice, first: int, last: int, parent: int, new: Sequence[KeyedNode], rest: str = ""
) -> Splice:
    """The document with other nodes in the places `first` to `last` (`last` = `first` - 1: between two nodes), below
    `parent`. The span must hold whole subtrees. In `new` a parent of -1 is `parent`; `rest` is what stood after these
    nodes where they were written (link definitions). Linear."""
    old, tail = before
    follows = last + 1
    added = [_place(item, index, parent, first) for index, item in enumerate(new)]
    if added:
        gap = _open_gap(old, first, last, added[0].node.gap)
        added[0] = KeyedNode(added[0].node._replace(gap=gap), added[0].key)
    shift = len(added) - (follows - first)
    after = [_shift(item, last, shift) for item in old[follows:]]
    definitions = rest.strip()
    if added and not after:
        tail = widen_tail(tail)
    if after:
        node, key = after[0]
        gap = widen_gap(node.gap)
        gap = BLANK_LINE + definitions + BLANK_LINE + gap.lstrip("\n") if definitions else gap
        after[0] = KeyedNode(node._replace(gap=gap), key)
        _restart_pieces(after)
    elif definitions:
        tail = BLANK_LINE + definitions + (tail or "\n")
    return Splice(_set_lasts([*old[:first], *added, *after]), tail)


def indent_nodes(new: Iterable[KeyedNode], prefix: str) -> list[KeyedNode]:
    """New nodes as they stand in a container whose lines begin with `prefix` ("> ", "  ")."""
    if not prefix:
        return list(new)
    return [KeyedNode(_indent(item, prefix), item.key) for item in new]


def find_prefix(gap: str, prefixes: Sequence[str]) -> str:
    """What the further lines of a node's container begin with, from the gap before the node and its own prefixes."""
    own = max(prefixes, key=len, default="")
    return own or _NO_MARK.sub(" ", gap.rpartition("\n")[2])


def flatten_sections(new: Sequence[KeyedNode]) -> list[KeyedNode]:
    """New nodes for a place in which headings open no sections: what stood below a heading stands beside it."""
    places: list[int] = []
    flat: list[KeyedNode] = []
    for index, (node, key) in enumerate(new):
        above = node.parent
        while above >= 0 and new[above].node.level:
            above = new[above].node.parent
        places.append(index)
        flat.append(KeyedNode(node._replace(parent=above, level=0), key))
    return flat


def widen_gap(gap: str) -> str:
    """A gap with a blank line in it, so that the text after it is a block of its own. One that holds more than white
    space on the line of the node before it (a bullet) stays."""
    lines = gap.split("\n")
    if len(lines) == 1:
        return gap if gap.strip() else BLANK_LINE
    if len(lines) > 2:
        return gap
    return f"{lines[0]}\n{lines[1].rstrip()}\n{lines[1]}"


def widen_tail(tail: str) -> str:
    """What stands after the last node, for another one before it: link definitions stand behind a blank line."""
    return tail if not tail.strip() or tail.startswith(BLANK_LINE) else BLANK_LINE + tail.lstrip("\n")


def _join_gaps(gone: str, gap: str) -> str:
    """The gap that is left where the node between two gaps went."""
    if not gone.strip():
        return gap if gap.strip() or gone.count("\n") <= gap.count("\n") else gone
    if gone.rpartition("\n")[2].strip():  # the mark of a container, which the next node takes over
        return gone
    return gone.rstrip() + gap


def _open_gap(old: Sequence[KeyedNode], first: int, last: int, own: str) -> str:
    """The gap before the first of the new nodes: that of the one it replaces, or a blank line."""
    definitions = own.strip("\n")
    replaced = last >= first
    if first == 1:
        gap = old[first].node.gap if replaced else ""
        return gap + (definitions + BLANK_LINE if definitions.strip() else "")
    gap = widen_gap(old[first].node.gap) if replaced else BLANK_LINE
    return gap + definitions + BLANK_LINE if definitions.strip() else gap


def _indent(item: KeyedNode, prefix: str) -> ParsedNode:
    node = item.node
    lines = node.content.split("\n")[1:]
    own = [*node.prefixes, *[""] * (len(lines) - len(node.prefixes))]
    prefixes = (
        (prefix + inner) if line else (prefix + inner).rstrip() for inner, line in zip(own, lines, strict=False)
    )
    gap = _BLANK_END.sub("", node.gap.replace("\n", "\n" + prefix))
    return node._replace(gap=gap, prefixes=tuple(prefixes))


def _place(item: KeyedNode, index: int, parent: int, first: int) -> KeyedNode:
    node = item.node
    return KeyedNode(node._replace(parent=parent if node.parent < 0 else node.parent + first), item.key)


def _shift(item: KeyedNode, last: int, shift: int) -> KeyedNode:
    node = item.node
    return KeyedNode(node._replace(parent=node.parent + shift), item.key) if node.parent > last else item


def _number_pieces(nodes: Sequence[KeyedNode], gone: Set[int]) -> list[int]:
    """The number of each node among the pieces of its block that stay."""
    counts: dict[int, int] = {}
    numbers: list[int] = []
    for index, (node, _) in enumerate(nodes):
        number = counts.get(node.parent, 0) if node.piece else 0
        counts[node.parent] = number + (index not in gone)
        numbers.append(number)
    return numbers


def _restart_pieces(after: list[KeyedNode]) -> None:
    """The pieces that follow the new nodes begin a block of their own."""
    for number, (node, key) in enumerate(after):
        if not node.piece:
            break
        after[number] = KeyedNode(node._replace(piece=number), key)


def _set_lasts(nodes: list[KeyedNode]) -> list[KeyedNode]:
    last = list(range(len(nodes)))
    for index in range(len(nodes) - 1, 0, -1):
        above = nodes[index].node.parent
        last[above] = max(last[above], last[index])
    return [
        item if item.node.last == end else KeyedNode(item.node._replace(last=end), item.key)
        for item, end in zip(nodes, last, strict=True)
    ]
