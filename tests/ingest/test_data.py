"""Data files: YAML, JSON, JSON Lines and TOML become trees of keys. The cases stand in `tests/data/data.md`."""

from __future__ import annotations

import json

import pytest

from remem.ingest.parse import parse_source
from remem.ingest.render import render
from remem.records import ParsedDocument
from tests.guard import guard_hang
from tests.ingest.notation import describe_node, read_cases

CASES = {name: (text, expected) for name, text, expected in read_cases("data.md")}
FORMATS = ("yaml", "json", "jsonl", "toml")


def parse(text: str, format: str, max_tokens: int = 512) -> ParsedDocument:
    return parse_source(f"notes/file.{format}", text, format, max_tokens=max_tokens)


def render_document(document: ParsedDocument) -> str:
    return render(((node.gap, node.content, node.prefixes) for node in document.nodes), document.tail)


def describe_data(document: ParsedDocument) -> str:
    """Title, tags and aliases; then the nodes with their labels, and the problems."""
    head = [document.nodes[0].label, *(f"#{tag}" for tag in document.nodes[0].tags)]
    lines = [" ".join([*head, *(f"={alias}" for alias in document.aliases)])]
    depths = [-1]
    for node in document.nodes[1:]:
        depths.append(depths[node.parent] + 1)
        lines.append(f"{'  ' * depths[-1]}{node.label} | {describe_node(node)}")
    return "\n".join([*lines, *(f"! {problem.line} {problem.code}" for problem in document.diagnostics)])


def contents(document: ParsedDocument) -> str:
    return "\n".join(node.content for node in document.nodes)


def labels(document: ParsedDocument) -> list[str]:
    return [node.label for node in document.nodes[1:]]


def codes(document: ParsedDocument) -> list[tuple[int, str]]:
    return [(problem.line, problem.code) for problem in document.diagnostics]


@pytest.mark.parametrize("name", CASES)
def test_a_data_file_becomes_the_tree_of_its_keys(name: str) -> None:
    text, expected = CASES[name]
    format, _, limit = name.partition(":")[0].partition(" ")
    assert describe_data(parse(text, format, int(limit or 512))) == expected


# --- titles, tags, aliases -------------------------------------------------------------------------------------------

TITLES = {
    ("yaml", "title: A\nname: B"): "A",
    ("yaml", "name: B"): "B",
    ("yaml", "Title: 0.90"): "0.90",
    ("yaml", "title:\nname: B"): "B",
    ("yaml", "title: [a]\n"): "file",
    ("yaml", "title: A\ntitle: B"): "B",
    ("yaml", "x: {title: A}"): "file",
    ("yaml", "- title: A"): "file",
    ("yaml", "title: A\n---\ntitle: B"): "file",
    ("json", '{"title": "A\\u00e9 B"}'): "Aé B",
    ("json", '{"title": 5}'): "5",
    ("json", '{"title": null}'): "file",
    ("json", '[{"title": "A"}]'): "file",
    ("jsonl", '{"title": "A"}'): "file",
    ("toml", 'title = "A"'): "A",
    ("toml", "name = 'B'\n[x]\ntitle = 'C'"): "B",
}


@pytest.mark.parametrize(("format", "text"), TITLES)
def test_the_title_is_that_of_the_first_level_else_the_stem(format: str, text: str) -> None:
    assert parse(text, format).nodes[0].label == TITLES[format, text]


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("yaml", "tags: [a, '#b']\naliases: X, Y"),
        ("json", '{"tags": ["a", "#b"], "aliases": "X, Y"}'),
        ("toml", "tags = ['a', '#b']\naliases = 'X, Y'"),
    ],
)
def test_tags_and_aliases_are_read_as_in_front_matter(format: str, text: str) -> None:
    document = parse(text, format)
    assert (document.nodes[0].tags, document.aliases) == (("a", "b"), ("X", "Y"))


# --- identity and size -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, 700, 2500, 4999, 5000])
def test_a_key_that_is_added_changes_few_nodes(place: int) -> None:
    keys = [f"key_{number}: value {number}\n" for number in range(5000)]
    before = [node.content for node in parse("".join(keys), "yaml").nodes]
    keys.insert(place, "added: here\n")
    after = [node.content for node in parse("".join(keys), "yaml").nodes]
    assert len(before) < 500
    assert len(set(after) - set(before)) <= 4


def test_what_lies_deeper_than_before_says_the_same() -> None:
    data = {"servers": [{"name": f"web-{number}", "more": {"text": "some words " * 40}} for number in range(9)]}
    flat, deep = (parse(json.dumps(value, indent=2), "json", 128) for value in (data, {"all": data}))
    assert [node.content for node in flat.nodes[2:]] == [node.content for node in deep.nodes[3:]]
    assert any("\n" in node.content for node in flat.nodes)


