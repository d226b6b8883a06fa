"""Connections by REST: made, listed, changed, removed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faces.rest.site import Site


@pytest.fixture
def pair(site: Site) -> Site:
    site.store("a", "first, see [[Second]]")
    site.store("b", "# Second\n\ntext")
    site.store("c", "third")
    return site


def connect(site: Site, source: str, target: str, **fields: object) -> Any:
    return site.ask("POST", "/connections", json={"source_id": source, "target_id": target, **fields})


def test_a_connection_is_made_and_made_again_brought_up_to_date(pair: Site) -> None:
    made = connect(pair, "a", "c", relationship_type="caused_by", strength=0.25)
    assert made["source_id"] == "a"
    told = made["connection"]
    assert (told["target_id"], told["relationship_type"], told["strength"], told["weight"], told["origin"]) == (
        "c", "caused_by", 0.25, 0.25, "manual",
    )  # fmt: skip
    again = connect(pair, "a", "c", relationship_type="caused_by", strength=0.5)["connection"]
    assert (again["created_at"], again["strength"]) == (told["created_at"], 0.5)


def test_lists_are_oldest_first_with_totals_of_what_matches(pair: Site) -> None:
    for kind in ("supports", "caused_by", "part_of"):
        connect(pair, "a", "c", relationship_type=kind)
    connect(pair, "b", "c")
    page = pair.get("/connections", limit=2, offset=1)
    assert (page["total"], page["limit"], page["offset"], len(page["connections"])) == (5, 2, 1, 2)
    assert pair.get("/connections")["connections"][0]["connection"]["origin"] == "parsed"
    assert pair.get("/connections", origin="manual")["total"] == 4
    assert pair.get("/connections", type="supports")["total"] == 1
    assert pair.get("/connections", node="b")["total"] == 2
    pair.ask("DELETE", "/memories/c")
    assert pair.get("/connections")["total"] == 1


def test_ends_that_are_unknown_or_archived_are_not_found(pair: Site) -> None:
    pair.ask("DELETE", "/memories/c")
    for source, target in (("a", "nobody"), ("nobody", "a"), ("a", "c"), ("c", "a")):
        body = {"source_id": source, "target_id": target}
        pair.refuse("POST", "/connections", 404, "not_found", json=body)
    body = {"source_id": "a", "target_id": "a"}
    pair.refuse("POST", "/connections", 422, "invalid_input", json=body)


def test_a_change_keeps_the_time_and_makes_the_edge_manual(pair: Site) -> None:
    made = connect(pair, "a", "c", strength=0.3)["connection"]
    told = pair.ask("PATCH", "/connections/a/c", json={"strength": 0.9})["connection"]
    assert (told["strength"], told["relationship_type"], told["origin"]) == (0.9, "related_to", "manual")
    told = pair.ask("PATCH", "/connections/a/c", json={"relationship_type": "supports"})["connection"]
    assert (told["strength"], told["relationship_type"], told["created_at"]) == (0.9, "supports", made["created_at"])
    assert pair.get("/connections", origin="manual")["total"] == 1


def test_a_weight_above_one_stays_where_only_the_type_is_changed(pair: Site) -> None:
    pair.run(pair.remem.relate, "a", "c", weight=2.5)
    told = pair.ask("PATCH", "/connections/a/c", json={"relationship_type": "part_of"})["connection"]
    assert (told["weight"], told["strength"]) == (2.5, 1.0)


def test_several_connections_need_a_type(pair: Site) -> None:
    connect(pair, "a", "c", relationship_type="supports")
    connect(pair, "a", "c", relationship_type="caused_by")
    problem = pair.refuse("PATCH", "/connections/a/c", 409, "conflict", json={"strength": 0.1})
    assert "supports" in problem["detail"] and "caused_by" in problem["detail"]
    changed = pair.ask("PATCH", "/connections/a/c?relationship_type=supports", json={"strength": 0.1})
    assert changed["connection"]["relationship_type"] == "supports"
    for method, body in (("PATCH", {"json": {"strength": 0.1}}), ("DELETE", {})):
        problem = pair.refuse(method, "/connections/a/c?relationship_type=part_of", 404, "not_found", **body)
        assert problem["relationship_types"] == ["caused_by", "supports"]
    taken = {"relationship_type": "caused_by"}
    pair.refuse("PATCH", "/connections/a/c?relationship_type=supports", 409, "conflict", json=taken)
    assert pair.get("/connections", origin="manual")["total"] == 2


def test_what_a_text_says_is_changed_in_the_text(pair: Site) -> None:
    for method, body in (("DELETE", {}), ("PATCH", {"json": {"strength": 0.5}})):
        problem = pair.refuse(method, "/connections/a/b", 409, "conflict", **body)
        assert problem["place"] == "a"
    connect(pair, "a", "b", relationship_type="supports")
    changed = pair.ask("PATCH", "/connections/a/b", json={"strength": 0.5})
    assert changed["connection"]["relationship_type"] == "supports"
    assert pair.ask("DELETE", "/connections/a/b")["deleted"] == 1
    assert pair.get("/connections")["total"] == 1


def test_no_connection_is_not_found(pair: Site) -> None:
    for method, body in (("DELETE", {}), ("PATCH", {"json": {"strength": 0.5}})):
        pair.refuse(method, "/connections/a/c", 404, "not_found", **body)
        pair.refuse(method, "/connections/a/nobody", 404, "not_found", **body)
        pair.refuse(method, "/connections/c/a?relationship_type=supports", 404, "not_found", **body)


def test_a_removal_takes_one_type_or_all(pair: Site) -> None:
    for kind in ("supports", "caused_by", "part_of"):
        connect(pair, "a", "c", relationship_type=kind)
    removed = pair.ask("DELETE", "/connections/a/c?relationship_type=supports")
    assert (removed["success"], removed["deleted"]) == (True, 1) and removed["message"]
    assert pair.ask("DELETE", "/connections/a/c")["deleted"] == 2


def test_a_change_without_anything_to_change_is_refused(pair: Site) -> None:
    connect(pair, "a", "c")
    pair.refuse("PATCH", "/connections/a/c", 422, "invalid_input", json={})
    pair.refuse("PATCH", "/connections/a/c", 400, "malformed", content=b"")


def test_a_mention_that_is_changed_becomes_manual_and_a_removed_one_stays_away(site: Site) -> None:
    site.store("place", "# Tern Dock Quay\n\nin the north")
    site.store("talk", "we met at Tern Dock Quay yesterday")
    site.run(site.remem.settle)
    assert site.get("/connections", origin="mentioned")["total"] == 1
    changed = site.ask("PATCH", "/connections/talk/place", json={"strength": 0.4})["connection"]
    assert (changed["origin"], changed["relationship_type"], changed["strength"]) == ("manual", "references", 0.4)
    site.run(site.remem.settle)
    assert site.get("/connections")["total"] == 1
    site.ask("DELETE", "/connections/talk/place")
    site.run(site.remem.settle)
    assert site.get("/connections")["total"] == 0
