"""What Markdown becomes: the tree of each case in data/markdown.md, titles, lines, links in their places."""

from __future__ import annotations

import pytest

from remem.ingest.markdown import parse_markdown
from remem.ingest.tokens import count_tokens
from remem.records import ParsedNode
from tests.ingest.notation import DATA, describe_tree, read_cases

CASES = read_cases("markdown.md")


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_text_becomes_the_tree(name: str, text: str, expected: str) -> None:
    assert describe_tree(parse_markdown("Note.md", text)) == expected


def test_the_case_file_is_read_whole() -> None:
    text = (DATA / "markdown.md").read_text(encoding="utf-8")
    assert text.count("\n~~~~~~~~\n") + text.endswith("\n~~~~~~~~\n") >= 4 * len(CASES) > 200


@pytest.mark.parametrize(
    ("text", "title", "heading"),
    [
        ("", "Plan 3.2", None),
        ("text", "Plan 3.2", None),
        ("# One\n\ntext", "One", 1),
        ("# One\n\n## Two", "One", 1),
        ("# One\n\n# Two", "Plan 3.2", None),
        ("text\n\n# One", "Plan 3.2", None),
        ("## Two\n\n# One", "Plan 3.2", None),
        ("#\n\ntext", "Plan 3.2", 1),
        ("---\ntitle: Named\n---\n# One", "Named", 2),
        ("---\ntitle: ''\n---\n# One", "One", 2),
        ("---\ntitle: Named\n---\ntext", "Named", None),
        ("# One\n\n- # nested", "One", 1),
    ],
)
def test_title_is_that_of_front_matter_else_of_the_only_first_heading_else_the_stem(
    text: str, title: str, heading: int | None
) -> None:
    document = parse_markdown("notes/Plan 3.2.md", text)
    assert document.nodes[0].label == title
    assert document.title_heading == heading


def test_a_heading_is_labelled_by_its_rendered_text() -> None:
    text = "# The *new* `code` [[Plan; w=2]] [shown](x.md) &amp; <b>more</b> ^id\n\nTwo\nlines\n===\n"
    labels = [node.label for node in parse_markdown("n.md", text).nodes[1:]]
    assert labels == ["The new code Plan shown & more", "Two lines"]
    assert [node.label for node in parse_markdown("n.md", "# One<br>two<BR/>three\n").nodes] == ["One two three"] * 2


def test_front_matter_gives_aliases_and_the_tags_of_the_document() -> None:
    document = parse_markdown("n.md", "---\naliases: [A, B]\ntags: [x, y/z]\n---\ntext #own\n")
    assert document.aliases == ("A", "B")
    assert document.nodes[0].tags == ("x", "y/z")
    assert document.nodes[2].tags == ("own",)


def test_lines_of_nodes_and_links_are_those_of_the_file() -> None:
    text = "---\na: b\n---\n\n# H\n\n- é [[x]]\n- 🙂\n  [[y]]\n\n> q\n> [[z]]\n\n"
    text += "| a |\n|---|\n| [[t]] |\n\n<p>\n[[h]]\n</p>\n"
    document = parse_markdown("n.md", text)
    lines = text.split("\n")
    for node in document.nodes[1:]:
        assert node.content.split("\n")[0] in lines[node.line - 1]
        assert all(f"[[{link.label}]]" in lines[link.line - 1] for link in node.links)
    assert sum(len(node.links) for node in document.nodes) == 5


def test_a_problem_tells_its_line() -> None:
    document = parse_markdown("n.md", "# H\n\ntext [[a; w=x]]\n\n| a |\n|---|\n| [[b|c]] |\n")
    assert [(problem.line, problem.code) for problem in document.diagnostics] == [
        (3, "bad-link-weight"),
        (7, "torn-table-link"),
    ]
    assert {problem.source for problem in document.diagnostics} == {"n.md"}


def test_token_counts_are_those_of_the_content() -> None:
    document = parse_markdown(
        "n.md", "# A heading\n\nSome text with [[a link]] and 日本語.\n\n> - x\n>\n>   ```\n>   y\n>   ```\n"
    )
    assert all(node.tokens == count_tokens(node.content) for node in document.nodes)


def test_last_names_the_end_of_each_subtree() -> None:
    nodes = parse_markdown("n.md", "# A\n\na\n\n## B\n\n- b\n\n  ```\n  c\n  ```\n\n# D\n\nd\n").nodes
    for index, node in enumerate(nodes):
        inside = [other for other in range(len(nodes)) if index in find_ancestors(nodes, other)]
        assert node.last == max([index, *inside])


def find_ancestors(nodes: tuple[ParsedNode, ...], index: int) -> list[int]:
    found = []
    while nodes[index].parent >= 0:
        index = nodes[index].parent
        found.append(index)
    return found


def test_every_link_of_an_item_is_typed_but_not_those_of_the_next() -> None:
    (node,) = parse_markdown("n.md", "- caused_by [[A]] and\n  [[B]]\n  - [[C]]\n- [[D]]\n").nodes[1:]
    assert [(link.label, link.type) for link in node.links] == [
        ("A", "caused_by"),
        ("B", "caused_by"),
        ("C", "references"),
        ("D", "references"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\x00",
        "\ud83d lone",
        "a\rb\r\n> c\rd",
        "\ufeff# x",
        "\u2028\n\u0085",
        "---\n\ud800: x\n---\n",
        "[[\ud800]] #\udfff",
    ],
)
def test_odd_characters_are_kept_as_they_are(text: str) -> None:
    document = parse_markdown("n.md", text)
    assert "".join(node.gap + node.content for node in document.nodes) + document.tail == text
