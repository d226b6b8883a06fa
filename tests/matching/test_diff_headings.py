"""Which heading is which after an edit. A file is written one block a line; ~2 marks the second of equal old blocks."""

from __future__ import annotations

import pytest

from tests.matching.diff_trees import follow, follow_file

RIVER = "The river floods the lower fields every spring."
TOWER = "A wooden tower stands behind the old school."
BREAD = "Bread needs flour, water, salt and a long night."
TRAIN = "Morning trains to the coast leave from platform two."


def test_a_renamed_heading_keeps_its_id_and_its_children_theirs() -> None:
    assert follow_file("# One", "# Two") == ["# One"]
    assert follow_file(f"# One\n{RIVER}", f"# Two\n{RIVER}") == ["# One", RIVER]
    assert follow_file(f"# One\n{RIVER}", f"# Two\n{TOWER}") == ["# One", None]


def test_below_a_renamed_title_repeated_texts_stay_in_their_places() -> None:
    old, new = "# T\n## A\nnote\n## B\nnote\n## C\nnote", "# U\n## A\n## B\nnote\nnote\n## C\nnote"
    assert follow_file(old, new) == ["# T", "## A", "## B", "note~2", "note", "## C", "note~3"]


def test_a_title_put_above_all_sections_moves_no_id() -> None:
    old = f"# A\n{RIVER}\nnote\n# B\nnote\n# C"
    assert follow_file(old, f"# T\n## A\n{RIVER}\nnote\n## B\nnote\n## C") == [None, *follow_file(old, old)]
    demoted = f"## A\n{RIVER}\nnote\n## B\nnote\n## C"
    assert follow_file(old, demoted) == follow_file(old, old)


def test_one_heading_among_others_is_renamed_without_a_word_in_common() -> None:
    old = f"# T\n## A\n{RIVER}\n## Costs\n## B\n{TOWER}"
    assert follow_file(old, old.replace("Costs", "Budget")) == old.split("\n")


def test_two_renamed_headings_follow_their_children() -> None:
    old = f"# T\n## A\n{RIVER}\n{BREAD}\n## B\n{TOWER}\nnote"
    assert follow_file(old, f"# T\n## X\n{TOWER}\nnote\n## Y\n{RIVER}\n{BREAD}") == [
        "# T", "## B", TOWER, "note", "## A", RIVER, BREAD,
    ]  # fmt: skip


def test_a_section_that_replaces_another_does_not_take_its_id() -> None:
    old, new = f"# T\n## A\n{RIVER}\n## B\n{TOWER}", f"# T\n## A\n{RIVER}\n## C\n{BREAD}"
    assert follow_file(old, new) == ["# T", "## A", RIVER, None, None]


def test_a_heading_that_is_reworded_while_its_text_is_edited_keeps_its_id() -> None:
    old = f"# T\n## Setup\n{RIVER}\n## Costs\n{BREAD}"
    river, bread = "The river floods the fields every spring.", "Bread needs flour, salt and a night."
    new = f"# T\n## Installing\n{river}\n## Budget\n{bread}"
    assert follow_file(old, new) == ["# T", "## Setup", RIVER, "## Costs", BREAD]


def test_a_heading_inserted_above_paragraphs_moves_them_but_no_id() -> None:
    old = f"## A\n{RIVER}\n{TOWER}"
    assert follow_file(old, f"## A\n{RIVER}\n## B\n{TOWER}") == ["## A", RIVER, None, TOWER]
    assert follow_file(f"## A\n{RIVER}\n## B\n{TOWER}", old) == ["## A", RIVER, TOWER]


