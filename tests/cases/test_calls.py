"""What callers and models give: texts, ids, tags, limits and queries of every kind. Bad input gets a clear error and
changes nothing; no query is an error."""

from __future__ import annotations

from typing import Any

import pytest

from remem.errors import InvalidInputError, NotFoundError
from tests.cases.vault import Vault

NO_TEXTS: list[tuple[Any, str]] = [
    ("hi \ud83d there", "half a surrogate pair at 3"),
    ("alpha\0omega", "a NUL character at 5"),
    ("# al\0pha\n\nbody", "a NUL character at 4"),
    ("", "empty"),
    (3, "text, not a whole number"),
    (None, "text, not null"),
    ({"text": "x"}, "text, not an object"),
]


def list_all(vault: Vault) -> list[tuple[str, str]]:
    """What lives: ids and contents."""
    return [(node.id, node.content) for node in vault.export.nodes]


# --- storing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("content", "told"), NO_TEXTS)
def test_content_that_is_no_text_is_refused_with_the_reason(vault: Vault, content: Any, told: str) -> None:
    """Cases 64, 65, 139"""
    vault.remem.store("fact", id="1")
    before = list_all(vault)
    with pytest.raises(InvalidInputError, match=told):
        vault.remem.store(content)
    with pytest.raises(InvalidInputError, match=told):
        vault.remem.update("1", content=content)
    with pytest.raises(InvalidInputError, match="item 1"):
        vault.remem.store_batch(["good", {"content": content}])
    assert list_all(vault) == before
    assert len(vault.remem.snapshots()) == 1


@pytest.mark.parametrize("hard", [False, True])
def test_fact_that_was_deleted_can_be_told_again(vault: Vault, hard: bool) -> None:
    """Case 50"""
    first = vault.remem.store("alpha fact [[Later]]", id="fact" if hard else None)
    vault.remem.delete(first.id, hard=hard)
    assert (vault.pending, list(vault.remem.search("alpha", mode="keyword"))) == ([], [])
    again = vault.remem.store("alpha fact [[Later]]", id="fact" if hard else None)
    assert again.id == first.id
    assert [hit.id for hit in vault.remem.search("alpha", mode="keyword")] == [again.id]
    assert vault.pending == [": Later"]
    vault.compile({"Later.md": "# Later\n"})
    assert vault.edges == [" -> Later.md"]


def test_saving_the_same_twice_makes_nothing_twice(vault: Vault) -> None:
    """Case 41"""
    text = "# Self\n\n[[Self]] and [[#Self]] and [[b]]\n"
    vault.compile({"b.md": "x\n"})
    first, again = vault.remem.store(text), vault.remem.store(text)
    assert (again.id, again.existing) == (first.id, True)
    assert vault.edges == [" -> b.md"]
    for _ in range(2):
        vault.remem.relate(first.id, "b", type="supports")
    assert vault.manual == [" -> b.md supports"]


@pytest.mark.parametrize("id", ["0", "10cf-missing", "41"])
def test_edge_to_an_id_that_does_not_exist_is_refused_whole(vault: Vault, id: str) -> None:
    """Cases 55, 137"""
    vault.compile({"a.md": "x\n"})
    for call in (vault.remem.relate, vault.remem.connect):
        for ends in (("a", id), (id, "a")):
            with pytest.raises(NotFoundError, match=f"not found: {id}"):
                call(*ends)
    assert (vault.manual, vault.pending) == ([], [])


@pytest.mark.parametrize("id", ["41", "n 1", "N1", "n1 ", "../1", "%31"])
def test_unknown_memory_is_named_and_nothing_is_written(vault: Vault, id: str) -> None:
    """Case 137"""
    for number in range(5):
        vault.remem.store(f"fact {number}", id=str(number))
    before = list_all(vault)
    for call in (vault.remem.get, vault.remem.delete, vault.remem.promote, vault.remem.unarchive, vault.remem.pin):
        with pytest.raises(NotFoundError, match="not found: "):
            call(id)
    with pytest.raises(NotFoundError):
        vault.remem.update(id, content="x")
    assert list_all(vault) == before


@pytest.mark.parametrize(
    "tags", [[["a"]], [1], {"a": 1}, ["a", None], [""], ["\ud83d"], [f"tag {n}" for n in range(51)]]
)
def test_tags_that_are_no_list_of_texts_are_refused(vault: Vault, tags: Any) -> None:
    """Case 133"""
    with pytest.raises(InvalidInputError, match="tags"):
        vault.remem.store("fact", tags=tags)
    assert list_all(vault) == []


# --- searching --------------------------------------------------------------------------------------------------------

