"""Texts that are again what they were before a split, a join or an edit: they are the node that said so, not the one
that likeness found. It looks at nodes whose text changed; what else is gone comes back in `revival`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from remem.ids import text_hash
from remem.matching.equality import is_telling
from remem.records import Matching, NewDocument, NodeRow, ParsedNode, RemovedRow

Text = tuple[str, bytes]
"""Kind and hash of the content of a block."""


@dataclass(slots=True)
class _Document:
    """A document whose texts changed: its new nodes and their keys so far. `edited` and `added` are places of new
    blocks: those that say something else than their key did, and those without a key. `free` are the old blocks
    without a new one, `above` the keys of the parents that the old nodes had."""

    nodes: Sequence[ParsedNode]
    keys: list[int | None]
    edited: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    above: dict[int, int | None] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether a text of it may be another node's. Where only texts were edited, or came, or went, none is."""
        return bool(self.edited and (self.free or self.added)) or bool(self.free and self.added)


@dataclass(slots=True)
class _Claims:
    """The texts of a document that may be given to another key, by what they say, and what keys said before."""

    document: _Document
    said: Mapping[int, Sequence[Text]]
    places: dict[Text, int]

    def find(self, key: int) -> int | None:
        """Where a text stands that a key said before: one long enough to be known, or below the same node."""
        keys, nodes = self.document.keys, self.document.nodes
        for text in self.said.get(key, ()):
            place = self.places.get(text)
            if place is not None and (
                is_telling(nodes[place].content) or keys[nodes[place].parent] == self.document.above.get(key)
            ):
                return place
        return None

    def give(self, place: int | None, key: int) -> None:
        """Gives a text to a key. The key that loses its text by this looks for another one, and so on."""
        while place is not None:
            node, former = self.document.nodes[place], self.document.keys[place]
            del self.places[node.kind, text_hash(node.content)]
            self.document.keys[place] = key
            if former is None:
                break
            place, key = self.find(former), former


@dataclass(frozen=True, slots=True)
class Undoing:
    """A matching, and those of its documents, by place, in which a text may be another node's."""

    matching: Matching
    documents: Mapping[int, _Document]

    def list_changed(self) -> set[int]:
        """The keys of which `restore` has to know what they said before."""
        changed: set[int] = set()
        for document in self.documents.values():
            changed.update(document.free)
            changed.update(key for place in document.edited if (key := document.keys[place]) is not None)
        return changed

    def restore(self, said: Mapping[int, Sequence[Text]], removed: Iterable[RemovedRow]) -> Matching:
        """The matching in which a text that is exactly what a node of its document said before is that node again.

        `said` holds what the nodes of `list_changed` said, the newest first. It is the node if that would be removed;
        one that was removed earlier only if the node that the text would else be has an earlier text to go to: so an
        edit stays an edit. Linear.
        """
        taken = {key for keys in self.matching.nodes for key in keys}
        graves: dict[int, list[RemovedRow]] = {}
        for row in removed:
            if row.key not in taken:
                graves.setdefault(row.document, []).append(row)
        nodes = list(self.matching.nodes)
        for index, document in self.documents.items():
            claims = _Claims(document, said, _find_places(document, said))
            for key in document.free:
                claims.give(claims.find(key), key)
            for row in graves.get(document.keys[0] or 0, ()):
                _return_removed(claims, row)
            nodes[index] = document.keys
        return Matching(self.matching.documents, nodes)


def _return_removed(claims: _Claims, row: RemovedRow) -> None:
    place = claims.places.get((row.kind, row.content))
    holder = None if place is None else claims.document.keys[place]
    if holder is not None and claims.find(holder) is not None:
        claims.give(place, row.key)


def open_undoing(new: Sequence[NewDocument], old: Sequence[Sequence[NodeRow]], matching: Matching) -> Undoing:
    """Finds the documents to look into. `old` holds for each new document the nodes of the one that it continues; none
    where it is not to be touched."""
    documents: dict[int, _Document] = {}
    if any(old):
        taken = {key for keys in matching.nodes for key in keys if key is not None}
        for index, (document, rows) in enumerate(zip(new, old, strict=True)):
            opened = _open(document.parsed.nodes, list(matching.nodes[index]), rows, taken)
            if opened.is_open:
                documents[index] = opened
    return Undoing(matching, documents)


def _open(nodes: Sequence[ParsedNode], keys: list[int | None], rows: Sequence[NodeRow], taken: Set[int]) -> _Document:
    document = _Document(nodes, keys)
    if not rows:
        return document
    was = {row.key: row for row in rows}
    for place, (node, key) in enumerate(zip(nodes, keys, strict=True)):
        if not _is_block(node.kind):
            continue
        row = was.get(key) if key is not None else None
        if key is None:
            document.added.append(place)
        elif row is not None and row.content != node.content:
            document.edited.append(place)
    document.free = [row.key for row in rows if row.key not in taken and _is_block(row.kind)]
    document.above = {row.key: row.parent for row in rows}
    return document


def _is_block(kind: str) -> bool:
    return kind not in ("document", "heading")


def _find_places(document: _Document, said: Mapping[int, Sequence[Text]]) -> dict[Text, int]:
    """Where the new texts stand, those that stand there once, but for those that their own key said before."""
    places: dict[Text, int] = {}
    twice: set[Text] = set()
    for place in (*document.edited, *document.added):
        node, key = document.nodes[place], document.keys[place]
        text = node.kind, text_hash(node.content)
        if text in places:
            twice.add(text)
        places[text] = place
        if key is not None and text in said.get(key, ()):
            twice.add(text)
    return {text: place for text, place in places.items() if text not in twice}
