"""Removed nodes that came back: a branch switched and switched back, an undo, a rename seen as a deletion and a
creation. It fills what `diff` left open from the nodes that are gone; it never takes an id for another content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from remem.ids import path_hash, text_hash
from remem.matching.equality import is_telling
from remem.matching.homes import is_front_matter
from remem.records import Matching, NewDocument, RemovedRow

MOST = 0.5
COMMON = 8

_Place = tuple[int, str, bytes]
"""A node's place in pre-order, its kind and the hash of its content."""


@dataclass(slots=True)
class _Open:
    """A new node without a key: its place, what it says, and where."""

    document: int
    index: int
    kind: str
    content: bytes
    path: bytes
    telling: bool


@dataclass(slots=True)
class _Search:
    """The keys so far, the nodes still open, the removed nodes not yet back."""

    root: str
    new: Sequence[NewDocument]
    keys: list[list[int | None]]
    open: list[_Open]
    removed: list[RemovedRow]

    def take(self, node: _Open, removed: RemovedRow) -> None:
        """Gives a removed node's key to an open node."""
        self.keys[node.document][node.index] = removed.key

    def refresh(self) -> None:
        """Drops what was taken from both lists."""
        taken = {key for keys in self.keys for key in keys if key is not None}
        self.open = [node for node in self.open if self.keys[node.document][node.index] is None]
        self.removed = [node for node in self.removed if node.key not in taken]


def revive(new: Sequence[NewDocument], matching: Matching, removed: Sequence[RemovedRow], root: str) -> Matching:
    """A matching in which nodes that were removed earlier have their keys again.

    `removed` are the candidates: all removed nodes of a document of which one is a candidate by its content, source or
    parent should be among them. In turn: documents under their source, if most of them is there again; nodes at the
    same source and path, of the same kind and content, in order; whole documents elsewhere that share most of their
    content; children of parents known by then; and telling texts (not short ones) that stand once on both sides.
    `matching` is left as it is.
    """
    keys = [list(found) for found in matching.nodes]
    taken = {key for found in keys for key in found if key is not None}
    left = [node for node in removed if node.key not in taken]
    left.sort(key=lambda node: (node.document, node.position, node.key))
    search = _Search(root, new, keys, [], left)
    if left:
        search.open = [node for index in range(len(new)) for node in _list_open(new[index], index, keys[index])]
    for step in (_revive_sources, _revive_places, _revive_renamed, _revive_places, _revive_children, _revive_telling):
        if not search.open or not search.removed:
            break
        step(search)
        search.refresh()
    return Matching(dict(matching.documents), search.keys)


def _list_open(document: NewDocument, number: int, keys: Sequence[int | None]) -> Iterator[_Open]:
    paths: list[tuple[str, ...]] = []
    hashes: dict[tuple[str, ...], bytes] = {}
    nodes = document.parsed.nodes
    for index, node in enumerate(nodes):
        above = nodes[max(node.parent, 0)] if index else node
        path = paths[max(node.parent, 0)] if index else ()
        if above.kind == "heading":
            path = (*path, above.label)
        paths.append(path)
        if keys[index] is None:
            if path not in hashes:
                hashes[path] = path_hash(path)
            yield _Open(number, index, node.kind, text_hash(node.content), hashes[path], is_telling(node.content))


def _pair_in_order(
    search: _Search,
    new_key: Callable[[_Open], Hashable],
    old_key: Callable[[RemovedRow], Hashable],
) -> None:
    """Gives equal nodes their keys first to first. Key None leaves a node out."""
    waiting: dict[Hashable, list[RemovedRow]] = {}
    for removed in reversed(search.removed):
        key = old_key(removed)
        if key is not None:
            waiting.setdefault(key, []).append(removed)
    for node in search.open:
        found = waiting.get(new_key(node))
        if found:
            search.take(node, found.pop())


def _revive_sources(search: _Search) -> None:
    """Documents come back under their source if most is there again; of several, the one that shares most."""
    below = _group_documents(search)
    gone: dict[str, list[RemovedRow]] = {}
    for removed in search.removed:
        if removed.kind == "document" and removed.root == search.root:
            gone.setdefault(removed.source, []).append(removed)
    for node in [node for node in search.open if node.index == 0]:
        found = gone.get(search.new[node.document].source, ())
        came = _list_places(search.new[node.document]) if found else []
        shares = {one.key: _measure_shares(came, below.get(one.key, ()))[0] for one in found}
        best = max(found, key=lambda one: (shares[one.key], one.key), default=None)
        if best is not None and shares[best.key] >= MOST:
            search.take(node, best)


def _group_documents(search: _Search) -> dict[int, list[RemovedRow]]:
    """The removed nodes by the key of their document, without the document nodes."""
    below: dict[int, list[RemovedRow]] = {}
    for removed in search.removed:
        if removed.kind != "document":
            below.setdefault(removed.document, []).append(removed)
    return below


def _list_places(new: NewDocument) -> list[_Place]:
    nodes = enumerate(new.parsed.nodes)
    return [(place, node.kind, text_hash(node.content)) for place, node in nodes if place]


