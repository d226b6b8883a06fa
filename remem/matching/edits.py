"""Blocks whose text was edited, split or joined, found by what they share and where they stand. Equal texts are matched
before; headings are left to `sections`."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence

from remem.matching.alignment import Alignment, Side, find_gaps
from remem.matching.sections import match_reworded, match_same_labels
from remem.matching.similarity import (
    FEW_WORDS,
    SMALL_PRODUCT,
    list_words,
    measure_overlap,
    merge_bags,
    pair_alike,
    take_best,
)

EDITED = 0.4
EDITED_ALONE = 0.3
"""Likeness from which a block in its place counts as edited; the second where it is the only one that may be meant."""
RELOCATED = 0.7
RELOCATED_FAR = 0.75
"""The same where it also changed its place under its parent, or in its document."""
OTHER_KIND = 0.9
FAR_WEIGHT = 20
JOINED = 0.85
MOST_JOINED = 8
MOST_TRIED = 4
FRONT_MATTER = ("---", "+++")
_WORD = re.compile(r"\w")


def match_below(alignment: Alignment) -> None:
    """Goes down from joined nodes with free children on both sides and joins what was reworded, edited, split or joined
    between kept neighbours."""
    queue = deque(_list_open_parents(alignment))
    while queue:
        old, new = queue.popleft()
        befores, afters = alignment.list_free_children(old, new)
        if not befores or not afters:
            continue
        _match_front_matter(alignment, befores[0], afters[0])
        pairs = match_same_labels(alignment, befores, afters)
        for gone, came in find_gaps(alignment, old, new):
            pairs += match_reworded(alignment, gone, came)
        for gone, came in find_gaps(alignment, old, new):
            pairs += _match_gap(alignment, gone, came)
        queue.extend(pairs)


def _list_open_parents(alignment: Alignment) -> list[tuple[int, int]]:
    old, new = alignment.old, alignment.new
    waiting = {old.parents[node] for node in old.list_free()}
    waiting.discard(-1)
    parents = dict.fromkeys(new.parents[node] for node in new.list_free())
    return [(new.partners[node], node) for node in parents if node >= 0 and new.partners[node] in waiting]


def _match_front_matter(alignment: Alignment, before: int, after: int) -> None:
    """A document has one front matter: it stays the same node, whatever it says."""
    if _is_front_matter(alignment.old, before) and _is_front_matter(alignment.new, after):
        alignment.join(before, after)


def _is_front_matter(side: Side, node: int) -> bool:
    first = side.kinds[side.parents[node]] == "document" and node == side.parents[node] + 1
    return first and side.kinds[node] == "kv" and side.contents[node].startswith(FRONT_MATTER)


def _match_gap(alignment: Alignment, gone: Sequence[int], came: Sequence[int]) -> list[tuple[int, int]]:
    pairs = []
    befores, afters = _group_kinds(alignment.old, gone), _group_kinds(alignment.new, came)
    for kind, group in afters.items():
        pairs += _match_joined(alignment, befores.get(kind, ()), group)
        alone = len(befores.get(kind, ())) == len(group) == 1
        pairs += _join_alike(alignment, befores.get(kind, ()), group, EDITED_ALONE if alone else EDITED, False)
        pairs += _match_extended(alignment, befores.get(kind, ()), group)
    return pairs + _match_other_kind(alignment, gone, came)


def _group_kinds(side: Side, nodes: Iterable[int]) -> dict[str, list[int]]:
    """Free blocks by kind."""
    groups: dict[str, list[int]] = {}
    for node in nodes:
        if side.partners[node] < 0 and side.kinds[node] != "heading":
            groups.setdefault(side.kinds[node], []).append(node)
    return groups


def _join_alike(
    alignment: Alignment, befores: Sequence[int], afters: Sequence[int], floor: float, crossing: bool
) -> list[tuple[int, int]]:
    befores = [node for node in befores if alignment.old.partners[node] < 0]
    afters = [node for node in afters if alignment.new.partners[node] < 0]
    bags = [alignment.old.find_bag(node) for node in befores], [alignment.new.find_bag(node) for node in afters]
    pairs = [(befores[i], afters[j]) for i, j in pair_alike(*bags, floor, crossing)]
    for before, after in pairs:
        alignment.join(before, after)
    return pairs


def _match_extended(alignment: Alignment, befores: Sequence[int], afters: Sequence[int]) -> list[tuple[int, int]]:
    """Joins texts of which one is the other with something written behind or before it, however short it is: the most
    alike in length first. Of very many, none."""
    befores = [node for node in befores if alignment.old.partners[node] < 0]
    afters = [node for node in afters if alignment.new.partners[node] < 0]
    if len(befores) * len(afters) > SMALL_PRODUCT:
        return []
    ranked = []
    for i, before in enumerate(befores):
        for j, after in enumerate(afters):
            shorter, longer = sorted((alignment.old.contents[before], alignment.new.contents[after]), key=len)
            if _extends(shorter, longer):
                ranked.append((-len(shorter) / len(longer), abs(i - j), i, j))
    pairs = [(befores[i], afters[j]) for i, j in take_best(sorted(ranked), crossing=False)]
    for before, after in pairs:
        alignment.join(before, after)
    return pairs


def _extends(shorter: str, longer: str) -> bool:
    """Whether a text begins or ends with another one that holds words, at the border of a word."""
    if not _WORD.search(shorter):
        return False
    size = len(shorter)
    behind = longer.startswith(shorter) and not (_is_word(shorter[-1]) and _is_word(longer[size : size + 1]))
    return behind or (
        longer.endswith(shorter) and not (_is_word(shorter[0]) and _is_word(longer[-size - 1 : len(longer) - size]))
    )


def _is_word(character: str) -> bool:
    return _WORD.match(character) is not None


def _match_joined(alignment: Alignment, befores: Sequence[int], afters: Sequence[int]) -> list[tuple[int, int]]:
    """Joins a text that was put together from neighbours with the first of them."""
    if len(befores) < 2:
        return []
    pairs = []
    openings: dict[str, list[int]] = {}
    for place, node in enumerate(befores):
        openings.setdefault(_find_opening(alignment.old, node), []).append(place)
    for after in afters:
        for place in openings.get(_find_opening(alignment.new, after), ())[:MOST_TRIED]:
            row = befores[place : place + MOST_JOINED]
            if alignment.is_free(row[0], after) and _is_joined(alignment, row, after):
                alignment.join(row[0], after)
                pairs.append((row[0], after))
    return pairs


def _find_opening(side: Side, node: int) -> str:
    return " ".join(list_words(side.contents[node][:40])[:2])


def _is_joined(alignment: Alignment, befores: Sequence[int], after: int) -> bool:
    """Whether a new text holds two or more of the old ones from the first on, and little else."""
    whole = alignment.new.find_bag(after)
    merged = alignment.old.find_bag(befores[0])
    size = 0
    for size, before in enumerate(befores):
        longer = merge_bags([merged, alignment.old.find_bag(before)]) if size else merged
        if measure_overlap(longer, whole) < JOINED * longer.weight:
            break
        merged = longer
    else:
        size = len(befores)
    return size > 1 and merged.weight >= JOINED * whole.weight


def _match_other_kind(alignment: Alignment, gone: Sequence[int], came: Sequence[int]) -> list[tuple[int, int]]:
    """Joins blocks that became another kind but say the same: the same words in order (a list item made a paragraph),
    or nearly all words of a longer text (a table whose rule was broken). Headings take no part."""
    old, new = alignment.old, alignment.new
    befores = [node for nodes in _group_kinds(old, gone).values() for node in nodes]
    afters = [node for nodes in _group_kinds(new, came).values() for node in nodes]
    texts: dict[tuple[str, ...], list[int]] = {}
    for before in reversed(befores):
        texts.setdefault(tuple(list_words(old.contents[before])), []).append(before)
    pairs = []
    for after in afters:
        words = tuple(list_words(new.contents[after]))
        if len(words) >= FEW_WORDS and texts.get(words):
            pairs.append((texts[words].pop(), after))
            alignment.join(*pairs[-1])
    long = [node for node in befores if old.find_bag(node).weight >= FAR_WEIGHT]
    return pairs + _join_alike(alignment, sorted(long), sorted(afters), OTHER_KIND, False)


def match_relocated(alignment: Alignment) -> None:
    """Joins blocks that were edited and moved at once: under the same parent, then in the same document. The texts must
    be much alike, and in the document not short."""
    for old, new in _list_open_parents(alignment):
        befores, afters = alignment.list_free_children(old, new)
        groups = _group_kinds(alignment.old, befores), _group_kinds(alignment.new, afters)
        for kind, group in groups[1].items():
            _join_alike(alignment, groups[0].get(kind, ()), group, RELOCATED, True)
    befores_by, afters_by = _group_documents(alignment)
    for place, group in afters_by.items():
        _join_alike(alignment, befores_by.get(place, ()), group, RELOCATED_FAR, True)


def _group_documents(alignment: Alignment) -> tuple[dict[tuple[int, str], list[int]], dict[tuple[int, str], list[int]]]:
    """The free blocks with enough text by (old document, kind)."""
    old, new, numbers = alignment.old, alignment.new, alignment.old_documents
    befores: dict[tuple[int, str], list[int]] = {}
    afters: dict[tuple[int, str], list[int]] = {}
    for node in old.list_free():
        if old.kinds[node] not in ("heading", "document") and old.find_bag(node).weight >= FAR_WEIGHT:
            befores.setdefault((old.documents[node], old.kinds[node]), []).append(node)
    for node in new.list_free():
        place = numbers[new.documents[node]], new.kinds[node]
        if place in befores and new.find_bag(node).weight >= FAR_WEIGHT:
            afters.setdefault(place, []).append(node)
    return befores, afters
