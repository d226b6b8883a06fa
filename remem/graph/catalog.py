"""The catalog: names grouped so that each rule of resolution is a look-up, and the choice among several names. The
order of the rules is not known here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from remem.graph.anchors import AnchorIndex
from remem.keys import exact_key, loose_key, strict_key, strip_note_extension
from remem.records import Name, NodeRef, Outline, Place

_CURRENT_KINDS = frozenset(("stem", "title", "alias", "heading", "memory", "entity"))
INDEX_STEMS = ("index", "readme")
"""Documents of these names carry the name of their folder."""
_NOTHING = Outline((), {})
_Titles = Mapping[int, int]


class Pool:
    """Names of one root, none better than another but by nearness and order."""

    __slots__ = ("_best", "is_single", "names")

    def __init__(self, names: Iterable[Name], titles: _Titles) -> None:
        self.names = sorted(names, key=_order)
        self.is_single = len({titles.get(name.node, name.node) for name in self.names}) == 1
        self._best: dict[str, tuple[int, int]] = {}

    def choose(self, place: Place) -> Name:
        """The name whose folder is the fewest steps from the place's, then the first by source and position. Steps do
        not count between roots. O(names) once, then O(depth of the place)."""
        if self.is_single or place.root != self.names[0].root:
            return self.names[0]
        if not self._best:
            self._index_folders()
        folders = _list_ancestors(place.source)
        ways = (
            (up + below - (len(folders) - 1 - up), index)
            for up, folder in enumerate(folders)
            if folder in self._best
            for below, index in (self._best[folder],)
        )
        return self.names[min(ways)[1]]

    def _index_folders(self) -> None:
        """For each folder at or above a name: the depth and the index of the shallowest name below it."""
        for index, name in enumerate(self.names):
            folders = _list_ancestors(name.source)
            candidate = (len(folders) - 1, index)
            for folder in folders:
                self._best[folder] = min(self._best.get(folder, candidate), candidate)


class Candidates:
    """The names that one rule finds in one root, each with the text by which the rule knows it."""

    __slots__ = ("_by_document", "_by_exact", "_pool", "_titles", "pairs")

    def __init__(self, titles: _Titles) -> None:
        self.pairs: list[tuple[str, Name]] = []
        self._titles = titles
        self._pool: Pool | None = None
        self._by_exact: dict[str, Pool] | None = None
        self._by_document: dict[int, Candidates] | None = None

    def pick(self, text: str, place: Place) -> tuple[Name, bool]:
        """The best name and whether others were as good but for nearness and order: exact case first."""
        if len(self.pairs) == 1:
            return self.pairs[0][1], False
        pool = self._exact_pools().get(exact_key(text)) or self._all()
        return pool.choose(place), not pool.is_single

    def pick_heading(self, text: str, place: Place) -> tuple[Name, bool]:
        """The same for headings: those of the place's own document first."""
        if len(self.pairs) == 1:
            return self.pairs[0][1], False
        return self._documents().get(place.document, self).pick(text, place)

    def pick_within(self, documents: Iterable[int], text: str, place: Place) -> tuple[Name, bool] | None:
        """The same among the names of the given documents, or None."""
        pools = self._documents()
        inside = Candidates(self._titles)
        for document in documents:
            if document in pools:
                inside.pairs += pools[document].pairs
        return inside.pick(text, place) if inside.pairs else None

    def find_only(self, text: str | None = None) -> Name | None:
        """The name, if all lead to one node, or all of the exact spelling of `text` do."""
        if len(self.pairs) == 1:
            return self.pairs[0][1]
        pool = self._all() if text is None else self._exact_pools().get(exact_key(text)) or self._all()
        return pool.names[0] if pool.is_single else None

    def _all(self) -> Pool:
        if self._pool is None:
            self._pool = Pool((name for _, name in self.pairs), self._titles)
        return self._pool

    def _exact_pools(self) -> dict[str, Pool]:
        if self._by_exact is None:
            grouped: dict[str, list[Name]] = {}
            for text, name in self.pairs:
                grouped.setdefault(exact_key(text), []).append(name)
            self._by_exact = {exact: Pool(names, self._titles) for exact, names in grouped.items()}
        return self._by_exact

    def _documents(self) -> dict[int, Candidates]:
        if self._by_document is None:
            self._by_document = {}
            for pair in self.pairs:
                self._by_document.setdefault(pair[1].document, Candidates(self._titles)).pairs.append(pair)
        return self._by_document


