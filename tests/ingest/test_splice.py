"""Splices of trees: whatever is taken out or put in, what comes out is a tree in pre-order that keeps the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.ingest.levels import read_level, set_level
from remem.ingest.markdown import parse_markdown
from remem.ingest.render import render
from remem.ingest.splice import Splice, remove_nodes, replace_nodes, widen_gap
from remem.records import KeyedNode

QUOTE = "> quote\n>\n> ```\n> x\n> ```"
BLOCKS = st.sampled_from(
    ("# One", "## Two", "### Three", "words", "- a\n- b", QUOTE, "---", "[r]: x.md", "```\nc\n```")
)
TEXTS = st.lists(BLOCKS, max_size=9).map("\n\n".join)


def read(text: str) -> Splice:
    parsed = parse_markdown("a.md", text)
    return Splice([KeyedNode(node, index) for index, node in enumerate(parsed.nodes)], parsed.tail)


def write(splice: Splice) -> str:
    return render(((node.gap, node.content, node.prefixes) for node, _ in splice.nodes), splice.tail)


def check_shape(splice: Splice) -> None:
    nodes = [item.node for item in splice.nodes]
    for index, node in enumerate(nodes):
        assert -1 <= node.parent < index or (index == 0 and node.parent == -1)
        below = [other for other in range(index + 1, len(nodes)) if index in _list_above(splice, other)]
        assert below == list(range(index + 1, node.last + 1))


def _list_above(splice: Splice, index: int) -> list[int]:
    above = []
    while index > 0:
        index = splice.nodes[index].node.parent
        above.append(index)
    return above


@given(TEXTS, st.sets(st.integers(1, 15)))
def test_nodes_that_are_taken_out_leave_the_others_in_order(text: str, places: set[int]) -> None:
    before = read(text)
    gone = {place for place in places if place < len(before.nodes)}
    after = remove_nodes(before, gone)
    check_shape(after)
    assert [item.key for item in after.nodes] == [index for index in range(len(before.nodes)) if index not in gone]
    for node, key in after.nodes[1:]:
        assert key is not None
        above = [place for place in _list_above(before, key) if place not in gone]
        assert after.nodes[node.parent].key == above[0]
    if not gone:
        assert write(after) == text


@given(TEXTS, TEXTS, st.integers(0, 15))
def test_nodes_that_are_put_in_stand_in_their_place(text: str, other: str, place: int) -> None:
    before, new = read(text), read(other)
    first = min(place + 1, len(before.nodes) - 1) or 1
    if first >= len(before.nodes):
        return
    node = before.nodes[first].node
    added = [KeyedNode(item.node._replace(parent=item.node.parent - 1)) for item in new.nodes[1:]]
    after = replace_nodes(before, first, node.last, node.parent, added, new.tail)
    check_shape(after)
    kept = [index for index in range(len(before.nodes)) if not first <= index <= node.last]
    assert [item.key for item in after.nodes if item.key is not None] == kept
    contents = [item.node.content for item in after.nodes[first : first + len(added)]]
    assert contents == [item.node.content for item in added]
    assert all(content in write(after) for content in contents if "\n" not in content)


@pytest.mark.parametrize(
    ("gap", "widened"),
    [
        ("\n\n", "\n\n"),
        ("\n", "\n\n"),
        (" ", "\n\n"),
        ("\n> ", "\n>\n> "),
        ("- ", "- "),
        ("\n---\n\n", "\n---\n\n"),
    ],
)
def test_gap_is_made_wide_enough_for_a_block_of_its_own(gap: str, widened: str) -> None:
    assert widen_gap(gap) == widened


@pytest.mark.parametrize(
    ("content", "level", "made"),
    [
        ("# A", 3, "### A"),
        ("###### A #", 1, "# A #"),
        ("#", 2, "##"),
        ("A\n===", 2, "A\n---"),
        ("A\n---", 1, "A\n==="),
        ("A b\nc\n===", 4, "#### A b c"),
        ("plain", 2, "## plain"),
    ],
)
def test_heading_moves_to_another_level(content: str, level: int, made: str) -> None:
    assert set_level(content, level) == made
    assert read_level(made) == level
