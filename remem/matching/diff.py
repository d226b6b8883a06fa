"""Identity across edits: which old node each node of the changed files continues. Pure: trees in, keys out; it assigns
no ids and writes nothing.

The order of matching, over all changed documents together, each step with what the earlier ones left: documents
(source where the text is not wholly another, bytes, content, source); equal texts in their place; equal texts moved
in their document, headings by a label that stands once, then by their children, repeated texts by neighbours and
nearness; the same across documents, of short texts in whole sections, but for copies of what may have been edited in
its place; the same words in place; then, from the top down between kept neighbours, reworded headings and edited,
split or joined blocks; short texts that went to a new file; what was edited and moved at once; last the copies of
what is gone. What is left is a removal or an addition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from itertools import pairwise

from remem.matching.alignment import Alignment, align, find_increasing
from remem.matching.copies import find_copies
from remem.matching.edits import match_below, match_relocated
from remem.matching.equality import (
    match_followers,
    match_given_away,
    match_in_place,
    match_moved_across,
    match_moved_within,
    match_reformatted,
    match_repeated_within,
)
from remem.matching.renames import match_sources
from remem.matching.sections import match_by_children, match_lone_labels, match_moved_labels
from remem.matching.wholes import match_sections
from remem.records import Matching, NewDocument, OldDocument

__all__ = ["find_moves", "match_documents"]

# Each step takes what the ones before left. Headings come again wherever their children may have been found meanwhile.
_EDITED = (
    match_reformatted,
    match_moved_labels,
    match_below,
    match_given_away,
    match_relocated,
    match_by_children,
    match_followers,
    match_below,
)


def match_documents(old: Sequence[OldDocument], new: Sequence[NewDocument]) -> Matching:
    """Matches the documents that changed, vanished or came in one compile, and their nodes.

    `old` holds the stored documents whose file changed or is gone, `new` the files that changed or are new, of one
    root. Unchanged files take no part. Every old key stands at most once in the result. Time is nearly linear in the
    texts: a few microseconds for a node that stayed as it was.
    """
    documents = match_sources(old, new)
    alignment = align([document.nodes for document in old], [document.parsed.nodes for document in new], documents)
    for after, before in documents.items():
        match_in_place(alignment, before, after)
    doubtful = find_copies(alignment, old, new) if _is_open(alignment) else set()
    _run_steps(alignment, _list_within(doubtful))
    copies = find_copies(alignment, old, new) if _is_open(alignment) else set()
    _run_steps(alignment, (*_list_across(copies), *_EDITED))
    if doubtful or copies:
        _run_steps(alignment, (*_list_within(set()), *_list_across(set()), match_below))
    return Matching(documents, _collect_keys(alignment, old))


def _list_within(copies: Set[int]) -> Iterator[Callable[[Alignment], None]]:
    """The steps that look for equal texts in one document; copies wait until the edits have been matched."""
    for step in (match_moved_within, match_repeated_within):
        yield partial(step, copies=copies)
        yield match_lone_labels
        yield match_by_children


def _list_across(copies: Set[int]) -> Iterator[Callable[[Alignment], None]]:
    """The same in all documents."""
    for step in (match_moved_across, match_sections, match_followers):
        yield partial(step, copies=copies)
        yield match_by_children


def _run_steps(alignment: Alignment, steps: Iterable[Callable[[Alignment], None]]) -> None:
    for step in steps:
        if not _is_open(alignment):
            break
        step(alignment)


def _is_open(alignment: Alignment) -> bool:
    return -1 in alignment.old.partners and -1 in alignment.new.partners


def _collect_keys(alignment: Alignment, old: Sequence[OldDocument]) -> list[list[int | None]]:
    keys = [node.key for document in old for node in document.nodes]
    flat = [keys[partner] if partner >= 0 else None for partner in alignment.new.partners]
    starts = alignment.new.starts
    return [flat[start:end] for start, end in pairwise(starts)]


def find_moves(old_order: Sequence[int], new_order: Sequence[int | None]) -> set[int]:
    """Which kept children of one parent count as moved.

    `old_order` are the keys of the parent's children before, `new_order` those of its children now, None for additions.
    As many as possible of those that were there stay (a longest increasing subsequence); the others moved, and so did
    kept nodes that came from another parent. O(n log n).
    """
    places = {key: place for place, key in enumerate(old_order)}
    kept = [key for key in new_order if key is not None and key in places]
    stayed = {kept[index] for index in find_increasing([places[key] for key in kept])}
    return {key for key in new_order if key is not None} - stayed
