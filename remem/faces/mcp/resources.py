"""The resources `remem://…` and `memory://…`: texts that a client may show or attach, each of limited length."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from remem.errors import NotFoundError
from remem.faces.mcp.figures import tell_stats
from remem.ingest.tokens import count_tokens, fits_limit
from remem.rendering.budget import shorten_text
from remem.rendering.lines import show_arrow, show_count, show_label, show_name

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import DoctorReport, TreeLine

MIME_TYPE = "text/plain"
SCHEME = "remem://"
MEMORY_SCHEME = "memory://"
NODE = "node/"
BUDGET = 2000
"""Tokens of a resource. What is longer says so, and the tools go on from there."""
MOST_DOCUMENTS = 20
MOST_LINKS = 3
MOST_MEMORIES = 200
MOST_SNAPSHOTS = 200
IMPORTANT = 0.7

_ABOUT = {
    "overview": "Figures of the store, its roots, the hottest documents",
    "tree": "The index, hottest branches first",
    "graph": "How the hottest documents are linked",
    "pending": "Links that wait for a target, with names that may be meant",
    "snapshots": "The newest snapshots, with how many nodes each changed",
    "temperature": "The hottest documents, and long texts that nobody has used for long",
    "doctor": "Whether every invariant of the store holds, and what was found beside",
}
_ABOUT_MEMORIES = {
    "stats": "Figures of the memories and connections, and what work is owed",
    "collections/recent": "The newest memories",
    "collections/important": "Memories of importance 0.7 and more, the most important first",
}
RESOURCES = [
    {"uri": scheme + name, "name": name, "description": about, "mimeType": MIME_TYPE}
    for scheme, listed in ((SCHEME, _ABOUT), (MEMORY_SCHEME, _ABOUT_MEMORIES))
    for name, about in listed.items()
]
ADDRESSES = frozenset(resource["uri"] for resource in RESOURCES)
TEMPLATES = [
    {
        "uriTemplate": f"{SCHEME}{NODE}{{id}}",
        "name": "node",
        "description": "One node with its text, by id",
        "mimeType": MIME_TYPE,
    }
]


async def read_resource(remem: Remem, uri: str) -> str:
    """The text of a resource, of at most `BUDGET` tokens. Raises NotFoundError for any other address."""
    if uri.startswith(MEMORY_SCHEME):
        return await _read_memories(remem, uri)
    scheme, found, name = uri.partition(SCHEME)
    match name if found and not scheme else "":
        case "overview":
            return await _show_overview(remem)
        case "tree":
            return (await remem.tree(budget=BUDGET)).text
        case "graph":
            return await _show_graph(remem)
        case "pending":
            return (await remem.pending(budget=BUDGET)).text
        case "snapshots":
            return (await remem.snapshots(MOST_SNAPSHOTS, budget=BUDGET)).text
        case "temperature":
            return await _show_temperature(remem)
        case "doctor":
            return join_lines(tell_health(await remem.doctor()).split("\n"))
    if found and not scheme and name.startswith(NODE):
        return (await remem.show(unquote(name.removeprefix(NODE)), budget=BUDGET)).text
    raise NotFoundError(f"there is no resource {uri[:200]}", uri=uri)


async def check_resource(remem: Remem, uri: str) -> None:
    """Whether there is something to read at an address, and to follow. Raises NotFoundError, AmbiguousError."""
    node = find_node(uri)
    if node is not None:
        await remem.tree(node, 0)
    elif uri not in ADDRESSES:
        raise NotFoundError(f"there is no resource {uri[:200]}", uri=uri)


def find_node(uri: str) -> str | None:
    """The node that an address names, None for the address of anything else."""
    prefix = SCHEME + NODE
    return unquote(uri.removeprefix(prefix)) if uri.startswith(prefix) else None


def list_marks(uri: str) -> tuple[str, ...]:
    """Which marks of the store tell that a resource may have changed (fields of `ChangeMarks`)."""
    match uri:
        case "remem://temperature":
            return ("content", "usage")
        case "memory://stats":
            return ("content", "work")
    return ("content",)


async def _read_memories(remem: Remem, uri: str) -> str:
    match uri.removeprefix(MEMORY_SCHEME):
        case "stats":
            return shorten_text(await _tell_memories(remem), BUDGET)
        case "collections/recent":
            return (await remem.memories(MOST_MEMORIES, budget=BUDGET)).text
        case "collections/important":
            page = await remem.memories(MOST_MEMORIES, None, "importance", budget=BUDGET, importance_min=IMPORTANT)
            return page.text
    raise NotFoundError(f"there is no resource {uri[:200]}", uri=uri)


async def _tell_memories(remem: Remem) -> str:
    """Figures: memories by type, archived and pinned ones; edges by type and origin; work owed."""
    stats = await remem.stats()
    short = (await remem.memories(1, memory_type="short_term")).total
    memories = (await remem.memories(1)).total
    edges = ", ".join(f"{count} {type} {origin}" for type, origin, count in stats.edges)
    lines = [
        f"{show_count(memories, 'memory', 'memories')} ({memories - short} long_term, {short} short_term),"
        f" {stats.archived} archived, {show_count(stats.pinned, 'node')} pinned",
        f"connections: {edges or 'none'}",
        f"owed: {stats.owed_embed} to embed, {stats.owed_discover} to connect, {stats.owed_mentions} for mentions;"
        f" {stats.waiting} tried again later; worker: {stats.worker}",
        f"embedder: {stats.embedder}" + (f"; {stats.problem}" if stats.problem else ""),
        f"near-duplicates: {show_count(stats.near_duplicates, 'group')}",
    ]
    return "\n".join(lines)


async def _show_overview(remem: Remem) -> str:
    figures = shorten_text(tell_stats(await remem.stats(), await remem.roots()), BUDGET // 2)
    page = await remem.tree(depth=0, budget=BUDGET - count_tokens(figures) - 2)
    return f"{figures}\n\n{page.text}"


async def _show_temperature(remem: Remem) -> str:
    """The hottest documents, then what is cold."""
    documents = (await remem.tree(depth=0, budget=BUDGET)).items
    hot = sorted(documents, key=lambda line: -line.temperature)[:MOST_DOCUMENTS]
    lines = [f"{line.temperature:.2f} {show_name(line.label, line.kind, line.id)}" for line in hot]
    cold = await remem.cold()
    told = [
        f"{node.temperature:.2f} {show_name(node.label, node.kind, node.id)} {show_count(node.tokens, 'token')}"
        for node in cold
    ]
    return join_lines(["hottest documents:", *(lines or ["none"]), "", f"cold ({len(cold)}):", *(told or ["none"])])


def tell_health(report: DoctorReport) -> str:
    """The verdict on a store, then each fault and finding on a line."""
    faults = [finding for finding in report.findings if finding.fault]
    broken = f"{show_count(len(faults), 'fault')}; `remem doctor --fix` rebuilds what it can"
    verdict = broken if faults else "no invariant is broken"
    findings = show_count(len(report.findings) - len(faults), "finding")
    lines = sorted(report.findings, key=lambda finding: not finding.fault)
    told = (f"{'fault' if each.fault else 'finding'} {each.check}: {show_label(each.message)}" for each in lines)
    return "\n".join([f"{show_count(report.checks, 'check')}: {verdict}, {findings}", *told])


async def _show_graph(remem: Remem) -> str:
    """The hottest documents, each with the documents that it is most strongly linked with."""
    documents = await remem.tree(depth=0, budget=BUDGET)
    hot = sorted(documents.items, key=lambda line: -line.temperature)[:MOST_DOCUMENTS]
    parts = ["\n".join(await _show_links(remem, line)) for line in hot]
    rest = documents.total - len(hot)
    return join_lines([part for part in parts if part] or ["no document is linked with another"], rest)


async def _show_links(remem: Remem, document: TreeLine) -> list[str]:
    found = await remem.related(document.id, scope="document", limit=MOST_LINKS, touch=False)
    ends = [
        f"  {show_arrow(item.path[0])} {show_name(item.node.label, item.node.kind, item.node.id)}" for item in found
    ]
    return [show_name(document.label, document.kind, document.id), *ends] if ends else []


def join_lines(lines: list[str], rest: int = 0) -> str:
    """The lines that the budget holds, and how many are left out, with the `rest` that was not made."""
    shown = list(lines)
    while True:
        left = rest + len(lines) - len(shown)
        text = "\n".join([*shown, *([f"… {left} more"] if left else [])])
        if len(shown) <= 1 or fits_limit(text, BUDGET):
            return shorten_text(text, BUDGET)
        del shown[-max(1, len(shown) // 20) :]
