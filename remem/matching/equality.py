"""Nodes that say the same before and after: in place, moved, repeated. It compares texts for equality only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Set

from remem.matching.alignment import Alignment, Side
from remem.matching.similarity import list_words

TELLING_LENGTH = 24
TELLING_WORDS = 4
MANY_WORDS = 12
"""A text of so many characters and words at least, or of many words (in scripts without spaces: characters), is taken
for the same one wherever it is found; a shorter one needs neighbours or a parent that came along."""
FEW_WORDS = 3
"""A text of fewer words is trivial: it goes nowhere alone."""
FEW = 32

Key = Callable[[Side, int], Hashable]


def is_telling(text: str) -> bool:
    """Whether a text is long enough to be known again in another document."""
    words = len(list_words(text))
    return words >= MANY_WORDS or (words >= TELLING_WORDS and len(text) >= TELLING_LENGTH)


def match_in_place(alignment: Alignment, old_document: int, new_document: int) -> None:
    """Joins what stands in one document under the same path of headings with the same kind and content. Where equal
    ones are several, their neighbours decide, then their order. Linear."""
    old, new = alignment.old, alignment.new
    befores, afters = _trim_equal(alignment, old.starts[old_document], new.starts[new_document])
    if not befores or not afters:
        return
    groups = _group_in_place(old, befores), _group_in_place(new, afters)
    join_unique(alignment, *groups)
    spread_equal(alignment, afters, same_path=True)
    _join_in_order(alignment, *groups)


def _key_in_place(side: Side, node: int) -> Hashable:
    return side.paths[node], side.kinds[node], side.contents[node]


def _list_keys(side: Side, span: range) -> Iterable[Hashable]:
    """What nodes that stand in their place have in common, for each of a run of nodes."""
    place = slice(span.start, span.stop)
    return zip(side.paths[place], side.kinds[place], side.contents[place], strict=True)


def _group_in_place(side: Side, span: range) -> dict[Hashable, list[int]]:
    """A run of free nodes by key, in order."""
    groups: dict[Hashable, list[int]] = {}
    for node, key in zip(span, _list_keys(side, span), strict=True):
        groups.setdefault(key, []).append(node)
    return groups


def _trim_equal(alignment: Alignment, before: int, after: int) -> tuple[range, range]:
    """Joins the equal starts and ends of two documents; returns the rest. A run gives up what the rest holds as well:
    an equal text at its border may be the wrong one of several."""
    old, new = alignment.old, alignment.new
    old_end, new_end = (side.starts[side.documents[start] + 1] for side, start in ((old, before), (new, after)))
    short = min(old_end - before, new_end - after)
    head = 1
    while head < short and _is_equal(alignment, before + head, after + head):
        head += 1
    tail = 0
    while tail < short - head and _is_equal(alignment, old_end - 1 - tail, new_end - 1 - tail):
        tail += 1
    inner = set(_list_keys(old, range(before + head, old_end - tail)))
    inner.update(_list_keys(new, range(after + head, new_end - tail)))
    while head > 1 and _key_in_place(old, before + head - 1) in inner:
        head -= 1
    while tail and _key_in_place(old, old_end - tail) in inner:
        tail -= 1
    _join_runs(alignment, range(before, before + head), range(after, after + head))
    _join_runs(alignment, range(old_end - tail, old_end), range(new_end - tail, new_end))
    return range(before + head, old_end - tail), range(after + head, new_end - tail)


def _is_equal(alignment: Alignment, before: int, after: int) -> bool:
    old, new = alignment.old, alignment.new
    return (
        old.contents[before] == new.contents[after]
        and old.kinds[before] == new.kinds[after]
        and old.paths[before] == new.paths[after]
    )


def _join_runs(alignment: Alignment, befores: range, afters: range) -> None:
    alignment.old.partners[befores.start : befores.stop] = afters
    alignment.new.partners[afters.start : afters.stop] = befores


def group_free(side: Side, nodes: Iterable[int], key: Key) -> dict[Hashable, list[int]]:
    """The free ones of some nodes by key, in order."""
    groups: dict[Hashable, list[int]] = {}
    for node in nodes:
        if side.partners[node] < 0:
            groups.setdefault(key(side, node), []).append(node)
    return groups


def join_unique(alignment: Alignment, olds: dict[Hashable, list[int]], news: dict[Hashable, list[int]]) -> None:
    """Joins the nodes whose key stands once on both sides."""
    for key, afters in news.items():
        befores = olds.get(key, ())
        if len(afters) == 1 and len(befores) == 1:
            alignment.join(befores[0], afters[0])


def _join_in_order(alignment: Alignment, olds: dict[Hashable, list[int]], news: dict[Hashable, list[int]]) -> None:
    """Joins equal nodes first to first. Headings wait where one is gone or new: what they hold tells which."""
    for key, afters in news.items():
        befores = [node for node in olds.get(key, ()) if alignment.old.partners[node] < 0]
        rest = [node for node in afters if alignment.new.partners[node] < 0]
        if not befores or (len(befores) != len(rest) and alignment.new.kinds[rest[0] if rest else 0] == "heading"):
            continue
        for before, after in zip(befores, rest, strict=False):
            alignment.join(before, after)


def spread_equal(alignment: Alignment, afters: Iterable[int], same_path: bool = False) -> None:
    """Goes from joined nodes to equal free ones right behind and before them. A heading follows what it holds, so it is
    never joined because of what stands before it. `afters` are new nodes in order."""
    nodes = list(afters)
    for after in nodes:
        if alignment.new.kinds[after] != "heading":
            _join_beside(alignment, after, 1, same_path)
    for after in reversed(nodes):
        _join_beside(alignment, after, -1, same_path)


def _join_beside(alignment: Alignment, after: int, step: int, same_path: bool) -> None:
    """Joins a free new node with the old one beside its neighbour's partner, if these are equal."""
    old, new = alignment.old, alignment.new
    beside = after - step
    if new.partners[after] >= 0 or not 0 <= beside < len(new.kinds) or new.documents[beside] != new.documents[after]:
        return
    before = new.partners[beside] + step
    if new.partners[beside] < 0 or not 0 <= before < len(old.kinds) or old.partners[before] >= 0:
        return
    if old.documents[before] != old.documents[before - step] or old.kinds[before] != new.kinds[after]:
        return
    if old.contents[before] == new.contents[after] and (not same_path or old.paths[before] == new.paths[after]):
        alignment.join(before, after)


