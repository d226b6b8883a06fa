"""Small trees for the tests of matching, written one block a line, and what became of them. No Markdown is parsed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import count

from remem import ids
from remem.matching.diff import match_documents
from remem.records import Matching, NewDocument, OldDocument, OldNode, ParsedDocument, ParsedNode, RemovedRow

SIGNS = {"- ": "list", "| ": "table", "> ": "quote", "`": "code", "---": "kv", "![[": "embed"}

Files = Mapping[str, str]


def parse_lines(source: str, text: str) -> ParsedDocument:
    """One node for each line: `# ` to `###### ` open sections, a sign of SIGNS gives the kind, all else is text."""
    rows: list[list[object]] = [["document", "", source.rsplit("/", 1)[-1], -1]]
    open_at = [(0, 0)]
    for line in text.split("\n") if text else ():
        level = len(match[1]) if (match := re.match(r"(#+) ", line)) else 0
        while level and open_at[-1][0] >= level:
            open_at.pop()
        kind = "heading" if level else next((SIGNS[sign] for sign in SIGNS if line.startswith(sign)), "text")
        rows.append([kind, line.strip(), line.lstrip("# ") if level else "", open_at[-1][1]])
        if level:
            open_at.append((level, len(rows) - 1))
    return ParsedDocument(source, "markdown", build_nodes(rows), "", None, (), ())


def build_nodes(rows: Sequence[Sequence[object]]) -> tuple[ParsedNode, ...]:
    """Nodes of (kind, content, label, parent), with the last descendants filled in."""
    lasts = list(range(len(rows)))
    parents = [int(str(row[3])) for row in rows]
    for index in range(len(rows) - 1, 0, -1):
        lasts[parents[index]] = max(lasts[parents[index]], lasts[index])
    return tuple(
        ParsedNode(str(row[0]), str(row[1]), str(row[2]), parents[index], lasts[index])
        for index, row in enumerate(rows)
    )


def hash_file(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def make_old(files: Files, first: int = 1) -> list[OldDocument]:
    """Stored documents with the keys first, first + 1, ... in order."""
    keys = count(first)
    documents = []
    for source, text in files.items():
        nodes = [
            OldNode(next(keys), node.kind, node.label, node.content, node.parent, node.last, node.piece)
            for node in parse_lines(source, text).nodes
        ]
        documents.append(OldDocument(nodes[0].key, "notes", source, nodes[0].label, hash_file(text), nodes))
    return documents


def make_new(files: Files) -> list[NewDocument]:
    return [NewDocument(source, hash_file(text), parse_lines(source, text)) for source, text in files.items()]


def name_nodes(old: Sequence[OldDocument]) -> dict[int, str]:
    """What tests call old nodes: a document by its source, others by their content, with ~2, ~3 ... for repeats."""
    names: dict[int, str] = {}
    seen: dict[str, int] = {}
    for document in old:
        for node in document.nodes:
            name = node.content or document.source
            seen[name] = seen.get(name, 0) + 1
            names[node.key] = name if seen[name] == 1 else f"{name}~{seen[name]}"
    return names


def follow(old: Files, new: Files) -> dict[str, list[str | None]]:
    """For each new file what its nodes were before, the document itself first."""
    before = make_old(old)
    names = name_nodes(before)
    matching = match_documents(before, make_new(new))
    return {
        source: [None if key is None else names[key] for key in keys]
        for source, keys in zip(new, matching.nodes, strict=True)
    }


def follow_file(old: str, new: str) -> list[str | None]:
    """The same for one file, without its document node."""
    return follow({"a.md": old}, {"a.md": new})["a.md"][1:]


def remove(files: Files, first: int = 1) -> list[RemovedRow]:
    """The rows that are left when whole files of the root `notes` are gone."""
    rows = []
    for document in make_old(files, first):
        paths: list[tuple[str, ...]] = []
        for position, node in enumerate(document.nodes):
            above = document.nodes[node.parent]
            path = paths[node.parent] if position else ()
            paths.append((*path, above.label) if position and above.kind == "heading" else path)
            hashes = ids.text_hash(node.content), ids.path_hash(paths[-1])
            parent = above.key if position else None
            rows.append(
                RemovedRow(
                    node.key, "", node.kind, node.label, hashes[0], 0, document.key, parent, position,
                    document.root, document.source, hashes[1], 1,
                )
            )  # fmt: skip
    return rows


def match_nothing(new: Sequence[NewDocument]) -> Matching:
    """What matching gives where no old document is left."""
    return Matching({}, [[None] * len(document.parsed.nodes) for document in new])
