"""Front matter in YAML and TOML."""

from typing import Literal

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.ingest import frontmatter
from remem.ingest.frontmatter import FrontMatter, parse_front_matter
from tests.guard import guard_hang


def read(raw: str, style: Literal["yaml", "toml"] = "yaml") -> FrontMatter:
    return parse_front_matter(raw, style, 2)


def labels(raw: str, style: Literal["yaml", "toml"] = "yaml") -> list[tuple[str, str, int]]:
    return [(link.label, link.type, link.line) for link in read(raw, style).links]


def codes(raw: str, style: Literal["yaml", "toml"] = "yaml") -> list[tuple[int, str]]:
    return [(line, code) for line, code, _ in read(raw, style).problems]


TITLES = {
    "title: A": "A",
    "Title: A": "A",
    "title: 2024-01-02": "2024-01-02",
    "title: 0.90": "0.90",
    "title: 00501": "00501",
    "title: true": "true",
    "title: 'null'": "null",
    "title: >\n  long\n  title": "long title",
    "title: Ann's: a tale": "Ann's: a tale",
    "title: [a": None,
    "title:": None,
    "title: ~": None,
    'title: ""': None,
    "title: [a, b]": None,
    "title: {{title}}": None,
    "icon: 👩‍🚀\ntitle: é": "é",
}


@pytest.mark.parametrize("raw", TITLES)
def test_a_title_keeps_its_text_form(raw: str) -> None:
    assert read(raw).title == TITLES[raw]


ALIASES = {
    'aliases: [QBR, "#Reports/QBR"]': ("QBR", "#Reports/QBR"),
    "aliases: QBR, Quarter Review": ("QBR", "Quarter Review"),
    "alias: QBR": ("QBR",),
    "alias: A\naliases: [B, a]": ("A", "B"),
    "aliases:\n  -": (),
    "aliases:\n- One, two\n- Three": ("One, two", "Three"),
    "aliases: null": (),
    "aliases: [31102000, True, {a: b}]": ("31102000", "True"),
    "aliases: [2024-01-02, 0.90]": ("2024-01-02", "0.90"),
    "aliases: &a [x, *a]": ("x",),
}


@pytest.mark.parametrize("raw", ALIASES)
def test_aliases_are_read_from_every_form(raw: str) -> None:
    assert read(raw).aliases == ALIASES[raw]


TAGS = {
    "tags: [a, '#b', c/d]": ("a", "b", "c/d"),
    "tags: a, b": ("a", "b"),
    "tags: a b": ("a", "b"),
    "tags: '#a #b, c'": ("a", "b", "c"),
    "tag: a": ("a",),
    "tags:\n- a\n- A\n- 2024": ("a", "2024"),
    "tags: [river plan, [nested]]": ("river plan", "nested"),
    "tags:": (),
}


@pytest.mark.parametrize("raw", TAGS)
def test_tags_are_read_from_every_form(raw: str) -> None:
    assert read(raw).tags == TAGS[raw]


def test_links_are_found_quoted_and_unquoted_with_their_lines() -> None:
    raw = "a: \"[[One|1]]\"\nb: [[Two]]\nc:\n  - [[Three#Part]]\n  - '[[Four]] and [[Five]]'\nd: |\n  text\n  [[Six]]"
    assert labels(raw) == [
        ("One", "references", 2),
        ("Two", "references", 3),
        ("Three", "references", 5),
        ("Four", "references", 6),
        ("Five", "references", 6),
        ("Six", "references", 9),
    ]


def test_an_unquoted_link_keeps_what_yaml_would_take_apart() -> None:
    found = read("x: [[Project: P, Q; w=2|p]]").links
    assert [(link.label, link.shown, link.weight) for link in found] == [("Project: P, Q", "p", 2.0)]


def test_a_list_of_unquoted_links_is_several_links() -> None:
    assert [label for label, _, _ in labels("cast: [[[Ann]], [[Bo]]]")] == ["Ann", "Bo"]


def test_links_of_a_key_that_is_a_type_are_typed_at_the_first_level_only() -> None:
    raw = 'caused_by: "[[A]]"\nsupports:\n- [[B]]\n- [[C; type=part_of]]\nmore: {supports: "[[D]]"}\nCaused_by: "[[E]]"'
    assert [(label, kind) for label, kind, _ in labels(raw)] == [
        ("A", "caused_by"),
        ("B", "supports"),
        ("C", "part_of"),
        ("D", "references"),
        ("E", "references"),
    ]


def test_a_link_to_a_drawing_is_a_link_and_an_embedded_one_is_none() -> None:
    assert labels('icon: "[[art/pad.svg|Pad]]"\ncover: "![[pad.svg]]"') == [("art/pad.svg", "references", 2)]


def test_yaml_comments_hold_no_links() -> None:
    assert labels("# [[A]]\nx: 1 # [[B]]") == []
    assert labels("# [[A]]\nx: a: [[B]]") == [("B", "references", 3)]


def test_invalid_yaml_gives_its_links_from_the_lines_and_one_diagnostic() -> None:
    raw = "title: T\ncast: [[Ann]], [[Bo]]\ncaused_by: [[C]], [[D]]\ntags: [a, b]"
    found = read(raw)
    assert found.is_mapping and found.title == "T" and found.tags == ("a", "b")
    assert labels(raw) == [
        ("Ann", "references", 3),
        ("Bo", "references", 3),
        ("C", "caused_by", 4),
        ("D", "caused_by", 4),
    ]
    assert codes(raw) == [(3, "front-matter-invalid")]


