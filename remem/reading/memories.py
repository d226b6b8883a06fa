"""Memories as callers read them: one, or a page of those that pass a filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import orjson

from remem.checks import check_text
from remem.errors import NotFoundError
from remem.ingest.labels import label_row
from remem.ingest.memories import read_memory
from remem.keys import strict_key
from remem.limits import LONGEST_REFERENCE
from remem.reading import find
from remem.reading.cursors import mark_request, pack_float, read_cursor, unpack_float, write_cursor
from remem.reading.expiry import Uses, find_hidden
from remem.reading.nodes import find_tail, make_single, order_tags
from remem.reading.pages import Listing, make_page
from remem.reading.passed import Passed, ShownNodes, read_passed, write_passed
from remem.reading.text import render_section
from remem.records import (
    DEFAULT_IMPORTANCE,
    LONG_TERM,
    ExtractionReport,
    Memory,
    MemoryFilter,
    MemoryRow,
    NodeRow,
    Page,
    PageRequest,
    UsageRow,
)
from remem.rendering.memories import render_memory
from remem.search.places import choose_sources
from remem.storage import memories as memory_rows
from remem.storage import nodes as node_rows
from remem.storage.memories import Match
from remem.usage.temperature import read_heat

if TYPE_CHECKING:
    from sqlite3 import Connection

BEYOND = Match((1 << 63) - 1, 1 << 62)
"""What stands before every match of a descending order."""
EMPTY = "no memory matches"


# --- one memory -------------------------------------------------------------------------------------------------------


def tell_memory(
    row: MemoryRow,
    node: NodeRow,
    tags: tuple[str, ...],
    use: UsageRow,
    now: int,
    half_life: float,
    *,
    archived: bool = False,
    existing: bool = False,
    extraction: ExtractionReport | None = None,
) -> Memory:
    """A memory as callers see it, of its rows. One whose time has ended and that is shown all the same was read often:
    it is long-term from that instant on, be it promoted in the store yet or not."""
    if not archived and row.expires_at is not None and row.expires_at <= now:
        row = row._replace(type=LONG_TERM, ttl=None, expires_at=None)
    heat = read_heat(use, now, half_life)
    return Memory(
        id=row.id,
        content=node.content,
        memory_type=row.type,
        importance=row.importance,
        tags=tags,
        source=row.source,
        metadata=orjson.loads(row.metadata),
        created_at=row.created_at,
        updated_at=row.updated_at,
        accessed_at=use.accessed_at,
        access_count=use.accesses,
        expires_at=row.expires_at,
        pinned=heat.pinned,
        archived=archived,
        temperature=heat.temperature,
        label=label_row(node),
        tokens=node.tokens,
        existing=existing,
        extraction=extraction,
    )


def read_as_memory(
    connection: Connection, reference: object, archived: bool, now: int, uses: Uses
) -> tuple[int | None, Memory]:
    """The key of a node given by id or label (None where it is archived), and the node as a memory.

    Raises NotFoundError, AmbiguousError, InvalidInputError.
    """
    if archived:
        id = check_text("node", reference, longest=LONGEST_REFERENCE)
        row = memory_rows.find_memory(connection, id)
        if row is not None and node_rows.find_node(connection, id) is None:
            return None, tell_archived(connection, row, now, uses)
    node = find.get_node(connection, reference)
    (told,) = load_told(connection, [node.key], now, uses)
    return node.key, told


def tell_archived(connection: Connection, row: MemoryRow, now: int, uses: Uses) -> Memory:
    """An archived memory, its text taken from the history. Raises NotFoundError where that was purged."""
    content = memory_rows.load_text(connection, row.node)
    if content is None:
        raise NotFoundError(f"the text of the archived memory {row.id} is gone for good", id=row.id)
    text = read_memory(content)
    tags = order_tags([*orjson.loads(row.tags), *text.tags])
    node = make_single(row.node, row.id, "memory", text.title, content, text.tokens)
    use = uses.read(connection, [row.node])[row.node]
    return tell_memory(row, node, tags, use, now, uses.half_life, archived=True)


def load_told(connection: Connection, keys: Sequence[int], now: int, uses: Uses) -> list[Memory]:
    """Living nodes as memories, in the order of the keys. A few statements, however many memories there are."""
    nodes = node_rows.load_nodes(connection, keys)
    rows = memory_rows.load_memories(connection, keys)
    tags = node_rows.load_node_tags(connection, keys)
    used = uses.read(connection, keys)
    told = []
    for key in keys:
        node, own = nodes[key], tags.get(key, ())
        if key in rows:
            told.append(tell_memory(rows[key], node, own, used[key], now, uses.half_life))
        else:
            told.append(_tell_other(connection, node, own, used[key], now, uses.half_life))
    return told


def read_batch(connection: Connection, ids: Sequence[str], now: int, uses: Uses) -> list[Memory | None]:
    """The living nodes of some ids as memories, in their order; None where none of that id lives."""
    keys = {id: key for id, (key, _) in node_rows.find_refs(connection, ids).items()}
    told = dict(zip(keys, load_told(connection, list(keys.values()), now, uses), strict=True))
    return [told.get(id) for id in ids]


def _tell_other(
    connection: Connection, node: NodeRow, tags: tuple[str, ...], use: UsageRow, now: int, half_life: float
) -> Memory:
    """A node of a note, or an entity, with the fields of a memory."""
    root, source, _ = node_rows.load_places(connection, [node.key])[node.key]
    first, last = memory_rows.load_seen(connection, node.key)
    heat = read_heat(use, now, half_life)
    return Memory(
        id=node.id,
        content=render_section(node_rows.load_subtree(connection, node), find_tail(connection, node)),
        memory_type=LONG_TERM,
        importance=DEFAULT_IMPORTANCE,
        tags=tags,
        source=source,
        metadata={},
        created_at=first,
        updated_at=last,
        accessed_at=use.accessed_at,
        access_count=use.accesses,
        pinned=heat.pinned,
        temperature=heat.temperature,
        label=label_row(node),
        kind=node.kind,
        root=root or "",
        tokens=node.tokens,
    )


# --- lists ------------------------------------------------------------------------------------------------------------


class Order(NamedTuple):
    """How memories are listed: by which field, and whether the greatest stands first."""

    field: str = "created_at"
    descending: bool = True


def page_memories(
    connection: Connection,
    wanted: MemoryFilter,
    order: Order,
    limit: int,
    request: PageRequest,
    now: int,
    uses: Uses,
    kept: ShownNodes,
) -> Page[Memory]:
    """A page of at most `limit` memories. The newest come at once; any other order or filter is linear in the memories.

    Raises InvalidInputError for a cursor of another request.
    """
    mark = mark_request("memories", wanted, order)
    if order.field != "created_at":
        return _page_changing(connection, wanted, order, limit, request, now, uses, kept, mark)
    after = None if request.cursor is None else _read_match(mark, request.cursor)
    hidden = find_hidden(connection, now, uses)
    if wanted == MemoryFilter() and order == Order():
        total = memory_rows.count_newest(connection, BEYOND, hidden)
        rest = total if after is None else memory_rows.count_newest(connection, after, hidden)
        matches = memory_rows.list_newest(connection, after or BEYOND, limit, hidden)
    else:
        found = _sort_matches(connection, wanted, order, hidden, uses)
        left = found if after is None else _skip(found, after, order)
        total, rest, matches = len(found), len(left), list(left[:limit])
    items = _tell_matches(connection, matches, wanted, now, uses)

    def follow(number: int) -> str:
        match = matches[number]
        return write_cursor(mark, (pack_float(float(match.value)), match.node))

    return make_page(Listing(items, rest, total, render_memory, follow, EMPTY), request.budget)


def _page_changing(
    connection: Connection, wanted: MemoryFilter, order: Order, limit: int, request: PageRequest, now: int, uses: Uses,
    kept: ShownNodes, mark: bytes,
) -> Page[Memory]:  # fmt: skip
    """A page in an order that uses and writes change: the first of those that were not shown; where nobody knows these
    any more, of those that stand behind the deepest place at which one was shown."""
    passed = Passed() if request.cursor is None else read_passed(mark, request.cursor, kept, always=2)
    deepest = Match(passed.always[1], unpack_float(passed.always[0])) if passed.always else None
    is_known = passed.hash is None
    found = _sort_matches(connection, wanted, order, find_hidden(connection, now, uses), uses)
    if deepest is not None and not is_known:
        left = _skip(found, deepest, order)
    else:
        left = [match for match in found if match.node not in passed.nodes]
    matches = left[:limit]

    def follow(number: int) -> str:
        told = matches[: number + 1]
        # One that rose since the last page is told late, and is no place to go on from.
        place = _find_deepest([*told, deepest] if deepest else told, order)
        always = pack_float(float(place.value)), place.node
        if not is_known:
            return write_cursor(mark, (*always, passed.first, 0))
        return write_passed(mark, passed.nodes.union(match.node for match in told), request.budget, always)

    items = _tell_matches(connection, matches, wanted, now, uses)
    page = make_page(Listing(items, len(left), len(found), render_memory, follow, EMPTY), request.budget)
    if page.cursor is not None and is_known:
        kept.keep(passed.nodes.union(match.node for match in matches[: len(page)]))
    return page


def _read_match(mark: bytes, cursor: str) -> Match:
    value, node = read_cursor(mark, cursor, 2)
    return Match(node, unpack_float(value))


def _sort_matches(
    connection: Connection, wanted: MemoryFilter, order: Order, hidden: Sequence[int], uses: Uses
) -> list[Match]:
    sources = choose_sources(memory_rows.list_sources(connection), wanted.sources) if wanted.sources else ()
    if wanted.sources and not sources:
        return []
    found = memory_rows.list_matching(connection, replace(wanted, sources=sources), order.field, hidden)
    if wanted.tags and not wanted.archived:
        tagged = memory_rows.find_tagged(connection, wanted.tags)
        found = [match for match in found if match.node in tagged]
    elif wanted.tags:
        found = [match for match in found if _is_tagged(connection, match.node, wanted.tags)]
    if order.field == "accessed_at":
        used = uses.read(connection, [match.node for match in found])  # those that are not written yet count too
        found = [Match(match.node, used[match.node].accessed_at or 0) for match in found]
    return sorted(found, key=_rank, reverse=order.descending)


def _is_tagged(connection: Connection, node: int, tags: Sequence[str]) -> bool:
    """Whether an archived memory carries all tags of those keys: its node is gone, and its rows of `tags` with it."""
    row = memory_rows.load_memories(connection, [node])[node]
    own = [*orjson.loads(row.tags), *read_memory(memory_rows.load_text(connection, node) or "").tags]
    return set(map(strict_key, own)).issuperset(tags)


def _rank(match: Match) -> tuple[float, int]:
    return match.value, match.node


def _find_deepest(matches: Sequence[Match], order: Order) -> Match:
    return (min if order.descending else max)(matches, key=_rank)


def _skip(found: Sequence[Match], after: Match, order: Order) -> Sequence[Match]:
    """What comes after a match, be that one still there or not."""
    place = _rank(after)
    if order.descending:
        return [match for match in found if _rank(match) < place]
    return [match for match in found if _rank(match) > place]


def _tell_matches(
    connection: Connection, matches: Sequence[Match], wanted: MemoryFilter, now: int, uses: Uses
) -> list[Memory]:
    keys = [match.node for match in matches]
    if not wanted.archived:
        return load_told(connection, keys, now, uses)
    rows = memory_rows.load_memories(connection, keys)
    return [tell_archived(connection, rows[key], now, uses) for key in keys]
