"""Headings that stayed the same section: by what they hold, by label, by place. It joins headings and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import islice

from remem.keys import strict_key
from remem.matching.alignment import Alignment, Side, find_title
from remem.matching.similarity import (
    Bag,
    make_bag,
    measure_likeness,
    measure_overlap,
    merge_bags,
    pair_alike,
    take_best,
)

MOST = 0.5
NOT_LITTLE = 0.25
"""A heading goes with its children if these are most of the smaller and not little of the larger section."""
LABEL_PART = 0.3
ALIKE = 0.35
LABELS_ALIKE = 0.5
BODIES_RELATED = 0.2
READ_CHILDREN = 64
FEW = 16

_Name = tuple[int, str]
"""A node above, or an old document, and a label."""


def match_by_children(alignment: Alignment) -> None:
    """Joins headings whose children are mostly the same nodes, whatever label, level or document; the deepest first.
    Of a section that was split, the part of the same label is it, else the larger one; of joined ones, the one of the
    same label lives on, else the first."""
    new = alignment.new
    free = [after for after in new.list_free() if new.kinds[after] == "heading"]
    names = {(new.parents[after], _key_label(new, after)) for after in free}
    for after in reversed(free):
        before = _choose_origin(alignment, after, names)
        if before is not None:
            alignment.join(before, after)


def _choose_origin(alignment: Alignment, after: int, names: Set[_Name]) -> int | None:
    """The heading that a new one continues. One whose label stands where it stood is that one; `names` are those of
    the new headings."""
    old, new = alignment.old, alignment.new
    votes = _count_votes(new, old, after)
    for before in sorted(votes, key=lambda node: (not _has_label(alignment, node, after), node)):
        named = _has_label(alignment, before, after)
        if not named and (old.partners[old.parents[before]], _key_label(old, before)) in names:
            continue
        if _may_continue(alignment, before, after, votes[before]):
            back = _count_votes(old, new, before)
            if max(back, key=lambda node: (_has_label(alignment, before, node), back[node], -node)) == after:
                return before
    return None


def _count_votes(side: Side, other: Side, heading: int) -> dict[int, int]:
    """How much text of a heading's children stands below which free heading of the other side."""
    votes: dict[int, int] = {}
    for child in side.list_children(heading):
        partner = side.partners[child]
        above = other.parents[partner] if partner >= 0 else -1
        if above >= 0 and other.partners[above] < 0 and other.kinds[above] == "heading":
            size = min(side.measure_subtree(child), other.measure_subtree(partner))
            votes[above] = votes.get(above, 0) + size
    return votes


def _may_continue(alignment: Alignment, before: int, after: int, votes: int) -> bool:
    sizes = [
        sum(side.measure_subtree(child) for child in side.list_children(node))
        for side, node in ((alignment.old, before), (alignment.new, after))
    ]
    if _has_label(alignment, before, after):
        return 10 * votes >= min(sizes)
    return votes >= MOST * min(sizes) and votes >= NOT_LITTLE * max(sizes)


def _key_label(side: Side, node: int) -> str:
    return strict_key(side.labels[node])


def _has_label(alignment: Alignment, before: int, after: int) -> bool:
    return _key_label(alignment.old, before) == _key_label(alignment.new, after)


def match_lone_labels(alignment: Alignment) -> None:
    """Joins headings whose label stands once in the whole of their document on both sides: text that came, went or got
    a heading of its own moves no other heading's id. Where what they hold says otherwise, the others decide."""
    old, new = alignment.old, alignment.new
    pairs = _pair_labels(alignment)
    befores = _count_labels(old, {old.documents[before] for before, _ in pairs})
    afters = _count_labels(new, {new.documents[after] for _, after in pairs})
    for before, after in reversed(pairs):
        label = _key_label(old, before)
        once = befores[old.documents[before], label] == afters[new.documents[after], label] == 1
        if once and _may_be_moved(alignment, before, after):
            alignment.join(before, after)