def _measure_shares(came: Sequence[_Place], removed: Sequence[RemovedRow]) -> tuple[float, float]:
    """Which part of the smaller and of the larger of two documents, counted in nodes, stands in both. Headings and
    front matter count only where one of them holds nothing else. Two empty documents are the same."""
    gone = [(one.position, one.kind, one.content) for one in removed]
    if not came or not gone:
        share = float(not came and not gone)
        return share, share
    bodies = [[node for node in nodes if _is_body(node[1], node[0])] for nodes in (came, gone)]
    counts = [Counter(node[1:] for node in nodes) for nodes in (bodies if all(bodies) else (came, gone))]
    shared, sizes = (counts[0] & counts[1]).total(), [count.total() for count in counts]
    return shared / min(sizes), shared / max(sizes)


def _is_body(kind: str, place: int) -> bool:
    return kind != "heading" and not is_front_matter(kind, place)


def _revive_places(search: _Search) -> None:
    """The same document or source, path of headings, kind and content. In a new document that only has the source of a
    removed one, what is not telling is another text."""
    owners = [keys[0] if keys else None for keys in search.keys]
    _pair_in_order(
        search,
        lambda node: _place(owners[node.document], node),
        lambda gone: (gone.document, gone.path, gone.kind, gone.content) if gone.kind != "document" else None,
    )
    search.refresh()
    _pair_in_order(
        search,
        lambda node: _place_at_source(search, owners[node.document], node),
        lambda gone: (gone.source, gone.path, gone.kind, gone.content) if _is_at_home(search, gone) else None,
    )


def _place_at_source(search: _Search, owner: int | None, node: _Open) -> Hashable:
    if owner is None and (node.kind == "heading" or not node.telling):
        return None
    return search.new[node.document].source, node.path, node.kind, node.content


def _place(owner: int | None, node: _Open) -> Hashable:
    return None if owner is None else (owner, node.path, node.kind, node.content)


def _is_at_home(search: _Search, removed: RemovedRow) -> bool:
    return removed.root == search.root and removed.kind != "document"


def _count_shares(search: _Search) -> dict[tuple[int, int], int]:
    """How many open nodes of a new document stand among the removed ones of an old document, by (index, key)."""
    holders: dict[tuple[str, bytes], set[int]] = {}
    for removed in search.removed:
        if removed.kind != "document":
            holders.setdefault((removed.kind, removed.content), set()).add(removed.document)
    shares: dict[tuple[int, int], int] = {}
    for node in search.open:
        found = holders.get((node.kind, node.content), set())
        for document in found if len(found) <= COMMON else ():
            shares[node.document, document] = shares.get((node.document, document), 0) + 1
    return shares


def _revive_renamed(search: _Search) -> None:
    """Documents that came back elsewhere: most of their nodes are those of one removed document, and it of them."""
    below = _group_documents(search)
    documents = {removed.key: removed for removed in search.removed if removed.kind == "document"}
    telling = {node.document for node in search.open if node.telling}
    roots = {node.document: node for node in search.open if node.index == 0}
    ranked = sorted(
        (-count, documents[document].root != search.root, after, document)
        for (after, document), count in _count_shares(search).items()
        if after in roots and after in telling and document in documents
    )
    used: set[int] = set()
    for count, _, after, document in ranked:
        total = max(len(search.new[after].parsed.nodes) - 1, len(below[document]))
        if after not in roots or document in used or -count < MOST * total:
            continue
        if _measure_shares(_list_places(search.new[after]), below[document])[1] < MOST:
            continue
        used.add(document)
        search.take(roots.pop(after), documents[document])


def _revive_children(search: _Search) -> None:
    """Children of nodes that are known by now, from the top down, of the same kind and content in order."""
    waiting: dict[tuple[int | None, str, bytes], list[RemovedRow]] = {}
    for removed in reversed(search.removed):
        waiting.setdefault((removed.parent, removed.kind, removed.content), []).append(removed)
    for node in search.open:
        parent = search.new[node.document].parsed.nodes[node.index].parent
        above = search.keys[node.document][max(parent, 0)] if node.index else None
        found = waiting.get((above, node.kind, node.content)) if above is not None else None
        if found:
            search.take(node, found.pop())


def _revive_telling(search: _Search) -> None:
    """Texts long enough to be known anywhere, the only ones on both sides; then headings by the children that came."""
    gone = Counter((node.kind, node.content) for node in search.removed)
    came = Counter((node.kind, node.content) for node in search.open)
    only = {key for key, count in came.items() if count == 1 and gone[key] == 1}
    _pair_in_order(
        search,
        lambda node: (node.kind, node.content) if node.telling and node.kind != "heading" else None,
        lambda removed: key if (key := (removed.kind, removed.content)) in only else None,
    )
    parents = {removed.key: removed.parent for removed in search.removed}
    search.refresh()
    _revive_headings(search, parents)


def _revive_headings(search: _Search, parents: dict[int, int | None]) -> None:
    """Headings that say the same and most of whose children came back from below the removed one."""
    free = {removed.key: removed for removed in search.removed if removed.kind == "heading"}
    for node in (node for node in reversed(search.open) if node.kind == "heading"):
        keys, nodes = search.keys[node.document], search.new[node.document].parsed.nodes
        children = [i for i in range(node.index + 1, nodes[node.index].last + 1) if nodes[i].parent == node.index]
        votes = Counter(parents.get(key) for i in children if (key := keys[i]) is not None)
        for above, count in votes.most_common(1):
            removed = free.get(above) if above is not None else None
            if removed and removed.content == node.content and count >= MOST * len(children):
                search.take(node, free.pop(removed.key))
