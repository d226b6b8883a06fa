"""Names, and what links say and come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Name(NamedTuple):
    """One text by which links can call a node. `key` is `keys.name_key(text)`.

    `kind` is stem, title, alias, folder, heading, block, memory or entity, or for what a living node was called earlier
    old_label, old_stem or old_source. `node` is the key of the node, for all names of a document that of its document
    node; `document` is the key of the document that the node lies in (a memory or an entity is its own). `text` is as
    written: the stem without extension, the folder's own name, the earlier path relative to the root. `root` and
    `source` say where the node is now, both are empty for a memory or an entity; `position` is its place there.
    """

    key: str
    kind: str
    node: int
    text: str
    root: str
    source: str
    document: int
    position: int = 0


class Hint(NamedTuple):
    """What a link says about its target: the fields of ParsedLink that resolution reads."""

    label: str
    anchor: str = ""
    source: str = ""
    id: str = ""
    form: str = "wiki"


class HintKeys(NamedTuple):
    """What the resolution of a link depends on: names under the two keys (`source_key` None: the link has no source),
    and whether a node of that id exists (`id` None: none is meant)."""

    name_key: str
    source_key: str | None
    id: str | None


class Place(NamedTuple):
    """Where a link stands: root name and source, and the key of its document. In a memory `root` is None, `source` is
    empty and `document` 0."""

    root: str | None
    source: str
    document: int


class NodeRef(NamedTuple):
    """The keys of a node and of the document that it lies in (a memory or an entity is its own)."""

    node: int
    document: int


class OutlineHeading(NamedTuple):
    """A heading of a document: its subtree is the interval `[position, last]`. `earlier` are labels that it had."""

    node: int
    label: str
    position: int
    last: int
    earlier: tuple[str, ...] = ()


class Outline(NamedTuple):
    """What anchors of a document can mean: its headings in document order (those inside lists and quotes too), and the
    nodes of its block ids by id as written. `html`: the block ids are the ids and names of elements."""

    headings: Sequence[OutlineHeading]
    blocks: Mapping[str, int]
    html: bool = False


class Resolution(NamedTuple):
    """What a link leads to.

    `state` is edge; partial (its document or heading was found, the anchor in it was not: an edge there, and the anchor
    waits); missing (the same inside the link's own document: it waits, without an edge); or pending (nothing found).
    `target` is the key of the node (None without an edge), `document` that of its document (None: nothing found).
    `rule` is id, own, source, path, stem, title, alias, heading, memory, entity, earlier or loose. `ambiguous`: several
    candidates differed in nothing but nearness and order. `stale`: an earlier name decided.
    """

    state: str
    target: int | None = None
    document: int | None = None
    rule: str | None = None
    ambiguous: bool = False
    stale: bool = False