def _count_labels(side: Side, documents: Set[int]) -> Counter[_Name]:
    """How many headings of some documents bear a label."""
    return Counter(
        (document, _key_label(side, node))
        for document in documents
        for node in range(side.starts[document], side.starts[document + 1])
        if side.kinds[node] == "heading"
    )


def _may_be_moved(alignment: Alignment, before: int, after: int) -> bool:
    """Whether a heading may have lost what it held to others: it holds some of it still, or what others held, or it
    stands where it stood."""
    old, new = alignment.old, alignment.new
    went = [old.partners[node] for node in range(before + 1, old.lasts[before] + 1)]
    if any(after < node <= new.lasts[after] for node in went) or holds_related(alignment, before, after):
        return True
    if any(new.partners[node] >= 0 for node in range(after + 1, new.lasts[after] + 1)):
        return True
    return any(node >= 0 for node in went) and _stands_below(alignment, before, after)


def _stands_below(alignment: Alignment, before: int, after: int) -> bool:
    """Whether the headings above one are all above the other, in order."""
    paths = [
        [_key_label(side, node) for node in _list_above(side, place)]
        for side, place in ((alignment.old, before), (alignment.new, after))
    ]
    shorter, longer = sorted(paths, key=len)
    rest = iter(longer)
    return all(label in rest for label in shorter)


def _list_above(side: Side, node: int) -> Iterator[int]:
    """The headings above a node, the nearest first."""
    node = side.parents[node]
    while node >= 0 and side.kinds[node] == "heading":
        yield node
        node = side.parents[node]


def match_moved_labels(alignment: Alignment) -> None:
    """Joins headings whose label stands once among those left on both sides of their document, unless what they hold
    says otherwise. The level may differ."""
    for before, after in _pair_labels(alignment):
        if holds_related(alignment, before, after):
            alignment.join(before, after)


def _pair_labels(alignment: Alignment) -> list[tuple[int, int]]:
    """The free headings whose label stands once among those of their document on both sides."""
    groups: tuple[dict[_Name, list[int]], dict[_Name, list[int]]] = ({}, {})
    for names, side in zip(groups, (alignment.old, alignment.new), strict=True):
        for node in side.list_free():
            document = side.documents[node] if side is alignment.old else alignment.old_documents[side.documents[node]]
            if side.kinds[node] == "heading" and document >= 0:
                names.setdefault((document, _key_label(side, node)), []).append(node)
    olds, news = groups
    pairs = [(olds.get(name, ()), afters) for name, afters in news.items()]
    return [(befores[0], afters[0]) for befores, afters in pairs if len(befores) == len(afters) == 1]


def match_same_labels(alignment: Alignment, befores: Sequence[int], afters: Sequence[int]) -> list[tuple[int, int]]:
    """Joins headings of equal label among the children of two joined nodes: of several, by what they hold if one is
    gone or new, else in order. Returns the new pairs."""
    olds, news = _group_labels(alignment.old, befores), _group_labels(alignment.new, afters)
    pairs = []
    for label, group in news.items():
        found = olds.get(label, [])
        if len(found) + len(group) - 1 > 1 and len(found) != len(group) and max(len(found), len(group)) <= FEW:
            pairs += _pair_bodies(alignment, found, group)
        else:
            pairs += zip(found, group, strict=False)
    for before, after in pairs:
        alignment.join(before, after)
    return pairs