def test_a_label_names_the_whole_path_where_it_fits() -> None:
    deep = {"a": {"b": {"list": [{"id": 7, "key": {"c" * 90: "word " * 40}}]}}}
    found = labels(parse(json.dumps(deep), "json", 16))
    assert "a.b.list[7].key" in found and all(len(label) <= 80 for label in found)
    assert "c" * 80 in found


# --- texts that are made to break it ---------------------------------------------------------------------------------

BAD = {
    "empty": "",
    "blank": " \n\n\t\n",
    "nothing but a mark": "\ufeff",
    "replaced bytes": "a: \ufffd\ufffd\n",
    "lone surrogate": 'a: "\ud800"\nb: [[x]]\n',
    "control characters": "a: \x01\x0b\x0c\x7f\x85\u2028\ufffe\n",
    "open quote": 'a: "never closed\nb: 1\n',
    "open brackets": "{[{[" * 5,
    "closed brackets": "}]}]" * 5,
    "colons": ":::: : :\n" * 3,
    "dashes": "- - - -\n---\n--- x\n...\n",
    "anchors": "a: &a [*a]\nb: *none\n<<: *a\n",
    "tags of YAML": "!!python/object/apply:os.system ['echo']\n",
    "directives": "%YAML 1.1\n%TAG ! x\n---\na: 1\n",
    "percent": "%\n",
    "equals": "= = =\n[[[]]]\n[a.b.]\n[a\nb = 1\n",
    "quotes": '"""\n\'\'\'\n"\'"\'"\n',
    "backslashes": '{"a\\": "\\\\", "\\u12": "\\"}',
    "words": "one two, three: four\n",
    "prose": "First words. [[Link]]\n\nMore of it, in a second paragraph.\n",
    "huge number": '{"n": ' + "9" * 5000 + "}",
    "markup": "<html>[[x]]</html>\n# A\n- b\n",
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", BAD)
def test_whatever_stands_in_the_file_no_text_is_lost(name: str, format: str) -> None:
    for limit in (16, 512):
        document = parse(BAD[name], format, limit)
        assert render_document(document) == BAD[name]
        assert not [code for _, code in codes(document) if code == "parse-failed"]
        kept = "".join(contents(document).split())
        assert [c for c in BAD[name] if c.isalnum() and c not in kept] == []


HOSTILE = {
    "lists in lists": "[" * 20_000,
    "lists closed": "[" * 10_000 + "]" * 10_000,
    "maps in maps": '{"a":' * 20_000,
    "flow maps": "{a: " * 10_000,
    "dashes": "- " * 20_000,
    "question marks": "? " * 10_000,
    "indents": "".join(" " * depth + "a:\n" for depth in range(600)),
    "open quotes": '"a\n' * 20_000,
    "open comments": "/*" * 20_000,
    "triple quotes": '"""\\' * 10_000 + "\n" + "'''\n" * 10_001,
    "backslashes": '"' + "\\" * 60_000,
    "commas": "," * 40_000,
    "blank lines": "a:\n  b:\n    c: 1" + "\n" * 60_000,
    "spaces": "a: 1" + " " * 60_000 + "\n",
    "a line": '{"a": "' + "word " * 12_000 + '"}',
    "a word": "x" * 40_000,
    "lines": "x\n" * 20_000,
    "keys": "".join(f"key{number}: [a, b]\n" for number in range(5_000)),
    "bad keys": "".join(f"key{number}: [a, b\n" for number in range(5_000)),
    "repeated keys": "a: 1\n" * 4_000,
    "bomb": "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 200)),
    "dotted keys": "a." * 10_000 + "b = 1",
    "tables": "".join(f"[a{number}.b.c]\nx = 1\n" for number in range(5_000)),
    "links": '{"a": [' + '"[[x]]",' * 4_000 + "0]}",
    "bad lines": '{"a": \n' * 4_000,
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_parsed_in_linear_time(name: str, format: str) -> None:
    text = HOSTILE[name]
    with guard_hang(f"the parsing of {name} as {format}"):
        document = parse(text, format)
    assert render_document(document) == text
    assert len(document.diagnostics) <= 21
    assert not [code for _, code in codes(document) if code == "parse-failed"]
    assert all(node.tokens <= 512 or node.last > index for index, node in enumerate(document.nodes))


def test_many_problems_are_counted() -> None:
    document = parse("{\n" * 30 + '{"a": 1}', "jsonl")
    assert codes(document) == [(0, "data-more"), *((line, "data-invalid") for line in range(1, 21))]
    assert "10 more" in document.diagnostics[0].message
