"""Entities and relationships that come with a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.engine.sync import RememSync
from remem.errors import ConflictError
from tests.memories.helpers import count_snapshots, list_edges, list_found


def extract(remem: RememSync, content: str, entities: object = None, relationships: object = None):  # type: ignore[no-untyped-def]
    """Stores a memory with what was read out of it; the memory and the report."""
    memory = remem.store(content, graph_extraction={"entities": entities, "relationships": relationships})
    assert memory.extraction is not None
    return memory, memory.extraction


def test_entities_are_made_once_by_name_and_type(remem: RememSync, path: Path) -> None:
    given = [{"name": "Ada Byron", "type": "person", "description": "a mathematician"}, {"name": "Paris"}]
    one, first = extract(remem, "one", given)
    assert [(entity.name, entity.type, entity.created) for entity in first.entities] == [
        ("Ada Byron", "person", True),
        ("Paris", "", True),
    ]
    assert count_snapshots(path) == 1
    again = [{"name": "ada  BYRON", "type": "Person"}, {"name": "Paris", "type": "city"}]
    two, second = extract(remem, "two", again)
    assert [entity.created for entity in second.entities] == [False, True]
    assert second.entities[0].id == first.entities[0].id != second.entities[1].id
    assert {edge for edge in list_edges(remem) if edge[0] == two.id} == {
        (two.id, entity.id, "references", "manual", 1.0) for entity in second.entities
    }
    assert [item.node.id for item in remem.related("Ada Byron")] == sorted([one.id, two.id])
    assert list_found(remem, "mathematician") == [first.entities[0].id]


def test_relationships_are_edges_between_entities(remem: RememSync) -> None:
    entities = [{"name": "Ada"}, {"name": "Bo"}]
    links: list[dict[str, object]] = [
        {"source": "ada", "target": "Bo", "relationship_type": "supports", "strength": 0.25},
        {"source": "Bo", "target": "Ada"},
    ]
    _, report = extract(remem, "one", entities, links)
    ada, bo = (entity.id for entity in report.entities)
    assert [(made.source_id, made.target_id, made.created) for made in report.relationships] == [
        (ada, bo, True),
        (bo, ada, True),
    ]
    edges = list_edges(remem)
    assert (ada, bo, "supports", "manual", 0.25) in edges and (bo, ada, "related_to", "manual", 1.0) in edges
    _, again = extract(remem, "two", None, [{**links[0], "strength": 0.5}])
    assert [(made.created, made.strength) for made in again.relationships] == [(False, 0.5)]
    assert (ada, bo, "supports", "manual", 0.5) in list_edges(remem)


def test_what_cannot_be_made_is_told_and_the_rest_is_made(remem: RememSync) -> None:
    entities = [
        {"name": "Ada"},
        {"name": ""},
        {"nom": "x"},
        "Bo",
        {"name": "Twin", "type": "a"},
        {"name": "Twin", "type": "b"},
    ]
    links = [
        {"source": "Ada", "target": "Nobody"},
        {"source": "Ada", "target": "Ada"},
        {"source": "Ada", "target": "Twin"},
        {"source": "Ada"},
        {"source": "Ada", "target": "Twin", "relationship_type": "loves"},
        {"source": "Ada", "target": "Twin", "strength": 7},
        ["Ada", "Twin"],
    ]
    _, report = extract(remem, "one", entities, links)
    assert [entity.name for entity in report.entities] == ["Ada", "Twin", "Twin"]
    assert report.relationships == ()
    assert len(report.refused) == 3 + 7 and all(item.item and item.reason for item in report.refused)


def test_an_entity_stays_when_its_memories_go(remem: RememSync) -> None:
    memory, report = extract(remem, "one", [{"name": "Ada"}])
    link = remem.store("[[Ada]]")
    assert (link.id, report.entities[0].id, "references", "parsed", 1.0) in list_edges(remem)
    remem.forget(memory.id, hard=True)
    assert [edge[0] for edge in list_edges(remem)] == [link.id]
    with pytest.raises(ConflictError):
        remem.forget("Ada")


def test_a_memory_that_is_stored_again_may_bring_more(remem: RememSync) -> None:
    memory, _ = extract(remem, "one", [{"name": "Ada"}])
    again, report = extract(remem, "one", [{"name": "Ada", "description": "late"}, {"name": "Bo"}])
    assert (again.id, again.existing, [entity.created for entity in report.entities]) == (
        memory.id,
        True,
        [False, True],
    )
    assert len([edge for edge in list_edges(remem) if edge[0] == memory.id]) == 2
    assert remem.get("Ada").content == "late"


def test_without_extraction_there_is_no_report(remem: RememSync) -> None:
    assert remem.store("x").extraction is None
    _, report = extract(remem, "y")
    assert (report.entities, report.relationships, report.refused) == ((), (), ())
