"""Tools of the tree family that change something: edges, pins, compile. They also tell what became of it."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from remem.errors import NotFoundError
from remem.faces import wire
from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.parameters import NODE
from remem.faces.mcp.tools import Answer, Arguments, Report, Tool, ToolCall, describe_output
from remem.faces.running.places import find_place
from remem.records import MAX_WEIGHT, RELATIONSHIP_TYPES, CompileProgress
from remem.rendering.lines import show_count, show_label
from remem.rendering.relation import tell_relation

if TYPE_CHECKING:
    from remem.records import CompileReport, NodeUsage

MOST_DIAGNOSTICS = 20
PHASES = {"scan": 0.0, "parse": 0.0, "write": 1.0}

SOURCE = Parameter("source_id", "string", "id or label", required=True)
TARGET = Parameter("target_id", "string", "of a node that exists")
TARGET_LABEL = Parameter("target_label", "string", "or a name, resolved like a link")
TARGET_SOURCE = Parameter("target_source", "string", "its file")
ENDS = {"source": "source_id", "target": "target_id"}


async def relate(call: ToolCall, given: Arguments) -> Answer:
    """Makes or updates an edge."""
    names = {name: given[name] for name in ("target_label", "target_source", "type", "weight")}
    try:
        made = await call.remem.relate(given["source_id"], given["target_id"], **names)
    except NotFoundError as error:
        if error.facts.get("id") != given["target_id"]:
            raise
        hint = f"{error.message}. To relate to something that has no node yet, give target_label instead of target_id"
        raise NotFoundError(hint, **error.facts) from None
    return Answer(tell_relation(made), wire.show_relation(made))


async def unrelate(call: ToolCall, given: Arguments) -> Answer:
    """Removes edges that calls have made."""
    names = {name: given[name] for name in ("target_label", "target_source", "type")}
    removed = await call.remem.unrelate(given["source_id"], given["target_id"], **names)
    data = wire.show_unrelated(removed)
    return Answer(str(data["message"]), data)


async def pin(call: ToolCall, given: Arguments) -> Answer:
    """Pins a node."""
    return _tell_usage(await call.remem.pin(given["node_id"]))


async def unpin(call: ToolCall, given: Arguments) -> Answer:
    """Unpins a node."""
    return _tell_usage(await call.remem.unpin(given["node_id"]))


def _tell_usage(usage: NodeUsage) -> Answer:
    state = "pinned" if usage.pinned else "not pinned"
    text = f"{state}: {show_label(usage.label)} [{usage.kind}] {usage.id} {usage.temperature:.2f}°"
    return Answer(text, wire.show_usage(usage))


async def compile(call: ToolCall, given: Arguments) -> Answer:
    """Compiles a file or folder in one of the places where that is allowed."""
    roots = await call.remem.roots()
    # Looking at places may wait for a slow disk.
    place = await asyncio.to_thread(find_place, given["path"], call.settings.compile.roots, roots)
    async with ProgressRelay(call.report) as relay:
        report = await call.remem.compile(os.fspath(place), progress=relay.tell)
    data = wire.show_compile(report) | {"diagnostics_left_out": max(len(report.diagnostics) - MOST_DIAGNOSTICS, 0)}
    data["diagnostics"] = [wire.show_diagnostic(found) for found in report.diagnostics[:MOST_DIAGNOSTICS]]
    return Answer(tell_compile(report), data)


def tell_compile(report: CompileReport) -> str:
    """What a compile did, with the first diagnostics."""
    files = f"{report.files_added} added, {report.files_changed} changed, {report.files_removed} removed"
    nodes = f"{report.added} added, {report.modified} modified, {report.moved} moved, {report.removed} removed"
    lines = [
        f"{show_label(report.root)}: {show_count(report.files, 'file')} ({files}); nodes: {nodes}",
        f"{show_count(report.links, 'link')}, {report.pending} pending, {report.ambiguous} ambiguous",
    ]
    for found in report.diagnostics[:MOST_DIAGNOSTICS]:
        place = f"{found.source}:{found.line}" if found.line else found.source
        lines.append(f"{show_label(place)} {found.code}: {show_label(found.message)}")
    if len(report.diagnostics) > MOST_DIAGNOSTICS:
        rest = show_count(len(report.diagnostics) - MOST_DIAGNOSTICS, "more diagnostic")
        lines.append(f"… {rest}: `remem compile` shows all")
    return "\n".join(lines)


class ProgressRelay:
    """Tells a client how far a compile is, from whatever thread that is told, and drops what it cannot take in time."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._told = asyncio.Event()
        self._latest = CompileProgress("scan", 0, 0)

    def tell(self, progress: CompileProgress) -> None:
        """Keeps the latest state. Any thread may call it."""
        self._latest = progress
        with suppress(RuntimeError):  # the loop has been closed
            self._loop.call_soon_threadsafe(self._told.set)

    async def __aenter__(self) -> ProgressRelay:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        done = 0.0
        while True:
            await self._told.wait()
            self._told.clear()
            latest = self._latest
            now = PHASES[latest.phase] + (latest.done / latest.total if latest.total else 0.0)
            if now > done:  # the protocol wants it to grow
                done = now
                await self._report(round(now, 4), 2.0, latest.phase)


CHANGING_TOOLS = (
    Tool(
        "MemoryRelate",
        "Makes or updates an edge; a target_label that no node has waits for it. Not for links that belong in a file:"
        " edit it, then MemoryCompile.",
        (
            SOURCE,
            TARGET,
            TARGET_LABEL,
            TARGET_SOURCE,
            Parameter("weight", "number", default=1.0, most=int(MAX_WEIGHT)),
            Parameter("type", "string", default="related_to", choices=RELATIONSHIP_TYPES),
        ),
        relate,
        changes=True,
        output=describe_output(source_id="string", connection="object", created="boolean", pending="boolean"),
        names=ENDS,
    ),
    Tool(
        "MemoryUnrelate",
        "Removes edges that calls made or that were discovered; ends as in MemoryRelate. Not for links in a text: edit"
        " it.",
        (
            Parameter("source_id", "string", required=True),
            *(Parameter(name, "string") for name in ("target_id", "target_label", "target_source")),
            Parameter("type", "string", choices=RELATIONSHIP_TYPES, listed=False),
        ),
        unrelate,
        changes=True,
        destroys=True,
        output=describe_output(success="boolean", deleted="integer"),
        names=ENDS,
    ),
    Tool(
        "MemoryPin",
        "Keeps a node from cooling. Not for what matters now: reading warms it.",
        (NODE,),
        pin,
        changes=True,
        output=describe_output(id="string", pinned="boolean", temperature="number"),
        names={"node": "node_id"},
    ),
    Tool(
        "MemoryUnpin",
        "Lets a pinned node cool. Not for one that was never pinned.",
        (NODE,),
        unpin,
        changes=True,
        output=describe_output(id="string", pinned="boolean", temperature="number"),
        names={"node": "node_id"},
    ),
    Tool(
        "MemoryCompile",
        "Takes in changed files, inside roots and configured folders. Not needed before reading unless files changed.",
        (Parameter("path", "string", "absolute, or root/file", required=True, longest=4096),),
        compile,
        changes=True,
        output=describe_output(root="string", files="integer", diagnostics="array"),
        names={name: f"remem compile --{name}" for name in ("root", "moved", "prune")},
    ),
)
