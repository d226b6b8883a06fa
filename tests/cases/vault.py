"""A folder of notes beside the store that is compiled from it, and short texts for what the store holds. Every compile
of it is followed by the checks that hold whatever the notes say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from remem import Remem
from remem.engine.sync import RememSync
from remem.records import CompileReport, Diagnostic, Edge, Export, Node, PendingEdge
from tests.writing.describe import describe, describe_fresh, differences

Text = str | bytes | None
"""What a file is to hold: text, bytes as they are, None for no file."""

LONG_AGO = 1_600_000_000
"""When the first file was written, in seconds since 1970: a file that was written just now would be read again."""


class Vault:
    """A folder `notes` and a store, both below `place`."""

    def __init__(self, place: Path, name: str = "notes", config: str = "") -> None:
        """`config` is the text of a configuration file."""
        self.place = place
        self.folder = place / name
        self.folder.mkdir()
        settings = place / "settings.toml"
        settings.write_text(config, encoding="utf-8")
        self.store = place / "store.db"
        self.remem: RememSync = Remem.open_sync(self.store, config=settings)
        self._rounds = 0
        self._written = 0

    # --- doing -------------------------------------------------------------------------------------------------------

    def write(self, files: Mapping[str, Text]) -> None:
        """Writes, or with None deletes, files by their source, each a second later than the one before."""
        for source, text in files.items():
            path = self.folder / source
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            self._written += 1
            os.utime(path, (LONG_AGO, LONG_AGO + self._written))

    def compile(self, files: Mapping[str, Text] | None = None) -> CompileReport:
        """Writes the files, compiles the folder, and checks what always holds."""
        self.write(files or {})
        report = self.remem.compile(self.folder)
        self.check()
        return report

    def check(self) -> None:
        """A second compile changes nothing, the doctor finds no fault, the export is the files byte for byte, and the
        store is what a new one of these texts would be."""
        again = self.remem.compile(self.folder)
        assert (again.snapshot, again.files_added, again.files_changed, again.files_removed) == (None, 0, 0, 0)
        assert [finding for finding in self.remem.doctor().findings if finding.fault] == []
        self._rounds += 1
        fresh = self.place / f"fresh{self._rounds}"
        fresh.mkdir()
        assert differences(describe(self.store), describe_fresh(self.store, fresh)) == []
        self._check_texts(fresh / "texts")

    def _check_texts(self, texts: Path) -> None:
        for path in texts.rglob("*"):
            file = self.place / path.relative_to(texts)
            if path.is_file() and file.is_file():
                assert path.read_bytes() == plain_bytes(file.read_bytes()), path

    # --- seeing ------------------------------------------------------------------------------------------------------

    @property
    def export(self) -> Export:
        return self.remem.export()

    @property
    def edges(self) -> list[str]:
        """The parsed edges: `x.md -> River Plan.md#Costs`, then the type where it is not references, `w=2`, `x3` for
        three links, `?` where it is ambiguous."""
        export = self.export
        nodes = {node.id: node for node in export.nodes}
        return sorted(show_edge(edge, nodes) for edge in export.edges if edge.origin == "parsed")

    @property
    def manual(self) -> list[str]:
        """The manual edges, shown like the parsed ones."""
        export = self.export
        nodes = {node.id: node for node in export.nodes}
        return sorted(show_edge(edge, nodes) for edge in export.edges if edge.origin == "manual")

    @property
    def pending(self) -> list[str]:
        """The hints that wait: `x.md: Label#Anchor`, then `; source=…`, `; id=…`, `; w=…` where they were given."""
        return sorted(show_pending(edge) for edge in self.export.pending)

    @property
    def stale(self) -> list[str]:
        """What the doctor says of links by earlier names."""
        return [finding.message for finding in self.remem.doctor().findings if finding.check == "stale"]

    def nodes(self, source: str, kind: str | None = None) -> list[Node]:
        """The nodes of a file in order."""
        return [node for node in self.export.nodes if node.source == source and kind in (None, node.kind)]

    def texts(self, source: str, kind: str) -> list[str]:
        """The contents of the nodes of one kind."""
        return [node.content for node in self.nodes(source, kind)]

    def outline(self, source: str) -> list[str]:
        """The tree of a file: a line for each node, kind and label, indented by depth."""
        return [f"{'  ' * node.depth}{node.kind} {node.label}".rstrip() for node in self.nodes(source)]

    def headings(self, source: str) -> list[str]:
        """The labels of all headings of a file."""
        return [node.label for node in self.nodes(source, "heading")]

    def tags(self, source: str) -> list[str]:
        """All tags of a file."""
        return sorted(tag for node in self.nodes(source) for tag in node.tags)

    def ids(self) -> dict[str, str]:
        """The ids of all nodes, by id, with what they say: two stores of one history are compared by it."""
        return {node.id: f"{node.kind} {node.source} {node.content or node.label}" for node in self.export.nodes}

    def id_of(self, text: str) -> str:
        """The id of the one node whose content or label is this."""
        found = [node.id for node in self.export.nodes if text in (node.content, node.label)]
        assert len(found) == 1, (text, found)
        return found[0]


def plain_bytes(data: bytes) -> bytes:
    """A file as it is given back: no byte order mark, lines ended by LF, U+FFFD for NUL and what is not UTF-8."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text.encode()


def show_edge(edge: Edge, nodes: Mapping[str, Node]) -> str:
    """One edge in a line."""
    parts = [f"{nodes[edge.source_id].source} -> {show_place(nodes[edge.target_id], nodes)}"]
    parts += [edge.relationship_type] if edge.relationship_type != "references" else []
    parts += [f"w={edge.weight:g}"] if edge.weight != 1 else []
    parts += [f"x{edge.links}"] if edge.links != 1 else []
    parts += ["?"] if edge.ambiguous else []
    return " ".join(parts)


def show_place(node: Node, nodes: Mapping[str, Node]) -> str:
    """Where an edge leads: the file where it is a document or its title heading, else `file#label`."""
    parent = nodes.get(node.parent_id or "")
    is_title = node.kind == "heading" and parent is not None and parent.kind == "document" and node.content[1:2] == " "
    if node.kind == "document" or (is_title and parent is not None and parent.label == node.label):
        return node.source
    return f"{node.source}#{node.label}"


def show_pending(edge: PendingEdge) -> str:
    """One waiting hint in a line."""
    text = f"{edge.path}: {edge.label}" + (f"#{edge.anchor}" if edge.anchor else "")
    text += f"; source={edge.source}" if edge.source else ""
    text += f"; id={edge.id}" if edge.id else ""
    return text + (f"; w={edge.weight:g}" if edge.weight != 1 else "")


def codes(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    """Diagnostics in short: `x.md:3 code`."""
    return [f"{found.source}:{found.line} {found.code}" for found in diagnostics]


def is_case_sensitive(folder: Path) -> bool:
    """Whether the disk tells upper from lower case."""
    (folder / "case").touch()
    return not os.path.exists(folder / "CASE")
