"""Documents whose row is gone while their nodes stand: it is found where their file stands, and the row made again. One
whose place nothing tells is kept at the top of the only root, where the next compile finds its file, or in a root of
its own: no text is lost. Reads files below known roots alone."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remem.ingest.html.marks import FORMAT
from remem.ingest.parse import PARSER_VERSION, find_format, parse_source
from remem.reading.text import render_document
from remem.records import DocumentRow, Finding, NodeRow, ParsedDocument, RootRow, SourceFile, SourceText
from remem.sources.read import read_source
from remem.sources.scan import scan_folder
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.storage import layouts as layout_rows
from remem.storage import lost as lost_rows
from remem.storage import nodes as node_rows
from remem.storage.lost import LostDocument
from remem.writing.naming import stem_of

if TYPE_CHECKING:
    from sqlite3 import Connection

UNPLACED = "a document whose file is not known"
ROOT, PLACE = "lost", "/lost"
"""Name and place of the root for documents of which nothing tells where they stood, and how those begin that the doctor
made for documents without root."""
UNKNOWN = bytes(16)
"""The hash of a file that is read again at the next compile."""
DEFAULT_LIMIT = 512
GUESSES = ("markdown", "text", FORMAT, "yaml", "json", "jsonl", "toml")
TAILS = ("\n", "", "}\n", "}", "]\n", "]", "\n}\n", "\n]\n")
"""What may stand after the last node, the likeliest first."""
EXTENSIONS = {"markdown": ".md", "text": ".txt", FORMAT: ".html"}


class Spot(NamedTuple):
    """Where a file stands: key of the root and source. `file` is None where it was not found there."""

    root: int
    source: str
    file: SourceFile | None


class Found(NamedTuple):
    """What is known again of a document beside its nodes. Without format and tail: what makes the nodes that stand."""

    spot: Spot
    hash: bytes = UNKNOWN
    format: str = ""
    tail: str = ""


class Lost(NamedTuple):
    """A document without its row: its key and the stem of its file, its nodes, the pieces of blocks that were split,
    and what it is taken to have been parsed under."""

    document: LostDocument
    nodes: list[NodeRow]
    pieces: list[list[str]]
    settings: str

    def parse(self, source: str, text: str, format: str) -> ParsedDocument | None:
        """The document of a text, if it has the nodes that stand."""
        limit = int(self.settings.rpartition("/")[2])
        parsed = parse_source(source, text, format, max_tokens=limit, previous=self.pieces)
        wanted = [(row.kind, row.content) for row in self.nodes]
        return parsed if [(node.kind, node.content) for node in parsed.nodes] == wanted else None

    def find_title_heading(self) -> int | None:
        """The heading at the top that opens no section of its own."""
        key = self.document.node
        return next((n.key for n in self.nodes if n.kind == "heading" and n.parent == key == n.station), None)


def check_lost(connection: Connection) -> Iterator[Finding]:
    """Tells of roots that keep documents of which the place is not known. That rows are gone is told by a rule."""
    for root in document_rows.load_counted_roots(connection):
        if root.name.startswith(ROOT) and root.path.startswith(PLACE) and root.documents:
            what = f"{root.documents} documents whose file is not known" if root.documents > 1 else UNPLACED
            remedy = f"if it still stands, `remem drop {root.name}` and compile its folder again"
            keep = "`remem export --format markdown` writes what is kept as files"
            yield Finding("documents", False, f"root {root.name} keeps {what}; {remedy}; {keep}")


def repair_lost(connection: Connection, now: int) -> list[Finding]:
    """Gives each document without a row one again, with the place that its file has; what is to be said of those for
    which that is not known. The rest of the row follows from the nodes, or is read at the next compile. Must run inside
    a write transaction."""
    lost, told = lost_rows.list_lost(connection), list[Finding]()
    if not lost:
        return told
    spots = _find_spots(connection)
    settings = lost_rows.find_settings(connection) or f"{PARSER_VERSION}/{DEFAULT_LIMIT}"
    for document in lost:
        nodes = node_rows.load_trees(connection, [document.node])[document.node]
        pieces = node_rows.load_pieces(connection, [document.node]).get(document.node, [])
        this = Lost(document, nodes, pieces, settings)
        found = _find_place(connection, this, spots)
        if found is None:
            root = _choose_root(connection, now)
            found = _keep_apart(connection, this, root)
            message = f"{root.name}/{found.spot.source} is {UNPLACED}: compile the folder that it lies in again"
            told.append(Finding("documents", False, message, nodes[0].id))
        if not found.format:
            format, tail = _guess_format(this, found.spot.source)
            found = found._replace(format=format, tail=tail)
        spots.pop(found.spot[:2], None)
        row = DocumentRow(
            document.node, found.spot.root, found.spot.source, found.format, this.find_title_heading(), found.tail,
            found.hash, -1, 0, 0, 0, settings,
        )  # fmt: skip
        document_rows.save_documents(connection, [row])
    return told


def _find_spots(connection: Connection) -> dict[tuple[int, str], Spot]:
    """The places below all roots where a file stands, or stood when a call changed its document, but no document."""
    spots: dict[tuple[int, str], Spot] = {}
    for root in document_rows.load_roots(connection):
        taken = document_rows.load_documents(connection, root.key)
        for source in held_rows.find_held(connection, root.key):
            spots[root.key, source] = Spot(root.key, source, None)
        files = scan_folder(Path(root.path)).files if os.path.isdir(root.path) else ()
        spots |= {(root.key, file.source): Spot(root.key, file.source, file) for file in files}
        spots = {place: spot for place, spot in spots.items() if place[0] != root.key or place[1] not in taken}
    return spots


def _find_place(connection: Connection, lost: Lost, spots: Mapping[tuple[int, str], Spot]) -> Found | None:
    """The place of a document: where a file says the same; else the only one of its name; else where it stood at last
    by the history. None where nothing tells, or too much."""
    stem = lost.document.stem
    named = [spot for spot in spots.values() if stem in (None, stem_of(spot.source))]
    same = [found for found in (_compare(spot, lost) for spot in named) if found is not None]
    former = _find_former(connection, lost.document, spots)
    if former is not None and former.spot in [found.spot for found in same]:
        return next(found for found in same if found.spot == former.spot)
    if len(same) == 1:
        return same[0]
    if stem is not None and len(named) == 1:
        held = held_rows.find_held(connection, named[0].root).get(named[0].source)
        return Found(named[0], held or UNKNOWN)
    return former if former is not None and (not named or former.spot in named) else None


def _compare(spot: Spot, lost: Lost) -> Found | None:
    """What a document is, if the file there says what it says."""
    read = None if spot.file is None else read_source(spot.file)
    format = find_format(spot.source)
    if not isinstance(read, SourceText) or format is None:
        return None
    parsed = lost.parse(spot.source, read.text, format)
    return None if parsed is None else Found(spot, read.hash, parsed.format, parsed.tail)


def _find_former(connection: Connection, document: LostDocument, spots: Mapping[tuple[int, str], Spot]) -> Found | None:
    """Where a document stood before a snapshot changed it last, if that root is there, the name is the same, and no
    other document stands there."""
    layouts = layout_rows.load_all_layouts(connection, [document.node])
    if not layouts:
        return None
    last = layouts[-1]
    root = next((root for root in document_rows.load_roots(connection) if root.name == last.root), None)
    if root is None or document.stem not in (None, stem_of(last.source)):
        return None
    if document_rows.load_documents_at(connection, root.key, [last.source]):
        return None
    return Found(spots.get((root.key, last.source)) or Spot(root.key, last.source, None))


def _guess_format(lost: Lost, source: str) -> tuple[str, str]:
    """The format, of those that the name may have, and the tail with which the text makes the nodes that stand."""
    named = find_format(source)
    formats = GUESSES if named is None else (FORMAT,) if named == "html" else (named,)
    for format, tail in product(formats, TAILS):
        if lost.parse(source or "document", render_document(lost.nodes, tail), format) is not None:
            return format, tail
    return formats[0], TAILS[0]


def _keep_apart(connection: Connection, lost: Lost, root: RootRow) -> Found:
    """A place at the top of a root that no document has."""
    format, tail = _guess_format(lost, "")
    stem = lost.document.stem or (lost.nodes[0].label or "document").replace("/", " ")
    extension = EXTENSIONS.get(format, f".{format}")
    taken, number, source = document_rows.load_documents(connection, root.key), 1, f"{stem}{extension}"
    while source in taken:
        number += 1
        source = f"{stem}-{number}{extension}"
    return Found(Spot(root.key, source, None), format=format, tail=tail)


def _choose_root(connection: Connection, now: int) -> RootRow:
    """The only root, else one that lies nowhere."""
    roots = document_rows.load_roots(connection)
    apart = next((root for root in roots if root.name.startswith(ROOT) and root.path == f"/{root.name}"), None)
    if len(roots) == 1 or apart is not None:
        return apart or roots[0]
    names, number, name = {root.name for root in roots}, 1, ROOT
    while name in names:
        number += 1
        name = f"{ROOT}-{number}"
    return RootRow(document_rows.save_root(connection, None, name, f"/{name}", now), name, f"/{name}")
