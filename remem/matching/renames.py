"""Which new file continues which old document: the one of its source that still holds its text, else the same bytes,
else most of the content, else the source. It pairs whole documents; their nodes are matched elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from posixpath import basename

from remem.matching.homes import READ_CHARACTERS, Text, find_foreign, gather_pairs, list_body, list_texts, measure_texts
from remem.matching.similarity import Bag, list_candidates, make_bag, measure_likeness, measure_overlap, take_best
from remem.records import NewDocument, OldDocument

MOST = 0.5
NOT_LITTLE = 0.25
COMMON = 8
"""A text that more of the documents hold says nothing about where they went."""
ALIKE = 0.6
ALIKE_SAME_NAME = 0.35
MIN_WEIGHT = 12


@dataclass(slots=True)
class _Search:
    """The documents that still look for each other, by index: `gone` old and `came` new ones. `homes` leads from new to
    old ones of the same source that share little: each may belong to another document, and they to each other only if
    none is found. They are compared without headings and front matter."""

    old: Sequence[OldDocument]
    new: Sequence[NewDocument]
    homes: dict[int, int]
    gone: list[int]
    came: list[int]
    left: set[int]

    def list_old(self, index: int) -> list[Text]:
        """The texts by which an old document is known."""
        nodes = self.old[index].nodes
        return list_body(nodes) if index in self.left else list_texts(nodes)

    def list_new(self, index: int) -> list[Text]:
        """The texts by which a new document is known."""
        nodes = self.new[index].parsed.nodes
        return list_body(nodes) if index in self.homes else list_texts(nodes)

    def is_strict(self, after: int, before: int) -> bool:
        """Whether one of the two has a counterpart of its own name, so that only their texts count."""
        return after in self.homes or before in self.left

    def shares_name(self, after: int, before: int) -> bool:
        """Whether both have one file name, where that counts for something."""
        same = basename(self.old[before].source) == basename(self.new[after].source)
        return same and not self.is_strict(after, before)

    def drop(self, found: dict[int, int]) -> None:
        """Ends the search for documents that have found each other."""
        taken = set(found.values())
        self.gone = [index for index in self.gone if index not in taken]
        self.came = [index for index in self.came if index not in found]


def match_sources(old: Sequence[OldDocument], new: Sequence[NewDocument]) -> dict[int, int]:
    """Pairs documents, new index to old index: by source where the text is not wholly another, then by bytes, by the
    texts they share, by words, and last by source alone. Time is linear in the texts."""
    sources = {document.source: index for index, document in enumerate(old)}
    same = {i: sources[document.source] for i, document in enumerate(new) if document.source in sources}
    foreign = find_foreign(old, new, same)
    homes = {after: before for after, before in same.items() if after in foreign}
    search = _Search(old, new, homes, list(range(len(old))), list(range(len(new))), set(homes.values()))
    pairs = {after: before for after, before in same.items() if after not in foreign}
    search.drop(pairs)
    for match in (_match_bytes, _match_shared, _match_words):
        if search.gone and search.came:
            found = match(search)
            pairs.update(found)
            search.drop(found)
    free = set(search.gone)
    pairs.update({after: homes[after] for after in search.came if homes.get(after) in free})
    return pairs


def _match_bytes(search: _Search) -> dict[int, int]:
    """Files of the same bytes: those of one file name first, then in order."""
    pairs: dict[int, int] = {}
    by_name: list[Callable[[OldDocument | NewDocument], Hashable]] = [
        lambda document: (document.file_hash, basename(document.source)),
        lambda document: document.file_hash,
    ]
    for key in by_name:
        free: dict[Hashable, list[int]] = {}
        taken = set(pairs.values())
        for index in reversed(search.gone):
            if index not in taken and search.old[index].file_hash:
                free.setdefault(key(search.old[index]), []).append(index)
        for index in search.came:
            found = free.get(key(search.new[index]))
            if found and index not in pairs:
                pairs[index] = found.pop()
    return pairs


def _match_shared(search: _Search) -> dict[int, int]:
    """Documents that share most of their texts. Of a file that was split, the larger part is it; of files joined to
    one, the first lives on."""
    shares = _measure_shares(search)
    best: dict[int, int] = {}
    for (after, before), size in shares.items():
        if before not in best or size > shares[best[before], before]:
            best[before] = after
    sizes = {index: measure_texts(search.list_new(index)) for index in set(best.values())}
    pairs: dict[int, int] = {}
    for before in (index for index in search.gone if index in best):
        after = best[before]
        size, own = shares[after, before], measure_texts(search.list_old(before))
        needed = NOT_LITTLE if search.shares_name(after, before) else MOST
        if size < needed * min(own, sizes[after]) or size < NOT_LITTLE * max(own, sizes[after]):
            continue
        if after not in pairs or _precedes(search, before, pairs[after], after):
            pairs[after] = before
    return pairs


def _measure_shares(search: _Search) -> dict[tuple[int, int], int]:
    """The length of equal texts by (new index, old index)."""
    holders: dict[Text, list[int]] = {}
    for index in search.gone:
        for text in search.list_old(index):
            found = holders.setdefault(text, [])
            if len(found) <= COMMON:
                found.append(index)
    shares: dict[tuple[int, int], int] = {}
    for index in search.came:
        for text in search.list_new(index):
            found = holders.get(text, [])
            for before in found if len(found) <= COMMON else ():
                shares[index, before] = shares.get((index, before), 0) + len(text[1])
    return shares


def _precedes(search: _Search, before: int, rival: int, after: int) -> bool:
    """Whether the text of an old document stands before that of its rival in the file that both went into."""
    places = {text: place for place, text in enumerate(search.list_new(after))}
    first, other = (
        min((places[text] for text in search.list_old(index) if text in places), default=len(places))
        for index in (before, rival)
    )
    return first < other


def _match_words(search: _Search) -> dict[int, int]:
    """Documents renamed and edited at once: much the same words, fewer where the file name is the same."""
    olds = [_gather_words(search.list_old(index)) for index in search.gone]
    news = [_gather_words(search.list_new(index)) for index in search.came]
    ranked = []
    for i, j in list_candidates(olds, news):
        before, after = search.gone[i], search.came[j]
        if min(olds[i].weight, news[j].weight) < MIN_WEIGHT:
            continue
        score, same_name = measure_likeness(olds[i], news[j]), search.shares_name(after, before)
        if score < ALIKE and search.is_strict(after, before) and _may_hold(olds[i], news[j]):
            score = _measure_kept(search, after, before)
        if score >= (ALIKE_SAME_NAME if same_name else ALIKE):
            ranked.append((-score - same_name, abs(i - j), i, j))
    return {search.came[j]: search.gone[i] for i, j in take_best(sorted(ranked), crossing=True)}


def _may_hold(before: Bag, after: Bag) -> bool:
    """Whether a text may be another one with an addition, as long as thrice the old text at most."""
    return before.weight >= NOT_LITTLE * after.weight and measure_overlap(before, after) >= ALIKE * before.weight


def _measure_kept(search: _Search, after: int, before: int) -> float:
    """Which part of an old text's pairs of words a new one holds, whatever was added."""
    bags = gather_pairs(search.list_old(before)), gather_pairs(search.list_new(after))
    return measure_overlap(*bags) / max(bags[0].weight, 1)


def _gather_words(texts: Sequence[Text]) -> Bag:
    words = []
    room = READ_CHARACTERS
    for _, content in texts:
        words.append(content[:room])
        room -= len(words[-1])
        if room <= 0:
            break
    return make_bag("\n".join(words))
