"""The index of the whole store, documents and sections alone, all of it: read in one pass over the nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remem.ingest.labels import find_label
from remem.records import Heat, TreeLine
from remem.rendering.tree import Branch, render_index
from remem.storage import outline
from remem.storage.outline import SectionRow
from remem.storage.sizes import Span, sum_nodes, sum_sections, sum_tokens
from remem.usage.temperature import Thermometer

if TYPE_CHECKING:
    from sqlite3 import Connection

_COLD = Heat()


def list_sections(connection: Connection, depth: int, thermometer: Thermometer) -> list[TreeLine]:
    """The lines in order of root, source and place, down to `depth`. About six microseconds a line."""
    rows = outline.load_sections(connection)
    rows.sort()
    heats = thermometer(connection, [row[3] for row in rows])
    totals = _sum_up(connection, rows)
    places = outline.load_places(connection)
    starts = sorted(
        (*places.get(row[3], ("", "")), row[5], number) for number, row in enumerate(rows) if row[4] is None
    )
    lines: list[TreeLine] = []
    for root, source, _, start in starts:
        lines += _list_document(rows, start, (root, source), depth, heats, totals)
    return lines


def _sum_up(connection: Connection, rows: Sequence[SectionRow]) -> dict[int, int]:
    """The tokens of each row with all below it. Rows stand in the order of the texts, all of the store."""
    totals = sum_sections(connection)
    keys = {row[3] for row in rows}
    if any(row[4] is not None and row[4] not in keys for row in rows) or not totals.keys() <= keys:
        return sum_tokens(connection, [Span(row[3], *row[:3]) for row in rows])  # a section lies in what is none
    # What stands under a title heading counts for its document: the heading has all but what stands before it.
    lasts = {row[0]: row[2] for row in rows if row[4] is None}
    untold = [Span(row[3], *row[:3]) for row in rows if row[3] not in totals]
    titles = [span for span in untold if span.document in totals and span.last == lasts[span.document]]
    others = sum_tokens(connection, sorted(set(untold).difference(titles)))
    for row in reversed(rows):
        if row[4] is not None:
            totals[row[4]] = totals.get(row[4], 0) + totals.get(row[3], 0)
    own = {row[0]: row[7] for row in rows if row[4] is None}
    before = {span.key: own[span.document] for span in titles if span.position == 1}
    far = [span._replace(position=0, last=span.position - 1) for span in titles if span.position > 1]
    before |= sum_nodes(connection, far) if far else {}
    told = {span.key: totals[span.document] - before.get(span.key, 0) for span in titles}
    return totals | told | others


def _list_document(
    rows: Sequence[SectionRow],
    start: int,
    place: tuple[str, str],
    depth: int,
    heats: Mapping[int, Heat],
    totals: Mapping[int, int],
) -> list[TreeLine]:
    """The lines of the document whose first row has that number. What lies in a node that is no section is left out."""
    document = rows[start][0]
    above: dict[int | None, tuple[int, str | None]] = {None: (0, None)}
    lines: list[TreeLine] = []
    hidden: Counter[int] = Counter()
    for number in range(start, len(rows)):
        of, _, _, key, parent, id, kind, tokens, label, opening = rows[number]
        if of != document:
            break
        if parent not in above:
            continue
        level, parent_id = above[parent]
        above[key] = level + 1, id
        if level > depth:
            hidden[len(lines) - 1] += 1
            continue
        shown = find_label(label, kind, opening)
        heat, total = heats.get(key, _COLD), totals.get(key, tokens)
        lines.append(TreeLine(id, kind, shown, *place, parent_id, level, tokens, 0, *heat, total))
    for index, count in hidden.items():
        lines[index] = lines[index]._replace(hidden=count)
    return lines


def print_sections(lines: Sequence[TreeLine]) -> str:
    """The text of a whole index: each line says how much of what lies below it is not among the lines."""
    below = [0] * len(lines)
    open_at: Counter[int] = Counter()
    for number in range(len(lines) - 1, -1, -1):
        depth = lines[number].depth
        below[number] = lines[number].hidden + open_at.pop(depth + 1, 0)
        open_at[depth] += below[number]
    return render_index(Branch(line, count, None) for line, count in zip(lines, below, strict=True))
