"""A table whose rows lack very many cells is left by the parser in its middle. No text of it is lost to search."""

from __future__ import annotations

import pytest

from remem.ingest.parse import parse_source
from remem.ingest.render import render

COLUMNS, ROWS = 600, 600
TABLE = "|" + "h|" * COLUMNS + "\n|" + "-|" * COLUMNS + "\n" + "".join(f"| word{n} [[T{n}]] |\n" for n in range(ROWS))
PLACES = {
    "between paragraphs": f"before\n\n{TABLE}\nafter\n",
    "alone": TABLE,
    "without a last line end": TABLE.rstrip("\n"),
    "in a quote": "> before\n>\n" + "".join(f"> {line}\n" for line in TABLE.splitlines()) + "\nafter\n",
    "in a list": "- one\n\n" + "".join(f"  {line}\n" for line in TABLE.splitlines()) + "- two\n\nafter\n",
    "in the last of two": f"| a |\n|---|\n| b |\n\n{TABLE}\n# After\n\nafter\n",
    "before a list and a table": f"{TABLE}\n- one\n\n  | a |\n  |---|\n  | b |\n\n- two\n\n| c |\n|---|\n| d |\n",
    "before another such": f"{TABLE}\nbetween\n\n{TABLE}\nafter\n",
    "under a heading": f"# One\n\n{TABLE}\n# Two\n\nafter\n",
}


@pytest.mark.parametrize("place", PLACES)
def test_every_row_stands_in_a_node_and_the_file_comes_back(place: str) -> None:
    parsed = parse_source("wide.md", PLACES[place], "markdown")
    told = "\n".join(node.content for node in parsed.nodes)
    assert all(f"word{number} " in told for number in range(ROWS))
    assert all(not node.gap.strip("\n >-") for node in parsed.nodes) and not parsed.tail.strip("\n >")
    assert "after" in told or "after" not in PLACES[place]
    parts = [(node.gap, node.content, node.prefixes) for node in parsed.nodes]
    assert render(parts, parsed.tail) == PLACES[place]


@pytest.mark.parametrize("place", PLACES)
def test_every_link_stands_in_the_node_that_holds_it(place: str) -> None:
    parsed = parse_source("wide.md", PLACES[place], "markdown")
    for node in parsed.nodes:
        assert all(f"[[{link.label}]]" in node.content for link in node.links)
    links = sum(len(node.links) for node in parsed.nodes)
    assert links == PLACES[place].count("[[")


def test_the_part_that_was_read_as_a_table_is_one() -> None:
    parsed = parse_source("wide.md", PLACES["between paragraphs"], "markdown")
    kinds = [node.kind for node in parsed.nodes]
    assert "table" in kinds and kinds[1] == kinds[-1] == "text"