class PathIndex:
    """Names of one root by path: whole ones begin with `/`, all others are whole trailing segments.

    A file is found with its extension and without; where both are files, the extension as written decides.
    """

    def __init__(self, paths: Iterable[tuple[str, Name]], titles: _Titles, key: Callable[[str], str]) -> None:
        self._titles = titles
        self._key = key
        self._files: dict[str, Candidates] = {}
        self._stems: dict[str, Candidates] = {}
        for path, name in paths:
            self._add(self._files, path, name)
            stem = strip_note_extension(path)
            if stem is not path:
                self._add(self._stems, stem, name)

    def find(self, steps: Sequence[str], whole: bool) -> tuple[Candidates, str] | None:
        """The names at the path of these segments (`whole`: from the root), and the path as text."""
        lead = "/" if whole else ""
        key = lead + "/".join(map(self._key, steps))
        found = self._files.get(key) or self._stems.get(key)
        return (found, lead + "/".join(steps)) if found else None

    def _add(self, index: dict[str, Candidates], path: str, name: Name) -> None:
        steps = path.split("/")
        keys = list(map(self._key, steps))
        self._put(index, "/" + "/".join(keys), "/" + path, name)
        for start in range(len(steps)):
            self._put(index, "/".join(keys[start:]), "/".join(steps[start:]), name)

    def _put(self, index: dict[str, Candidates], key: str, text: str, name: Name) -> None:
        index.setdefault(key, Candidates(self._titles)).pairs.append((text, name))


class Bucket:
    """All names of one name key, grouped when a rule first asks. `roots` are theirs in order."""

    __slots__ = ("_groups", "_loose", "_names", "_paths", "_titles", "roots")

    def __init__(self, names: Sequence[Name], titles: _Titles) -> None:
        self._names = names
        self._titles = titles
        self._groups: dict[tuple[str, str, str], Candidates] = {}
        self._paths: dict[tuple[str, str, bool], PathIndex] = {}
        self._loose: dict[tuple[str, str], Candidates] | None = None
        for name in names:
            group = (name.kind, name.root, strict_key(name.text))
            found = self._groups.get(group)
            if found is None:
                self._groups[group] = found = Candidates(titles)
            found.pairs.append((name.text, name))
        self.roots = sorted({name.root for name in names if name.root})

    def find(self, kind: str, root: str, key: str) -> Candidates | None:
        """Names of that kind in the root whose strict key is `key`."""
        return self._groups.get((kind, root, key))

    def find_loosely(self, root: str, key: str) -> Candidates | None:
        """Names of all current kinds in the root whose loose key is `key`."""
        if self._loose is None:
            self._loose = {}
            for name in self._names:
                if name.kind in _CURRENT_KINDS:
                    group = (name.root, loose_key(name.text))
                    self._loose.setdefault(group, Candidates(self._titles)).pairs.append((name.text, name))
        return self._loose.get((root, key))

    def index_paths(self, kind: str, root: str, loosely: bool = False) -> PathIndex:
        """The paths of the root's documents under this key: of files (kind stem), of folders that have an index (kind
        folder), or earlier ones (kind old_source)."""
        asked = (kind, root, loosely)
        if asked not in self._paths:
            names = [name for name in self._names if name.kind == kind and name.root == root]
            self._paths[asked] = PathIndex(_list_paths(kind, names), self._titles, loose_key if loosely else strict_key)
        return self._paths[asked]


class Catalog:
    """What links are resolved against.

    `names` by name key, `ids` of the nodes that exist, `outlines` by document key, `title_heading`: the title heading
    of each document that has one. It must hold what the links at hand ask for, not the whole store. It is read once: a
    changed name, id or title heading needs a new catalog; outlines may be added until they are first looked into.
    """

    def __init__(
        self,
        names: Mapping[str, Sequence[Name]],
        ids: Mapping[str, NodeRef],
        outlines: Mapping[int, Outline],
        title_heading: Mapping[int, int],
    ) -> None:
        self.names = names
        self.ids = ids
        self.outlines = outlines
        self.title_heading = title_heading
        self._buckets: dict[str, Bucket] = {}
        self._anchors: dict[int, AnchorIndex] = {}

    def find_bucket(self, key: str) -> Bucket:
        """The names under a name key, grouped."""
        bucket = self._buckets.get(key)
        if bucket is None:
            self._buckets[key] = bucket = Bucket(self.names.get(key, ()), self.title_heading)
        return bucket

    def index_anchors(self, document: int) -> AnchorIndex:
        """The anchors of a document; none where its outline is not known (a memory has none)."""
        index = self._anchors.get(document)
        if index is None:
            self._anchors[document] = index = AnchorIndex(self.outlines.get(document, _NOTHING))
        return index


def _order(name: Name) -> tuple[str, int, int]:
    return name.source, name.position, name.node


def _list_ancestors(source: str) -> list[str]:
    """The folders that a file lies in, the innermost first; the root is the empty one, at the end."""
    folders = []
    while source:
        source = source.rpartition("/")[0]
        folders.append(source)
    return folders or [""]


def _list_paths(kind: str, names: Iterable[Name]) -> Iterable[tuple[str, Name]]:
    if kind == "old_source":
        return [(name.text, name) for name in names]
    if kind == "folder":
        return _list_folders(names)
    return [(name.source, name) for name in names]


def _list_folders(names: Iterable[Name]) -> Iterable[tuple[str, Name]]:
    """The folders with the document that stands for each: index before README, Markdown before other formats."""
    best: dict[str, Name] = {}
    for name in sorted(names, key=lambda name: _rank_index(name.source)):
        best.setdefault(name.source.rpartition("/")[0], name)
    return best.items()


def _rank_index(source: str) -> tuple[int, bool, str]:
    file = source.rpartition("/")[2]
    stem = strict_key(strip_note_extension(file))
    return (*INDEX_STEMS, stem).index(stem), not file.lower().endswith(".md"), source
