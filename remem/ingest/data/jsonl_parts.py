"""JSON Lines to parts: each line is a record of its own, and what is wrong with one costs the others nothing."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from remem.ingest.data.json_parts import JsonScanner
from remem.ingest.data.names import find_name, split_values, tag_record
from remem.ingest.data.parts import NAME_KEYS, Part, Report, Scan
from remem.ingest.rows import Tagged
from remem.ingest.tokens import fits_limit


def scan_jsonl(text: str, report: Report, limit: int) -> Scan:
    """A part for each line that is not blank. Those of more than `limit` tokens are taken apart."""
    parts: list[Part] = []
    tags: list[Tagged] = []
    for start, end in _find_lines(text):
        line = text[start:end]
        record = _load_record(line) if "[[" not in line and (end - start <= limit or fits_limit(line, limit)) else None
        if record is None:
            parts.append(_scan_line(text, start, end, report))
            tags += tag_record(parts[-1])
            continue
        part = Part("map" if isinstance(record, dict) else "scalar", start, end)
        if isinstance(record, dict):
            part.name = next((str(record[key]) for key in NAME_KEYS if isinstance(record.get(key), (str, int))), None)
            tags += [(start, tag) for tag in _find_tags(record)]
        parts.append(part)
    return Scan("records", parts, tags)


def _find_lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if not text[start:end].isspace() and end > start:
            yield start, end
        start = end + 1


def _load_record(line: str) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _scan_line(text: str, start: int, end: int, report: Report) -> Part:
    scanner = JsonScanner(text, start, end, report, each=True)
    values = scanner.scan()
    if scanner.is_broken or len(values) != 1:
        if not scanner.is_broken:
            report.add_problem(start, "data-invalid", "a line that is not one JSON value", again=True)
        return Part("code", start, end)
    part = values[0]
    part.name = find_name(part)
    return part


def _find_tags(record: dict[str, object]) -> list[str]:
    found: list[str] = []
    for key in ("tag", "tags"):
        value = record.get(key)
        if isinstance(value, str):
            found += split_values([value], is_list=False)
        elif isinstance(value, list):
            found += split_values([item for item in value if isinstance(item, str)], is_list=True)
    return found
