"""A file as read and parsed, and the old trees that it is matched with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class ParsedLink(NamedTuple):
    """One link as written.

    `form` is wiki, embed, markdown, knowledge or href. `label` is the target as written without its anchor part
    (wiki and knowledge: the text; markdown and href: the percent-decoded path); it may be empty. `anchor` is what
    follows the first `#` ("Costs", "A#B", "^fig-07"), without it. `shown` is the display text, if any. `source` and
    `id` are the hints of the parameters. `type` is one of RELATIONSHIP_TYPES. `line` is the 1-based line in the file.
    """

    form: str
    label: str
    anchor: str = ""
    shown: str = ""
    source: str = ""
    id: str = ""
    type: str = "references"
    weight: float = 1.0
    line: int = 0


class ParsedNode(NamedTuple):
    """One node of a parsed file, in pre-order.

    `content` is the block's own source text without outer white space and without the prefixes of the containers it
    lies in; a heading keeps its marks ("## Costs"), a list its bullets, a fence its ticks. `gap` is all that stands
    between the end of the previous node's content and the start of this one's; `prefixes` are the container prefixes
    of the second and later lines of the content (empty where there are none). `parent` is the index of the parent in
    the file's node list (-1: the document itself), `last` that of the last descendant (itself, if none). `label` is
    filled for the document, for headings, and where it does not follow from the content; else it is empty and
    `ingest.labels.block_label` derives it when it is read. `level` is 1 to 6 for a node that opens a section, else 0.
    `piece` is 0 for a whole block and the first piece of a split one, then 1, 2, ... `blocks` are the ids of ` ^block`
    marks that name this node.
    """

    kind: str
    content: str
    label: str
    parent: int
    last: int
    gap: str = "\n\n"
    prefixes: tuple[str, ...] = ()
    level: int = 0
    piece: int = 0
    tokens: int = 0
    line: int = 0
    blocks: tuple[str, ...] = ()
    links: tuple[ParsedLink, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem of one file. `line` is 1-based, 0 where none applies; `code` is stable."""

    source: str
    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A parsed file. `nodes[0]` is the document node (kind `document`, empty content, its label the title); `tail` is
    what stands after the content of the last node. `title_heading` is the index of the title heading, or None.
    `aliases` come from front matter; the document's own tags stand in `nodes[0].tags`."""

    source: str
    format: str
    nodes: tuple[ParsedNode, ...]
    tail: str
    title_heading: int | None
    aliases: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


class OldNode(NamedTuple):
    """A stored node of a document that changed or vanished. `parent` is the index of the parent in the document's list
    (-1 for the document itself), `last` that of the last descendant. `label` is filled for documents and headings."""

    key: int
    kind: str
    label: str
    content: str
    parent: int
    last: int
    piece: int


@dataclass(frozen=True, slots=True)
class OldDocument:
    """A stored document as it was before. `key` is that of its node, `nodes[0]`; `file_hash` is of the file's bytes."""

    key: int
    root: str
    source: str
    title: str
    file_hash: bytes
    nodes: Sequence[OldNode]


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A file as it is now, changed or new."""

    source: str
    file_hash: bytes
    parsed: ParsedDocument


@dataclass(frozen=True, slots=True)
class Matching:
    """Which old node each new one continues. `documents` leads from the index of a new document to that of its old one.
    `nodes` holds a list for each new document, as long as its nodes: the key of the old node, or None for an addition.
    No key stands in it twice."""

    documents: dict[int, int]
    nodes: list[list[int | None]]
