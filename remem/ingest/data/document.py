"""Data files (YAML, JSON, JSON Lines, TOML) to parsed documents: trees of keys, each node a slice of the text. It
resolves and stores nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import PurePosixPath

from remem.ingest.data.json_parts import scan_json, show_escapes
from remem.ingest.data.jsonl_parts import scan_jsonl
from remem.ingest.data.names import read_document, tag_record
from remem.ingest.data.parts import Part, Report, Scan
from remem.ingest.data.rows import DataWriter
from remem.ingest.data.toml_parts import scan_toml
from remem.ingest.data.yaml_parts import scan_yaml
from remem.ingest.rows import RowWriter
from remem.ingest.split import find_raw_links
from remem.records import Diagnostic, ParsedDocument, ParsedNode

_BETWEEN = re.compile(r"[\s,:{}\[\]\-.]*")
"""What may stand between nodes: nothing that anybody would look for."""


def parse_yaml(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """The keys of a YAML file as `kv` nodes. Never raises; linear in the text.

    `text`, `max_tokens` and `previous` are those of `markdown.parse_markdown`. What cannot be read is `code`.
    """
    return _parse("yaml", source, text, max_tokens, previous, scan_yaml)


def parse_json(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """The keys of a JSON file as `kv` nodes, escapes of what can be seen as characters; otherwise like `parse_yaml`."""
    return _parse("json", source, show_escapes(text), max_tokens, previous, scan_json)


def parse_jsonl(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """The lines of a JSON Lines file as `kv` nodes, each a section; otherwise like `parse_json`."""
    scan = partial(scan_jsonl, limit=max_tokens)
    return _parse("jsonl", source, show_escapes(text), max_tokens, previous, scan)


def parse_toml(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """The keys and tables of a TOML file as `kv` nodes; otherwise like `parse_yaml`."""
    return _parse("toml", source, text, max_tokens, previous, scan_toml)


def _parse(
    format: str,
    source: str,
    text: str,
    max_tokens: int,
    previous: Sequence[Sequence[str]],
    scan_text: Callable[[str, Report], Scan],
) -> ParsedDocument:
    report = Report(text)
    scan = scan_text(text, report) if text.strip() else Scan("scalar", [])
    said = read_document(scan, report)
    nodes, tail = _write_nodes(scan, text, max_tokens, previous, report)
    if not _BETWEEN.fullmatch("".join([*(node.gap for node in nodes), tail])):
        scan = Scan("scalar", [Part("code", 0, len(text))])
        nodes, tail = _write_nodes(scan, text, max_tokens, previous, report)
    title = said.title or PurePosixPath(source).stem
    nodes[0] = nodes[0]._replace(label=title, tags=said.tags)
    diagnostics = tuple(Diagnostic(source, *problem) for problem in report.list_problems())
    return ParsedDocument(source, format, tuple(nodes), tail, None, said.aliases, diagnostics)


def _write_nodes(
    scan: Scan, text: str, limit: int, previous: Sequence[Sequence[str]], report: Report
) -> tuple[list[ParsedNode], str]:
    links = sorted(report.links, key=lambda found: found.start)
    spans = find_raw_links(text) if links else []
    tags = scan.tags
    if scan.kind == "list":
        tags = [tag for part in scan.parts for tag in tag_record(part)]
    writer = RowWriter(text, limit, previous, links, tags, spans)
    DataWriter(writer, text, limit).add_scan(scan)
    return writer.finish()