FOUND = [
    "night-shift", "-night", "9.75", "don't", "a/b", "C++", "a,b", "@x", "#tag", '"open', "x OR", "NOT x", "NEAR(",
    "AND", "k=", 'a"b', '"night-shift"', "shift:end", "sort_keys", "shift ends", "night open", "sort*",
]  # fmt: skip
NOTHING = ["?", "!", "--", "(", "*", "", "   ", "\n", "???", "\0", '""', '" "', None]
TEXT = "night-shift x ends at shift:end with sort_keys, 9.75 don't a/b C++ a,b @x #tag AND OR NOT NEAR k=5 open\n"


def test_no_sign_of_a_query_is_an_error_and_words_are_found(vault: Vault) -> None:
    """Cases 98, 100, 101"""
    vault.compile({"x.md": TEXT, "other.md": "quite another text\n"})
    for query in FOUND:
        for mode in ("keyword", "hybrid"):
            assert [hit.label for hit in vault.remem.search(query, mode=mode)] == ["x"], (query, mode)
        assert "9.75" in vault.remem.recall(query).text, query
    for blank in NOTHING:
        for mode in ("keyword", "hybrid", "semantic"):
            page = vault.remem.search(blank, mode=mode)
            assert (list(page), bool(page.notes)) == ([], True), (blank, mode)
        assert list(vault.remem.recall(blank)) == [], blank
    assert [hit.label for hit in vault.remem.search("\0x", mode="keyword")] == ["x"]


def test_scripts_without_spaces_are_found_by_any_part_and_others_by_words(vault: Vault) -> None:
    """Case 67. Words of other languages than English are found as they are written, whatever their case."""
    vault.compile({"x.md": "知识图谱 is useful; Граф знаний\n", "y.md": "another one\n"})
    for query in ("图谱", "识图", "知识图谱", "谱", "граф", "ЗНАНИЙ"):
        page = vault.remem.search(query)
        assert ([hit.label for hit in page], page.mode) == (["x"], "keyword"), query
    assert list(vault.remem.search("谱图")) == []


def test_tags_are_matched_as_they_are(vault: Vault) -> None:
    """Case 103"""
    tags = ["a_b", "axb", "50%", "50x", "[x]", "x", "a*b"]
    for tag in tags:
        vault.remem.store(f"the fact of {tag}", tags=[tag])
    for tag in tags:
        assert [memory.content for memory in vault.remem.memories(tags=[tag])] == [f"the fact of {tag}"]
        assert [hit.label for hit in vault.remem.search("fact", tags=[tag])] == [f"the fact of {tag}"]
    for tag in ("%", "_", "a%", "*", "[a-z]", "??"):
        assert (list(vault.remem.memories(tags=[tag])), list(vault.remem.search("fact", tags=[tag]))) == ([], [])


def test_pages_of_equal_texts_hold_each_once_and_limits_are_checked(vault: Vault) -> None:
    """Case 104"""
    vault.write({f"n{number}.md": "same text\n" for number in range(50)})
    vault.remem.compile(vault.folder)
    seen, cursor = list[str](), None
    for left in (40, 30, 20, 10, 0):
        page = vault.remem.search("same text", limit=10, cursor=cursor)
        seen += [hit.id for hit in page]
        cursor = page.cursor
        assert (page.left_out, cursor is None) == (left, left == 0)
    assert len(seen) == len(set(seen)) == 50
    limits: list[Any] = [0, -1, 10**9, "5", True, 2.0, None]
    for limit in limits:
        with pytest.raises(InvalidInputError, match="limit"):
            vault.remem.search("same", limit=limit)
        with pytest.raises(InvalidInputError, match="limit"):
            vault.remem.memories(limit)


def test_relative_links_of_a_linked_file_start_at_its_real_place(vault: Vault) -> None:
    """Case 52"""
    vault.write({"d/AGENTS.md": "[x](x.md) [[../y]]\n", "d/x.md": "", "x.md": "", "y.md": ""})
    (vault.folder / "CLAUDE.md").symlink_to("d/AGENTS.md")
    vault.compile()
    assert vault.edges == ["d/AGENTS.md -> d/x.md", "d/AGENTS.md -> y.md"]


def test_neighbourhood_tells_each_parallel_edge_once(vault: Vault) -> None:
    """Case 97"""
    vault.compile({"a.md": "[[b]] ![[b]]\n", "b.md": "[[a]]\n"})
    for text, edges in (("[[b]] ![[b]]\n", 2), ("[[b]]\n\n![[b]]\n", 3)):
        vault.compile({"a.md": text})
        found = vault.remem.neighbourhood(["a"], 2)
        assert (len(found.nodes), len(found.edges), len(set(found.edges))) == (2, edges, edges)


def test_text_in_raw_html_is_searchable(vault: Vault) -> None:
    """Case 88"""
    vault.compile({"x.md": "<details><summary>T</summary>\n### raw\nzebra words [[b]]\n</details>\n", "b.md": ""})
    assert [hit.label for hit in vault.remem.search("zebra", mode="keyword")] == ["x"]
