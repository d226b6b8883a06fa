"""Search over a store: what is found, in which order, what a hit shows, and what an answer says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.engine import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError
from remem.records import SearchPage

NOTES = {
    "docs/deploy.md": """---
tags: [ops]
---
# Deployment

Ships go out **every** Friday, see [[Costs; w=2|the costs]].

## Keys

The deploy key rotates on Fridays. #secret

```python
rotate_key(user_id=42)
```

## Rollback

| step | what |
|---|---|
| 1 | rotate back |
""",
    "docs/costs.md": "# Costs\n\nThe key figures of each Friday.\n\n- first item\n- second item about harbour fees\n",
    "docs/cafe\u0301.md": "# Café\n\nMenü: crème brûlée.\n",
    "wissen.md": "# 知识图谱\n\n知识图谱连接事物。\n",
    "log.txt": "night-shift ends at shift:end with sort_keys\n",
    "long.md": "# Long\n\n"
    + "\n\n".join(f"Paragraph {n} about lanterns " + "and more words " * 30 for n in range(12))
    + "\n",
    "twins/a.md": "# Twin\n\nsame words here\n",
    "twins/b.md": "# Twin\n\nsame words here\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RememSync]:
    folder = tmp_path_factory.mktemp("search")
    for name, text in NOTES.items():
        path = folder / "vault" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    other = folder / "other"
    other.mkdir()
    (other / "deploy.md").write_text("# Elsewhere\n\nAnother deploy key.\n", encoding="utf-8")
    with Remem.open_sync(folder / "store.db") as remem:
        remem.compile(folder / "vault")
        remem.compile(other)
        yield remem


def list_labels(answer: SearchPage) -> list[str]:
    return [hit.label for hit in answer]


def test_a_hit_names_the_section_where_it_stands_and_the_best_block(store: RememSync) -> None:
    hit = store.search("when does the deploy key rotate").hits[0]
    assert (hit.label, hit.kind, hit.root, hit.source) == ("Keys", "heading", "vault", "docs/deploy.md")
    assert [crumb.label for crumb in hit.breadcrumb] == ["Deployment"]
    assert hit.snippet == "The deploy key rotates on Fridays. #secret"
    assert [hit.snippet[start:end] for start, end in hit.spans] == ["deploy", "key", "rotates"]
    assert hit.score == 1.0
    nodes = {node.id: node for node in store.export().nodes}
    assert (nodes[hit.id].label, nodes[hit.id].kind) == ("Keys", "heading")
    assert nodes[hit.block_id].content.startswith("The deploy key")


def test_a_snippet_is_plain_text(store: RememSync) -> None:
    assert store.search("ships").hits[0].snippet == "Ships go out every Friday, see the costs."
    assert store.search("rotate back").hits[0].snippet == "step, what; 1, rotate back"
    assert store.search("rotate_key(user_id=42)").hits[0].snippet == "rotate_key(user_id=42)"


def test_more_and_rarer_words_rank_higher(store: RememSync) -> None:
    answer = store.search("friday harbour")
    assert list_labels(answer)[0] == "Costs"
    assert [hit.score for hit in answer] == sorted((hit.score for hit in answer), reverse=True)


def test_what_people_write_finds_what_stands_there(store: RememSync) -> None:
    for query in ("night-shift", "shift:end", "sort_keys", "shift ends", "shift ends AND night", '"night shift"'):
        assert store.search(query).hits[0].source == "log.txt", query
    assert list_labels(store.search("图谱")) == ["知识图谱"]
    assert list_labels(store.search("CAFE creme")) == ["Café"]


def test_a_section_is_one_hit_whatever_the_number_of_its_passages(store: RememSync) -> None:
    answer = store.search("lanterns")
    assert (list_labels(answer), answer.total) == (["Long"], 1)
    assert "lanterns" in answer.hits[0].snippet


@pytest.mark.parametrize("query", ["", "   ", "\n", "???", "\0", None, '""', "* ("])
def test_a_query_without_words_has_an_empty_answer_that_says_so(store: RememSync, query: str | None) -> None:
    answer = store.search(query)
    assert (list(answer), len(answer), answer.total, answer.next_offset) == ([], 0, 0, None)
    assert "the query holds no words" in answer.notes
    assert answer.searched is not None
    assert answer.searched.passages > 0


def test_an_empty_answer_tells_how_much_was_searched(store: RememSync) -> None:
    answer = store.search("zzzz")
    assert answer.searched is not None
    assert answer.searched.nodes == store.stats().nodes
    assert answer.mode == "keyword"


def test_an_empty_answer_tells_that_filters_excluded_everything(store: RememSync) -> None:
    answer = store.search("harbour", sources=["deploy.md"], tags=["ops"])
    assert answer.total == 0
    (note,) = [note for note in answer.notes if "filters" in note]
    assert note.startswith("1 section matches the words, but none of them passes the filters ")
    assert note.endswith("tags: ops; sources: deploy.md")


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        (["deploy.md"], {"vault/docs/deploy.md", "other/deploy.md"}),
        (["docs/deploy.md"], {"vault/docs/deploy.md"}),
        (["docs/deploy"], {"vault/docs/deploy.md"}),
        (["Deploy"], {"vault/docs/deploy.md", "other/deploy.md"}),
        (["eploy.md"], set()),
        (["docs"], {"vault/docs/deploy.md", "vault/docs/costs.md"}),
        (["docs/"], {"vault/docs/deploy.md", "vault/docs/costs.md"}),
        (["doc"], set()),
        (["other/deploy.md"], {"other/deploy.md"}),
        (["d%", "_eploy.md", "*"], set()),
        (["./docs\\costs.md"], {"vault/docs/costs.md"}),
        ([], {"vault/docs/deploy.md", "vault/docs/costs.md", "other/deploy.md", "vault/log.txt"}),
    ],
)
def test_sources_are_matched_by_whole_segments(store: RememSync, sources: list[str], found: set[str]) -> None:
    assert {f"{hit.root}/{hit.source}" for hit in store.search("key", sources=sources)} == found


def test_a_tag_holds_for_all_that_lies_below_it(store: RememSync) -> None:
    assert set(list_labels(store.search("rotate friday", tags=["ops"]))) == {"Deployment", "Keys", "Rollback"}
    assert list_labels(store.search("rotate friday", tags=["#Secret"])) == ["Keys"]
    assert list_labels(store.search("rotate friday", tags=["ops", "secret"])) == ["Keys"]
    assert list_labels(store.search("rotate friday", tags=["op", "sec%"])) == []


def test_kinds_hold_for_a_block_of_the_passage_which_is_then_shown(store: RememSync) -> None:
    (hit,) = store.search("rotate key", kinds=["code"])
    assert (hit.label, hit.snippet) == ("Keys", "rotate_key(user_id=42)")
    assert "Rollback" in list_labels(store.search("rotate", kinds=["table"]))
    assert {hit.kind for hit in store.search("friday", kinds=["document"])} == {"document"}


def test_a_root_restricts_and_an_unknown_one_is_named(store: RememSync) -> None:
    assert {hit.root for hit in store.search("deploy", roots=["other"])} == {"other"}
    answer = store.search("deploy", roots=["nowhere"])
    assert answer.total == 0
    assert "there is no root nowhere" in answer.notes


@pytest.mark.parametrize("kinds", [["heading"], ["document"], ["heading", "document"], ["table", "heading"]])
def test_a_kind_of_section_is_the_kind_of_the_hit(store: RememSync, kinds: list[str]) -> None:
    for query in ("deployment", "twin", "costs figures", "rotate", "keys"):
        for hit in store.search(query, kinds=kinds, limit=50):
            assert hit.kind in kinds or ("table" in kinds and hit.label == "Rollback"), (query, hit.label)


def test_the_best_block_of_a_section_is_shown_where_its_own_kind_was_asked_for(store: RememSync) -> None:
    hit = store.search("harbour fees", kinds=["document"])[0]
    assert (hit.kind, hit.label) == ("document", "Costs") and "harbour fees" in hit.snippet


def test_explain_gives_the_parts(store: RememSync) -> None:
    hit = store.search("deploy harbour", explain=True).hits[0]
    assert hit.explanation is not None
    assert hit.explanation.bm25 > 0
    assert set(hit.explanation.matched) | set(hit.explanation.missed) == {"deploy", "harbour"}
    assert store.search("deploy").hits[0].explanation is None


def test_equal_scores_stand_in_order_of_their_source(store: RememSync) -> None:
    answer = store.search("twin")
    assert [hit.source for hit in answer] == ["twins/a.md", "twins/b.md"]
    assert [hit.score for hit in answer] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limit", 0), ("limit", -1), ("limit", 201), ("limit", 10**9), ("limit", "5"), ("limit", True), ("offset", -1),
        ("kinds", ["novel"]), ("tags", [3]), ("tags", {"a": 1}), ("mode", "telepathy"), ("query", 5),
        ("roots", ["a"] * 201), ("explain", 1), ("explain", "yes"), ("explain", None), ("touch", 0), ("touch", "no"),
    ],
)  # fmt: skip
def test_what_is_out_of_range_is_refused_by_name(store: RememSync, field: str, value: object) -> None:
    arguments: dict[str, object] = {"query": "key", field: value}
    with pytest.raises(InvalidInputError) as caught:
        store.search(**arguments)  # type: ignore[arg-type]
    assert caught.value.facts["field"] == field


def test_pages_of_equal_scores_neither_repeat_nor_skip(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    for number in range(50):
        (vault / f"{number:02d}.md").write_text(f"# Note {number:02d}\n\nthe very same text\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "store.db") as remem:
        assert remem.search("same").notes[-1].startswith("the store is empty: nothing is compiled yet")
        remem.compile(vault)
        found: list[str] = []
        offset: int | None = 0
        while offset is not None:
            answer = remem.search("same text", offset=offset, limit=7)
            assert answer.total == 50
            assert {hit.score for hit in answer} == {1.0}
            found += [hit.source for hit in answer]
            offset = answer.next_offset
        assert found == [f"{number:02d}.md" for number in range(50)]
        assert remem.search("same text", offset=50).notes[-1] == "there are no hits from 50 on"
