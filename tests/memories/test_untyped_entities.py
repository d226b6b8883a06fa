"""A name without a type means the one typed entity that carries it, whatever the order in which they come."""

from __future__ import annotations

from remem.engine.sync import RememSync
from remem.records import ExtractionReport
from tests.memories.helpers import list_edges


def extract(remem: RememSync, content: str, *entities: tuple[str, str], links: object = None) -> ExtractionReport:
    """Stores a memory with (name, type) entities; the report."""
    given = [{"name": name, "type": type} if type else {"name": name} for name, type in entities]
    memory = remem.store(content, graph_extraction={"entities": given, "relationships": links})
    assert memory.extraction is not None
    return memory.extraction


def test_a_name_without_a_type_is_the_typed_entity_of_that_name(remem: RememSync) -> None:
    (typed,) = extract(remem, "one", ("Ada Byron", "person")).entities
    (untyped,) = extract(remem, "two", ("ada byron", "")).entities
    assert (untyped.id, untyped.type, untyped.created) == (typed.id, "person", False)


def test_in_one_call_the_order_does_not_matter(remem: RememSync) -> None:
    (only,) = extract(remem, "one", ("Ada", ""), ("Ada", "person")).entities
    assert (only.type, only.created) == ("person", True)
    assert len([edge for edge in list_edges(remem) if edge[1] == only.id]) == 1


def test_of_several_types_none_is_meant_and_the_name_has_a_node_of_its_own(remem: RememSync) -> None:
    typed = extract(remem, "one", ("Paris", "city"), ("Paris", "person")).entities
    (untyped,) = extract(remem, "two", ("Paris", "")).entities
    assert untyped.created and untyped.type == "" and untyped.id not in {entity.id for entity in typed}
    (again,) = extract(remem, "three", ("Paris", "")).entities
    assert (again.id, again.created) == (untyped.id, False)


def test_a_type_never_means_the_entity_without_one(remem: RememSync) -> None:
    (untyped,) = extract(remem, "one", ("Paris", "")).entities
    (typed,) = extract(remem, "two", ("Paris", "city")).entities
    assert typed.created and typed.id != untyped.id
    (again,) = extract(remem, "three", ("Paris", "")).entities
    assert again.id == untyped.id


def test_a_description_goes_to_the_entity_that_is_meant(remem: RememSync) -> None:
    (typed,) = extract(remem, "one", ("Ada", "person")).entities
    remem.store("two", graph_extraction={"entities": [{"name": "Ada", "description": "a mathematician"}]})
    assert remem.get(typed.id).content == "a mathematician"


def test_relationships_name_entities_by_the_same_rule(remem: RememSync) -> None:
    extract(remem, "one", ("Paris", "city"), ("Paris", ""), ("Ada", "person"))
    extract(remem, "two", ("Rome", "city"), ("Rome", "empire"), ("Rome", ""))
    rome = extract(remem, "three", ("Rome", "")).entities[0].id
    link = {"source": "Ada", "target": "Rome"}
    (made,) = extract(remem, "four", links=[link]).relationships
    assert made.target_id == rome
    extract(remem, "five", ("Bo", "cat"), ("Bo", "dog"))
    report = extract(remem, "six", links=[{"source": "Ada", "target": "Bo"}])
    assert report.relationships == () and "different types" in report.refused[0].reason
