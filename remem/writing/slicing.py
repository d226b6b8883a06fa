"""Slicing: in which parts the files of a large compile are written. Looks at sizes and names, reads nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from remem.records import SourceFile

STRETCH = 4
"""What belongs together may be so many times as great as a part."""


def slice_files(
    files: Sequence[SourceFile], limit: int, first: Set[str], groups: Mapping[str, int] | None = None
) -> Iterator[tuple[SourceFile, ...]]:
    """Parts of at most `limit` bytes (0: no limit); one part even where there is nothing.

    All files named by `first`, which may name others, stand in the first part, whatever their size. `groups` are the
    numbers of what belongs together, by source: such files stand in one part, unless they are much greater than it may
    be, and in the first one if it has one of them.
    """
    groups = groups or {}
    drawn = {groups[source] for source in first if source in groups}
    part = [file for file in files if file.source in first or groups.get(file.source) in drawn]
    chosen = {file.source for file in part}
    size = _measure(part)
    for cluster in _gather([file for file in files if file.source not in chosen], limit, groups):
        added = _measure(cluster)
        if limit and part and size + added > limit:
            yield tuple(part)
            part, size = [], 0
        part += cluster
        size += added
    yield tuple(part)


def _gather(files: Sequence[SourceFile], limit: int, groups: Mapping[str, int]) -> Iterator[Sequence[SourceFile]]:
    """The files by group, each where its first file stands; alone, where they have none or it is too great."""
    gathered: dict[int, list[SourceFile]] = {}
    for file in files:
        if file.source in groups:
            gathered.setdefault(groups[file.source], []).append(file)
    great = {number for number, group in gathered.items() if limit and _measure(group) > STRETCH * limit}
    for file in files:
        number = groups.get(file.source)
        if number is None or number in great:
            yield [file]
        elif gathered[number][0] is file:
            yield gathered[number]


def _measure(files: Sequence[SourceFile]) -> int:
    return sum(file.stat.size for file in files)
