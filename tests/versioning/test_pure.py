"""The pure parts: layouts packed and unpacked, states of rows, unified diffs."""

from __future__ import annotations

import difflib
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from remem.records import ChangeRow, DocumentRow, NodeRow, NodeState
from remem.versioning.diffs import LONGEST, diff_texts
from remem.versioning.layouts import pack_layout, unpack_layout
from remem.versioning.states import ABSENT, find_presence, state_before

GAPS = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=9))


@given(st.lists(st.tuples(GAPS, GAPS, st.integers(0, 3)), min_size=1, max_size=6), st.integers(0, 2**62))
def test_a_layout_is_what_was_packed(parts: list[tuple[str | None, str | None, int]], first: int) -> None:
    rows = [
        NodeRow(
            first + n,
            "id",
            "text",
            first,
            first if n else None,
            n,
            n,
            first + n % 2,
            piece,
            1,
            None,
            "said",
            gap,
            prefix,
        )
        for n, (gap, prefix, piece) in enumerate(parts)
    ]
    document = DocumentRow(first, 1, "a/b.md", "markdown", first + 1, "\n\n[x]: y\n", b"h" * 16, 1, 2, 3, 4, "1/512")
    packed = pack_layout("notes", document, rows)
    assert (packed.root, packed.source, packed.hash, packed.settings) == ("notes", "a/b.md", b"h" * 16, "1/512")
    assert packed.nodes is not None
    layout = unpack_layout(packed.nodes)
    assert (layout.title, layout.tail) == (first + 1, "\n\n[x]: y\n")
    wanted = [(r.key, r.parent, r.piece, r.gap, r.prefix, r.station == r.key) for r in rows]
    assert [tuple(node) for node in layout.nodes] == wanted


def test_a_row_tells_what_a_node_was_before_and_whether_it_is_there_after() -> None:
    told = {
        op: (
            state_before(ChangeRow(1, 2, op, "memory", "L", b"hash", None, None, 2, '["a"]')).presence,
            find_presence(op),
        )
        for op in ("add", "mod", "move", "rem", "archive", "unarchive", "discard", "amend", "restore")
    }
    assert told == {
        "add": ("absent", "living"),
        "mod": ("living", "living"),
        "move": ("living", "living"),
        "rem": ("living", "absent"),
        "archive": ("living", "archived"),
        "unarchive": ("archived", "living"),
        "discard": ("archived", "absent"),
        "amend": ("archived", "archived"),
        "restore": ("absent", "archived"),
    }
    assert state_before(ChangeRow(1, 2, "add")) == ABSENT
    row = ChangeRow(1, 2, "mod", "text", "L", b"hash", 3, 4, 5, '["a", "b"]')
    assert state_before(row) == NodeState("living", "text", "L", b"hash", None, 3, 5, ("a", "b"))


@given(st.integers(0, 2**32 - 1))
def test_a_diff_holds_both_texts(seed: int) -> None:
    chance = Random(seed)
    before = [chance.choice("abcd") for _ in range(chance.randint(1, 12))]
    after = [line for line in before if chance.random() < 0.8] + [chance.choice("xyz")]
    lines = diff_texts("id", "\n".join(before), "\n".join(after), 3, 7).split("\n")
    assert lines[:2] == ["--- id snapshot 3", "+++ id snapshot 7"]
    body = [line for line in lines[2:] if not line.startswith("@@")]
    kept = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert sorted(line[0] + line[1:] for line in body if line[0] != " ") == sorted(line[0] + line[2:] for line in kept)


def test_very_long_texts_are_told_whole() -> None:
    text = "line\n" * (LONGEST // 5)
    told = diff_texts("id", text, text + "more", 1, 2).split("\n")
    assert told[2] == f"@@ -1,{LONGEST // 5 + 1} +1,{LONGEST // 5 + 1} @@" and told[-1] == "+more"
    assert diff_texts("id", "same", "same", 1, 2) == ""
