"""Copies: new blocks that say what an old one said before it was edited in its place, while the text around stands in
both. It tells which blocks those are; until edits have been matched, they take no old node from another place."""

from __future__ import annotations

from collections.abc import Sequence

from remem.matching.alignment import Alignment, Side
from remem.matching.equality import group_free, is_telling, key_block, list_blocks
from remem.records import NewDocument, OldDocument

FEW = 8

Pair = tuple[int, int]


def find_copies(alignment: Alignment, old: Sequence[OldDocument], new: Sequence[NewDocument]) -> set[int]:
    """The free new nodes that look like copies, beside which the original may have been edited. Linear.

    Of a pair that says the same, the new block is a copy where its neighbour is an addition that repeats the old
    block's neighbour, which stayed; so on through all that was copied along. So is a block of a file that has the bytes
    which another file had before, and one whose text still begins a text at the old place.
    """
    pairs = _list_pairs(alignment)
    known: dict[Pair, bool] = {}
    for step in (-1, 1):
        for pair in pairs if step < 0 else reversed(pairs):
            if not known.get(pair):
                known[pair] = _repeats_beside(alignment, known, pair, step)
    whole = _list_whole_copies(alignment, old, new)
    copies = {node for node in alignment.new.list_free() if alignment.new.documents[node] in whole}
    copies.update(pair[1] for pair in pairs if known[pair] or _is_extended(alignment, *pair))
    return copies


def _list_pairs(alignment: Alignment) -> list[Pair]:
    """The free blocks that say the same, in new order: telling texts that stood once, and are not everywhere now."""
    olds, news = (group_free(side, list_blocks(side), key_block) for side in (alignment.old, alignment.new))
    contents = alignment.new.contents
    pairs = [
        (olds[key][0], after)
        for key, afters in news.items()
        if len(olds.get(key, ())) == 1 and len(afters) <= FEW and is_telling(contents[afters[0]])
        for after in afters
    ]
    return sorted(pairs, key=lambda pair: pair[1])


def _repeats_beside(alignment: Alignment, known: dict[Pair, bool], pair: Pair, step: int) -> bool:
    """Whether an old node that stayed in its document stands beside the pair's old one, and its repetition beside the
    new one. Between them may stand what was copied along."""
    old, new = alignment.old, alignment.new
    before, after = pair[0] + step, pair[1] + step
    while (
        _is_addition(old, new, before, after) and _is_inside(old, pair[0], before) and _is_inside(new, pair[1], after)
    ):
        partner = old.partners[before]
        if partner >= 0:
            return alignment.shares_document(before, partner)
        if (before, after) in known:
            return known[before, after]
        before, after = before + step, after + step
    return False


def _is_inside(side: Side, node: int, other: int) -> bool:
    """Whether a node stands in the document of another one, below the document node."""
    document = side.documents[node]
    return side.starts[document] < other < side.starts[document + 1]


def _is_addition(old: Side, new: Side, before: int, after: int) -> bool:
    return (
        0 <= before < len(old.kinds)
        and 0 <= after < len(new.kinds)
        and new.partners[after] < 0
        and old.contents[before] == new.contents[after]
        and old.kinds[before] == new.kinds[after]
    )


def _is_extended(alignment: Alignment, before: int, after: int) -> bool:
    """Whether the old text, longer by now, still stands behind or before what stood there before it."""
    old, new = alignment.old, alignment.new
    for step in (-1, 1):
        beside = before + step
        partner = old.partners[beside] if _is_beside(old, before, beside) else -1
        place = partner - step
        if partner < 0 or place == after or not alignment.shares_document(beside, partner):
            continue
        if _is_inside(new, partner, place) and new.partners[place] < 0 and old.contents[before] in new.contents[place]:
            return True
    return False


def _is_beside(side: Side, node: int, other: int) -> bool:
    """Whether a neighbour in pre-order stands in the same document."""
    return 0 <= other < len(side.kinds) and side.documents[node] == side.documents[other]


def _list_whole_copies(alignment: Alignment, old: Sequence[OldDocument], new: Sequence[NewDocument]) -> set[int]:
    """The new documents with the bytes that an old one had, which another one continues."""
    starts, partners = alignment.old.starts, alignment.old.partners
    hashes = {document.file_hash for number, document in enumerate(old) if partners[starts[number]] >= 0}
    hashes.discard(b"")
    return {number for number, document in enumerate(new) if document.file_hash in hashes}