def test_of_a_split_section_the_larger_part_and_of_joined_ones_the_first_keeps_the_id() -> None:
    assert follow_file(f"# T\n## Old\n{RIVER}\n{TOWER}\n{BREAD}", f"# T\n## X\n{RIVER}\n## Y\n{TOWER}\n{BREAD}") == [
        "# T", None, RIVER, "## Old", TOWER, BREAD,
    ]  # fmt: skip
    assert follow_file(f"# T\n## A\n{RIVER}\n## B\n{TOWER}\n{BREAD}", f"# T\n## C\n{RIVER}\n{TOWER}\n{BREAD}") == [
        "# T", "## A", RIVER, TOWER, BREAD,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (
            f"Intro\n#### S\n{RIVER}\n{TOWER}",
            f"Intro\n### G\n#### S\n## H\n{RIVER}\n{TOWER}",
            ["Intro", None, "#### S", None, RIVER, TOWER],
        ),
        (
            f"## S\n{RIVER}\n{TOWER}\n{BREAD}",
            f"# T\n## S\n{RIVER}\n## H\n{TOWER}\n{BREAD}",
            [None, "## S", RIVER, None, TOWER, BREAD],
        ),
        (f"### S\n{RIVER}", f"# T\n### S\n{TRAIN}\n## H\n{RIVER}", [None, "### S", None, None, RIVER]),
        (f"## S\n{RIVER}", f"### S\n#### H\n{RIVER}", ["## S", None, RIVER]),
        (
            f"# T\n## S\n{RIVER}\n## H\n{TOWER}",
            f"# U\n# T\n## H\n{RIVER}\n## S\n{TOWER}",
            [None, "# T", "## H", RIVER, "## S", TOWER],
        ),
    ],
)
def test_a_heading_put_above_text_moves_no_other_headings_id(before: str, after: str, found: list[str | None]) -> None:
    assert follow_file(before, after) == found


def test_of_headings_with_one_label_each_stays_in_its_section_where_others_are_put_in() -> None:
    old = f"# A\n## S\n{RIVER}\n# B\n## S\n{TOWER}\n{BREAD}"
    new = f"# T\n## A\n### S\n### H\n{RIVER}\n## B\n### S\n{TOWER}\n### H\n{BREAD}"
    assert follow_file(old, new) == [None, "# A", "## S", None, RIVER, "# B", "## S~2", TOWER, None, BREAD]


def test_a_heading_put_into_a_section_that_moves_to_another_file_gets_an_id_of_its_own() -> None:
    old = {"a.md": f"# A\n## S\n{RIVER}\n{TOWER}\n{BREAD}", "b.md": f"# B\n{TRAIN}"}
    new = {"a.md": "# A", "b.md": f"# B\n{TRAIN}\n## S\n{RIVER}\n## H\n{TOWER}\n{BREAD}"}
    assert follow(old, new)["b.md"] == ["b.md", "# B", TRAIN, "## S", RIVER, None, TOWER, BREAD]


def test_a_reworded_heading_keeps_its_id_though_another_section_has_its_old_label() -> None:
    old, new = f"# A\n## S\n{RIVER}", f"# A\n## H\n{RIVER}\n# C\n## S\n{BREAD}"
    assert follow_file(old, new) == ["# A", "## S", RIVER, None, None, None]
    old, new = f"{old}\n# B\n## S\n{TOWER}", f"# B\n## S\n{TOWER}\n{new}"
    assert follow_file(old, new) == ["# B", "## S~2", TOWER, "# A", "## S", RIVER, None, None, None]


@pytest.mark.parametrize(("before", "after"), [("##", "#"), ("##", "###"), ("##", "####")])
def test_a_heading_that_is_promoted_or_demoted_keeps_its_section(before: str, after: str) -> None:
    old = f"# T\n{RIVER}\n## A\n{TRAIN}\n{before} S\n{TOWER}\nnote\n{before}# Inner\n{BREAD}"
    new = f"# T\n{RIVER}\n## A\n{TRAIN}\n{after} S\n{TOWER}\nnote\n{after}# Inner\n{BREAD}"
    assert follow_file(old, new) == old.split("\n")


def test_a_promoted_heading_without_text_keeps_its_id() -> None:
    assert follow_file(f"# T\n{RIVER}\n## Plan", f"# T\n{RIVER}\n# Plan") == ["# T", RIVER, "## Plan"]


def test_a_paragraph_made_a_heading_is_another_node() -> None:
    old, new = f"# T\nCosts of the year\n{RIVER}", f"# T\n## Costs of the year\n{RIVER}"
    assert follow_file(old, new) == ["# T", None, RIVER]


def test_a_block_may_change_its_kind_only_with_the_same_words() -> None:
    assert follow_file(f"{RIVER}\n- buy some milk", f"{RIVER}\nbuy some milk") == [RIVER, "- buy some milk"]
    assert follow_file(f"{RIVER}\n- buy some milk", f"{RIVER}\nbuy some bread") == [RIVER, None]
    assert follow_file(f"{RIVER}\n| {TOWER} | {BREAD} |", f"{RIVER}\n{TOWER} | {BREAD} x") == [
        RIVER, f"| {TOWER} | {BREAD} |",
    ]  # fmt: skip