def match_moved_within(alignment: Alignment, copies: Set[int] = frozenset()) -> None:
    """Joins blocks (not headings) that stand once on both sides of their document, wherever in it. `copies` are new
    nodes that wait; so in the other steps."""
    olds, news = _group_within(alignment, key_block)
    join_unique(alignment, olds, {key: nodes for key, nodes in news.items() if nodes[0] not in copies})


def match_repeated_within(alignment: Alignment, copies: Set[int] = frozenset()) -> None:
    """Joins blocks of which a document holds several: under the same parent first, then the nearest."""
    spread_equal(alignment, [node for node in alignment.new.list_free() if node not in copies])
    olds, news = _group_within(alignment, key_block)
    for key, nodes in news.items():
        befores, afters = olds.get(key), [node for node in nodes if node not in copies]
        if befores and afters:
            _join_same_parent(alignment, befores, afters)
            _join_nearest(alignment, befores, afters)


def match_reformatted(alignment: Alignment) -> None:
    """Joins nodes that hold the same words in the same order under the same path: other marks, case or white space."""
    groups = _group_within(alignment, _key_words)
    join_unique(alignment, *groups)
    _join_in_order(alignment, *groups)


def match_moved_across(alignment: Alignment, copies: Set[int] = frozenset()) -> None:
    """Joins telling blocks that stand once among all that are left, whatever the document."""
    sides = alignment.old, alignment.new
    olds, news = (group_free(side, list_blocks(side), key_block) for side in sides)
    contents = alignment.new.contents
    alone = {key: nodes for key, nodes in news.items() if len(nodes) == 1 and nodes[0] not in copies}
    told = {key: nodes for key, nodes in alone.items() if is_telling(contents[nodes[0]])}
    join_unique(alignment, olds, told)


