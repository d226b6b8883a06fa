"""What front matter and data files say about their document: title, aliases, tags, by the keys of the first level. How
these keys are read is decided elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from remem.ingest.links import Problems
from remem.ingest.tags import drop_repeats

_BREAKS = re.compile(r"[,\s]+")


class Entry:
    """A key of the first level and what its value holds.

    `texts` are all texts with their lines, those in maps too, and True for `[[text]]` written without quotes. `values`
    are the value or the items of the list that it is, without empty ones.
    """

    __slots__ = ("has_map", "is_list", "key", "line", "texts", "values")

    def __init__(self, key: str, line: int, *, is_list: bool = False) -> None:
        self.key = key
        self.line = line
        self.is_list = is_list
        self.has_map = False
        self.texts: list[tuple[str, int, bool]] = []
        self.values: list[str] = []
        if "[[" in key:
            self.texts.append((key, line, False))


class Said(NamedTuple):
    """`title` is None where it is missing or empty; `tags` come without `#`."""

    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def read_entries(entries: Iterable[Entry], problems: Problems, *, prefix: str, titles: Iterable[str]) -> Said:
    """What the entries say, keys in any case of letters, the last of repeated ones. `titles` are the keys of a title,
    the first that says one counts; `prefix` is that of the codes of problems. One string of aliases is split at commas,
    one of tags also at white space."""
    chosen = _choose_entries(entries, problems, prefix)
    found = (_find_title(chosen.get(key), problems, prefix) for key in titles)
    return Said(
        next((title for title in found if title), None),
        _find_values([chosen.get("alias"), chosen.get("aliases")], _split_aliases, problems, prefix),
        _find_values([chosen.get("tag"), chosen.get("tags")], split_tags, problems, prefix),
    )


def _choose_entries(entries: Iterable[Entry], problems: Problems, prefix: str) -> dict[str, Entry]:
    """The entries by key without regard to case, the last of repeated ones."""
    chosen: dict[str, Entry] = {}
    for entry in entries:
        key = entry.key.casefold()
        if key and key in chosen:
            message = f"the key {entry.key[:40]!r} stands here again; the last one counts"
            problems.append((entry.line, f"{prefix}-repeated-key", message))
        chosen[key] = entry
    return chosen


def _find_title(entry: Entry | None, problems: Problems, prefix: str) -> str | None:
    if entry is None:
        return None
    if entry.is_list or entry.has_map:
        problems.append((entry.line, f"{prefix}-value", "the title is a list or a map and is left out"))
        return None
    return " ".join(" ".join(entry.values).split()) or None


def _find_values(
    entries: list[Entry | None], split: Callable[[str, bool], list[str]], problems: Problems, prefix: str
) -> tuple[str, ...]:
    found: list[str] = []
    for entry in filter(None, entries):
        if entry.has_map:
            problems.append((entry.line, f"{prefix}-value", f"a map in {entry.key[:40]!r} is left out"))
        for value in entry.values:
            found += split(value, entry.is_list)
    return tuple(drop_repeats(filter(None, found)))


def _split_aliases(value: str, is_item: bool) -> list[str]:
    return [value.strip()] if is_item else [part.strip() for part in value.split(",")]


def split_tags(value: str, is_item: bool) -> list[str]:
    """The tags in one string: at commas, and unless it is an item of a list at white space too. Some may be empty."""
    parts = value.split(",") if is_item else _BREAKS.split(value)
    return [part.strip().lstrip("#").strip() for part in parts]
