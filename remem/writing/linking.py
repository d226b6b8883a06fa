"""Linking: resolves the links that a change concerns and derives the parsed edges from them. Which links a change
concerns, and what an edge is, is decided here; how a link is resolved is decided in graph/resolve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remem.graph.resolve import Hint, Place, Resolution, hint_keys, resolve
from remem.reading.catalog import load_catalog
from remem.records import MICRO, PARSED, RELATIONSHIP_TYPES, EdgeRow, LinkRow, ParsedLink
from remem.storage import edges as edge_rows
from remem.storage import links as link_rows
from remem.storage import nodes as node_rows
from remem.storage.links import LinkPlace
from remem.storage.nodes import Span
from remem.writing.drafts import Draft

if TYPE_CHECKING:
    from sqlite3 import Connection

LINKED = ("edge", "partial")
"""States of a link that stands as an edge."""


@dataclass(slots=True)
class Concern:
    """What a change concerns: keys under which names changed, ids that came or went, documents whose headings changed,
    nodes that are gone, documents whose own links must be resolved again (because the document moved)."""

    keys: set[str] = field(default_factory=set)
    ids: list[str] = field(default_factory=list)
    outlines: set[int] = field(default_factory=set)
    gone: list[int] = field(default_factory=list)
    moved: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Task:
    """A link to resolve, where it stands, and whether it is new to the store."""

    row: LinkRow
    place: LinkPlace
    is_new: bool


def draft_links(draft: Draft, root: str, first_key: int) -> list[tuple[LinkRow, LinkPlace]]:
    """The link rows of a document, not resolved yet, with the place of each."""
    drafted: list[tuple[LinkRow, LinkPlace]] = []
    document, source = draft.document.node, draft.document.source
    for row, node in zip(draft.nodes, draft.file.parsed.nodes, strict=True):
        for ordinal, link in enumerate(node.links):
            key = first_key + len(drafted)
            drafted.append(
                (make_link(key, row.key, ordinal, link), LinkPlace(key, root, source, document, row.position))
            )
    return drafted


def make_link(key: int, node: int, ordinal: int, link: ParsedLink) -> LinkRow:
    """The row of a link as written, not resolved yet."""
    keys = hint_keys(Hint(link.label, link.anchor, link.source, link.id, link.form))
    return LinkRow(
        key, node, ordinal, link.form, link.label, link.anchor, link.shown, link.source, link.id,
        RELATIONSHIP_TYPES.index(link.type), round(link.weight * MICRO), keys.name_key, keys.source_key,
        "pending", None, None, 0, 0,
    )  # fmt: skip


def link_documents(
    connection: Connection,
    drafts: Sequence[Draft],
    roots: Mapping[int, str],
    rewritten: Sequence[int],
    concern: Concern,
    now: int,
) -> None:
    """Replaces the links of the drafted documents, resolves them and all others that the change concerns, and brings
    the parsed edges up to date. The nodes and names of the change must be written already; `roots` are the names of the
    roots that the documents lie in, `rewritten` the keys of all nodes that they had before, whose links go here."""
    first = link_rows.last_link(connection) + 1
    drafted: list[tuple[LinkRow, LinkPlace]] = []
    for draft in drafts:
        drafted += draft_links(draft, roots[draft.document.root], first + len(drafted))
    write_links(connection, drafted, rewritten, concern, now)


def write_links(
    connection: Connection,
    drafted: Sequence[tuple[LinkRow, LinkPlace]],
    rewritten: Sequence[int],
    concern: Concern,
    now: int,
) -> None:
    """The same for link rows that were drafted by whoever calls."""
    if rewritten:
        link_rows.delete_links_of(connection, rewritten)
    tasks = [_Task(row, place, True) for row, place in drafted]
    tasks += _concerned_tasks(connection, concern)
    if not tasks and not rewritten:
        return
    resolved = _resolve_tasks(connection, tasks)
    link_rows.insert_links(connection, [row for task, row in resolved if task.is_new])
    changed = [row for task, row in resolved if not task.is_new and row != task.row]
    save_targets(connection, changed)
    new = [row for task, row in resolved if task.is_new]
    derive_edges(connection, new, {row.node for row in changed}, rewritten, now)


def relink(connection: Connection, concern: Concern, now: int) -> None:
    """Resolves again the links that a change without new text concerns, and brings the parsed edges up to date."""
    link_documents(connection, (), {}, (), concern, now)


def _concerned_tasks(connection: Connection, concern: Concern) -> list[_Task]:
    links: set[int] = set()
    if not link_rows.last_link(connection):
        return []
    if concern.keys:
        links |= link_rows.find_links_by_names(connection, concern.keys)
    if concern.ids:
        links |= link_rows.find_links_by_ids(connection, concern.ids)
    if concern.outlines:
        links |= link_rows.find_links_into_documents(connection, concern.outlines)
    if concern.gone:
        links |= link_rows.find_links_into_nodes(connection, concern.gone)
    if concern.moved:
        links |= link_rows.find_links_of_documents(connection, concern.moved)
    if not links:
        return []
    places = link_rows.load_places(connection, links)
    rows = link_rows.load_links(connection, links)
    return [_Task(row, places[row.key], False) for row in rows]


def _resolve_tasks(connection: Connection, tasks: Sequence[_Task]) -> list[tuple[_Task, LinkRow]]:
    rows = resolve_links(connection, [(task.row, task.place) for task in tasks])
    return list(zip(tasks, rows, strict=True))


def resolve_links(connection: Connection, links: Sequence[tuple[LinkRow, LinkPlace]]) -> list[LinkRow]:
    """The links with what they lead to now."""
    if not links:
        return []
    asked = [(link_hint(row), link_place(place)) for row, place in links]
    catalog = load_catalog(connection, asked)
    found = [resolve(hint, place, catalog) for hint, place in asked]
    targets = {resolution.target for resolution in found if resolution.target is not None}
    spans = node_rows.load_spans(connection, targets)
    return [_settle(row, place, resolution, spans) for (row, place), resolution in zip(links, found, strict=True)]


def link_hint(row: LinkRow) -> Hint:
    """What a link row says of its target."""
    return Hint(row.label, row.anchor, row.source, row.id, row.form)


def link_place(place: LinkPlace) -> Place:
    """Where a link stands, as resolution wants it: a memory has no root."""
    if not place.root:
        return Place(None, "", place.document)
    return Place(place.root, place.source, place.document)


def _settle(row: LinkRow, place: LinkPlace, found: Resolution, spans: Mapping[int, Span]) -> LinkRow:
    state = found.state
    if found.target is not None and state in LINKED and _is_inner(place, found.target, spans):
        state = "inner" if state == "edge" else "missing"
    target = None if state in ("pending", "missing") else found.target
    return row._replace(
        state=state, target=target, rule=found.rule, ambiguous=int(found.ambiguous), stale=int(found.stale)
    )


def _is_inner(place: LinkPlace, target: int, spans: Mapping[int, Span]) -> bool:
    """Whether a link leads to its own node or to what that lies in: no edge."""
    document, first, last, title = spans[target]
    if document != place.document:
        return False
    return first <= place.position <= last or target == title


def save_targets(connection: Connection, rows: Sequence[LinkRow]) -> None:
    """Writes what links lead to now."""
    link_rows.update_targets(connection, [(r.key, r.state, r.target, r.rule, r.ambiguous, r.stale) for r in rows])


def derive_edges(
    connection: Connection, new: Sequence[LinkRow], changed: set[int], rewritten: Iterable[int], now: int
) -> None:
    """Brings the parsed edges of all nodes in question to what their links say: `new` links, all links of the nodes in
    `changed`, and of those in `rewritten` nothing but what is in `new`."""
    links = [*new, *link_rows.load_links_of_nodes(connection, changed)]
    wanted = group_edges(links, now)
    sources = {*changed, *rewritten}
    standing = {(e.source, e.target, e.type): e for e in edge_rows.load_edges_from(connection, sources, PARSED)}
    gone = [(*key, PARSED) for key in standing.keys() - wanted.keys()]
    fresh = [edge for key, edge in wanted.items() if _differs(standing.get(key), edge)]
    edge_rows.delete_edges(connection, gone)
    edge_rows.save_edges(connection, fresh)


def group_edges(links: Iterable[LinkRow], now: int) -> dict[tuple[int, int, int], EdgeRow]:
    """The parsed edges that the links make, by source, target and type: the heaviest weight, the number of links."""
    edges: dict[tuple[int, int, int], EdgeRow] = {}
    for link in links:
        if link.state not in LINKED or link.target is None:
            continue
        key = (link.node, link.target, link.type)
        edge = edges.get(key)
        if edge is None:
            edges[key] = EdgeRow(*key, PARSED, link.weight, 1, link.ambiguous, now, now)
        else:
            edges[key] = edge._replace(
                weight=max(edge.weight, link.weight),
                links=edge.links + 1,
                ambiguous=max(edge.ambiguous, link.ambiguous),
            )
    return edges


def _differs(old: EdgeRow | None, new: EdgeRow) -> bool:
    return old is None or (old.weight, old.links, old.ambiguous) != (new.weight, new.links, new.ambiguous)
