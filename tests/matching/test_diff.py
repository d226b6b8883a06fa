"""Which node is which after an edit. A file is written one block a line; ~2 marks the second of equal old blocks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from remem.matching.diff import find_moves, match_documents
from tests.matching.diff_trees import follow, follow_file, make_new, make_old

RIVER = "The river floods the lower fields every spring."
TOWER = "A wooden tower stands behind the old school."
BREAD = "Bread needs flour, water, salt and a long night."
TRAIN = "Morning trains to the coast leave from platform two."

# --- blocks in place --------------------------------------------------------------------------------------------------


def test_an_unchanged_document_keeps_every_node() -> None:
    text = f"---\n# A\n{RIVER}\n## B\n- one\n- one\n{RIVER}\n## B\n`x`"
    assert None not in follow_file(text, text)
    assert follow_file(text, text)[3:6] == ["## B", "- one", "- one~2"]


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_an_inserted_paragraph_moves_no_id(place: int) -> None:
    lines: list[str] = [RIVER, TOWER, BREAD]
    after = [*lines[:place], TRAIN, *lines[place:]]
    assert follow_file("\n".join(lines), "\n".join(after)) == [None if line == TRAIN else line for line in after]


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_deleted_paragraph_moves_no_id(gone: int) -> None:
    lines = [RIVER, TOWER, BREAD]
    after = lines[:gone] + lines[gone + 1 :]
    assert follow_file("\n".join(lines), "\n".join(after)) == after


def test_a_paragraph_that_is_replaced_by_another_is_a_removal_and_an_addition() -> None:
    assert follow_file(f"{RIVER}\n{TOWER}\n{BREAD}", f"{RIVER}\n{TRAIN}\n{BREAD}") == [RIVER, None, BREAD]


def test_an_edited_paragraph_keeps_its_id() -> None:
    edited = "The river floods all the lower fields every autumn."
    assert follow_file(f"{TOWER}\n{RIVER}\n{BREAD}", f"{TOWER}\n{edited}\n{BREAD}") == [TOWER, RIVER, BREAD]


def test_two_edited_neighbours_are_not_confused() -> None:
    river, tower = "The river floods the upper fields every spring.", "A wooden tower stands before the old school."
    assert follow_file(f"{RIVER}\n{TOWER}", f"{river}\n{tower}") == [RIVER, TOWER]
    assert follow_file(f"{RIVER}\n{TOWER}", f"{TRAIN}\n{river}\n{tower}") == [None, RIVER, TOWER]
    assert follow_file(f"{RIVER}\n{TOWER}\n{BREAD}", f"{tower}\n{BREAD}") == [TOWER, BREAD]


def test_an_edited_block_with_changed_neighbours_on_both_sides_keeps_its_id() -> None:
    after = f"{TRAIN}\nA wooden tower stands behind the new school.\nNothing like it was here before."
    assert follow_file(f"{RIVER}\n{TOWER}\n{BREAD}", after) == [None, TOWER, None]


def test_a_corrected_letter_in_a_short_text_keeps_the_id() -> None:
    assert follow_file("Recieved", "Received") == ["Recieved"]


def test_an_edit_in_a_script_without_spaces_keeps_the_id() -> None:
    old, new = "知識グラフは役に立つものです", "知識グラフはとても役に立つものです"
    assert follow_file(f"{RIVER}\n{old}", f"{RIVER}\n{new}") == [RIVER, old]
    assert follow_file("知識グラフは役に立つ", "天気がよい日曜日") == [None]


def test_other_marks_case_or_white_space_keep_ids() -> None:
    old = "# A\n- buy milk\n- call Ann\n`def f():    return 1`"
    assert follow_file(old, "# A\n-   buy milk\n- Call **Ann**\n`def f():  return 1`") == old.split("\n")


def test_a_long_repeated_run_that_grows_or_shrinks_keeps_the_first_ones() -> None:
    assert follow_file("- x\n- x", "- x\n- x\n- x") == ["- x", "- x~2", None]
    assert follow_file("- x\n- x\n- x", "- x\n- x") == ["- x", "- x~2"]


def test_equal_neighbours_that_are_swapped_change_nothing() -> None:
    assert follow_file("# A\nsame\nsame", "# A\nsame\nsame") == ["# A", "same", "same~2"]


def test_of_equal_texts_each_stays_with_its_neighbours() -> None:
    assert follow_file(f"{RIVER}\nnote\n{TOWER}\nnote", f"{TOWER}\nnote") == [TOWER, "note~2"]
    assert follow_file(f"{RIVER}\nnote\n{TOWER}\nnote", f"note\n{RIVER}\nnote\n{TOWER}\nnote") == [
        None, RIVER, "note", TOWER, "note~2",
    ]  # fmt: skip


def test_equal_long_starts_are_told_apart_by_their_ends() -> None:
    start = "x" * 300
    assert follow_file(f"- {start}A\n- {start}B", f"- {start}B") == [f"- {start}B"]


def test_front_matter_that_is_added_moves_no_id() -> None:
    assert follow_file(f"# A\n{RIVER}", f"--- title: B\n# A\n{RIVER}") == [None, "# A", RIVER]


def test_front_matter_that_is_changed_wholly_keeps_its_id() -> None:
    assert follow_file(f"--- title: A\n{RIVER}", f"--- date: 2026\n{RIVER}") == ["--- title: A", RIVER]


def test_pieces_of_a_split_text_keep_their_ids_when_their_numbers_shift() -> None:
    old = make_old({"a.md": f"{RIVER}\n{TOWER}\n{BREAD}"})
    pieces = [node._replace(piece=max(place - 1, 0)) for place, node in enumerate(old[0].nodes)]
    new = make_new({"a.md": f"{TRAIN}\n{RIVER} Often.\n{TOWER}\n{BREAD}"})
    assert match_documents([replace(old[0], nodes=pieces)], new).nodes == [[1, None, 2, 3, 4]]


# --- split, joined, copied --------------------------------------------------------------------------------------------


def test_of_a_split_paragraph_the_larger_part_keeps_the_id() -> None:
    assert follow_file(f"{RIVER} {TOWER} {BREAD}", f"{RIVER}\n{TOWER} {BREAD}") == [None, f"{RIVER} {TOWER} {BREAD}"]
    assert follow_file(f"{RIVER} {TOWER} {BREAD}", f"{RIVER} {TOWER}\n{BREAD}") == [f"{RIVER} {TOWER} {BREAD}", None]


def test_of_joined_paragraphs_the_first_lives_on() -> None:
    assert follow_file(f"Short start.\n{RIVER} {TOWER}", f"Short start. {RIVER} {TOWER}") == ["Short start."]
    assert follow_file(f"{RIVER}\n{TOWER}\n{BREAD}", f"{RIVER} {TOWER} {BREAD}") == [RIVER]


def test_a_copy_gets_an_id_of_its_own() -> None:
    assert follow_file(f"{RIVER}\n{TOWER}", f"{RIVER}\n{TOWER}\n{RIVER}") == [RIVER, TOWER, None]
    assert follow_file(f"# A\n{RIVER}\n# B\n{TOWER}", f"# A\n{RIVER}\n# B\n{RIVER}\n{TOWER}") == [
        "# A", RIVER, "# B", None, TOWER,
    ]  # fmt: skip


def test_of_a_duplicated_section_the_original_keeps_its_ids() -> None:
    section = f"## S\n{RIVER}\n{TOWER}"
    assert follow_file(section, f"{section}\n{section}") == ["## S", RIVER, TOWER, None, None, None]
    assert follow_file(section, f"## Copy\n{RIVER}\n{TOWER}\n{section}") == [None, None, None, "## S", RIVER, TOWER]


# --- moved ------------------------------------------------------------------------------------------------------------


def test_a_moved_paragraph_keeps_its_id_in_its_section_and_in_another() -> None:
    assert follow_file(f"{RIVER}\n{TOWER}\n{BREAD}", f"{BREAD}\n{RIVER}\n{TOWER}") == [BREAD, RIVER, TOWER]
    assert follow_file(f"# A\n{RIVER}\n{TOWER}\n# B\n{BREAD}", f"# A\n{TOWER}\n# B\n{BREAD}\n{RIVER}") == [
        "# A", TOWER, "# B", BREAD, RIVER,
    ]  # fmt: skip


def test_a_section_moved_in_its_file_keeps_its_ids() -> None:
    a, b = f"## A\n{RIVER}\nnote", f"## B\n{TOWER}\nnote"
    assert follow_file(f"{a}\n{b}", f"{b}\n{a}") == ["## B", TOWER, "note~2", "## A", RIVER, "note"]


def test_sections_of_one_label_are_told_apart_by_what_they_hold() -> None:
    old = f"## Notes\n{RIVER}\n## Notes\n{TOWER}"
    assert follow_file(old, f"## Notes\n{TOWER}") == ["## Notes~2", TOWER]
    assert follow_file(old, f"## Notes\n{TOWER}\n## Notes\n{RIVER}") == ["## Notes~2", TOWER, "## Notes", RIVER]
    edited = "A wooden tower stood behind the old school."
    assert follow_file(old, f"## Notes\n{edited}") == ["## Notes~2", TOWER]


def test_a_block_that_is_moved_and_edited_keeps_its_id_if_it_is_much_alike() -> None:
    edited = "The river floods the lower fields every autumn."
    assert follow_file(f"{RIVER}\n{TOWER}\n{BREAD}", f"{TOWER}\n{BREAD}\n{edited}") == [TOWER, BREAD, RIVER]
    assert follow_file(f"# A\n{RIVER}\n{TOWER}\n# B\n{BREAD}", f"# A\n{TOWER}\n# B\n{BREAD}\n{edited}") == [
        "# A", TOWER, "# B", BREAD, RIVER,
    ]  # fmt: skip


def test_a_section_moved_to_another_file_keeps_its_ids() -> None:
    section = f"## S\n{RIVER}\n{TOWER}\nok"
    old = {"a.md": f"# A\n{BREAD}\n{section}", "b.md": f"# B\n{TRAIN}\nok"}
    new = {"a.md": f"# A\n{BREAD}", "b.md": f"# B\n{TRAIN}\nok\n{section}"}
    assert follow(old, new)["b.md"] == ["b.md", "# B", TRAIN, "ok~2", "## S", RIVER, TOWER, "ok"]


def test_a_section_moved_to_another_file_and_edited_there_keeps_its_ids() -> None:
    old = {"a.md": f"# A\n## S\n{RIVER}\n{TOWER}", "b.md": "# B"}
    new = {"a.md": "# A", "b.md": f"# B\n## S\n{RIVER}\nA wooden tower stood behind the school."}
    assert follow(old, new)["b.md"] == ["b.md", "# B", "## S", RIVER, TOWER]


def test_a_short_text_that_leaves_one_file_and_appears_in_another_is_not_the_same() -> None:
    old = {"a.md": f"{RIVER}\nlater", "b.md": TOWER}
    new = {"a.md": RIVER, "b.md": f"{TOWER}\nlater"}
    assert follow(old, new)["b.md"] == ["b.md", TOWER, None]


def test_a_heading_without_its_children_is_not_followed_to_another_file() -> None:
    old = {"a.md": f"# A\n## Open questions\n{RIVER}", "b.md": f"# B\n{TOWER}"}
    new = {"a.md": f"# A\n{RIVER}", "b.md": f"# B\n{TOWER}\n## Open questions\n{BREAD}"}
    assert follow(old, new)["b.md"] == ["b.md", "# B", TOWER, None, None]


def test_a_kept_text_in_a_file_is_not_taken_by_its_copy_in_another() -> None:
    old = {"a.md": f"{RIVER}\n{TOWER}", "b.md": BREAD}
    new = {"b.md": f"{BREAD}\n{RIVER}", "a.md": f"{TOWER}\n{RIVER}"}
    assert follow(old, new) == {"b.md": ["b.md", BREAD, None], "a.md": ["a.md", TOWER, RIVER]}


def test_find_moves_tells_the_fewest_children_that_moved() -> None:
    assert find_moves([1, 2, 3, 4], [1, 2, 3, 4]) == set()
    assert find_moves([1, 2, 3, 4], [4, 1, 2, 3]) == {4}
    assert find_moves([1, 2, 3, 4], [None, 1, 3, None, 2, 4]) in ({2}, {3})
    assert find_moves([1, 2, 3], [2, 3]) == set()
    assert find_moves([1, 2], [1, 9, 2]) == {9}, "came from another parent"


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_renamed_file_keeps_all_ids() -> None:
    text = f"# A\n{RIVER}\nnote"
    assert follow({"a.md": text}, {"b/a.md": text}) == {"b/a.md": ["a.md", "# A", RIVER, "note"]}


def test_many_files_moved_together_are_each_found_again() -> None:
    texts = {f"{n}.md": f"# Note\n{RIVER}" if n % 2 else f"# Note {n}\n{TOWER} {n}" for n in range(20)}
    moved = follow(texts, {f"sub/{source}": text for source, text in texts.items()})
    assert [keys[0] for keys in moved.values()] == list(texts)


def test_a_file_renamed_and_edited_at_once_keeps_its_ids() -> None:
    new = f"# A\n{RIVER}\nA wooden tower stood behind the school.\n{BREAD}"
    assert follow({"a.md": f"# A\n{RIVER}\n{TOWER}\n{BREAD}"}, {"b.md": new})["b.md"] == [
        "a.md", "# A", RIVER, TOWER, BREAD,
    ]  # fmt: skip
    assert follow({"a.md": f"# A\n{RIVER}"}, {"b.md": f"# A\n{RIVER} Often."})["b.md"] == ["a.md", "# A", RIVER]


def test_a_new_file_that_shares_little_with_a_vanished_one_is_new() -> None:
    assert follow({"a.md": f"# A\n{RIVER}\n{TOWER}"}, {"b.md": f"# A\n{BREAD}\n{TRAIN}"})["b.md"] == [None] * 4


def test_of_a_split_file_the_larger_share_keeps_the_document_and_every_block_its_id() -> None:
    new = {"x.md": RIVER, "y.md": f"{TOWER}\n{BREAD}"}
    moved = follow({"a.md": f"{RIVER}\n{TOWER}\n{BREAD}"}, new)
    assert moved == {"x.md": [None, RIVER], "y.md": ["a.md", TOWER, BREAD]}


def test_of_joined_files_the_first_keeps_the_document_and_every_block_its_id() -> None:
    old = {"b.md": f"{TOWER}\n{BREAD}", "a.md": RIVER}
    assert follow(old, {"c.md": f"{RIVER}\n{TOWER}\n{BREAD}"})["c.md"] == ["a.md", RIVER, TOWER, BREAD]


def test_a_file_merged_into_one_that_stays_brings_its_ids() -> None:
    old = {"a.md": f"# A\n{RIVER}", "b.md": f"# B\n{TOWER}\n{BREAD}"}
    assert follow(old, {"a.md": f"# A\n{RIVER}\n# B\n{TOWER}\n{BREAD}"})["a.md"] == [
        "a.md", "# A", RIVER, "# B", TOWER, BREAD,
    ]  # fmt: skip


def test_a_file_that_is_rewritten_wholly_is_the_same_document() -> None:
    assert follow({"a.md": RIVER}, {"a.md": TOWER}) == {"a.md": ["a.md", None]}


def test_two_files_that_swap_names_keep_documents_and_blocks_by_text() -> None:
    old = {"a.md": f"{RIVER}\n{TOWER}", "b.md": f"{BREAD}\n{TRAIN}"}
    new = {"a.md": old["b.md"], "b.md": old["a.md"]}
    assert follow(old, new) == {"a.md": ["b.md", BREAD, TRAIN], "b.md": ["a.md", RIVER, TOWER]}


def test_the_result_names_the_documents_by_their_indexes() -> None:
    old = make_old({"a.md": RIVER, "b.md": TOWER})
    matching = match_documents(old, make_new({"new.md": BREAD, "b.md": TOWER}))
    assert matching.documents == {1: 1}
    assert matching.nodes == [[None, None], [3, 4]]


def test_empty_files_and_no_files_are_no_problem() -> None:
    assert match_documents([], []).nodes == []
    assert follow({"a.md": ""}, {"a.md": "", "b.md": ""}) == {"a.md": ["a.md"], "b.md": [None]}
    assert follow({"a.md": RIVER}, {}) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[A]]", "[[A]] changed"),
        ("[[A]]", "now [[A]]"),
        ("a", "a fine day at sea"),
        ("[[A]] changed", "[[A]]"),
        ("See B.", f"See B. {RIVER} {TOWER} {RIVER} {TOWER}"),
    ],
)
def test_a_text_that_is_written_on_keeps_its_id_however_short_it_was(before: str, after: str) -> None:
    assert follow_file(f"# T\n{RIVER}\n{before}\n{TOWER}", f"# T\n{RIVER}\n{after}\n{TOWER}") == [
        "# T", RIVER, before, TOWER,
    ]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), [("no", "now we go"), ("!", "! stop here"), ("on", "and so upon")])
def test_a_text_that_merely_begins_or_ends_with_the_same_letters_is_another(before: str, after: str) -> None:
    found = follow_file(f"# T\n{RIVER}\n{before}\n{TOWER}", f"# T\n{RIVER}\n{after}\n{TOWER}")
    assert found == ["# T", RIVER, None, TOWER]


def test_of_several_short_texts_each_goes_on_in_its_own() -> None:
    old = f"# T\n{RIVER}\n[[A]]\n[[B]]\n{TOWER}"
    new = f"# T\n{RIVER}\n[[A]] was here\nmore words\nalso [[B]]\n{TOWER}"
    assert follow_file(old, new) == ["# T", RIVER, "[[A]]", None, "[[B]]", TOWER]
