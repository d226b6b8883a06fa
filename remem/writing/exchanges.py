"""Exchanges: which files of a compile in slices took text from each other, so that one slice holds both and what moved
keeps its ids. It compares lines, by their hashes; it reads the store and files, and writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from remem.records import SourceFile, SourceText
from remem.sources.read import read_source
from remem.storage import nodes as node_rows
from remem.storage.pool import Store
from remem.storage.threads import run_stoppable
from remem.writing.planning import Known, Plan
from remem.writing.slicing import slice_files

if TYPE_CHECKING:
    from sqlite3 import Connection

TELLING = 16
"""Shorter lines say nothing about where a text went."""
FEW = 8
"""A line that more files have says nothing either."""
MOST_LINES = 1_000_000
"""Where more lines are gone, all has been written anew, and the memory is needed for that."""

# What may stand before a line of a quote or list, and not in the text of its node.
_MARKS = " \t>*+-"


async def gather_exchanges(store: Store, plan: Plan, max_bytes: int, slice_bytes: int) -> Plan:
    """The plan with slices such that files that exchanged lines are in one, as far as it holds them. A plan of one
    slice, which most are, and one of new files alone stay as they are. Linear in the texts that changed."""
    if len(plan.slices) < 2:
        return plan
    lost: dict[int, str] = {}
    gone = [source for source in (*plan.vanished, *plan.elsewhere) if source in plan.known.documents]
    await store.read(_add_losses, lost, plan.known, dict.fromkeys(gone, frozenset()))
    for part in plan.slices:
        now = await run_stoppable(partial(_read_changed, plan.known, part, max_bytes))
        if now and len(lost) <= MOST_LINES:
            await store.read(_add_losses, lost, plan.known, now)
    if not lost or len(lost) > MOST_LINES:
        return plan
    files = sorted((file for part in plan.slices for file in part), key=lambda file: file.source)
    groups = await run_stoppable(partial(_group_files, lost, files, max_bytes))
    return replace(plan, slices=tuple(slice_files(files, slice_bytes, plan.first, groups))) if groups else plan


def _read_changed(
    known: Known, part: Sequence[SourceFile], max_bytes: int, is_stopped: Callable[[], bool]
) -> dict[str, Set[int]]:
    """The lines of those files that say something else than their documents, by source."""
    lines: dict[str, Set[int]] = {}
    for file in part:
        row = known.documents.get(file.source)
        if is_stopped():
            break
        if row is None or (row.size, row.mtime) == (file.stat.size, file.stat.mtime):
            continue
        found = read_source(file, max_bytes=max_bytes)
        if isinstance(found, SourceText) and found.hash != row.hash:
            lines[file.source] = _list_lines([found.text])
    return lines


def _add_losses(connection: Connection, lost: dict[int, str], known: Known, now: Mapping[str, Set[int]]) -> None:
    """Adds the lines that documents have and their files, as they are `now`, have not, each with the source that lost
    it ("": several did)."""
    trees = node_rows.load_trees(connection, [known.documents[source].node for source in now])
    for source, lines in now.items():
        was = _list_lines(row.content for row in trees[known.documents[source].node])
        for line in was - lines:
            lost[line] = "" if line in lost else source


def _group_files(
    lost: Mapping[int, str], files: Iterable[SourceFile], max_bytes: int, is_stopped: Callable[[], bool]
) -> dict[str, int]:
    """The number of its group for each source that gave a line to another one or took one."""
    takers: dict[int, list[str]] = {}
    for file in files:
        if is_stopped():
            break
        found = read_source(file, max_bytes=max_bytes)
        for line in lost.keys() & _list_lines([found.text]) if isinstance(found, SourceText) else ():
            takers.setdefault(line, []).append(file.source)
    groups: dict[str, int] = {}
    members: dict[int, list[str]] = {}
    for line, sources in takers.items():
        if lost[line] and len(sources) <= FEW:
            _join(groups, members, [lost[line], *sources])
    return groups


def _join(groups: dict[str, int], members: dict[int, list[str]], sources: Sequence[str]) -> None:
    """Puts sources and all that is with one of them into one group, the largest of them."""
    numbers = {groups[source] for source in sources if source in groups}
    number = max(numbers, key=lambda known: len(members[known]), default=len(groups))
    joined = members.setdefault(number, [])
    for added in [*(members.pop(known) for known in numbers - {number}), [s for s in sources if s not in groups]]:
        joined += added
        groups.update(dict.fromkeys(added, number))


def _list_lines(texts: Iterable[str]) -> set[int]:
    lines = (line.strip(_MARKS) for text in texts for line in text.split("\n"))
    return {hash(line) for line in lines if len(line) >= TELLING}
