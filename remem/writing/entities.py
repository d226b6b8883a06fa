"""Entities: named things that stored memories mention. One node for each name and type, made once and used ever after;
the edges that come with them are manual ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.errors import InvalidInputError
from remem.ids import node_id
from remem.ingest.tokens import count_tokens
from remem.keys import strict_key
from remem.reading.memories import make_single
from remem.records import (
    EntityGiven,
    EntityMade,
    EntityRow,
    Extraction,
    ExtractionReport,
    NodeRow,
    RefusedItem,
    RelationshipGiven,
    RelationshipMade,
)
from remem.storage import memories as memory_rows
from remem.storage import nodes as node_rows
from remem.writing.relations import Target, relate
from remem.writing.singles import Single, Work, change_single, put_single

if TYPE_CHECKING:
    from sqlite3 import Connection

MENTION_WEIGHT = 1.0


def write_extraction(work: Work, memory: NodeRow, given: Extraction) -> ExtractionReport:
    """Makes the entities, an edge from the memory to each, and the relationships. What cannot be made is told."""
    entities: list[EntityMade] = []
    nodes: dict[str, list[NodeRow]] = {}
    for item in given.entities:
        node, made = _find_or_make(work, item)
        if any(known.id == node.id for known in entities):
            continue
        entities.append(EntityMade(node.id, node.label or "", item.type, made))
        nodes.setdefault(strict_key(item.name), []).append(node)
        relate(work.connection, memory, Target(id=node.id), "references", MENTION_WEIGHT, work.now)
    relationships: list[RelationshipMade] = []
    refused = list(given.refused)
    for link in given.relationships:
        try:
            relationships.append(_relate(work, link, nodes))
        except InvalidInputError as error:
            refused.append(RefusedItem(f"relationship {link.source} → {link.target}", error.message))
    return ExtractionReport(tuple(entities), tuple(relationships), tuple(refused))


def _find_or_make(work: Work, item: EntityGiven) -> tuple[NodeRow, bool]:
    """The entity's node, and whether it is new. One that has no description yet takes the one that is given."""
    connection, type = work.connection, strict_key(item.type)
    known = memory_rows.find_entity(connection, strict_key(item.name), type)
    if known is None:
        return _make(work, item, type), True
    row = node_rows.load_nodes(connection, [known.node])[known.node]
    if row.content or not item.description:
        return row, False
    old = Single(row)
    new = Single(row._replace(content=item.description, tokens=count_tokens(item.description)))
    change_single(work, old, new)
    work.describe(old, "mod")
    work.changes.modified.append(row.key)
    work.move_state(old.tree(), new.tree())
    return new.row, False


def _make(work: Work, item: EntityGiven, type: str) -> NodeRow:
    connection = work.connection
    key = node_rows.last_key(connection) + 1
    id = _choose_id(connection, strict_key(item.name), type)
    new = Single(make_single(key, id, "entity", item.name, item.description, count_tokens(item.description)))
    memory_rows.insert_entity(connection, EntityRow(key, strict_key(item.name), type))
    put_single(work, new)
    work.changes.added.append(key)
    work.described.add(key)
    work.move_state(None, new.tree())
    return new.row


def _choose_id(connection: Connection, name: str, type: str) -> str:
    ordinal = 0
    while node_rows.find_used_ids(connection, [id := node_id("", "", (type,), "entity", name, ordinal)]):
        ordinal += 1
    return id


def _relate(work: Work, link: RelationshipGiven, nodes: dict[str, list[NodeRow]]) -> RelationshipMade:
    source, target = _find_end(work.connection, link.source, nodes), _find_end(work.connection, link.target, nodes)
    if source.key == target.key:
        raise InvalidInputError("source and target are the same entity", field="target")
    made = relate(work.connection, source, Target(id=target.id), link.type, link.strength, work.now)
    return RelationshipMade(source.id, target.id, link.type, link.strength, made.created)


def _find_end(connection: Connection, name: str, nodes: dict[str, list[NodeRow]]) -> NodeRow:
    """The entity of a name: among those of this call first, then among all. Raises InvalidInputError."""
    found = nodes.get(strict_key(name), [])
    if not found:
        keys = [row.node for row in memory_rows.find_entities(connection, strict_key(name))]
        found = list(node_rows.load_nodes(connection, keys).values())
    if not found:
        raise InvalidInputError(f"there is no entity {name}; name it under entities", field="source")
    if len(found) > 1:
        raise InvalidInputError(f"{len(found)} entities of different types are called {name}", field="source")
    return found[0]
