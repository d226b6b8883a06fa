"""Sections that moved as a whole: heading and all that it holds, equal before and after in another place. What is too
short to be known again alone is known by what stands with it. It compares for equality only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

from remem.keys import strict_key
from remem.matching.alignment import Alignment, Side
from remem.matching.similarity import list_words

TELLING_WORDS = 3
"""A heading and what it holds have so many words at least, not all of them the heading's."""

ShapeTable = dict[tuple[str, str, tuple[int, ...]], int]
"""A subtree, as (kind, what it says, the numbers of its children), and its number."""


def match_sections(alignment: Alignment, copies: Set[int] = frozenset()) -> None:
    """Joins sections that stand once on both sides, whatever the document and the level, with all that they hold, if
    nothing of them is joined yet. `copies` are new nodes that wait. Linear."""
    old, new = alignment.old, alignment.new
    if not (_has_free_heading(old) and _has_free_heading(new)):
        return
    table: ShapeTable = {}
    befores, afters = _number_shapes(old, table), _number_shapes(new, table)
    counts = Counter(befores), Counter(afters)
    free = _list_free_before(old), _list_free_before(new)
    places = {shape: node for node, shape in enumerate(befores) if counts[0][shape] == counts[1][shape] == 1}
    after = 0
    while after < len(afters):
        before = places.get(afters[after], -1)
        if before >= 0 and _may_move(alignment, before, after, free) and copies.isdisjoint(_span(new, after)):
            for pair in zip(_span(old, before), _span(new, after), strict=True):
                alignment.join(*pair)
            after = new.lasts[after]
        after += 1


def _has_free_heading(side: Side) -> bool:
    return any(side.kinds[node] == "heading" for node in side.list_free())


def _span(side: Side, node: int) -> range:
    return range(node, side.lasts[node] + 1)


def _number_shapes(side: Side, table: ShapeTable) -> list[int]:
    """For each node a number that equal subtrees of both sides share. The level of a heading does not count."""
    shapes = [0] * len(side.kinds)
    children: list[list[int]] = [[] for _ in side.kinds]
    for node in range(len(shapes) - 1, -1, -1):
        kind = side.kinds[node]
        said = strict_key(side.labels[node]) if kind == "heading" else side.contents[node]
        shapes[node] = table.setdefault((kind, said, tuple(reversed(children[node]))), len(table))
        if side.parents[node] >= 0:
            children[side.parents[node]].append(shapes[node])
    return shapes


def _list_free_before(side: Side) -> list[int]:
    """For each node, and for the end, how many free ones stand before it."""
    counts = [0]
    for partner in side.partners:
        counts.append(counts[-1] + (partner < 0))
    return counts


def _may_move(alignment: Alignment, before: int, after: int, free: tuple[Sequence[int], Sequence[int]]) -> bool:
    """Whether two equal subtrees are sections of which nothing is joined, with enough said in them."""
    if alignment.new.kinds[after] != "heading":
        return False
    for side, node, counts in ((alignment.old, before, free[0]), (alignment.new, after, free[1])):
        end = side.lasts[node] + 1
        if counts[end] - counts[node] != end - node:
            return False
    return _is_telling(alignment.new, after)


def _is_telling(side: Side, heading: int) -> bool:
    words = _count_words(side.labels[heading])
    said = 0
    for node in _span(side, heading)[1:]:
        if side.kinds[node] == "heading":
            words += _count_words(side.labels[node])
        else:
            said += _count_words(side.contents[node])
        if said and words + said >= TELLING_WORDS:
            return True
    return False


def _count_words(text: str) -> int:
    return len(list_words(text))
