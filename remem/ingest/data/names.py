"""What the parts of a data file are called: labels by the path of keys, names of items, and what the keys of the first
level say about the document or the record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from remem.ingest.data.parts import NAME_KEYS, Part, Report, Scan
from remem.ingest.entries import Entry, Said, read_entries, split_tags
from remem.ingest.labels import MAX_LABEL, cut_label
from remem.ingest.links import Problems
from remem.ingest.rows import Tagged

_TITLES = ("title", "name")
_SAYING = frozenset((*_TITLES, "alias", "aliases", "tag", "tags"))


def find_name(part: Part) -> str | None:
    """What an item of a list calls itself; None where it has no such key."""
    if part.name is not None or part.kind != "map":
        return part.name
    found = {child.key.lower(): child.value for child in reversed(part.children) if child.key and child.value}
    return next((found[key] for key in NAME_KEYS if key in found and found[key].strip()), None)


def label_part(part: Part, path: str) -> str:
    """`server.port` for a key, `servers[web-1]` for an item of a list, `servers[]` for one without a name. Empty where
    it has neither path nor name: then the label follows from the content."""
    if part.key is not None and part.name is not None:
        path, key = (f"{path}.{part.key}" if path else part.key), f"{part.key}[{part.name}]"
        return _cut_path(f"{path}[{part.name}]", key)
    if part.key is not None:
        return _cut_path(f"{path}.{part.key}" if path else part.key, part.key)
    name = find_name(part)
    if name is None:
        return f"{path}[]" if path and len(path) <= MAX_LABEL - 2 else path
    return _cut_path(f"{path}[{name}]" if path else name, name)


def label_group(parts: Sequence[Part], path: str) -> str:
    """`server: port, host` for keys that make one node together."""
    keys = [part.key for part in parts if part.key is not None]
    if len(parts) == 1 or not keys:
        return label_part(parts[0], path)
    names = cut_label(", ".join(keys[:MAX_LABEL]))
    return cut_label(f"{path}: {names}") if path else names


def _cut_path(path: str, last: str) -> str:
    """The path; where it is too long, its end: what the part itself is called."""
    path = " ".join(path.split())
    if len(path) <= MAX_LABEL:
        return path
    kept = " ".join(last.split())
    return "…" + kept if len(kept) < MAX_LABEL else cut_label(kept)


def tag_record(part: Part) -> list[Tagged]:
    """The tags that a record gives itself, at its start."""
    found: list[str] = []
    for child in part.children:
        if child.key is not None and child.key.lower() in ("tag", "tags"):
            found += split_values(list_values(child), is_list=child.kind == "list")
    return [(part.start, tag) for tag in found]


def split_values(values: Iterable[str], *, is_list: bool) -> list[str]:
    """The tags in strings, without empty ones."""
    return [tag for value in values for tag in split_tags(value, is_list) if tag]


def list_values(part: Part) -> list[str]:
    """The texts of a scalar or of the items of a list, without empty ones."""
    parts = part.children if part.kind == "list" else [part]
    return [item.value for item in parts if item.value is not None and item.value.strip()]


def read_document(scan: Scan, report: Report) -> Said:
    """Title, aliases and tags of the document, from the keys of its first level; nothing where it has none."""
    if scan.kind != "map":
        return Said()
    entries: dict[str, Entry] = {}
    for part in scan.parts:
        key = part.key.casefold() if part.key is not None else ""
        if key in _SAYING and part.kind != "map" and not (key in _TITLES and part.kind == "list"):
            entry = Entry(key, report.find_line(part.start), is_list=part.kind == "list")
            entry.values = list_values(part)
            entries[key] = entry
    problems: Problems = []
    said = read_entries(entries.values(), problems, prefix="data", titles=_TITLES)
    report.problems += problems
    return said
