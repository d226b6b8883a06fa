"""What Markdown becomes a tree of: tags, front matter, headings, lists, quotes, tables, raw HTML."""

from __future__ import annotations

import pytest

from tests.cases.vault import Vault, codes


def test_task_and_time_marks_are_text(vault: Vault) -> None:
    """Case 22"""
    text = "- [x] done  - [/] half\n- [03:10.5 - 03:12.0] first voice\n- [note] real category?"
    vault.compile({"x.md": text + "\n"})
    assert vault.texts("x.md", "list") == [text]
    assert {node.kind for node in vault.nodes("x.md")} == {"document", "list"}


# --- tags ------------------------------------------------------------------------------------------------------------


def test_colours_and_numbers_are_no_tags(vault: Vault) -> None:
    """Case 23"""
    text = (
        'Colour #ff394d, see issue #7, C# and #2024-plan, #real/nested, <p style="color:#EEE">x</p>'
        " #a1b #1234567a #abc #decade\n"
    )
    vault.compile({"x.md": text})
    assert vault.tags("x.md") == ["2024-plan", "abc", "decade", "real/nested"]


def test_lone_number_signs_are_no_tags(vault: Vault) -> None:
    """Case 25"""
    vault.compile({"x.md": "#a # #  ##b #! #\n\n| :done: | x |\n|---|---|\n"})
    assert vault.tags("x.md") == ["a"]


def test_tags_of_any_script(vault: Vault) -> None:
    """Case 26"""
    vault.compile({"x.md": "#⚙️setup #🧠 #知识/复盘 #naïve\n\n#nai\u0308ve #⚙setup\n"})
    assert vault.tags("x.md") == ["nai\u0308ve", "naïve", "⚙setup", "⚙️setup", "知识/复盘", "🧠"]
    vault.compile({"x.md": "#⚙️setup #⚙setup #naïve #nai\u0308ve #NAÏVE\n"})
    assert len(vault.tags("x.md")) == 2


# --- front matter ----------------------------------------------------------------------------------------------------


def test_empty_keys_of_front_matter_say_nothing(vault: Vault) -> None:
    """Case 53"""
    text = "---\nid:\nkey: \"\"\nslug: ''\ntitle:\naliases:\n---\n"
    report = vault.compile({"a.md": text, "b.md": text})
    ids = [node.id for node in vault.export.nodes]
    assert len(ids) == len(set(ids)) == 4
    assert vault.outline("a.md")[0] == "document a"
    assert report.diagnostics == ()


def test_byte_order_mark_before_front_matter(vault: Vault) -> None:
    """Case 70"""
    vault.compile({"x.md": "\ufeff---\r\ntitle: A\r\n---\r\nbody"})
    assert vault.outline("x.md") == ["document A", "  kv title: A", "  text body"]


def test_blank_line_before_front_matter_makes_it_text(vault: Vault) -> None:
    """Case 70"""
    report = vault.compile({"x.md": "\n---\ntitle: A\n---\nbody"})
    assert vault.outline("x.md")[0] == "document x"
    assert codes(report.diagnostics) == ["x.md:1 front-matter-not-first"]


def test_rule_at_the_top_is_no_front_matter(vault: Vault) -> None:
    """Case 71"""
    vault.compile({"x.md": "---\nFirst words\n---\nNext words\n---\nlast"})
    assert vault.headings("x.md") == ["First words", "Next words"]
    assert vault.texts("x.md", "text") == ["last"]


def test_front_matter_ends_at_its_first_closing_line(vault: Vault) -> None:
    """Case 71"""
    text = "---\ntitle: A\n---\n```\n---\n```\n\nmore\n\n---\n\nlast\n"
    vault.compile({"x.md": text, "y.md": "---\nnote: |\n  x\n  --- x\n---\nbody\n"})
    assert vault.outline("x.md") == ["document A", "  kv title: A", "  code ---", "  text more", "  text last"]
    assert vault.texts("y.md", "text") == ["body"]


def test_front_matter_that_is_no_yaml_hides_nothing(vault: Vault) -> None:
    """Case 73"""
    report = vault.compile({"x.md": "---\ncast: [[Ann]], [[Bo]]\n---\n# Body\n\ntext\n"})
    assert vault.outline("x.md") == ["document Body", "  kv cast: [[Ann]], [[Bo]]", "  heading Body", "    text text"]
    assert vault.pending == ["x.md: Ann", "x.md: Bo"]
    assert codes(report.diagnostics) == ["x.md:2 front-matter-invalid"]


def test_malformed_front_matter_stays_as_it_is(vault: Vault) -> None:
    """Case 74"""
    text = '---\nname: a: b: c\ndescription: "x\n---\n'
    report = vault.compile({"x.md": text})
    assert (vault.folder / "x.md").read_text() == text
    assert vault.texts("x.md", "kv") == [text.strip()]
    assert codes(report.diagnostics) == ["x.md:2 front-matter-invalid"]


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        ("---\ntitle: A\n---", ["document A", "  kv title: A"]),
        ("---\n---", ["document x", "  kv --- ---"]),
        ("---\ntitle: A\n(no end)", ["document x", "  text title: A (no end)"]),
        ("---", ["document x"]),
    ],
)
def test_front_matter_alone_or_without_an_end(vault: Vault, text: str, outline: list[str]) -> None:
    """Case 76"""
    vault.compile({"x.md": text})
    assert vault.outline("x.md") == outline