@pytest.mark.parametrize(
    "raw", ['name: a: b: c\ndescription: "x', "date: {{date}}", "a: \x00", "a:\n\t- b", "a: \ud800"]
)
def test_yaml_that_cannot_be_read_is_front_matter_with_a_diagnostic(raw: str) -> None:
    found = read(raw)
    assert found.is_mapping
    assert [code for _, code, _ in found.problems] == ["front-matter-invalid"]


@pytest.mark.parametrize("raw", ["First words", "- a\n- b", "First words\nNote: x", "'quoted'", "[a, b]"])
def test_what_is_no_mapping_is_no_front_matter(raw: str) -> None:
    assert read(raw) == FrontMatter()


@pytest.mark.parametrize("raw", ["", "\n", "# only a comment"])
def test_an_empty_block_is_an_empty_mapping(raw: str) -> None:
    assert read(raw) == FrontMatter(is_mapping=True)


def test_of_repeated_keys_the_last_counts_with_a_diagnostic() -> None:
    raw = "title: A\nTitle: B\ntitle: C\nversion: 0.90\nversion: 1"
    assert read(raw).title == "C"
    assert codes(raw) == [
        (3, "front-matter-repeated-key"),
        (4, "front-matter-repeated-key"),
        (6, "front-matter-repeated-key"),
    ]


def test_a_map_where_text_belongs_is_left_out_with_a_diagnostic() -> None:
    assert codes("aliases: [a, {b: c}]") == [(2, "front-matter-value")]
    assert codes("title: {a: b}") == [(2, "front-matter-value")]


def test_lines_are_those_of_the_file_whatever_else_yaml_takes_for_a_line_end() -> None:
    assert labels("a: 'x\u2028y\x85z'\nb: '[[A]]'") == [("A", "references", 3)]
    assert labels("a: |\n  x\x85\x85\x85[[A]]") == [("A", "references", 3)]
    assert codes("a: 'x\u2028y'\nb: c: d") == [(3, "front-matter-invalid")]


def test_toml_is_read_like_yaml() -> None:
    raw = 'title = "A"\ntags = ["a", "#b"]\naliases = "X, Y"\ncaused_by = ["[[B]]"]\n[[products]]\nname = "[[C]]"'
    found = read(raw, "toml")
    assert (found.title, found.tags, found.aliases) == ("A", ("a", "b"), ("X", "Y"))
    assert [link.label for link in found.links] == ["B", "C"]
    assert labels(raw, "toml")[0] == ("B", "caused_by", 5)


def test_toml_numbers_and_dates_keep_their_form() -> None:
    assert read("title = 0.90", "toml").title == "0.90"
    assert read("title = 2024-01-02", "toml").title == "2024-01-02"


def test_invalid_toml_gives_its_links_and_a_diagnostic() -> None:
    raw = "title = Plain words\nx = [[A]], [[B]]\n[[table]]"
    assert read(raw, "toml").title == "Plain words"
    assert labels(raw, "toml") == [("A", "references", 3), ("B", "references", 3)]
    assert codes(raw, "toml") == [(2, "front-matter-invalid")]
    assert not read("First words", "toml").is_mapping


def test_a_block_that_is_too_large_still_gives_its_links() -> None:
    raw = "title: A\nx: [[B]]\n" + "y: z\n" * (frontmatter.MAX_SIZE // 5)
    assert labels(raw) == [("B", "references", 3)]
    assert (2, "front-matter-too-large") in codes(raw)


def test_the_reader_in_python_reads_the_same_as_the_one_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    raws = [*TITLES, *ALIASES, *TAGS, "é: '[[a]]'\nb: [[x é]]\nc: |\n  [[d]]", "a: [[b]], [[c]]", "- a"]
    expected = [read(raw)[:4] for raw in raws]
    monkeypatch.setattr(frontmatter, "YAML_LOADER", yaml.BaseLoader)
    assert [read(raw)[:4] for raw in raws] == expected


@settings(derandomize=True, max_examples=400, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab:-[]{}\"'#&*!|>,?%@=. \n\té\x00\ud800+"), max_size=60))
def test_no_block_makes_the_reader_fail(raw: str) -> None:
    for found in (read(raw), read(raw, "toml"), read("title: x\n" + raw), read("tags: " + raw)):
        assert all(2 <= line <= raw.count("\n") + 4 for line, _, _ in found.problems)
        assert found.is_mapping or found == FrontMatter()


HOSTILE = {
    "keys": "".join(f"k{number}: v\n" for number in range(30_000)),
    "keys and one fault": "".join(f"k{number}: v\n" for number in range(30_000)) + "x: a: b",
    "faults": "k: [\n" * 60_000,
    "repeats": "k: v\n" * 60_000,
    "aliases": "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 200)),
    "many aliases": "x: &a [1]\ny: [" + "*a," * 60_000 + "]",
    "recursion": "a: &a [*a, {b: *a}]\n" * 1,
    "nested lists": "a: " + "[" * 150_000,
    "nested maps": "{a: " * 60_000,
    "dashes": "- " * 120_000,
    "spaces": "a" + " " * 300_000 + ":",
    "links": "a: [" + "[[x]]," * 30_000 + "]",
    "dotted keys": "a." * 90_000 + "b=1",
    "spaced keys": "a . " * 60_000 + "b=1",
    "toml keys": "".join(f"k{number}='v'\n" for number in range(24_000)),
    "toml lists": "a=" + "[" * 150_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_blocks_take_linear_time(name: str) -> None:
    for style in ("yaml", "toml"):
        with guard_hang(f"the reading of {name} as {style}"):
            found = read(HOSTILE[name], style)
        assert found.is_mapping or found == FrontMatter(problems=found.problems)
