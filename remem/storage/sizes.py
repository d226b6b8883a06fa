"""How many tokens nodes have with all that lies below them. Passages, of which every node lies in one, are summed where
they can be: they are few. Decides nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import orjson

from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_PASSAGES = """
SELECT document, first, last, tokens
FROM passages
WHERE document IN (SELECT value FROM json_each(:documents))
ORDER BY document, first
"""
SELECT_EVERY_PASSAGE = """
SELECT document, first, last, tokens
FROM passages
ORDER BY document, first
"""
SUM_NODES = """
SELECT s.value ->> 0, coalesce(sum(n.tokens), 0)
FROM json_each(:spans) AS s
JOIN nodes AS n ON n.document = s.value ->> 1 AND n.position BETWEEN s.value ->> 2 AND s.value ->> 3
GROUP BY s.value ->> 0
"""
SUM_SECTIONS = """
SELECT section, sum(tokens)
FROM passages
GROUP BY section
"""
FEW = 500
"""For more nodes, the passages of all documents are read."""


class Span(NamedTuple):
    """A node with what lies below it: the nodes of its document from its own position to the last one."""

    key: int
    document: int
    position: int
    last: int


class _Passages(NamedTuple):
    """The passages of a document, in order, and of those before each how many nodes and tokens they hold."""

    firsts: list[int]
    counts: list[int]
    sums: list[int]


def sum_tokens(connection: Connection, spans: Sequence[Span]) -> dict[int, int]:
    """The tokens of each of the nodes with all below it, by key."""
    wide = [span for span in spans if span.last > span.position]
    passages = _load_passages(connection, wide)
    totals: dict[int, int] = {}
    rest: list[Span] = [span for span in spans if span.last == span.position]
    for span in wide:
        found = passages.get(span.document)
        start, end = (0, 0) if found is None else _find_whole(found, span)
        if found is None or start == end or _find_end(found, start, end) != span.last:
            rest.append(span)
            continue
        totals[span.key] = found.sums[end] - found.sums[start]
        if found.firsts[start] > span.position:
            rest.append(span._replace(last=found.firsts[start] - 1))
    for key, tokens in sum_nodes(connection, rest).items():
        totals[key] = totals.get(key, 0) + tokens
    return totals


def sum_nodes(connection: Connection, spans: Sequence[Span]) -> dict[int, int]:
    """The tokens of spans, node by node, by key: quick for short ones."""
    return dict(connection.execute(SUM_NODES, {"spans": orjson.dumps([tuple(span) for span in spans]).decode()}))


def sum_sections(connection: Connection) -> dict[int, int]:
    """The tokens of what stands under each section (document, heading, memory) itself, without the sections below."""
    return dict(connection.execute(SUM_SECTIONS))


def _load_passages(connection: Connection, spans: Iterable[Span]) -> dict[int, _Passages]:
    documents = {span.document for span in spans}
    if not documents:
        return {}
    if len(documents) <= FEW:
        rows = connection.execute(SELECT_PASSAGES, {"documents": json_list(documents)})
    else:
        rows = connection.execute(SELECT_EVERY_PASSAGE)
    found: dict[int, tuple[list[int], list[int], list[int]]] = {}
    for document, first, last, tokens in rows:
        firsts, counts, sizes = found.setdefault(document, ([], [], []))
        firsts.append(first)
        counts.append(last - first + 1)
        sizes.append(tokens)
    return {
        document: _Passages(firsts, [0, *accumulate(counts)], [0, *accumulate(sizes)])
        for document, (firsts, counts, sizes) in found.items()
    }


def _find_whole(passages: _Passages, span: Span) -> tuple[int, int]:
    """The passages that begin within a span, as a range of their numbers."""
    start = bisect_left(passages.firsts, span.position)
    return start, bisect_left(passages.firsts, span.last + 1, start)


def _find_end(passages: _Passages, start: int, end: int) -> int:
    """The last node of a range of passages, if none is missing between them."""
    return passages.firsts[start] + passages.counts[end] - passages.counts[start] - 1
