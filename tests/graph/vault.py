"""Small vaults for tests of resolution: a line for each file, its names and outline, without any text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from remem.graph.resolve import Catalog, Hint, Name, NodeRef, Outline, OutlineHeading, Place
from remem.keys import name_key, strip_note_extension

_PARAMETER = re.compile(r"\s*;\s*(source|id)=([^;]*)")


@dataclass
class Document:
    """A file with the keys of its nodes: `headings` are (level, node, position, label, earlier labels)."""

    root: str
    source: str
    node: int
    headings: list[tuple[int, int, int, str, tuple[str, ...]]] = field(default_factory=list)
    blocks: dict[str, int] = field(default_factory=dict)

    @property
    def title_heading(self) -> int | None:
        tops = [heading for heading in self.headings if heading[0] == 1]
        return tops[0][1] if len(tops) == 1 and self.headings[0] == tops[0] else None

    @property
    def target(self) -> int:
        return self.title_heading or self.node

    def make_outline(self) -> Outline:
        end = 1 << 20
        headings = []
        for at, (level, node, position, label, earlier) in enumerate(self.headings):
            after = (other[2] - 1 for other in self.headings[at + 1 :] if other[0] <= level)
            headings.append(OutlineHeading(node, label, position, next(after, end), earlier))
        return Outline(headings, self.blocks, self.source.endswith((".html", ".htm")))


@dataclass
class Vault:
    """Names, ids and documents as a store would hold them."""

    names: list[Name] = field(default_factory=list)
    ids: dict[str, NodeRef] = field(default_factory=dict)
    documents: list[Document] = field(default_factory=list)
    memories: dict[str, int] = field(default_factory=dict)
    _last: int = 0

    def add_line(self, line: str) -> None:
        """A line is `folder/note.md | title: T | alias: A | # Heading < Earlier | ^block | id: X | < old/path.md`.

        A file of another root is `root:path`; `memory: Title` and `entity: Name` are no files."""
        head, *parts = [part.strip() for part in line.split(" | ")]
        kind, _, text = head.partition(": ")
        if kind in ("memory", "entity"):
            node = self._take_node()
            self.memories[head] = node
            self.names.append(Name(name_key(text), kind, node, text, "", "", node))
            self._add_parts(None, node, parts)
            return
        root, _, source = head.rpartition(":")
        document = Document(root or "docs", source, self._take_node())
        self.documents.append(document)
        self._add_stem(document)
        self._add_parts(document, document.node, parts)

    def make_catalog(self, names: Iterable[Name] | None = None) -> Catalog:
        grouped: dict[str, list[Name]] = {}
        for name in self.names if names is None else names:
            grouped.setdefault(name.key, []).append(name)
        outlines = {document.node: document.make_outline() for document in self.documents}
        titles = {d.node: d.title_heading for d in self.documents if d.title_heading is not None}
        return Catalog(grouped, self.ids, outlines, titles)

    def find_place(self, where: str) -> Place:
        if where == "memory":
            return Place(None, "", 0)
        document = self.find_document(where)
        return Place(document.root, document.source, document.node)

    def find_document(self, where: str) -> Document:
        root, _, source = where.rpartition(":")
        (found,) = [d for d in self.documents if (d.root, d.source) == (root or "docs", source)]
        return found

    def describe(self, node: int) -> str:
        """What a target is called in the tables."""
        for document in self.documents:
            name = document.source if document.root == "docs" else f"{document.root}:{document.source}"
            if node in (document.node, document.title_heading):
                return name
            for _, heading, _, label, _ in document.headings:
                if heading == node:
                    same = [other[1] for other in document.headings if other[3] == label]
                    return f"{name}#{label}" + (f"@{same.index(node) + 1}" if len(same) > 1 else "")
            for block, key in document.blocks.items():
                if key == node:
                    return f"{name}^{block}"
        return next(text for text, key in self.memories.items() if key == node)

    def _take_node(self) -> int:
        self._last += 1
        return self._last

    def _add_stem(self, document: Document) -> None:
        folder, _, file = document.source.rpartition("/")
        stem = strip_note_extension(file)
        self._name(document, "stem", document.node, stem)
        if stem.lower() in ("index", "readme") and folder:
            self._name(document, "folder", document.node, folder.rpartition("/")[2])

    def _add_parts(self, document: Document | None, node: int, parts: Iterable[str]) -> None:
        last = node
        for position, part in enumerate(parts, 1):
            kind, _, text = part.partition(" ")
            text = text.strip()
            if kind == "id:":
                self.ids[text] = NodeRef(last, document.node if document else node)
            elif kind == "<<":
                source = document.source if document else ""
                root = document.root if document else ""
                self.names.append(Name(name_key(text), "old_label", last, text, root, source, node, position))
            elif document is not None:
                last = self._add_part(document, kind, text, part, position)

    def _add_part(self, document: Document, kind: str, text: str, part: str, position: int) -> int:
        if kind in ("title:", "alias:"):
            self._name(document, kind[:-1], document.node, text)
        elif kind == "<":
            self._name(document, "old_source", document.node, text)
            self._name(document, "old_stem", document.node, strip_note_extension(text.rpartition("/")[2]))
        elif part.startswith("^"):
            document.blocks[part[1:]] = node = self._take_node()
            return node
        else:
            return self._add_heading(document, len(kind), text, position)
        return document.node

    def _add_heading(self, document: Document, level: int, text: str, position: int) -> int:
        label, *earlier = [label.strip() for label in text.split(" < ")]
        node = self._take_node()
        document.headings.append((level, node, position, label, tuple(earlier)))
        self._name(document, "heading", node, label, position)
        for old in earlier:
            self._name(document, "old_label", node, old, position)
        return node

    def _name(self, document: Document, kind: str, node: int, text: str, position: int = 0) -> None:
        self.names.append(
            Name(name_key(text), kind, node, text, document.root, document.source, document.node, position)
        )


def build_vault(text: str) -> Vault:
    """A vault of one file a line."""
    vault = Vault()
    for line in text.splitlines():
        if line.strip():
            vault.add_line(line.strip())
    return vault


def read_hint(link: str) -> Hint:
    """The hint of a link as written in the tables: `[[…]]`, `![[…]]`, `[text](path)` or `<a href="path">`."""
    form, inner = "wiki", link
    if link.startswith("<a"):
        form, inner = "href", link.split('"')[1]
    elif not link.startswith(("[[", "![[")):
        form, inner = "markdown", link.rpartition("](")[2][:-1]
    else:
        inner = link.strip("!")[2:-2].partition("|")[0]
    parameters = {match[1]: match[2].strip() for match in _PARAMETER.finditer(inner)}
    label, _, anchor = _PARAMETER.sub("", inner).partition("#")
    return Hint(label.strip(), anchor.strip(), parameters.get("source", ""), parameters.get("id", ""), form)
