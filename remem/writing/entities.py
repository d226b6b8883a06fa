"""Entities: named things that stored memories mention. One node for each name and type, made once and used ever after;
a name without a type means the one typed entity that carries it. The edges that come with them are manual ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import InvalidInputError
from remem.ids import node_id
from remem.ingest.tokens import count_tokens
from remem.keys import strict_key
from remem.reading.nodes import make_single
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
from remem.storage import entities as entity_rows
from remem.storage import former
from remem.storage import nodes as node_rows
from remem.storage import states as state_rows
from remem.writing.relations import Target, relate
from remem.writing.singles import Single, Work, change_single, put_single

if TYPE_CHECKING:
    from sqlite3 import Connection

MENTION_WEIGHT = 1.0


class _Known(NamedTuple):
    """An entity that is there: its node, and its type or ''."""

    node: NodeRow
    type: str


def write_extraction(work: Work, memory: NodeRow, given: Extraction) -> ExtractionReport:
    """Makes the entities, an edge from the memory to each, and the relationships. What cannot be made is told."""
    entities: list[EntityMade] = []
    nodes: dict[str, list[_Known]] = {}
    found = _find_all(work, given.entities)
    fresh = {known.node.id for _, known, made in found if made}
    for item, known, _ in found:
        id = known.node.id
        if any(other.id == id for other in entities):
            continue
        entities.append(EntityMade(id, known.node.label or "", item.type or known.type, id in fresh))
        nodes.setdefault(strict_key(item.name), []).append(known)
        relate(work.connection, memory, Target(id=id), "references", MENTION_WEIGHT, work.now)
    relationships: list[RelationshipMade] = []
    refused = list(given.refused)
    for link in given.relationships:
        try:
            relationships.append(_relate(work, link, nodes))
        except InvalidInputError as error:
            refused.append(RefusedItem(f"relationship {link.source} → {link.target}", error.message))
    return ExtractionReport(tuple(entities), tuple(relationships), tuple(refused))


def _find_all(work: Work, given: Sequence[EntityGiven]) -> list[tuple[EntityGiven, _Known, bool]]:
    """The entities in the order in which they were given, each with its node and whether that is new. Typed ones are
    made first: whatever the order, a name without a type may mean them."""
    found: dict[int, tuple[EntityGiven, _Known, bool]] = {}
    for place, item in sorted(enumerate(given), key=lambda entry: not entry[1].type):
        node, type, made = find_or_make(work, item)
        found[place] = item, _Known(node, type), made
    return [found[place] for place in range(len(given))]


def find_or_make(work: Work, item: EntityGiven) -> tuple[NodeRow, str, bool]:
    """The entity's node, its type, and whether it is new. One that has no description yet takes the one given."""
    connection, type = work.connection, strict_key(item.type)
    row = _choose(entity_rows.find_entities(connection, strict_key(item.name)), type)
    if row is None:
        return _make(work, item, type), type, True
    node = node_rows.load_nodes(connection, [row.node])[row.node]
    if node.content or not item.description:
        return node, row.type, False
    old = Single(node)
    new = Single(node._replace(content=item.description, tokens=count_tokens(item.description)))
    change_single(work, old, new)
    work.describe(old, "mod")
    work.changes.modified.append(node.key)
    work.move_state(old.tree(), new.tree())
    return new.row, row.type, False


def _choose(rows: Sequence[EntityRow], type: str) -> EntityRow | None:
    """Which of the entities of one name is meant by a type: the one of that type; by none, the one without, else the
    only one there is. None where it is to be made."""
    same = [row for row in rows if row.type == type] or ([] if type else rows)
    return same[0] if len(same) == 1 else None


def _make(work: Work, item: EntityGiven, type: str) -> NodeRow:
    connection = work.connection
    key, id, returns = _choose_identity(connection, strict_key(item.name), type)
    new = Single(make_single(key, id, "entity", item.name, item.description, count_tokens(item.description)))
    entity_rows.insert_entity(connection, EntityRow(key, strict_key(item.name), type))
    put_single(work, new, is_known=returns)
    work.changes.added.append(key)
    work.described.add(key)
    work.move_state(None, new.tree())
    return new.row


def _choose_identity(connection: Connection, name: str, type: str) -> tuple[int, str, bool]:
    """Key and id of an entity, and whether both were those of one that a rollback took away."""
    key = former.find_entity_node(connection, name, type)
    if key is None:
        return node_rows.last_key(connection) + 1, _choose_id(connection, name, type), False
    former.forget_former(connection, [key])
    return key, state_rows.load_ids(connection, [key])[key], True


def _choose_id(connection: Connection, name: str, type: str) -> str:
    ordinal = 0
    while node_rows.find_used_ids(connection, [id := node_id("", "", (type,), "entity", name, ordinal)]):
        ordinal += 1
    return id


def _relate(work: Work, link: RelationshipGiven, nodes: Mapping[str, Sequence[_Known]]) -> RelationshipMade:
    source, target = _find_end(work.connection, link.source, nodes), _find_end(work.connection, link.target, nodes)
    if source.key == target.key:
        raise InvalidInputError("source and target are the same entity", field="target")
    made = relate(work.connection, source, Target(id=target.id), link.type, link.strength, work.now)
    return RelationshipMade(source.id, target.id, link.type, link.strength, made.created)


def _find_end(connection: Connection, name: str, nodes: Mapping[str, Sequence[_Known]]) -> NodeRow:
    """The entity of a name: among those of this call first, then among all; of several, the one without a type. Raises
    InvalidInputError."""
    found = list(nodes.get(strict_key(name), ()))
    if not found:
        rows = {row.node: row.type for row in entity_rows.find_entities(connection, strict_key(name))}
        found = [_Known(node, rows[key]) for key, node in node_rows.load_nodes(connection, list(rows)).items()]
    if not found:
        raise InvalidInputError(f"there is no entity {name}; name it under entities", field="source")
    meant = found if len(found) == 1 else [known for known in found if not known.type]
    if not meant:
        raise InvalidInputError(f"{len(found)} entities of different types are called {name}", field="source")
    return meant[0].node
