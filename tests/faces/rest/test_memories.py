"""Memories by REST: stored, read, listed, changed, forgotten, brought back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.faces.rest.site import Site

FIELDS = {"id", "content", "memory_type", "importance", "tags", "source", "metadata", "created_at", "updated_at",
          "accessed_at", "access_count", "expires_at", "pinned", "archived", "temperature"}  # fmt: skip


def test_a_stored_memory_has_all_fields_and_is_read_back(site: Site) -> None:
    made = site.store("m1", "# Keys\n\nThe key rotates on Fridays. #ops", importance=0.7, tags=["deploy"],
                      source="chat", metadata={"a": [1, None, "x"]})  # fmt: skip
    assert made.keys() >= FIELDS
    assert (made["id"], made["importance"], made["source"]) == ("m1", 0.7, "chat")
    assert made["tags"] == ["deploy", "ops"] and made["metadata"] == {"a": [1, None, "x"]}
    assert (made["memory_type"], made["expires_at"], made["existing"]) == ("long_term", None, False)
    assert made["created_at"].endswith("Z")
    assert site.get("/memories/m1") == made


def test_reading_counts_and_warms_at_once(site: Site) -> None:
    site.store("m1", "a fact")
    first, second, third = (site.get("/memories/m1") for _ in range(3))
    assert [read["access_count"] for read in (first, second, third)] == [0, 1, 2]
    assert first["temperature"] < second["temperature"] < third["temperature"]
    assert third["accessed_at"] is not None


def test_ttl_alone_makes_a_memory_short_term(site: Site) -> None:
    made = site.store("m1", "soon gone", ttl=60)
    assert made["memory_type"] == "short_term" and made["expires_at"] is not None
    site.refuse("POST", "/memories", 422, "invalid_input", json={"content": "x", "memory_type": "long_term", "ttl": 5})


def test_a_memory_that_has_expired_is_not_found_from_then_on(site: Site) -> None:
    site.store("m1", "soon gone", ttl=0.05)
    site.wait(lambda: True if site.get("/memories")["total"] == 0 else None)
    site.refuse("GET", "/memories/m1", 404, "not_found")
    assert site.get("/memories")["total"] == 0
    assert site.get("/memories/m1", archived="true")["archived"] is True


def test_the_same_content_again_is_the_memory_that_is_there(site: Site) -> None:
    site.store("m1", "said once", tags=["a"])
    again = site.ask("POST", "/memories", 201, json={"content": "said once", "tags": ["b"], "importance": 0.9})
    assert (again["id"], again["existing"], again["tags"], again["importance"]) == ("m1", True, ["a", "b"], 0.9)
    problem = site.refuse("POST", "/memories", 409, "conflict", json={"id": "m1", "content": "something else"})
    assert "m1" in problem["detail"]


def test_a_batch_is_stored_whole_or_not_at_all(site: Site) -> None:
    items: list[Any] = [{"id": "a", "content": "one"}, "two", {"content": "three", "ttl": 60}]
    for body in (items, {"memories": ["four"]}, {"items": ["five"]}):
        made = site.ask("POST", "/memories/batch", 201, json=body)
        assert len(made["memories"]) == made["total"] == len(body if isinstance(body, list) else [0])
    problem = site.refuse("POST", "/memories/batch", 422, "invalid_input", json=["six", {"content": ""}])
    assert (problem["item"], problem["field"]) == (1, "content")
    assert site.get("/memories")["total"] == 5
    assert site.get("/stats")["snapshots"] == 3


@pytest.mark.parametrize("body", [[], {"memories": []}, ["x"] * 1001, [1], {"memories": "x"}, {}, "x", [None]])
def test_a_batch_of_the_wrong_form_is_refused(site: Site, body: object) -> None:
    site.refuse("POST", "/memories/batch", 422, "invalid_input", json=body)
    assert site.get("/memories")["total"] == 0


def test_entities_and_relationships_come_with_a_memory(site: Site) -> None:
    given = {"entities": [{"name": "Amina", "type": "person"}, {"name": ""}],
             "relationships": [{"source": "Amina", "target": "Dock", "strength": 0.8}]}  # fmt: skip
    made = site.store("m1", "Amina runs the dock", graph_extraction=given)["graph_extraction"]
    assert [entity["name"] for entity in made["entities"]] == ["Amina", "Dock"] or made["refused"]
    assert made["refused"]


def test_lists_are_paged_filtered_and_counted(site: Site) -> None:
    for number in range(7):
        site.store(f"m{number}", f"fact {number}", importance=number / 10, tags=["odd" if number % 2 else "even"])
    seen: list[str] = []
    page = site.get("/memories", limit=3)
    while True:
        assert page["total"] == 7
        seen += [memory["id"] for memory in page["memories"]]
        if page["next_cursor"] is None:
            break
        page = site.get("/memories", limit=3, cursor=page["next_cursor"])
    assert seen == [f"m{number}" for number in reversed(range(7))]
    odd = site.get("/memories", tags="odd", sort_by="importance", order="asc")
    assert odd["total"] == 3 and [memory["id"] for memory in odd["memories"]] == ["m1", "m3", "m5"]
    assert site.get("/memories", importance_min=0.25, importance_max=0.45)["total"] == 2
    assert site.get("/memories", created_after="2999-01-01T00:00:00Z")["total"] == 0
    assert site.get("/memories", created_before="2999-01-01")["total"] == 7


def test_a_cursor_goes_on_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Site(path) as site:
        for number in range(5):
            site.store(f"m{number}", f"fact {number}")
        first = site.get("/memories", limit=2)
    with Site(path) as site:
        second = site.get("/memories", limit=2, cursor=first["next_cursor"])
        assert [memory["id"] for memory in second["memories"]] == ["m2", "m1"]
        site.refuse("GET", f"/memories?order=asc&cursor={first['next_cursor']}", 422, "invalid_input")


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_an_update_replaces_what_is_given(site: Site, method: str) -> None:
    site.store("m1", "first", tags=["a"], importance=0.2)
    made = site.ask(method, "/memories/m1", json={"content": "second", "importance": None})
    assert (made["content"], made["tags"], made["importance"]) == ("second", ["a"], 0.2)
    assert site.ask(method, "/memories/m1", json={"tags": []})["tags"] == []
    assert site.refuse(method, "/memories/m1", 422, "invalid_input", json={})["field"]
    assert site.refuse(method, "/memories/m1", 422, "invalid_input", json={"id": "m2"})["field"] == "id"
    site.refuse(method, "/memories/nobody", 404, "not_found", json={"content": "x"})


def test_forgetting_archives_and_bringing_back_restores(site: Site) -> None:
    site.store("m1", "kept aside")
    gone = site.ask("DELETE", "/memories/m1")
    assert (gone["success"], gone["hard"]) == (True, False)
    site.refuse("GET", "/memories/m1", 404, "not_found")
    assert site.get("/memories", archived="true")["total"] == 1
    assert site.get("/memories/m1", archived="true", include_connections="true")["connections"] == []
    assert site.ask("POST", "/memories/m1/unarchive")["archived"] is False
    assert site.get("/memories/m1")["content"] == "kept aside"


def test_a_hard_delete_is_for_good(site: Site) -> None:
    site.store("m1", "gone")
    assert site.ask("DELETE", "/memories/m1?hard=true")["hard"] is True
    site.refuse("POST", "/memories/m1/unarchive", 404, "not_found")
    site.refuse("DELETE", "/memories/m1", 404, "not_found")


def test_promoting_keeps_a_memory(site: Site) -> None:
    site.store("m1", "short", ttl=60)
    assert site.ask("POST", "/memories/m1/promote")["memory_type"] == "long_term"
    site.refuse("POST", "/memories/nobody/promote", 404, "not_found")


def test_pinned_memories_say_so(site: Site) -> None:
    site.store("m1", "pinned")
    site.get("/memories/m1")
    assert site.ask("POST", "/memories/m1/pin")["pinned"] is True
    assert site.get("/memories/m1")["pinned"] is True
    assert site.ask("POST", "/memories/m1/unpin", json={})["pinned"] is False
    assert site.get("/memories/m1")["pinned"] is False


def test_connections_come_with_a_memory_when_asked_for(site: Site) -> None:
    site.store("a", "one")
    site.store("b", "two")
    site.ask("POST", "/connections", json={"source_id": "a", "target_id": "b"})
    assert "connections" not in site.get("/memories/a")
    (edge,) = site.get("/memories/a", include_connections="true")["connections"]
    assert (edge["source_id"], edge["connection"]["target_id"]) == ("a", "b")


@pytest.mark.parametrize("archived", ["false", "true"])
def test_a_budget_reads_a_memory_in_parts_with_its_connections_once(site: Site, archived: str) -> None:
    content = "# Log\n\n" + "".join(f"Line {number} of a long log.\n" for number in range(60)).rstrip()
    site.store("log", content)
    for number in range(20):
        site.store(f"m{number}", f"fact {number}")
        site.ask("POST", "/connections", json={"source_id": "log", "target_id": f"m{number}"})
    if archived == "true":
        site.ask("DELETE", "/memories/log")
    parts, edges, given = "", [], {"budget": 200, "include_connections": "true", "archived": archived}
    page = site.get("/memories/log", **given)
    while True:
        parts += page["content"]
        edges += [edge["connection"]["target_id"] for edge in page["connections"]]
        assert (page["cursor"] is None) == (page["left_out"] == 0)
        if page["cursor"] is None:
            break
        page = site.get("/memories/log", **given, cursor=page["cursor"])
    assert parts == content
    assert sorted(edges) == ([] if archived == "true" else sorted(f"m{number}" for number in range(20)))
    site.refuse("GET", "/memories/log?budget=59", 422, "invalid_input")
    site.refuse("GET", "/memories/log?cursor=nonsense&archived=true", 422, "invalid_input")


def test_a_list_within_a_budget_goes_on_from_its_cursor(site: Site) -> None:
    for number in range(9):
        site.store(f"m{number}", f"a fact with some words, number {number}")
    assert site.get("/memories").keys() == {"memories", "total", "next_cursor"}
    page = site.get("/memories", budget=60, limit=200)
    found = [memory["id"] for memory in page["memories"]]
    while page["next_cursor"] is not None:
        assert page["cursor"] == page["next_cursor"] and page["left_out"] > 0 and page["total"] == 9
        page = site.get("/memories", budget=60, limit=200, cursor=page["next_cursor"])
        found += [memory["id"] for memory in page["memories"]]
    assert sorted(found) == [f"m{number}" for number in range(9)]


def test_notes_read_as_memories_but_are_not_changed(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "Deploy.md").write_text("# Deploy\n\nBy hand.\n", encoding="utf-8")
    with Site(tmp_path / "memory.db") as site:
        site.run(site.remem.compile, notes)
        note = site.get("/memories/Deploy")
        assert (note["kind"], note["importance"], note["source"]) == ("heading", 0.5, "Deploy.md")
        problem = site.refuse("PATCH", f"/memories/{note['id']}", 409, "conflict", json={"content": "x"})
        assert "Deploy.md" in problem["detail"]
        site.refuse("DELETE", f"/memories/{note['id']}", 409, "conflict")
        assert site.ask("POST", f"/memories/{note['id']}/pin")["pinned"] is True


def test_a_label_with_a_slash_is_one_segment_and_an_ambiguous_one_is_refused(site: Site) -> None:
    site.store("m1", "# CI/CD\n\nnever on Fridays")
    assert site.get("/memories/CI%2FCD")["id"] == "m1"
    site.store("m2", "# CI/CD\n\nonly on Fridays")
    problem = site.refuse("GET", "/memories/CI%2FCD", 409, "ambiguous")
    assert sorted(problem["candidates"]) == ["m1", "m2"]


@pytest.mark.parametrize("id", ["batch", "search", "*", "-", "_", "connections"])
def test_any_legal_id_is_reached_whatever_else_is_called_so(site: Site, id: str) -> None:
    if id != "*":
        site.store(id, f"called {id}")
        assert site.get(f"/memories/{id}")["id"] == id
    else:
        site.refuse("GET", "/memories/*", 404, "not_found")


@pytest.mark.parametrize(
    "id", ["", "%00", "a%00b", "%20", "x" * 5000, "..%2f..%2fetc", "%F0%9F%92%A9", "a%0Ab", "null", "%E2%80%AE"]
)
@pytest.mark.parametrize("method", ["GET", "DELETE", "PATCH"])
def test_an_odd_id_is_not_found(site: Site, id: str, method: str) -> None:
    body = {"json": {"content": "x"}} if method == "PATCH" else {}
    site.refuse(method, f"/memories/{id}", 404, "not_found", **body)