def match_given_away(alignment: Alignment) -> None:
    """Joins blocks that stand once on both sides and went from a document that stayed to a new one, though they are
    short: of a few words at least. Linear."""
    old, new = alignment.old, alignment.new
    moved = [node for node in list_blocks(new) if alignment.old_documents[new.documents[node]] < 0]
    gone = [node for node in list_blocks(old) if old.partners[old.starts[old.documents[node]]] >= 0]
    olds, news = group_free(old, gone, key_block), group_free(new, moved, key_block)
    alike = {key: nodes for key, nodes in news.items() if key in olds and _says_something(new.contents[nodes[0]])}
    if alike:
        counts: list[Counter[Hashable]] = [Counter(zip(side.kinds, side.contents, strict=True)) for side in (old, new)]
        once = {key: nodes for key, nodes in alike.items() if counts[0][key] == counts[1][key] == 1}
        join_unique(alignment, olds, once)


def _says_something(text: str) -> bool:
    return len(list_words(text)) >= FEW_WORDS


def match_followers(alignment: Alignment, copies: Set[int] = frozenset()) -> None:
    """Joins equal blocks whose neighbours or parent came along, short and repeated ones too, whatever the document."""
    spread_equal(alignment, [node for node in list_blocks(alignment.new) if node not in copies])
    olds = group_free(alignment.old, list_blocks(alignment.old), key_block)
    news = group_free(alignment.new, (node for node in list_blocks(alignment.new) if node not in copies), key_block)
    for key, afters in news.items():
        befores = olds.get(key)
        if befores:
            _join_same_parent(alignment, befores, afters)


def list_blocks(side: Side) -> list[int]:
    """The free nodes but headings and documents."""
    return [node for node in side.list_free() if side.kinds[node] not in ("heading", "document")]


def key_block(side: Side, node: int) -> Hashable:
    """What makes two blocks equal; None for a heading."""
    return None if side.kinds[node] == "heading" else (side.kinds[node], side.contents[node])


def _key_words(side: Side, node: int) -> Hashable:
    return side.paths[node], side.kinds[node], tuple(list_words(side.contents[node]))


def _group_within(alignment: Alignment, key: Key) -> tuple[dict[Hashable, list[int]], dict[Hashable, list[int]]]:
    """The free nodes of documents that have an old and a new side, by (old document, key). Key None leaves out."""
    numbers = alignment.old_documents
    kept = set(numbers)
    olds: dict[Hashable, list[int]] = {}
    news: dict[Hashable, list[int]] = {}
    for groups, side, places in ((olds, alignment.old, None), (news, alignment.new, numbers)):
        for node in side.list_free():
            document = places[side.documents[node]] if places else side.documents[node]
            if document in kept and document >= 0 and (found := key(side, node)) is not None:
                groups.setdefault((document, found), []).append(node)
    return olds, news


def _join_same_parent(alignment: Alignment, befores: list[int], afters: list[int]) -> None:
    places: dict[int, list[int]] = {}
    for before in reversed(befores):
        if alignment.old.partners[before] < 0:
            places.setdefault(alignment.old.parents[before], []).append(before)
    for after in afters:
        above = alignment.new.parents[after]
        found = places.get(alignment.new.partners[above]) if above >= 0 else None
        if found and alignment.new.partners[after] < 0:
            alignment.join(found.pop(), after)


def _join_nearest(alignment: Alignment, befores: list[int], afters: list[int]) -> None:
    """Joins equal nodes of one document, the nearest first; of very many, in order."""
    befores = [node for node in befores if alignment.old.partners[node] < 0]
    afters = [node for node in afters if alignment.new.partners[node] < 0]
    pairs = list(zip(befores, afters, strict=False))
    if len(befores) <= FEW and len(afters) <= FEW and len(befores) != len(afters):
        places = {node: _expect_place(alignment, node) for node in befores}
        pairs = sorted(
            ((before, after) for before in befores for after in afters),
            key=lambda pair: (abs(places[pair[0]] - pair[1]), pair),
        )
    for before, after in pairs:
        if alignment.is_free(before, after):
            alignment.join(before, after)


def _expect_place(alignment: Alignment, before: int) -> int:
    """Where an old node would stand among the new ones, by the nearest joined node of its document before it."""
    anchor = before
    partners = alignment.old.partners
    while partners[anchor] < 0 or not alignment.shares_document(anchor, partners[anchor]):
        anchor -= 1
    return partners[anchor] + before - anchor
