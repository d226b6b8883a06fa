"""Search by words, meaning and the graph, over a store whose embedder hashes words."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError, NotFoundError
from remem.records import SearchPage


def list_ids(page: SearchPage) -> list[str]:
    return [hit.id for hit in page]


def test_a_section_that_shares_no_word_is_found_through_a_link_and_says_so(remem: RememSync) -> None:
    page = remem.search("push on Fridays")
    (hit,) = [hit for hit in page if hit.label == "Key rotation"]
    assert page[0].label == "Deploy" and hit.score < page[0].score == 1.0
    assert hit.reason.startswith("linked with Deploy")
    (step,) = hit.via
    assert (step.id, step.relationship_type, step.origin, step.direction) == (hit.id, "references", "parsed", "out")
    assert "Key rotation" not in [hit.label for hit in remem.search("push on Fridays", spread=0)]


def test_the_neighbouring_turn_of_a_conversation_is_found_with_the_reason(remem: RememSync) -> None:
    page = remem.search("since when", sources=["chat"])
    assert set(list_ids(page)) == {"turn-0", "turn-1", "turn-2"}
    assert page.mode == "hybrid"


def test_filters_hold_for_what_the_graph_brings_as_well(remem: RememSync) -> None:
    assert [hit.label for hit in remem.search("push on Fridays", sources=["deploy.md"])] == ["Deploy", "Rollback"]
    assert list_ids(remem.search("pier", sources=["chat"]))[0] == "turn-0"
    assert list_ids(remem.search("puffins burrows", memory_type="long_term", tags=["birds"])) == ["puffins"]
    assert list_ids(remem.search("tickets", memory_type="short_term")) == ["tickets"]
    assert "tickets" not in list_ids(remem.search("tickets", memory_type="long_term"))
    assert set(list_ids(remem.search("puffins", importance_min=0.8))) == {"puffins"}
    assert "puffins" not in list_ids(remem.search("puffins", importance_max=0.6))
    assert list_ids(remem.search("puffins", created_after=1 << 50)) == []
    assert list_ids(remem.search("puffins", created_before=1 << 50, importance_min=0.8)) == ["puffins"]


def test_a_node_to_relate_to_draws_what_lies_near_it(remem: RememSync) -> None:
    plain, drawn = remem.search("quarter crowns"), remem.search("quarter crowns", related_to="Puffins")
    assert "Terns" not in [hit.label for hit in plain][:4]
    assert {"Puffins", "Terns", "Birds"} & {hit.label for hit in drawn}
    with pytest.raises(NotFoundError):
        remem.search("quarter", related_to="nowhere")


def test_the_parts_of_a_score_are_told_when_asked_for(remem: RememSync) -> None:
    hit = remem.search("old burrows of puffins", explain=True)[0]
    parts = hit.explanation
    assert hit.id == "puffins" and parts is not None
    assert parts.cosine is not None and parts.cosine > 0.5
    assert parts.keyword > 0 and parts.use > 1 and parts.text == 1.0 and 0 < parts.activation <= 1
    assert remem.search("puffins")[0].explanation is None


def test_an_answer_by_meaning_is_ordered_by_cosine_and_holds_what_is_embedded(remem: RememSync) -> None:
    page = remem.search("old burrows of puffins", mode="semantic")
    assert page.mode == "semantic" and page[0].id == "puffins"
    assert [hit.score for hit in page] == sorted((hit.score for hit in page), reverse=True)
    assert "Deploy" not in [hit.label for hit in page]


def test_where_nothing_is_embedded_the_answer_says_so(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "empty.db") as opened:
        assert opened.search("anything", mode="semantic").notes[0].startswith("nothing is embedded")
        assert list(opened.search("")) == list(opened.search(None)) == []
        assert opened.search("anything").total == 0


def test_pages_of_a_hybrid_answer_hold_every_hit_once_though_being_shown_warms(remem: RememSync) -> None:
    whole = list_ids(remem.search("the puffins since Fridays", limit=100))
    found: list[str] = []
    cursor: str | None = None
    for _ in range(20):
        page = remem.search("the puffins since Fridays", limit=2, cursor=cursor)
        found += list_ids(page)
        cursor = page.cursor
        if cursor is None:
            break
    assert found == whole and len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("spread", value) for value in (-0.1, 1.1, float("nan"), "0.5", True)),
        ("memory_type", "eternal"), ("importance_min", 2), ("importance_max", "high"), ("created_after", 1.5),
        ("created_before", "today"), ("related_to", ""), ("related_to", 5), ("mode", "telepathy"), ("touch", 1),
        ("explain", "true"),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_refused_by_name(remem: RememSync, field: str, value: object) -> None:
    arguments: dict[str, object] = {"query": "key", field: value}
    with pytest.raises(InvalidInputError) as caught:
        remem.search(**arguments)  # type: ignore[arg-type]
    assert caught.value.facts["field"] == field


@pytest.mark.parametrize(("least", "most"), [("importance_min", "importance_max"), ("created_after", "created_before")])
def test_a_range_that_nothing_could_lie_in_is_refused(remem: RememSync, least: str, most: str) -> None:
    for call in (remem.search, remem.recall):
        with pytest.raises(InvalidInputError) as caught:
            call("key", **{least: 1, most: 0})  # type: ignore[arg-type]
        assert caught.value.facts["field"] == least and most in caught.value.message
        call("key", **{least: 1, most: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["\x00", "\ud800 puffins", "a" * 30_000, "AND OR", "🙂", "'", '"', "*"])
def test_no_text_of_a_query_is_an_error(remem: RememSync, query: str) -> None:
    for mode in ("hybrid", "semantic", "keyword"):
        remem.search(query, mode=mode)


def test_a_reason_names_a_memory_without_a_title(remem: RememSync) -> None:
    remem.relate("turn-0", "Key rotation", weight=3)
    (hit,) = [hit for hit in remem.search("the pier is closed", limit=50) if hit.label == "Key rotation"]
    assert hit.reason == "linked with Amina: the pier is closed (turn-0)"
