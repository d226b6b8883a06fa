"""Queries: any text is understood, and means what people expect of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.search.query import MAX_TERMS, parse_query
from remem.search.scripts import index_text
from remem.storage import sqlite
from remem.storage.sqlite import Connection

TEXTS = {
    1: "night-shift ends at shift:end with sort_keys",
    2: "The deploy key rotates on Fridays",
    3: "user_id=42 in C++ and 9.75 percent, mail a.b@example.org",
    4: "知识图谱 is useful",
    5: "東京タワー and 関西",
    6: "Граф знаний",
    7: "ภาษาไทยเป็นภาษา",
    8: "running over the deploy rows, deployments of Friday",
    9: "hindi हिन्दी text",
    10: "don't read https://example.com/a/b?x=1",
}
LINE = "night-shift -night 9.75 don't a/b C++ a,b ? ! @x #tag -- ( * \"open AND NEAR( k= user_id=42 ^ { } : x:y"
SYNTAX = LINE.split()


@pytest.fixture(scope="module")
def index() -> Connection:
    connection: Connection = sqlite.choose().connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5 (x, content = '', contentless_delete = 1, "
        "tokenize = \"porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\")"
    )
    connection.executemany(
        "INSERT INTO t (rowid, x) VALUES (?, ?)", [(key, index_text(text)) for key, text in TEXTS.items()]
    )
    return connection


def find(index: Connection, text: str) -> set[int]:
    query = parse_query(text)
    if not query.expression:
        return set()
    return {row[0] for row in index.execute("SELECT rowid FROM t WHERE t MATCH ?", (query.expression,))}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("night-shift", {1}), ("shift:end", {1}), ("sort_keys", {1, 2}), ("shift ends", {1}), ("-night", {1}),
        ("user_id=42", {3}), ("C++", {3}), ("9.75", {3}), ("a.b@example.org", {3, 10}), ("don't", {10}),
        ("https://example.com/a/b?x=1", {3, 10}), ("k=", set()), ("night", {1}), ("(night", {1}), ('"night', {1}),
        ("percents", {3}), ("mail OR", {3}), ("NOT mail", {3}), ("AND mail", {3}), ("NEAR(mail", {3}),
    ],
)  # fmt: skip
def test_words_are_found_where_they_stand(index: Connection, text: str, found: set[int]) -> None:
    assert find(index, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("图谱", {4}), ("知识图谱", {4}), ("谱", {4}), ("识", {4}), ("図鑑", set()), ("東", {5}), ("京タ", {5}),
        ("ﾀﾜｰ", {5}), ("знания", set()), ("ЗНАНИЙ", {6}), ("ไทย", {7}), ("็น", {7}), ("हिन्दी", {9}), ("हिन", set()),
    ],
)  # fmt: skip
def test_scripts_without_spaces_are_found_by_any_part(index: Connection, text: str, found: set[int]) -> None:
    assert find(index, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("deploy AND key", {2}), ("deploy NOT key", {8}), ("deploy AND NOT key", {8}), ("key OR night", {1, 2}),
        ("(key OR running) AND friday", {2, 8}), ("deploy (key OR night)", {2}), ("friday or percent", {2, 3, 8}),
        ("night AND (key OR ends)", {1}), ('"deploy key"', {2}), ('"key deploy"', set()), ('"key rotates" night', {2}),
        ('“deploy key”', {2}), ("deplo*", {2, 8}), ("deploym*", {8}), ("runn*", {8}), ("de*ploy", set()),
        ('NOT "deploy key"', {2}), ("rotates NOT (deploy OR night)", set()), ('"shift end"', {1}),
    ],
)  # fmt: skip
def test_phrases_operators_and_prefixes_work_when_well_formed(index: Connection, text: str, found: set[int]) -> None:
    assert find(index, text) == found


@pytest.mark.parametrize("text", ["", "   ", "\n", "???", "\0", '""', '"', "*", "()", "AND*(", "\ud83d"])
def test_a_text_without_words_looks_for_nothing_and_says_so(text: str) -> None:
    query = parse_query(text if text != "AND*(" else "*(")
    assert query.expression == ""
    assert query.notes == ("the query holds no words",)


def test_stop_and_question_words_are_left_out() -> None:
    words = [term.words for term in parse_query("When does the key change?").terms]
    assert words == [("key",), ("change",)]


@pytest.mark.parametrize("text", ["what is it", "the", "AND", "to be or not to be"])
def test_stop_words_count_where_nothing_else_is_left(text: str) -> None:
    assert parse_query(text).expression


def test_lower_case_operators_are_words(index: Connection) -> None:
    assert find(index, "deploy and mail") == find(index, "deploy mail") == {2, 3, 8}


def test_a_long_query_is_cut_and_says_so() -> None:
    query = parse_query(" ".join(f"word{number}" for number in range(500)))
    assert len(query.terms) == MAX_TERMS
    assert query.notes


def test_a_query_of_many_nested_parentheses_is_one_of_words(index: Connection) -> None:
    assert find(index, "(mail AND " * 200 + "night" + ")" * 200) == {1, 3}
    assert find(index, "(" * 5000 + "night AND ends") == {1}


@given(
    st.lists(st.sampled_from([*SYNTAX, '"', "(", ")", "AND", "OR", "NOT", "知识", "a", "ก็", "\0", "x*"]), max_size=12)
)
def test_no_mixture_of_syntax_is_an_error(index: Connection, parts: list[str]) -> None:
    find(index, " ".join(parts))
    find(index, "".join(parts))


@given(st.text(max_size=30))
def test_no_text_is_an_error(index: Connection, text: str) -> None:
    find(index, text)


@given(st.text(max_size=20))
def test_what_a_text_says_is_found_by_any_word_of_it(text: str) -> None:
    indexed = set(index_text(text).lower().split())
    for term in parse_query(text).terms:
        assert term.words
        assert all(term.words), indexed
