"""Resolution: which node a link means. A pure function of what the link says, where it stands, and the
catalog of names; whether the answer becomes an edge is decided elsewhere.

The first rule that finds a candidate decides: the id; then, in the link's own root, source and label, path, document by
stem, title, alias, heading, memory, entity, earlier names, loose spelling; then the same in the other roots in order of
their names, but for the last two, which come after all of them. A resolution costs a few look-ups; where a name is
shared, O(sharers) once per name, then O(depth of the folder) per link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from remem.graph.catalog import Bucket, Candidates, Catalog, PathIndex
from remem.keys import loose_key, name_key, strict_key, strip_note_extension
from remem.records import Hint, HintKeys, Name, NodeRef, Outline, OutlineHeading, Place, Resolution

__all__ = [
    "Catalog", "Hint", "HintKeys", "Name", "NodeRef", "Outline", "OutlineHeading", "Place", "Resolution",
    "hint_keys", "needed_outlines", "resolve",
]  # fmt: skip

_PENDING = Resolution("pending")
_ID_FORMS = frozenset(("wiki", "embed", "knowledge"))
_DOCUMENT_KINDS = ("stem", "title", "alias")
_SOURCE_KINDS = (*_DOCUMENT_KINDS, "heading")
_EARLIER_KINDS = ("old_stem", "old_label")
_FEW = 6


class _Found(NamedTuple):
    """A name that a rule chose, before its anchor is looked for."""

    node: int
    document: int
    rule: str
    ambiguous: bool = False
    stale: bool = False


def hint_keys(hint: Hint) -> HintKeys:
    """The keys that the resolution of a link depends on.

    It must be repeated whenever a name under one of the keys appears, vanishes or moves, a node of the id appears or
    vanishes, or headings, blocks or the title heading of the document that it leads to (or, without a target, stands
    in) change. The name key of a link that may be a bare id is the name key of that id.
    """
    return HintKeys(name_key(hint.label), name_key(hint.source) if hint.source else None, _find_id(hint) or None)


def needed_outlines(hint: Hint, place: Place, catalog: Catalog) -> set[int]:
    """The documents whose outlines `resolve` will look into: the one that the link's anchor leads into, if any."""
    found = _find_target(hint, place, catalog) if hint.anchor else None
    return {found.document} if found else set()


def resolve(hint: Hint, place: Place, catalog: Catalog) -> Resolution:
    """What the link leads to. `catalog` holds all names under its keys, its id, and the outlines it needs."""
    found = _find_target(hint, place, catalog)
    if found is None:
        return _PENDING
    node, document, rule, ambiguous, stale = found
    if not hint.anchor:
        return Resolution("edge", node, document, rule, ambiguous, stale)
    below = None if node in (document, catalog.title_heading.get(document)) else node
    match = catalog.index_anchors(document).find(hint.anchor, hint.form, below)
    if match:
        ambiguous, stale = ambiguous or match.ambiguous, stale or match.stale
        return Resolution("edge", match.node, document, rule, ambiguous, stale)
    if document == place.document:
        return Resolution("missing", None, document, rule, ambiguous, stale)
    return Resolution("partial", node, document, rule, ambiguous, stale)


def _find_id(hint: Hint) -> str:
    return hint.id or (hint.label.strip() if hint.form in _ID_FORMS else "")


def _find_target(hint: Hint, place: Place, catalog: Catalog) -> _Found | None:
    ref = catalog.ids.get(_find_id(hint))
    if ref is not None:
        return _Found(catalog.title_heading.get(ref.node, ref.node), ref.document, "id")
    if not hint.label.strip() and not hint.source:
        own = place.document
        return _Found(catalog.title_heading.get(own, own), own, "own") if own and not hint.id else None
    return _find_plain(hint, place, catalog) or _Search(hint, place, catalog).run()


def _find_plain(hint: Hint, place: Place, catalog: Catalog) -> _Found | None:
    """The common case without the groups of a catalog: all names under the key belong to one document of the own root,
    and the label is one of its own. None says nothing."""
    label = hint.label
    names = catalog.names.get(name_key(label), ())
    if not 0 < len(names) < _FEW or hint.source or "/" in label or strip_note_extension(label) is not label:
        return None
    key, document, decided = strict_key(label), names[0].document, len(_DOCUMENT_KINDS)
    for name in names:
        if name.document != document or name.root != place.root:
            return None
        if name.kind in _DOCUMENT_KINDS and strict_key(name.text) == key:
            decided = min(decided, _DOCUMENT_KINDS.index(name.kind))
    if decided == len(_DOCUMENT_KINDS):
        return None
    return _Found(catalog.title_heading.get(document, document), document, _DOCUMENT_KINDS[decided])


