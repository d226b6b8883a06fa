"""Tools of the tree family on what was: what changed, the history of a node, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.faces import wire
from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.parameters import ANCHOR, CURSOR, budget_parameter
from remem.faces.mcp.tools import Answer, Arguments, Tool, ToolCall, describe_output, show_page, take_first
from remem.ingest.tokens import fits_limit
from remem.rendering.budget import shorten_text
from remem.rendering.lines import show_label, show_name, show_place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from remem.records import NodeChange, RollbackReport

BUDGET = 2000
LONGEST_TEXT = 1200
"""So many characters of a text stand in the JSON where many are listed."""
MOST_CHANGES = 20


async def read_delta(call: ToolCall, given: Arguments) -> Answer:
    """What changed since a snapshot."""
    page = await call.remem.delta(given["since_snapshot"], given["budget"], given["cursor"])
    data = wire.show_delta(page.items)
    shorten_texts(data["changes"], ("content",), given["budget"])
    return show_page(page, data)


async def read_diff(call: ToolCall, given: Arguments) -> Answer:
    """What changed between two snapshots. The texts before and after stand in the diffs."""
    page = await call.remem.diff(given["from"], given["to"], given["budget"], given["cursor"])
    data = wire.show_diff(page.items)
    shorten_texts(data["changes"], ("diff",), given["budget"], drop=("before", "after"))
    return show_page(page, data)


async def read_history(call: ToolCall, given: Arguments) -> Answer:
    """The changes of one node."""
    page = await call.remem.history(given["anchor"], given["budget"], given["cursor"])
    data = wire.show_history(page.items)
    shorten_texts(data["history"], ("before", "after"), given["budget"])
    return show_page(page, data)


def shorten_texts(items: object, names: Iterable[str], budget: int, drop: Iterable[str] = ()) -> None:
    """Cuts long texts of the items, which then say `truncated`; so no item says more than a page of the budget may."""
    assert isinstance(items, list)
    for item in items:
        for name in drop:
            del item[name]
        for name in names:
            text = item[name]
            if text is not None and (len(text) > LONGEST_TEXT or not fits_limit(text, budget)):
                item[name], item["truncated"] = shorten_text(text[:LONGEST_TEXT], budget), True


async def roll_back(call: ToolCall, given: Arguments) -> Answer:
    """Takes something back to what it was, or tells what that would change."""
    report = await call.remem.rollback(given["snapshot_id"], given["scope"], dry_run=given["dry_run"])
    data = wire.show_rollback(report)
    data["changes"] = take_first(data["changes"], MOST_CHANGES)
    data["changes_left_out"] = max(len(report.changes) - MOST_CHANGES, 0)
    data["renamed"] = take_first(data["renamed"], MOST_CHANGES)
    data["held"] = take_first(data["held"], MOST_CHANGES)
    return Answer(tell_rollback(report), data)


def tell_rollback(report: RollbackReport) -> str:
    """What a rollback did or would do, with the first nodes and files concerned."""
    counts = ", ".join(f"{getattr(report, name)} {name}" for name in wire.FATES)
    changes = bool(report.changes or report.renamed)
    done = "done" if report.snapshot is None else f"done, snapshot {report.snapshot}"
    state = "dry run, nothing is changed; it would be" if report.dry_run else done
    if not changes:
        state = "nothing changes"
    if report.renamed:
        counts += f", {len(report.renamed)} renamed"
    lines = [f"rollback of {show_label(report.scope)} to {report.to}: {state}: {counts}"]
    lines += [_tell_change(change) for change in report.changes[:MOST_CHANGES]]
    if len(report.changes) > MOST_CHANGES:
        lines.append(f"… {len(report.changes) - MOST_CHANGES} more")
    lines += [
        f"- file {show_label(one.label)} {one.id} {show_label(one.was)} → {show_label(one.now)}"
        for one in report.renamed[:MOST_CHANGES]
    ]
    if len(report.renamed) > MOST_CHANGES:
        lines.append(f"… {len(report.renamed) - MOST_CHANGES} more")
    if report.held:
        more = f" and {len(report.held) - MOST_CHANGES} more" if len(report.held) > MOST_CHANGES else ""
        names = ", ".join(map(show_label, report.held[:MOST_CHANGES]))
        lines.append(f"files that compile leaves alone until they change: {names}{more}")
    if report.dry_run and changes:
        lines.append("the same call with dry_run false does it")
    return "\n".join(lines)


def _tell_change(change: NodeChange) -> str:
    name = show_name(change.label, change.kind, change.id)
    place = "(archived)" if change.archived else show_place(change.root, change.source)
    return f"- {change.op} {name} {place}".rstrip()


def snapshot_parameter(name: str) -> Parameter:
    """The number of a snapshot."""
    return Parameter(name, "integer", required=True)


VERSION_TOOLS = (
    Tool(
        "MemoryDelta",
        "What changed since a snapshot, with the new texts. Not for one node (MemoryHistory).",
        (snapshot_parameter("since_snapshot"), budget_parameter(BUDGET), CURSOR),
        read_delta,
        output=describe_output(changes="array", left_out="integer"),
        names={"since": "since_snapshot"},
    ),
    Tool(
        "MemoryDiff",
        "What changed between two snapshots, as diffs. Not up to now (MemoryDelta).",
        (snapshot_parameter("from"), snapshot_parameter("to"), budget_parameter(BUDGET), CURSOR),
        read_diff,
        output=describe_output(changes="array", left_out="integer"),
        names={"a": "from", "b": "to"},
    ),
    Tool(
        "MemoryHistory",
        "The changes of a node, newest first; a removed one by id. Not for its text now (MemoryFetch).",
        (ANCHOR, budget_parameter(BUDGET), CURSOR),
        read_history,
        output=describe_output(history="array", left_out="integer"),
        names={"node": "anchor"},
    ),
)
ROLLBACK_TOOL = Tool(
    "MemoryRollback",
    "Takes notes back to a snapshot; a dry run unless told otherwise. Not for one text (MemoryWrite).",
    (
        snapshot_parameter("snapshot_id"),
        Parameter("scope", "string", "notes, all, or a root, document, node or memory", default="notes"),
        Parameter("dry_run", "boolean", default=True),
    ),
    roll_back,
    changes=True,
    destroys=True,
    output=describe_output(changes="array", dry_run="boolean"),
    names={"snapshot": "snapshot_id"},
)
