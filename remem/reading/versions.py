"""Pages of the version trail: snapshots, what changed since one, the differences between two, the history of a node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remem.checks import check_text
from remem.errors import NotFoundError
from remem.ingest.labels import block_label
from remem.limits import LONGEST_REFERENCE
from remem.reading import find
from remem.reading.cursors import mark_request, read_cursor, write_cursor
from remem.reading.gone import find_gone
from remem.reading.net import NetChange, list_net_changes
from remem.reading.pages import Listing, limit_items, make_page, take_items
from remem.reading.states import (
    MOST_SNAPSHOTS,
    find_newest,
    get_snapshot,
    load_states,
    resolve_texts,
)
from remem.records import (
    ChangeKind,
    ChangeRow,
    HistoryEntry,
    NodeChange,
    NodeDiff,
    NodeState,
    Page,
    PageRequest,
    Presence,
    SnapshotLine,
)
from remem.rendering.versions import PURGED, render_change, render_diff, render_entry, render_snapshot
from remem.storage import states as state_rows
from remem.versioning.diffs import diff_texts
from remem.versioning.states import find_presence, is_purged, state_before

if TYPE_CHECKING:
    from sqlite3 import Connection

NOTHING_CHANGED = "nothing changed"
NO_SNAPSHOT = "nothing was ever stored"
_REVERSED: dict[ChangeKind, ChangeKind] = {"add": "rem", "rem": "add"}
_DETAILS = {"archive": "archive", "unarchive": "unarchive", "discard": "delete", "restore": "archive"}
_KINDS: dict[str, ChangeKind] = {
    "add": "add",
    "unarchive": "add",
    "rem": "rem",
    "archive": "rem",
    "discard": "rem",
    "restore": "rem",
    "move": "move",
}


# --- snapshots --------------------------------------------------------------------------------------------------------


def page_snapshots(connection: Connection, limit: int, request: PageRequest) -> Page[SnapshotLine]:
    """A page of at most `limit` snapshots, newest first. Raises InvalidInputError for a cursor of another request."""
    mark = mark_request("snapshots")
    newest = find_newest(connection)
    before = MOST_SNAPSHOTS if request.cursor is None else read_cursor(mark, request.cursor, 1)[0]
    rest = min(newest, before - 1)
    items = state_rows.list_snapshots(connection, before, min(limit, limit_items(request.budget) or limit))

    def follow(number: int) -> str:
        return write_cursor(mark, (items[number].id,))

    return make_page(Listing(items, max(rest, 0), newest, render_snapshot, follow, NO_SNAPSHOT), request.budget)


# --- between two snapshots --------------------------------------------------------------------------------------------


def page_delta(connection: Connection, since: object, request: PageRequest) -> Page[NodeChange]:
    """A page of what changed since a snapshot. Later pages tell of the same span as the first.

    Raises InvalidInputError, NotFoundError for a snapshot that there is not.
    """
    start = get_snapshot(connection, "since", since)
    newest = find_newest(connection)
    mark = mark_request("delta", start)
    until, skipped = (newest, 0) if request.cursor is None else read_cursor(mark, request.cursor, 2)
    net = [] if until > newest else list_net_changes(connection, start, until)
    visible = state_rows.find_visible(connection, [change.key for change in net if change.op != "rem"])
    # What has expired is not served, though the history has it living. Cursors count it, for it may expire meanwhile.
    served = [number for number, c in enumerate(net, 1) if c.op == "rem" or until < newest or c.key in visible]
    rest = [number for number in served if number > skipped]
    shown = take_items([net[number - 1] for number in rest], 0, request.budget)
    texts = resolve_texts(connection, {change.key: change.new for change in shown if change.op != "rem"})
    items = _tell_changes(connection, shown, texts)

    def follow(number: int) -> str:
        return write_cursor(mark, (until, rest[number]))

    listing = Listing(items, len(rest), len(served), render_change, follow, NOTHING_CHANGED)
    return make_page(listing, request.budget)


def _tell_changes(
    connection: Connection, changes: Sequence[NetChange], texts: dict[int, str | None]
) -> list[NodeChange]:
    ids = state_rows.load_ids(connection, [change.key for change in changes])
    labels = _load_labels(connection, changes, texts)
    return [
        NodeChange(
            change.op, ids.get(change.key, ""), (change.old if change.op == "rem" else change.new).kind,
            labels[change.key], change.root, change.source, texts[change.key] if change.op != "rem" else "",
            change.archived,
        )
        for change in changes
    ]  # fmt: skip


def tell_changes(connection: Connection, changes: Sequence[NetChange]) -> list[NodeChange]:
    """The changes as callers see them, without what the nodes say."""
    texts: dict[int, str | None] = {change.key: "" for change in changes if change.op != "rem"}
    return _tell_changes(connection, changes, texts)


def _load_labels(connection: Connection, changes: Sequence[NetChange], texts: dict[int, str | None]) -> dict[int, str]:
    """The labels of the nodes, those of what is gone included; "(purged)" where nothing is left to make one of."""
    states = {change.key: change.old if change.op == "rem" else change.new for change in changes}
    missing = {key: state for key, state in states.items() if state.label is None and not texts.get(key)}
    found = {**texts, **resolve_texts(connection, missing)}
    return {key: make_label(state, found.get(key)) for key, state in states.items()}


def make_label(state: NodeState, text: str | None) -> str:
    """The label of a node as it was."""
    if state.label is not None:
        return state.label
    return PURGED if text is None else block_label(state.kind, text)


def page_diff(connection: Connection, a: object, b: object, request: PageRequest) -> Page[NodeDiff]:
    """A page of the differences from snapshot `a` to `b`, whichever is the later one. Raises as `page_delta`."""
    first, second = get_snapshot(connection, "a", a), get_snapshot(connection, "b", b)
    mark = mark_request("diff", first, second)
    skipped = 0 if request.cursor is None else read_cursor(mark, request.cursor, 1)[0]
    changes = list_net_changes(connection, min(first, second), max(first, second))
    if first > second:
        changes = [_reverse(change) for change in changes]
    items = _tell_diffs(connection, take_items(changes, skipped, request.budget), first, second)

    def follow(number: int) -> str:
        return write_cursor(mark, (skipped + number + 1,))

    listing = Listing(
        items, max(len(changes) - skipped, 0), len(changes), render_diff, follow, NOTHING_CHANGED
    )  # fmt: skip
    return make_page(listing, request.budget)


def _reverse(change: NetChange) -> NetChange:
    return change._replace(op=_REVERSED.get(change.op, change.op), old=change.new, new=change.old)


def _tell_diffs(connection: Connection, changes: Sequence[NetChange], a: int, b: int) -> list[NodeDiff]:
    old = resolve_texts(connection, {change.key: change.old for change in changes if change.op != "add"})
    new = resolve_texts(connection, {change.key: change.new for change in changes if change.op != "rem"})
    told = tell_changes(connection, changes)
    diffs = []
    for change, line in zip(changes, told, strict=True):
        before, after = old.get(change.key), new.get(change.key)
        purged = (before is None and change.op != "add") or (after is None and change.op != "rem")
        diff = "" if purged else diff_texts(line.id, before or "", after or "", a, b)
        diffs.append(
            NodeDiff(line.op, line.id, line.kind, line.label, line.root, line.source, before, after, diff, purged)
        )
    return diffs


# --- one node ---------------------------------------------------------------------------------------------------------


def find_any_key(connection: Connection, reference: object) -> int:
    """The key of the node that has, or had, an id, or of the living one of a label.

    Raises InvalidInputError, NotFoundError, AmbiguousError.
    """
    text = check_text("node", reference, longest=LONGEST_REFERENCE)
    key = state_rows.find_key(connection, text)
    return find.get_node(connection, text).key if key is None else key


def find_past_key(connection: Connection, reference: object) -> int:
    """The same, or else of a node that is gone by what it was called or where its file stood. Raises as that."""
    try:
        return find_any_key(connection, reference)
    except NotFoundError:
        key = find_gone(connection, str(reference).strip())
        if key is None:
            raise
        return key


def page_history(connection: Connection, reference: object, request: PageRequest) -> Page[HistoryEntry]:
    """A page of the changes of a node, newest first; one that is gone or archived too. In time proportional to its own
    changes. Raises as `find_any_key`."""
    key = find_past_key(connection, reference)
    rows = state_rows.load_node_changes(connection, key, find_newest(connection))
    mark = mark_request("history", key)
    if request.cursor is not None:
        (before,) = read_cursor(mark, request.cursor, 1)
    else:
        before = MOST_SNAPSHOTS
    left = [number for number in range(len(rows) - 1, -1, -1) if rows[number].snapshot < before]
    items = _tell_entries(connection, key, rows, take_items(left, 0, request.budget))

    def follow(number: int) -> str:
        return write_cursor(mark, (items[number].snapshot,))

    return make_page(Listing(items, len(left), len(rows), render_entry, follow, NO_SNAPSHOT), request.budget)


def _tell_entries(
    connection: Connection, key: int, rows: Sequence[ChangeRow], numbers: Iterable[int]
) -> list[HistoryEntry]:
    presence: Presence = find_presence(rows[-1].op) if rows else "absent"
    present = load_states(connection, {key: presence}, MOST_SNAPSHOTS - 1)[key]
    states = {number: state_before(row) for number, row in enumerate(rows)} | {len(rows): present}
    numbers = list(numbers)
    shown = {number for one in numbers for number in (one, one + 1)}
    texts = resolve_texts(connection, {n: states[n] for n in shown if states[n].presence != "absent"}, key)
    stamps = state_rows.load_stamps(connection, [rows[number].snapshot for number in numbers])
    return [
        _tell_entry(rows[number], stamps[rows[number].snapshot], (states[number], states[number + 1]),
                    (texts.get(number), texts.get(number + 1)))
        for number in numbers
    ]  # fmt: skip


def _tell_entry(
    row: ChangeRow, stamp: state_rows.Stamp, states: tuple[NodeState, NodeState], texts: tuple[str | None, str | None]
) -> HistoryEntry:
    old, new = states
    op = _KINDS.get(row.op, "mod")
    last, text = (new, texts[1]) if new.presence != "absent" else (old, texts[0])
    return HistoryEntry(
        row.snapshot, stamp.created_at, stamp.message, op, _DETAILS.get(row.op, op), make_label(last, text),
        None if op == "add" else texts[0], None if op == "rem" else texts[1], last.tags,
        is_purged(old) or is_purged(new),
    )  # fmt: skip
