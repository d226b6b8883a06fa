"""Whether a file still holds the document that its name stood for, and what of a document tells it from others. It
compares the two texts of one source; where the documents went is found elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from posixpath import basename, splitext

from remem.keys import strict_key
from remem.matching.similarity import Bag, list_words, measure_overlap
from remem.records import NewDocument, OldDocument, OldNode, ParsedNode

LITTLE = 0.25
CONTAINED = 0.5
"""A file holds its old document while it has so much of the text in common, or so much of the old text in it."""
READ_CHARACTERS = 20_000
LINKS = ("[[", "](")

Nodes = Sequence[OldNode | ParsedNode]
Text = tuple[str, str]
"""Kind and content of a block."""


def list_texts(nodes: Nodes) -> list[Text]:
    """The distinct texts of a document in order, as (kind, content)."""
    return list(dict.fromkeys((node.kind, node.content) for node in nodes if node.content))


def list_body(nodes: Nodes) -> list[Text]:
    """The distinct texts without headings and front matter, which many documents of a vault have in common."""
    blocks = (
        (node.kind, node.content)
        for place, node in enumerate(nodes)
        if node.content and node.kind != "heading" and not is_front_matter(node.kind, place)
    )
    return list(dict.fromkeys(blocks))


def is_front_matter(kind: str, place: int) -> bool:
    """Whether a node may be its document's front matter, by its kind and its place in pre-order."""
    return kind == "kv" and place == 1


def measure_texts(texts: Sequence[Text]) -> int:
    """Their length in characters."""
    return sum(len(content) for _, content in texts)


def find_foreign(old: Sequence[OldDocument], new: Sequence[NewDocument], pairs: Mapping[int, int]) -> set[int]:
    """Which of the new documents, paired with old ones by source, may hold another document by now.

    They share little or nothing with the old text, or the bytes of both sides stand under other names. A document that
    held nothing but headings says too little to be missed, and one that gave all its text away stays under its title,
    unless more files bear that now. Linear; one pair alone is not compared.
    """
    if len(old) < 2 and len(new) < 2:
        return set()
    olds, news = Counter(document.file_hash for document in old), Counter(document.file_hash for document in new)
    spread = _count_titles(new) - _count_titles(old)
    foreign = set()
    for after, before in pairs.items():
        was, now = old[before], new[after]
        if was.file_hash == now.file_hash:
            continue
        if (news[was.file_hash] and olds[now.file_hash]) or not (_is_kept(was, now) or _is_left(was, now, spread)):
            foreign.add(after)
    return foreign


def _count_titles(documents: Iterable[OldDocument | NewDocument]) -> Counter[str]:
    """How many of the documents call themselves what."""
    return Counter(map(_find_title, documents))


def _find_title(document: OldDocument | NewDocument) -> str:
    """What a document calls itself: a title in its front matter, or its first heading. Empty where its file alone has a
    name."""
    nodes: Nodes = document.nodes if isinstance(document, OldDocument) else document.parsed.nodes
    stem = splitext(basename(document.source))[0]
    if len(nodes) > 1 and is_front_matter(nodes[1].kind, 1) and nodes[0].label != stem:
        return strict_key(nodes[0].label)
    return strict_key(next((node.label for node in nodes if node.kind == "heading"), ""))


def _is_left(before: OldDocument, after: NewDocument, spread: Mapping[str, int]) -> bool:
    """Whether a file has its title still, which no more files bear than did, and else nothing or a short way to where
    its text went."""
    title = _find_title(after)
    if not title or title != _find_title(before) or title in spread:
        return False
    left = list_body(after.parsed.nodes)
    if not all(any(sign in content for sign in LINKS) for _, content in left):
        return False
    return measure_texts(left) <= CONTAINED * measure_texts(list_body(before.nodes))


def _is_kept(before: OldDocument, after: NewDocument) -> bool:
    was, now = list_body(before.nodes), list_body(after.parsed.nodes)
    if not was:
        return True
    held = set(was)
    shared = measure_texts([text for text in now if text in held])
    if shared and shared >= LITTLE * min(measure_texts(was), measure_texts(now)):
        return True
    bags = gather_pairs(was), gather_pairs(now)
    overlap = measure_overlap(*bags)
    return 2 * overlap >= LITTLE * (bags[0].weight + bags[1].weight) or overlap >= CONTAINED * bags[0].weight


def gather_pairs(texts: Sequence[Text]) -> Bag:
    """The pairs of neighbouring words of the first texts: of single words, any two long texts share many."""
    counts: Counter[str] = Counter()
    room = READ_CHARACTERS
    for _, content in texts:
        words = list_words(content[:room])
        counts.update(f"{first} {second}" for first, second in pairwise(["", *words]))
        room -= len(content)
        if room <= 0:
            break
    return Bag(counts, sum(len(pair) * count for pair, count in counts.items()))
