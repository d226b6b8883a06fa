"""Finding by REST: search, recall, what is related."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faces.rest.site import Site


@pytest.fixture
def chain(site: Site) -> Site:
    """Four memories, each linked to the next."""
    for name, text in (("a", "granite pier"), ("b", "wooden pier"), ("c", "iron pier"), ("d", "no such thing")):
        site.store(name, text, tags=[name], importance=0.7)
    for source, target, strength in (("a", "b", 0.9), ("b", "c", 0.8), ("c", "d", 0.7)):
        body = {"source_id": source, "target_id": target, "relationship_type": "caused_by", "strength": strength}
        site.ask("POST", "/connections", json=body)
    return site


def test_related_has_the_shape_that_clients_rely_on(chain: Site) -> None:
    found = chain.get("/memories/a/related", depth=2, limit=20)
    assert found["memory_id"] == "a" and list(found) == ["memory_id", "related"]
    first, second = found["related"]
    assert (first["memory"]["id"], first["memory"]["content"], first["memory"]["importance"]) == (
        "b",
        "wooden pier",
        0.7,
    )
    assert first["connection"] == {
        "target_id": "b", "relationship_type": "caused_by", "strength": 0.9, "weight": 0.9, "origin": "manual",
        "created_at": first["connection"]["created_at"], "direction": "out",
    }  # fmt: skip
    assert (first["score"], first["distance"], first["hops"]) == (0.9, 1, 1)
    assert first["direct"] == {
        "source_id": "a", "target_id": "b", "relationship_type": "caused_by", "origin": "manual", "weight": 0.9,
        "direction": "out",
    }  # fmt: skip
    assert second["direct"] is None and second["connection"]["target_id"] == "c"
    assert [(step["id"], step["source_id"], step["target_id"]) for step in second["path"]] == [
        ("b", "a", "b"), ("c", "b", "c"),
    ]  # fmt: skip
    assert second["score"] == pytest.approx(0.9 * 0.8 * 0.8)


def test_related_follows_its_parameters(chain: Site) -> None:
    def ids(**asked: object) -> list[str]:
        return [item["memory"]["id"] for item in chain.get("/memories/b/related", **asked)["related"]]

    assert sorted(ids()) == ["a", "c"]
    assert ids(direction="out", depth=5) == ["c", "d"]
    assert ids(direction="in", depth=5) == ["a"]
    assert ids(weight_min=0.85) == ["a"]
    assert ids(limit=1) == ["a"]
    assert ids(relationship_types="supports") == []
    assert sorted(ids(relationship_types="supports,caused_by", origins="manual")) == ["a", "c"]
    assert ids(origins="parsed") == []
    assert ids(rank="sum", depth=2)[0] == "d"


def test_related_shows_each_write_at_once_and_forgets_what_is_archived(chain: Site) -> None:
    for _ in range(3):
        assert len(chain.get("/memories/a/related")["related"]) == 1
    chain.store("e", "new")
    chain.ask("POST", "/connections", json={"source_id": "a", "target_id": "e"})
    assert len(chain.get("/memories/a/related")["related"]) == 2
    chain.ask("PATCH", "/memories/e", json={"importance": 0.1})
    found = {item["memory"]["id"]: item["memory"] for item in chain.get("/memories/a/related")["related"]}
    assert found["e"]["importance"] == 0.1
    chain.ask("PATCH", "/memories/e", json={"content": "newer"})
    found = {item["memory"]["id"]: item["memory"] for item in chain.get("/memories/a/related")["related"]}
    assert found["e"]["content"] == "newer"
    chain.ask("DELETE", "/memories/e")
    assert len(chain.get("/memories/a/related")["related"]) == 1
    chain.refuse("GET", "/memories/e/related", 404, "not_found")


def test_related_warms_what_it_returns(chain: Site) -> None:
    before = chain.get("/memories/b")["temperature"]
    for _ in range(3):
        chain.get("/memories/a/related")
    assert chain.get("/memories/b")["temperature"] > before + 0.05


def test_related_pages_within_a_budget(chain: Site) -> None:
    seen: list[str] = []
    asked: dict[str, Any] = {"depth": 3, "budget": 60}
    while True:
        page = chain.get("/memories/a/related", **asked)
        seen += [item["memory"]["id"] for item in page["related"]]
        assert page["total"] == 3
        if page["cursor"] is None:
            break
        asked["cursor"] = page["cursor"]
    assert seen == ["b", "c", "d"]


def test_search_finds_memories_with_scores_and_totals(chain: Site) -> None:
    found = chain.ask("POST", "/memories/search", json={"query": "pier", "mode": "keyword", "limit": 2})
    assert found["total"] == 3 and found["left_out"] == 1 and len(found["results"]) == 2
    assert all(0 <= hit["score"] <= 1 and "pier" in hit["memory"]["content"] for hit in found["results"])
    rest = chain.ask(
        "POST", "/memories/search", json={"query": "pier", "mode": "keyword", "limit": 2, "cursor": found["cursor"]}
    )
    ids = [hit["memory"]["id"] for hit in (*found["results"], *rest["results"])]
    assert sorted(ids) == ["a", "b", "c"]


def test_search_type_is_another_name_for_mode(chain: Site) -> None:
    found = chain.ask("POST", "/memories/search", json={"query": "pier", "search_type": "keyword"})
    assert found["mode"] == "keyword"
    body = {"query": "pier", "search_type": "keyword", "mode": "hybrid"}
    chain.refuse("POST", "/memories/search", 422, "invalid_input", json=body)


def test_search_applies_filters_before_the_ranking(chain: Site) -> None:
    def count(**asked: object) -> int:
        body = {"query": "pier", "mode": "keyword", **asked}
        return int(chain.ask("POST", "/memories/search", json=body)["total"])

    assert count() == 3
    assert count(tags=["a"]) == 1
    assert count(kinds=["document"]) == 0
    assert count(importance_min=0.8) == 0
    assert count(created_after="2999-01-01T00:00:00Z") == 0
    assert count(memory_type="short_term") == 0


@pytest.mark.parametrize("query", ["", "   ", "\x00", "\"'*(", "AND OR NOT", "a" * 50_000, "日本", "🦭", "x:y -z"])
def test_no_query_is_an_error(chain: Site, query: str) -> None:
    for mode in ("keyword", "hybrid"):
        chain.ask("POST", "/memories/search", json={"query": query, "mode": mode})
    chain.ask("POST", "/recall", json={"query": query})


def test_search_shows_each_write_at_once(chain: Site) -> None:
    def ids() -> list[str]:
        body = {"query": "pier", "mode": "keyword"}
        return sorted(hit["memory"]["id"] for hit in chain.ask("POST", "/memories/search", json=body)["results"])

    assert ids() == ids() == ["a", "b", "c"]
    chain.ask("PATCH", "/memories/d", json={"content": "a pier after all"})
    assert ids() == ["a", "b", "c", "d"]
    chain.ask("DELETE", "/memories/a")
    assert ids() == ["b", "c", "d"]
    chain.ask("POST", "/memories/a/unarchive")
    assert ids() == ["a", "b", "c", "d"]


def test_search_hides_what_expires_from_that_instant(site: Site) -> None:
    site.store("a", "granite pier")
    site.store("b", "wooden pier", ttl=0.3)

    def count() -> int:
        return int(site.ask("POST", "/memories/search", json={"query": "pier", "mode": "keyword"})["total"])

    site.wait(lambda: True if count() == 1 else None)
    assert site.get("/memories")["total"] == 1


def test_a_hit_is_explained_when_asked(chain: Site) -> None:
    body = {"query": "granite", "mode": "keyword", "explain": True}
    (hit,) = chain.ask("POST", "/memories/search", json=body)["results"]
    assert hit["explanation"]["matched"] == ["granite"]


def test_recall_packs_a_context_within_its_budget(chain: Site) -> None:
    found = chain.ask("POST", "/recall", json={"query": "granite pier", "budget": 100})
    assert found["tokens"] <= 100
    assert found["items"][0]["id"] == "a" and found["items"][0]["reason"]
    assert "granite pier" in found["text"]


def test_semantic_search_without_vectors_is_no_failure_of_the_service(chain: Site) -> None:
    answer = chain.send("POST", "/memories/search", json={"query": "pier", "mode": "semantic"})
    assert answer.status_code in (200, 503)