def test_last_of_repeated_keys_counts(vault: Vault) -> None:
    """Case 79"""
    text = "---\ntitle: A\nTitle: B\ntitle: C\nversion: 0.90\nzip: 00501\n---"
    report = vault.compile({"x.md": text + "\n"})
    assert vault.outline("x.md")[0] == "document C"
    assert vault.texts("x.md", "kv") == [text]
    assert codes(report.diagnostics) == ["x.md:3 front-matter-repeated-key", "x.md:4 front-matter-repeated-key"]


# --- blocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        ("> one\n+ two\n  > three\n\n\n", ["document x", "  quote one", "  list two", "    quote three"]),
        ("1.\n\n\n", ["document x", "  list 1."]),
        ("- a\n\n\n", ["document x", "  list a"]),
        (">\n", ["document x", "  quote >"]),
    ],
)
def test_quotes_and_lists_before_blank_lines(vault: Vault, text: str, outline: list[str]) -> None:
    """Case 80"""
    vault.compile({"x.md": text})
    assert vault.outline("x.md") == outline


def test_tables_in_lists_and_quotes(vault: Vault) -> None:
    """Case 82"""
    text = "- item\n  | a | b |\n  |---|---|\n  | [[p]] | 1 |\n\n> | h |\n> |---|\n> | [[q]] |\n\n# After\n"
    vault.compile({"x.md": text, "p.md": "", "q.md": ""})
    assert vault.outline("x.md") == [
        "document x",
        "  list item",
        "    table a, b",
        "  quote h",
        "    table h",
        "  heading After",
    ]
    assert vault.edges == ["x.md -> p.md", "x.md -> q.md"]


def test_rows_of_a_split_table_are_shown_with_their_header(vault: Vault) -> None:
    rows = [f"| row {number} of the long table | some words about {number} |" for number in range(150)]
    vault.compile({"x.md": "| name | value |\n|:--|--:|\n" + "\n".join(rows) + "\n\n| a |\n|---|\n| 1 |\n"})
    first, *others, last = vault.nodes("x.md", "table")
    assert len(others) > 1
    for node in others:
        assert node.content.startswith("| row ")
        assert vault.remem.show(node.id)[0].text == f"| name | value |\n|:--|--:|\n{node.content}"
        assert vault.remem.show(node.id, as_of=1)[0].text == vault.remem.show(node.id)[0].text
    for node in (first, last):
        assert vault.remem.show(node.id)[0].text == node.content
    assert vault.remem.show("x.md")[0].text.count("| name | value |") == 1


def test_pipes_alone_make_no_table(vault: Vault) -> None:
    """Case 83"""
    vault.compile({"x.md": 'Write "/" for either and "|" for a choice.\na | b\nc | d\n'})
    assert [node.kind for node in vault.nodes("x.md")] == ["document", "text"]


def test_fences_end_where_they_should(vault: Vault) -> None:
    """Case 85"""
    vault.compile({"x.md": "````md\n```\n[[no]]\n```\n````\n- x\n  ```\n  [[no2]]\n- y [[yes]]\n"})
    assert vault.pending == ["x.md: yes"]
    assert vault.texts("x.md", "code") == ["````md\n```\n[[no]]\n```\n````", "```\n[[no2]]"]


def test_what_looks_like_a_heading(vault: Vault) -> None:
    """Case 86"""
    text = (
        "#nospace\n# closed #\n## a ##b\n\\# escaped\n```\n# not\n```\n- # in list\n> # in quote\nSetext\n===\n\nend\n"
    )
    vault.compile({"x.md": text})
    assert vault.headings("x.md") == ["closed", "a ##b", "in list", "in quote", "Setext"]
    assert vault.outline("x.md")[-5:] == [
        "        heading in list",
        "      quote in quote",
        "        heading in quote",
        "  heading Setext",
        "    text end",
    ]


def test_markdown_in_raw_html(vault: Vault) -> None:
    """Case 88"""
    text = (
        "<details>\n<summary>S</summary>\n\n### H\n[[a]]\n\n</details>\n"
        "<details><summary>T</summary>\n### raw\n[[b]]\n</details>\n"
    )
    vault.compile({"x.md": text, "a.md": "", "b.md": ""})
    assert vault.headings("x.md") == ["H"]
    assert vault.edges == ["x.md -> a.md", "x.md -> b.md"]
    assert "### raw" in vault.texts("x.md", "html")[-1]


def test_comment_without_an_end_keeps_its_text(vault: Vault) -> None:
    """Case 89"""
    vault.compile({"x.md": "call(y) // <!-- old remark\n<!-- never closed\n\n# Head\n[[a]]\n", "a.md": ""})
    assert vault.texts("x.md", "html") == ["<!-- never closed\n\n# Head\n[[a]]"]
    assert vault.edges == []


def test_equal_items_are_kept_in_order(vault: Vault) -> None:
    """Case 56"""
    items = ["same fact", "same fact", "e" * 300 + "A", "e" * 300 + "B"]
    vault.compile({"x.md": "\n".join(f"- {item}" for item in items) + "\n", "y.md": "\n\n".join(items) + "\n"})
    assert [node.content for node in vault.nodes("y.md")[1:]] == items
    assert vault.texts("x.md", "list") == ["\n".join(f"- {item}" for item in items)]


def test_long_list_of_equal_items_is_split_and_kept(vault: Vault) -> None:
    """Case 56"""
    text = "- the same fact again\n" * 400
    vault.compile({"x.md": text})
    pieces = vault.texts("x.md", "list")
    assert len(pieces) > 1
    assert "\n".join(pieces) + "\n" == text
    before = vault.ids()
    vault.compile({"x.md": text + "- one more\n"})
    assert len(before.keys() & vault.ids().keys()) == len(before)