def _group_labels(side: Side, nodes: Sequence[int]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for node in nodes:
        if side.partners[node] < 0 and side.kinds[node] == "heading":
            groups.setdefault(_key_label(side, node), []).append(node)
    return groups


def _pair_bodies(alignment: Alignment, befores: list[int], afters: list[int]) -> list[tuple[int, int]]:
    """Pairs headings of one label, as many as there are on the shorter side, those of the most alike bodies first."""
    old = [_gather_body(alignment.old, node) for node in befores]
    new = [_gather_body(alignment.new, node) for node in afters]
    ranked = sorted(
        (-measure_likeness(one, other), abs(i - j), i, j) for i, one in enumerate(old) for j, other in enumerate(new)
    )
    return [(befores[i], afters[j]) for i, j in take_best(ranked, crossing=True)]


def _gather_body(side: Side, node: int) -> Bag:
    return merge_bags(side.find_bag(child) for child in islice(side.list_children(node), READ_CHILDREN))


def match_reworded(alignment: Alignment, befores: Sequence[int], afters: Sequence[int]) -> list[tuple[int, int]]:
    """Joins reworded headings in one gap between kept neighbours: the most alike in label and body first; a single one
    with a single one even without a word in common, unless both hold text and share none. Returns the new pairs."""
    befores = [node for node in befores if alignment.old.kinds[node] == "heading" and alignment.old.partners[node] < 0]
    afters = [node for node in afters if alignment.new.kinds[node] == "heading" and alignment.new.partners[node] < 0]
    pairs = _pair_reworded(alignment, befores, afters)
    if len(befores) == len(afters) == 1 and not pairs and _may_replace(alignment, befores[0], afters[0]):
        pairs = [(befores[0], afters[0])]
    for before, after in pairs:
        alignment.join(before, after)
    return pairs


def _pair_reworded(alignment: Alignment, befores: list[int], afters: list[int]) -> list[tuple[int, int]]:
    if len(befores) > FEW or len(afters) > FEW:
        labels = (
            [make_bag(alignment.old.labels[node]) for node in befores],
            [make_bag(alignment.new.labels[node]) for node in afters],
        )
        found = pair_alike(*labels, LABELS_ALIKE, crossing=False)
        pairs = [(befores[i], afters[j]) for i, j in found]
        return [pair for pair in pairs if holds_related(alignment, *pair)]
    ranked = []
    for i, before in enumerate(befores):
        for j, after in enumerate(afters):
            score = _score_reworded(alignment, before, after)
            if score >= ALIKE:
                ranked.append((-score, abs(i - j), i, j))
    return [(befores[i], afters[j]) for i, j in take_best(sorted(ranked), crossing=False)]


def _score_reworded(alignment: Alignment, before: int, after: int) -> float:
    label = measure_likeness(make_bag(alignment.old.labels[before]), make_bag(alignment.new.labels[after]))
    bodies = _gather_body(alignment.old, before), _gather_body(alignment.new, after)
    if not bodies[0].weight or not bodies[1].weight:
        return label if label >= LABELS_ALIKE else 0.0
    return LABEL_PART * label + (1 - LABEL_PART) * measure_likeness(*bodies)


def _may_replace(alignment: Alignment, before: int, after: int) -> bool:
    titles = (
        find_title(alignment.old, alignment.old.documents[before]),
        find_title(alignment.new, alignment.new.documents[after]),
    )
    if titles == (before, after):
        return True
    return holds_related(alignment, before, after)


def holds_related(alignment: Alignment, before: int, after: int) -> bool:
    """Whether two headings may be one by what they hold: one holds nothing, a child is the same node, or enough of the
    words of what is free on both sides is."""
    old, new = alignment.old, alignment.new
    befores, afters = list(old.list_children(before)), list(new.list_children(after))
    if not befores or not afters:
        return True
    held = set(befores)
    if any(new.partners[child] in held for child in afters):
        return True
    bags = (
        merge_bags(old.find_bag(child) for child in befores[:READ_CHILDREN] if old.partners[child] < 0),
        merge_bags(new.find_bag(child) for child in afters[:READ_CHILDREN] if new.partners[child] < 0),
    )
    smaller = min(bags[0].weight, bags[1].weight)
    return smaller > 0 and measure_overlap(*bags) >= BODIES_RELATED * smaller
