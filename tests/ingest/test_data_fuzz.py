"""Data files made at random: nothing of them is lost, whatever is done to their text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.ingest.data.json_parts import show_escapes
from remem.ingest.parse import parse_source
from remem.ingest.render import render
from remem.ingest.tokens import count_tokens
from remem.records import RELATIONSHIP_TYPES, ParsedDocument

FORMATS = ("yaml", "json", "jsonl", "toml")
LIMITS = (16, 64, 512)

WORDS = st.text(alphabet="ab é知-.:#'\"\\[]{},|\n", max_size=24)
KEYS = st.one_of(st.sampled_from(("title", "name", "tags", "aliases", "id", "caused_by", "a b")), WORDS)
SCALARS = st.one_of(
    st.integers(-(10**6), 10**20),
    st.booleans(),
    st.floats(-1e6, 1e6).map(lambda value: round(value, 3)),
    WORDS,
    st.sampled_from(("[[Link]]", "[[A|b; w=2]] and [[C]]", "2026-01-02", "word " * 30)),
)
TREES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=30,
)
MAPS = st.dictionaries(KEYS.filter(bool), TREES, min_size=1, max_size=8)
PARTS = st.sampled_from(
    ('"', "'", "[", "]", "{", "}", ":", ": ", ",", "\n", "\n  ", "- ", "# x", "//", "/*", "\\", "\\u00e9", "---\n",
     "...\n", "a: b\n", "[[x]]", "[[t]]\n", "=", '"""', "'''", "\t", "&a ", "*a", "!t ", "| ", ">\n", "? ", "%Y",
     "null", "NaN", "\ud800", "\x01", "\ufeff", "知", "word ", "1"),
)  # fmt: skip


def parse(text: str, format: str, max_tokens: int) -> ParsedDocument:
    return parse_source(f"file.{format}", text, format, max_tokens=max_tokens)


def check_document(document: ParsedDocument, text: str, max_tokens: int) -> None:
    """What always holds. The text of JSON is the one with its escapes shown."""
    shown = show_escapes(text) if document.format.startswith("json") else text
    rendered = render(((node.gap, node.content, node.prefixes) for node in document.nodes), document.tail)
    assert rendered == shown
    assert parse(rendered, document.format, max_tokens) == document
    between = "".join([*(node.gap for node in document.nodes), document.tail])
    assert not between.strip(" \t\r\n\f\v\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029,:{}[]-.")
    lines = text.count("\n") + 1
    for index, node in enumerate(document.nodes[1:], 1):
        assert 0 <= node.parent < index <= node.last <= document.nodes[node.parent].last
        assert node.content and node.tokens == count_tokens(node.content) and 1 <= node.line <= lines
        assert node.tokens <= max_tokens or node.last > index or "[[" in node.content or len(node.content) < 3
        assert len(node.label) <= 80
        assert all(link.type in RELATIONSHIP_TYPES and 1 <= link.line <= lines for link in node.links)
    for problem in document.diagnostics:
        assert problem.code.startswith(("data-", "bad-link", "repeated-link", "empty-link")), problem
        assert 0 <= problem.line <= lines


def list_texts(data: Any) -> Iterator[str]:
    """All keys and scalars of a structure."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from list_texts(value)
    elif isinstance(data, list):
        for item in data:
            yield from list_texts(item)
    else:
        yield str(data).lower() if isinstance(data, bool) else str(data)


def find_words(text: str) -> set[str]:
    """The words that hold nothing that a format would escape."""
    return {word for word in "".join(c if c.isalnum() else " " for c in text).split() if word.isascii()}


def dump(data: dict[str, Any], format: str, style: int) -> str:
    if format == "yaml":
        return yaml.safe_dump(data, default_flow_style=(None, False, True)[style % 3], allow_unicode=style > 2)
    if format == "json":
        return json.dumps(data, indent=(None, 2, "\t")[style % 3], ensure_ascii=style > 2)
    if format == "jsonl":
        return "\n".join(json.dumps({key: value}, ensure_ascii=style > 2) for key, value in data.items())
    plain = [f"{json.dumps(key)} = {dump_toml(value)}" for key, value in data.items() if not isinstance(value, dict)]
    tables = [(key, value) for key, value in data.items() if isinstance(value, dict)]
    for key, table in tables:
        plain += [f"[{json.dumps(key)}]", *(f"{json.dumps(k)} = {dump_toml(value)}" for k, value in table.items())]
    return "\n".join(plain)


def dump_toml(value: Any) -> str:
    """A value in TOML; it writes strings, numbers and lists as JSON does."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {dump_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dump_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(MAPS, st.sampled_from(FORMATS), st.integers(0, 5), st.sampled_from(LIMITS))
def test_all_keys_and_values_stand_in_the_nodes(data: dict[str, Any], format: str, style: int, limit: int) -> None:
    text = dump(data, format, style)
    document = parse(text, format, limit)
    check_document(document, text, limit)
    assert not [problem for problem in document.diagnostics if problem.code == "data-invalid"]
    assert all(node.kind in ("document", "kv") for node in document.nodes)
    kept = find_words("\n".join(node.content for node in document.nodes).replace("\\n", " ").replace("\\", " "))
    if style > 2 or format.startswith("json"):
        found = {word for value in list_texts(data) for word in find_words(value)}
        assert {word for word in found if len(word) < 9} <= kept


@settings(max_examples=200, derandomize=True, deadline=None)
@given(
    MAPS,
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), PARTS), max_size=6),
    st.sampled_from(FORMATS),
    st.sampled_from(FORMATS),
    st.sampled_from(LIMITS),
)
def test_no_change_of_a_text_makes_the_reader_fail(
    data: dict[str, Any], changes: list[tuple[int, int, str]], written: str, format: str, limit: int
) -> None:
    text = dump(data, written, 1)
    for place, cut, part in changes:
        place = place % (len(text) + 1)
        text = text[:place] + part + text[place + cut :]
    check_document(parse(text, format, limit), text, limit)


@settings(max_examples=400, derandomize=True, deadline=None)
@given(st.lists(PARTS, max_size=30).map("".join), st.sampled_from(FORMATS), st.sampled_from(LIMITS))
def test_no_text_makes_the_reader_fail(text: str, format: str, limit: int) -> None:
    check_document(parse(text, format, limit), text, limit)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(st.lists(st.dictionaries(KEYS, SCALARS, min_size=1, max_size=4), min_size=1, max_size=8), st.data())
def test_lines_that_are_cut_off_cost_the_others_nothing(records: list[dict[str, Any]], draw: st.DataObject) -> None:
    lines = [json.dumps(record) for record in records]
    bad = draw.draw(st.integers(0, len(lines) - 1))
    lines[bad] = lines[bad][: draw.draw(st.integers(0, len(lines[bad])))]
    text = "\n".join(lines)
    document = parse(text, "jsonl", 512)
    check_document(document, text, 512)
    assert {problem.line for problem in document.diagnostics if problem.code == "data-invalid"} <= {bad + 1}