class _Search:
    """The rules after the id, for one link."""

    __slots__ = ("_bucket", "_key", "_label", "_path", "_place", "_source", "_sources", "_titles")

    def __init__(self, hint: Hint, place: Place, catalog: Catalog) -> None:
        self._label = label = hint.label.strip()
        self._key = strict_key(label)
        self._path = "/" in label or strip_note_extension(label) is not label
        self._place = place
        self._titles = catalog.title_heading
        self._bucket: Bucket = catalog.find_bucket(name_key(label))
        self._source = hint.source.strip()
        self._sources: Bucket | None = catalog.find_bucket(name_key(self._source)) if self._source else None

    def run(self) -> _Found | None:
        own = self._place.root
        if own is not None:
            found = self._search_root(own) or self._find_memory()
            found = found or self._find_earlier((own, "")) or self._find_loose((own, ""))
            if found:
                return found
        others = self._list_others()
        return self._search_everywhere(others) if own is None else self._search_others(others)

    def _search_others(self, roots: Sequence[str]) -> _Found | None:
        """The other roots, for a link that found nothing in its own, where memories counted too."""
        found = next(filter(None, map(self._search_root, roots)), None)
        found = found or next(filter(None, (self._find_earlier((root,)) for root in roots)), None)
        return found or next(filter(None, (self._find_loose((root,)) for root in roots)), None)

    def _search_everywhere(self, roots: Sequence[str]) -> _Found | None:
        """All roots, for a link without one of its own; memories come after the documents of all roots."""
        found = _take_first(map(self._search_root, roots)) or self._find_memory()
        found = found or _take_first(self._find_earlier((root,)) for root in (*roots, ""))
        loose = [root for root in roots if self._list_loose(root)]
        return found or _take_first(self._find_loose((root, "")) for root in loose or ("",))

    def _list_others(self) -> list[str]:
        roots = self._bucket.roots
        if self._sources:
            roots = sorted({*roots, *self._sources.roots})
        return [root for root in roots if root != self._place.root]

    # --- rules 2 and 3a to 3d ---

    def _search_root(self, root: str) -> _Found | None:
        if self._sources and (found := self._find_in_source(root)):
            return found
        if not self._label:
            return None
        if self._path and (found := self._find_path(root)):
            return found
        bucket, key = self._bucket, self._key
        for kind in _DOCUMENT_KINDS:
            candidates = bucket.find(kind, root, key)
            if candidates:
                return self._take(candidates.pick(self._label, self._place), kind)
        candidates = bucket.find("heading", root, key)
        return self._take(candidates.pick_heading(self._label, self._place), "heading") if candidates else None

    def _find_in_source(self, root: str) -> _Found | None:
        candidates = self._list_sources("stem", root)
        if not candidates:
            return None
        if not self._label:
            return self._take(candidates.pick(self._source, self._place), "source")
        return self._find_within(candidates, root, _SOURCE_KINDS, stale=False)

    def _find_within(self, sources: Candidates, root: str, kinds: Iterable[str], stale: bool) -> _Found | None:
        """The label among names of these kinds in the documents of these sources."""
        documents = {name.document for _, name in sources.pairs}
        for candidates in self._list_groups(kinds, (root,)):
            picked = candidates.pick_within(documents, self._label, self._place)
            if picked:
                return self._take(picked, "earlier" if stale else "source", stale)
        return None

    def _find_path(self, root: str) -> _Found | None:
        kind = "folder" if self._label.endswith("/") else "stem"
        return self._follow_path(self._bucket.index_paths(kind, root), root, "path")

    def _find_memory(self) -> _Found | None:
        for kind in ("memory", "entity"):
            candidates = self._bucket.find(kind, "", self._key)
            if candidates:
                return self._take(candidates.pick(self._label, self._place), kind)
        return None

    # --- rules 3e and 3f ---

    def _find_earlier(self, roots: Sequence[str]) -> _Found | None:
        root = roots[0]
        if self._sources and (found := self._find_earlier_source(root)):
            return found
        if not self._label:
            return None
        candidates = next(self._list_groups(_EARLIER_KINDS, roots), None)
        if candidates:
            candidates = self._prefer_documents(candidates)
            return self._take(candidates.pick_heading(self._label, self._place), "earlier", True)
        if not self._path:
            return None
        return self._follow_path(self._bucket.index_paths("old_source", root), root, "earlier", stale=True)

    def _find_earlier_source(self, root: str) -> _Found | None:
        current, earlier = self._list_sources("stem", root), self._list_sources("old_source", root)
        if earlier and not self._label:
            return self._take(earlier.pick(self._source, self._place), "earlier", True)
        for sources, kinds in ((current, _EARLIER_KINDS), (earlier, _SOURCE_KINDS), (earlier, _EARLIER_KINDS)):
            if sources and (found := self._find_within(sources, root, kinds, stale=True)):
                return found
        return None

    def _find_loose(self, roots: Iterable[str]) -> _Found | None:
        """The one target whose name or path differs in `-`, `_` and space only, or None where there are several."""
        names = [candidates.find_only() for root in dict.fromkeys(roots) for candidates in self._list_loose(root)]
        if None in names or len({self._lead(name) for name in names if name}) != 1:
            return None
        return self._take((next(filter(None, names)), False), "loose")

    def _list_loose(self, root: str) -> list[Candidates]:
        if not self._label:
            return []
        found = [self._bucket.find_loosely(root, loose_key(self._label))]
        if self._path and root and not self._label.endswith("/"):
            found.append(self._find_loose_path(root))
        return [candidates for candidates in found if candidates]

    def _find_loose_path(self, root: str) -> Candidates | None:
        index, from_root = self._bucket.index_paths("stem", root, loosely=True), self._label.startswith("/")
        if self._place.root == root and not from_root and (steps := _walk(self._folder(), self._label)):
            found = index.find(steps, whole=True)
            if found:
                return found[0]
        steps = _walk([], self._label)
        found = index.find(steps, whole=from_root) if steps else None
        return found[0] if found else None

    # --- what the rules share ---

    def _follow_path(self, index: PathIndex, root: str, rule: str, stale: bool = False) -> _Found | None:
        """From the link's own folder, from the root, then the only one that ends so. Never out of the root."""
        label, from_root = self._label, self._label.startswith("/")
        if self._place.root == root and not from_root and (steps := _walk(self._folder(), label)):
            found = index.find(steps, whole=True)
            if found:
                return self._take(found[0].pick(found[1], self._place), rule, stale)
        steps = _walk([], label)
        if not steps:
            return None
        found = index.find(steps, whole=True)
        if found:
            return self._take(found[0].pick(found[1], self._place), rule, stale)
        found = None if from_root else index.find(steps, whole=False)
        only = found[0].find_only(found[1]) if found else None
        return self._take((only, False), rule, stale) if only else None

    def _folder(self) -> list[str]:
        return self._place.source.split("/")[:-1]

    def _list_sources(self, kind: str, root: str) -> Candidates | None:
        """The documents that the source hint fits, now (kind stem) or earlier (kind old_source)."""
        steps = _walk([], self._source)
        if not steps or not self._sources:
            return None
        found = self._sources.index_paths(kind, root).find(steps, whole=self._source.startswith("/"))
        return found[0] if found else None

    def _list_groups(self, kinds: Iterable[str], roots: Sequence[str]) -> Iterator[Candidates]:
        for kind in kinds:
            for root in roots:
                candidates = self._bucket.find(kind, root, self._key)
                if candidates:
                    yield candidates

    def _prefer_documents(self, candidates: Candidates) -> Candidates:
        """Those that lead to documents, if any do: an earlier title counts before an earlier heading."""
        documents = Candidates(self._titles)
        documents.pairs = [pair for pair in candidates.pairs if self._lead(pair[1]) == self._lead_document(pair[1])]
        return documents if documents.pairs else candidates

    def _take(self, picked: tuple[Name, bool], rule: str, stale: bool = False) -> _Found:
        name, ambiguous = picked
        return _Found(self._lead(name), name.document, rule, ambiguous, stale)

    def _lead(self, name: Name) -> int:
        """Where a link to the name leads: for a document its title heading."""
        return self._titles.get(name.node, name.node)

    def _lead_document(self, name: Name) -> int:
        return self._titles.get(name.document, name.document)


def _take_first(found: Iterable[_Found | None]) -> _Found | None:
    """The first root's find; ambiguous where the same rule finds another target in another root."""
    finds = [one for one in found if one]
    if not finds:
        return None
    first = finds[0]
    rivals = any(other.rule == first.rule and other.node != first.node for other in finds)
    return first._replace(ambiguous=first.ambiguous or rivals)


def _walk(folder: Sequence[str], path: str) -> list[str] | None:
    """The segments of a path from a folder, or None where it leaves the root or names nothing."""
    steps = list(folder)
    for step in path.split("/"):
        if step == "..":
            if not steps:
                return None
            steps.pop()
        elif step.strip() not in ("", "."):
            steps.append(step)
    return steps or None
