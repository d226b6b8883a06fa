"""Every parameter and field of every operation, wrong in every way: refused by name, and nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from remem.faces.rest.fields import Field
from remem.faces.rest.operations import Operation
from remem.faces.rest.routes import OPERATIONS
from tests.faces.rest.site import Site

PLACES = {"{id}": "a", "{source}": "a", "{target}": "b", "{name}": "sweep"}
LONG = 200_000
BODIES: dict[str, dict[str, Any]] = {
    "store_memory": {"content": "x"},
    "store_memories": {"memories": ["x"]},
    "update_memory": {"content": "x"},
    "replace_memory": {"content": "x"},
    "search_memories": {"query": "x", "mode": "keyword"},
    "recall": {"query": "x"},
    "create_connection": {"source_id": "a", "target_id": "b"},
    "update_connection": {"strength": 0.5},
    "compile_notes": {"path": "nowhere"},
}
QUERIES: dict[str, dict[str, str]] = {"find_path": {"source": "a", "target": "b"}}


def make_address(operation: Operation) -> str:
    return "/" + "/".join(PLACES.get(segment, segment) for segment in operation.segments)


def list_wrong_texts(field: Field) -> Iterator[str]:
    """Values that a query parameter may not have."""
    if field.kind in ("integer", "number"):
        yield from ("", "x", "NaN", "Infinity", "-Infinity", "1e999", "0x10", "1,5", "٣", "1_0", " 1", "null", "true")
        if field.kind == "integer":
            yield from ("1.5", "1e2", "9" * 30, "+1")
        if field.least is not None:
            yield str(int(field.least) - 1)
        if field.most is not None:
            yield str(int(field.most) + 1)
    elif field.kind == "flag":
        yield from ("", "yes", "1", "True", "on", "null")
    elif field.kind == "time":
        yield from (
            "",
            "now",
            "yesterday",
            "2026-13-01",
            "2026-02-30T00:00:00Z",
            "1767225600",
            "2026-01-01T25:00Z",
            "\x00",
        )
    elif field.choices:
        yield from ("", "none", field.choices[0].upper(), "\x00", "null")
    elif not field.blank:
        yield from ("", "   ", "a\x00b", "x" * (field.longest + 1))


def list_wrong_values(field: Field) -> Iterator[object]:
    """Values of JSON that a field may not have."""
    others: dict[str, object] = {"text": "x", "number": 1, "flag": True, "words": ["x"], "object": {"x": 1}}
    same = {"integer": "number", "time": "text", "list": "words"}.get(field.kind, field.kind)
    yield from (value for kind, value in others.items() if kind != same)
    if field.kind in ("integer", "number"):
        yield from ("1", 1e300, -1e300, 10**30, -(10**15))
        if field.kind == "integer":
            yield 1.5
        if field.least is not None:
            yield field.least - 1
        if field.above is not None:
            yield field.above
        if field.most is not None:
            yield field.most + 1
    elif field.kind == "words":
        yield from ([1], [None], [["x"]], [{}], ["x"] * (field.many + 1), ["a\x00b"] if not field.choices else ["none"])
    elif field.kind == "time":
        yield from ("", "now", "2026-13-01T00:00:00Z", 1767225600)
    elif field.choices:
        yield from ("", "none", field.choices[0].upper())
    elif field.kind == "text" and not field.free:
        yield from ("a\x00b", "x" * (field.longest + 1), *(() if field.blank else ("", " \n")))


PARAMETERS = [(operation, field) for operation in OPERATIONS for field in operation.query.fields]
FIELDS = [(operation, field) for operation in OPERATIONS if operation.body for field in operation.body.fields]


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(tmp_path_factory.mktemp("store") / "memory.db") as site:
        site.store("a", "first")
        site.store("b", "second")
        site.ask("POST", "/connections", json={"source_id": "a", "target_id": "b"})
        before = site.get("/stats")
        yield site
        after = site.get("/stats")
        for name in ("nodes", "snapshots", "edges", "kinds", "pending", "tags", "pinned", "archived", "roots"):
            assert after[name] == before[name]


@pytest.mark.parametrize(
    ("operation", "field"), PARAMETERS, ids=lambda value: value.name if hasattr(value, "name") else None
)
def test_a_wrong_parameter_is_refused_by_name(used: Site, operation: Operation, field: Field) -> None:
    for text in list_wrong_texts(field):
        asked = {**QUERIES.get(operation.name, {}), field.name: text}
        query = "&".join(f"{name}={quote(value)}" for name, value in asked.items())
        body = {"json": BODIES.get(operation.name, {})} if operation.name in BODIES else {}
        problem = used.refuse(operation.method, f"{make_address(operation)}?{query}", 422, "invalid_input", **body)
        assert problem["field"] == field.name, (text[:50], problem)
        assert len(problem["detail"]) < 500


@pytest.mark.parametrize(
    ("operation", "field"), FIELDS, ids=lambda value: value.name if hasattr(value, "name") else None
)
def test_a_wrong_field_is_refused_by_name(used: Site, operation: Operation, field: Field) -> None:
    for value in list_wrong_values(field):
        body = {**BODIES.get(operation.name, {}), field.name: value}
        problem = used.refuse(operation.method, make_address(operation), 422, "invalid_input", json=body)
        assert problem["field"] == field.name, (str(value)[:50], problem)
        assert len(problem["detail"]) < 500


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_unknown_and_doubled_parameters_are_refused(used: Site, operation: Operation) -> None:
    address = make_address(operation)
    body = {"json": BODIES.get(operation.name, {})} if operation.name in BODIES else {}
    problem = used.refuse(operation.method, f"{address}?lmit=1", 422, "invalid_input", **body)
    assert problem["field"] == "lmit"
    used.refuse(operation.method, f"{address}?%FF=1", 400, "malformed", **body)
    used.refuse(operation.method, f"{address}?{'x=1&' * 200}", 400, "malformed", **body)
    for field in operation.query.fields[:1]:
        query = f"{field.name}=1&{field.name}=1"
        assert used.send(operation.method, f"{address}?{query}", **body).status_code == 422


@pytest.mark.parametrize(("operation", "field"), [(o, f) for o, f in FIELDS if f.required])
def test_a_missing_field_is_named(used: Site, operation: Operation, field: Field) -> None:
    given = {name: value for name, value in BODIES.get(operation.name, {}).items() if name != field.name}
    for body in (given, {**given, field.name: None}):
        problem = used.refuse(operation.method, make_address(operation), 422, "invalid_input", json=body)
        fields = (operation.body or operation.query).fields
        assert problem["field"] in {each.name for each in fields if each.required}


@pytest.mark.parametrize(
    "metadata", [{"a": "b\x00"}, {"a" * 100_001: 1}, {"n": 10**30}, {"deep": [[[[]]]] * 1, "b\x00": 1}]
)
def test_metadata_that_cannot_be_kept_is_refused(used: Site, metadata: object) -> None:
    answer = used.send("POST", "/memories", json={"content": "x", "metadata": metadata})
    assert answer.status_code in (400, 422)


def test_metadata_too_deep_is_refused(used: Site) -> None:
    nested = b'{"content": "x", "metadata": {"a": ' + b"[" * 100 + b"]" * 100 + b"}}"
    used.refuse("POST", "/memories", 422, "invalid_input", content=nested)


def test_ranges_that_hold_nothing_are_refused(used: Site) -> None:
    used.refuse("GET", "/memories?importance_min=0.8&importance_max=0.2", 422, "invalid_input")
    body = {"query": "x", "importance_min": 0.8, "importance_max": 0.2}
    used.refuse("POST", "/memories/search", 422, "invalid_input", json=body)


def test_a_cursor_and_an_offset_exclude_each_other(used: Site) -> None:
    used.refuse("GET", "/memories?cursor=zzz!", 422, "invalid_input")
    used.refuse("POST", "/memories/search", 422, "invalid_input", json={"query": "x", "cursor": "0", "offset": 1})


def test_nulls_count_as_not_given(used: Site) -> None:
    body = {"query": "first", "mode": None, "limit": None, "tags": None, "kinds": None, "created_after": None}
    used.ask("POST", "/memories/search", json=body)


def test_whole_numbers_may_be_written_with_a_point(used: Site) -> None:
    used.ask("POST", "/memories/search", content=b'{"query": "first", "limit": 5.0}')


def test_misspelt_names_get_a_suggestion(used: Site) -> None:
    problem = used.refuse("GET", "/memories/a/related?dept=2", 422, "invalid_input")
    assert "did you mean depth?" in problem["detail"]
    assert str(LONG) not in problem["detail"]
