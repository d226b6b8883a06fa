"""What calls change in notes: what they did, and what the store keeps so that the next compile respects it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from remem.records.parsed import Diagnostic, ParsedDocument, ParsedNode

ForgetMode = Literal["strict", "cascade", "reparent"]
FORGET_MODES = ("strict", "cascade", "reparent")
WriteFormat = Literal["markdown", "html"]
WRITE_FORMATS = ("markdown", "html")


class HeldRow(NamedTuple):
    """A row of `held`. `hash` is that of the file that the document stands against (empty: there is no file). `tree` is
    what the file holds (`HeldNode`s as JSON), None where that is unknown. Size, mtime, inode and when the file was read
    (ms) matter for a document that is absent."""

    root: int
    source: str
    hash: bytes
    tree: str | None = None
    size: int = -1
    mtime: int = 0
    inode: int = 0
    seen_at: int = 0


class HeldNode(NamedTuple):
    """A node of a file that is held, as the file has it: `parent` and `last` are places in the list, `hash` is that of
    the text (hexadecimal), `forgotten` says that a call has forgotten it (1 or 0)."""

    key: int
    kind: str
    hash: str
    parent: int
    last: int
    piece: int
    forgotten: int = 0


class KeyedNode(NamedTuple):
    """A node of a document that a call changes, with the key that it has (None: a new one)."""

    node: ParsedNode
    key: int | None = None


class SummaryRow(NamedTuple):
    """A row of `summaries`: the hash of the summary, the label that the node keeps (None: that of its text), the links
    that it keeps, as JSON."""

    node: int
    hash: bytes
    label: str | None
    links: str


class ChangedNode(NamedTuple):
    """A node that a call added, changed, moved or removed, as it is now (a removed one: as it was)."""

    id: str
    kind: str
    label: str


class Payload(NamedTuple):
    """A text to be written, without secrets, and parsed. `hash` is that of the text as it was given, where it held any
    (None: that of the text)."""

    text: str
    format: str
    parsed: ParsedDocument
    hash: bytes | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """What `write` or `summarise` did.

    `id` is the node that holds the text now: of a section its heading, of several blocks the first. `root` and `source`
    say which document changed ('' for a memory). `snapshot` is None where nothing changed. `diagnostics` are the
    problems of the text that was given, their lines counted in it.
    """

    id: str
    kind: str
    label: str
    root: str
    source: str
    snapshot: int | None
    added: tuple[ChangedNode, ...] = ()
    modified: tuple[ChangedNode, ...] = ()
    moved: tuple[ChangedNode, ...] = ()
    removed: tuple[ChangedNode, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
