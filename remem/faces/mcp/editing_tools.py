"""Tools of the tree family that change what notes say in the store: write, summarise, forget. No file is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.faces import wire
from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.changing_tools import MOST_DIAGNOSTICS
from remem.faces.mcp.parameters import NODE
from remem.faces.mcp.tools import Answer, Arguments, Tool, ToolCall, describe_output, take_first
from remem.records import FORGET_MODES, WRITE_FORMATS
from remem.rendering.lines import show_count, show_label, show_name, show_place

if TYPE_CHECKING:
    from remem.records import Edited

MOST_NODES = 50


async def write(call: ToolCall, given: Arguments) -> Answer:
    """Writes a text into the notes."""
    return show_edited(await call.remem.write(**given))


async def summarise(call: ToolCall, given: Arguments) -> Answer:
    """Replaces what a node says."""
    return show_edited(await call.remem.summarise(given["node_id"], given["summary"]))


async def forget(call: ToolCall, given: Arguments) -> Answer:
    """Takes a node out, or archives a memory."""
    data = wire.show_forgotten(await call.remem.forget(given["node_id"], given["mode"]))
    for name in ("removed", "lifted"):
        if name in data:
            data[name] = take_first(data[name], MOST_NODES)
    return Answer(str(data["message"]), data)


def show_edited(edited: Edited) -> Answer:
    """What became of a text, with the first of the nodes and problems."""
    data = wire.show_edited(edited)
    for name in wire.FATES:
        data[name] = take_first(data[name], MOST_NODES)
    data["diagnostics"] = take_first(data["diagnostics"], MOST_DIAGNOSTICS)
    return Answer(tell_edited(edited), data)


def tell_edited(edited: Edited) -> str:
    """Which node holds the text now, what became of the others, what is wrong with the text."""
    place = show_place(edited.root, edited.source)
    lines = [f"{show_name(edited.label, edited.kind, edited.id)} {place}".rstrip()]
    counts = ", ".join(f"{len(getattr(edited, name))} {name}" for name in wire.FATES if getattr(edited, name))
    lines.append(f"nodes: {counts}; snapshot {edited.snapshot}" if edited.snapshot is not None else "nothing changed")
    for found in edited.diagnostics[:MOST_DIAGNOSTICS]:
        lines.append(f"line {found.line} {found.code}: {show_label(found.message)}")
    if len(edited.diagnostics) > MOST_DIAGNOSTICS:
        lines.append(f"… {show_count(len(edited.diagnostics) - MOST_DIAGNOSTICS, 'more problem')}")
    return "\n".join(lines)


EDITED = describe_output(id="string", added="array", removed="array")

EDITING_TOOLS = (
    Tool(
        "MemoryWrite",
        "Writes a text in the place of a node or below one, parsed like a file. Not for a loose fact (store_memory).",
        (
            Parameter("payload", "string", required=True, free=True),
            Parameter("anchor", "string", "replaced by it"),
            Parameter("parent", "string", "it is added to"),
            Parameter("format", "string", default="markdown", choices=WRITE_FORMATS),
        ),
        write,
        changes=True,
        destroys=True,
        repeats=False,
        output=EDITED,
    ),
    Tool(
        "MemorySummarize",
        "Replaces a node or section by a summary; the original stays in its history. Not to correct it (MemoryWrite).",
        (NODE, Parameter("summary", "string", required=True, free=True)),
        summarise,
        changes=True,
        destroys=True,
        output=EDITED,
        names={"node": "node_id", "text": "summary"},
    ),
    Tool(
        "MemoryForget",
        "Takes a node out of the notes, or archives a memory. Not for one that changed (MemoryWrite).",
        (NODE, Parameter("mode", "string", "nodes below", default="strict", choices=FORGET_MODES)),
        forget,
        changes=True,
        destroys=True,
        output=describe_output(success="boolean", id="string"),
        names={"node": "node_id"},
    ),
)
