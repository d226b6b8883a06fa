"""Deep, long and hostile input: it ends soon, is kept whole, and stays below the limit of tokens."""

from __future__ import annotations

import pytest

from remem.ingest.markdown import parse_markdown
from tests.guard import guard_hang
from tests.ingest.test_render import check_tree, render_document

HOSTILE = {
    "opening brackets": "[[" * 100_000,
    "nested brackets": "[" * 100_000 + "]" * 100_000,
    "an open link and spaces": "[[a" + " " * 200_000,
    "spaces below a heading": "# A\n" + " " * 200_000 + "\nB",
    "emoji": "🙂" * 100_000,
    "backticks": "`" * 100_000 + "x",
    "pipes": "|" * 100_000,
    "comments": "<!--" * 40_000,
    "strong": "**a " * 40_000,
    "a line of Khmer": "ខ្មែរ" * 24_000,
    "one letter": "a" * 120_000,
    "quotes in one line": "> " * 10_000 + "x",
    "quotes line by line": "\n".join("> " * depth + "x" for depth in range(300)),
    "lists in one line": "- " * 10_000 + "x",
    "lists line by line": "\n".join("  " * depth + "- x" for depth in range(500)),
    "code in lists": "\n".join("  " * i + "- x\n" + "  " * i + "  ```\n" + "  " * i + "  y\n" for i in range(150)),
    "torn links": "|a|b|\n|-|-|\n" + "|[[x|y]]|z|\n" * 6_000,
    "one long row": "|a|b|\n|-|-|\n|" + "[[" * 40_000 + "|z|\n",
    "items with ids": "- a ^x\n" * 10_000,
    "lonely ids": "^a\n\n" * 20_000,
    "ids after a nested list": "- a\n" + "  - b\n" * 10_000 + "\n  p ^i\n" * 4_000,
    "percent signs": "%% " * 40_000 + "\n" + "a\n%%\n" * 10_000,
    "knowledge": "<knowledge>" * 20_000,
    "blank lines": "\n" * 200_000,
    "front matter": "---\na: b\n" + "c: d\n" * 20_000 + "---\n",
    "HTML": "<div>\n" + "[[a]]\n" * 10_000,
    "backslashes": "\\" * 120_000,
    "tabs": "\t" * 120_000 + "x",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_parsed_soon_and_whole(name: str) -> None:
    text = HOSTILE[name]
    with guard_hang(f"the parsing of {name}"):
        document = parse_markdown("n.md", text)
    assert render_document(document) == text
    check_tree(document)
    assert max(node.tokens for node in document.nodes) <= 512


def test_containers_are_kept_whole_below_the_deepest_level() -> None:
    text = "\n".join("> " * depth + f"{depth}\n" + "> " * depth + "\n" for depth in range(1, 60))
    document = parse_markdown("n.md", text)
    depths = [0] * len(document.nodes)
    for index, node in enumerate(document.nodes[1:], 1):
        depths[index] = depths[node.parent] + 1
    assert 30 < max(depths) < 40
    assert render_document(document) == text


def test_nested_code_and_tables_are_free_of_prefixes() -> None:
    text = "> 1. item\n>\n>    ```py\n>    if x:\n>\n>        y\n>    ```\n>\n>    | a |\n>    |---|\n>    | b |\n"
    nodes = parse_markdown("n.md", text).nodes
    contents = {node.kind: node.content for node in nodes}
    assert contents["code"] == "```py\nif x:\n\n    y\n```"
    assert contents["table"] == "| a |\n|---|\n| b |"
    assert render_document(parse_markdown("n.md", text)) == text
