"""Hits that owe their place to the graph say by which path they came, whatever little their text is worth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync


@pytest.fixture
def small(tmp_path: Path, config: Path) -> Iterator[RememSync]:
    """Six memories with vectors: each is somewhat near to any query."""
    with Remem.open_sync(tmp_path / "small.db", config=config) as opened:
        texts = {
            "question": "The bridge over the river was closed by the storm",
            "answer": "Amina decided it together with the harbour master in the night",
            "cause": "Heavy rain had washed the gravel away in the week before",
            "birds": "Puffins nest in old burrows and dive for the small eels",
            "cost": "Ferry tickets cost ten crowns in the winter and the summer",
            "board": "The board in the hall shows the times of all the sailings",
        }
        for id, text in texts.items():
            opened.store(text, id=id)
        opened.settle()
        opened.relate("question", "answer", type="caused_by", weight=2)
        opened.relate("cause", "answer", type="supports", weight=2)
        yield opened


def test_in_a_small_store_a_hit_that_the_graph_brought_up_says_by_which_path(small: RememSync) -> None:
    page = small.search("bridge closed by the storm", explain=True)
    hits = {hit.id: hit for hit in page}
    assert page[0].id == "question" and (page[0].reason, page[0].via) == ("", ())
    answer = hits["answer"]
    assert answer.explanation is not None and answer.explanation.cosine is not None
    assert answer.explanation.activation > answer.explanation.text
    assert answer.reason == "linked with The bridge over the river was closed by the storm (question)"
    (step,) = answer.via
    assert (step.id, step.relationship_type, step.direction, step.weight) == ("answer", "caused_by", "out", 2)


def test_a_path_of_two_edges_is_told_where_no_edge_leads_there(small: RememSync) -> None:
    (hit,) = [hit for hit in small.search("bridge closed by the storm") if hit.id == "cause"]
    assert hit.reason.startswith("linked with ")
    assert [(step.id, step.direction) for step in hit.via] == [("answer", "out"), ("cause", "in")]


def test_a_hit_that_stands_by_its_text_gives_no_reason(small: RememSync) -> None:
    page = small.search("puffins nest in old burrows", explain=True)
    assert page[0].id == "birds" and page[0].reason == ""
    for hit in page:
        parts = hit.explanation
        assert parts is not None and (hit.reason != "" or parts.activation <= parts.text)


@pytest.mark.parametrize("options", [{"spread": 0}, {"mode": "keyword"}, {"mode": "semantic"}])
def test_where_nothing_is_spread_no_hit_gives_a_reason(small: RememSync, options: dict[str, object]) -> None:
    page = small.search("bridge closed by the storm", **options)  # type: ignore[arg-type]
    assert len(page) and all((hit.reason, hit.via) == ("", ()) for hit in page)


def test_what_the_text_alone_would_have_left_out_gives_a_reason(small: RememSync) -> None:
    (first, second) = small.search("bridge closed by the storm", limit=2)
    alone = [hit.id for hit in small.search("bridge closed by the storm", limit=2, spread=0)]
    assert first.id == "question" and second.id == "answer"
    assert second.id not in alone and second.reason != ""


def test_the_node_to_relate_to_may_be_where_a_path_begins(small: RememSync) -> None:
    small.relate("birds", "cost", type="references")
    (hit,) = [hit for hit in small.search("bridge closed", related_to="birds") if hit.id == "cost"]
    assert hit.reason.endswith("(birds)") and [step.id for step in hit.via] == ["cost"]
