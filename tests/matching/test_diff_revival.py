"""Removed nodes that come back under their ids, and those that must not."""

from __future__ import annotations

from remem.matching.diff import match_documents
from remem.matching.revival import revive
from remem.records import RemovedRow
from tests.matching.diff_trees import Files, make_new, make_old, match_nothing, name_nodes, remove

RIVER = "The river floods the lower fields every spring."
TOWER = "A wooden tower stands behind the old school."
BREAD = "Bread needs flour, water, salt and a long night."
TRAIN = "Morning trains to the coast leave from platform two."


def come_back(gone: Files, new: Files, root: str = "notes") -> dict[str, list[str | None]]:
    """What the nodes of new files were among those of files that were removed as a whole."""
    names, after = name_nodes(make_old(gone)), make_new(new)
    matching = revive(after, match_nothing(after), remove(gone), root)
    keys = [key for found in matching.nodes for key in found if key is not None]
    assert len(keys) == len(set(keys))
    return {
        source: [None if key is None else names[key] for key in found]
        for source, found in zip(new, matching.nodes, strict=True)
    }


def edit_and_undo(first: str, second: str, source: str = "a.md", last: str | None = None) -> list[int | None]:
    """Keys of a file that is edited and then set back; what the edit dropped is known as removed."""
    before = make_old({"a.md": first})
    middle = match_documents(before, make_new({"a.md": second}))
    kept = set(middle.nodes[0])
    gone = [row for row in remove({"a.md": first}) if row.key not in kept]
    keys = [key or 100 + place for place, key in enumerate(middle.nodes[0])]
    now = make_old({"a.md": second})[0]
    nodes = [node._replace(key=key) for node, key in zip(now.nodes, keys, strict=True)]
    stored = type(now)(keys[0], now.root, now.source, now.title, now.file_hash, nodes)
    after = make_new({source: first if last is None else last})
    return revive(after, match_documents([stored], after), gone, "notes").nodes[0]


def test_a_file_that_comes_back_has_all_its_ids() -> None:
    files = {"a.md": f"# A\n{RIVER}\nnote\nnote\n## B\nnote\n## B\n{TOWER}"}
    assert come_back(files, files)["a.md"] == [
        "a.md", "# A", RIVER, "note", "note~2", "## B", "note~3", "## B~2", TOWER,
    ]  # fmt: skip


def test_a_branch_switched_back_restores_every_file() -> None:
    files = {f"{n}.md": f"# {n}\n{RIVER} {n}\nnote" for n in range(5)}
    back = come_back(files, files)
    assert [found[0] for found in back.values()] == list(files)
    assert not any(None in found for found in back.values())


def test_a_file_that_comes_back_under_another_name_has_its_ids() -> None:
    text = f"# A\n{RIVER}\n## B\n{TOWER}\nnote\nnote"
    assert come_back({"a.md": text}, {"b/c.md": text})["b/c.md"] == [
        "a.md", "# A", RIVER, "## B", TOWER, "note", "note~2",
    ]  # fmt: skip


def test_a_file_that_comes_back_elsewhere_with_small_edits_keeps_what_is_the_same() -> None:
    back = come_back({"a.md": f"# A\n{RIVER}\n{TOWER}\nnote"}, {"b.md": f"# A\n{RIVER}\n{TOWER}\n{BREAD}\nnote"})
    assert back["b.md"] == ["a.md", "# A", RIVER, TOWER, None, "note"]


def test_a_removed_file_is_not_taken_for_one_that_shares_little_with_it() -> None:
    back = come_back({"a.md": f"# Plan\n{RIVER}\n{TOWER}"}, {"b.md": f"# Plan\n{BREAD}\n{TRAIN}"})
    assert back["b.md"] == [None] * 4


def test_a_copy_beside_the_file_that_comes_back_gets_other_ids() -> None:
    text = f"# A\n{RIVER}\n{TOWER}"
    back = come_back({"a.md": text}, {"copy.md": text, "a.md": text})
    assert back == {"copy.md": [None] * 4, "a.md": ["a.md", "# A", RIVER, TOWER]}


def test_a_paragraph_that_is_deleted_and_undone_has_its_id_again() -> None:
    assert edit_and_undo(f"# A\n{RIVER}\nnote\n{TOWER}", f"# A\n{RIVER}\n{TOWER}") == [1, 2, 3, 4, 5]
    assert edit_and_undo(f"# A\n{RIVER}\n## B\n{TOWER}\nnote", f"# A\n{RIVER}") == [1, 2, 3, 4, 5, 6]


def test_an_undo_in_a_file_that_was_renamed_meanwhile_brings_the_ids_back() -> None:
    text = f"# A\n{RIVER}\nnote\n{TOWER}"
    assert edit_and_undo(text, f"# A\n{RIVER}\n{TOWER}", "b.md") == [1, 2, 3, 4, 5]


def test_an_undo_below_a_heading_that_was_renamed_meanwhile_brings_the_ids_back() -> None:
    last = f"# New name\n{RIVER}\nnote\n{TOWER}"
    assert edit_and_undo(f"# A\n{RIVER}\nnote\n{TOWER}", f"# A\n{RIVER}\n{TOWER}", last=last) == [1, 2, 3, 4, 5]


def test_a_short_text_removed_from_another_file_does_not_come_back() -> None:
    back = come_back({"a.md": f"# A\n{RIVER}\nlater"}, {"b.md": f"# B\n{TOWER}\nlater"})
    assert back["b.md"] == [None] * 4


def test_a_section_cut_from_one_file_and_pasted_into_another_later_has_its_ids() -> None:
    before = make_old({"b.md": f"# B\n{BREAD}"}, first=50)
    after = make_new({"b.md": f"# B\n{BREAD}\n## S\n{RIVER}\n{TOWER}"})
    gone = [row for row in remove({"a.md": f"# A\n{TRAIN}\n## S\n{RIVER}\n{TOWER}"}) if row.key > 3]
    matching = match_documents(before, after)
    assert revive(after, matching, gone, "notes").nodes == [[50, 51, 52, 4, 5, 6]]
    assert matching.nodes == [[50, 51, 52, None, None, None]], "the given matching is left as it is"


def test_a_source_that_is_written_again_with_another_text_is_another_document() -> None:
    assert come_back({"a.md": RIVER}, {"a.md": TOWER}) == {"a.md": [None, None]}
    gone = {"a.md": f"--- tags: daily\n# Today\n{RIVER}\n## Notes\n{TOWER}\nnote"}
    for text in (f"--- tags: daily\n# Today\n{BREAD}\n## Notes\n{TRAIN}\nnote", f"# Today\n{BREAD}", ""):
        assert set(come_back(gone, {"a.md": text})["a.md"]) == {None}
    assert come_back({"a.md": ""}, {"a.md": RIVER}) == {"a.md": [None, None]}


def test_a_telling_text_in_another_document_of_the_source_comes_back_alone() -> None:
    back = come_back({"a.md": f"# A\n{RIVER}\n{TOWER}\nnote"}, {"a.md": f"# A\n{BREAD}\n{TRAIN}\n{TOWER}\nother"})
    assert back["a.md"] == [None, None, None, None, TOWER, None]


def test_a_deletion_undone_with_edits_brings_the_document_back() -> None:
    back = come_back({"a.md": f"# A\n{RIVER}\n{TOWER}\nnote"}, {"a.md": f"# A\n{RIVER}\n{BREAD}\n{TOWER}\nnote"})
    assert back["a.md"] == ["a.md", "# A", RIVER, None, TOWER, "note"]


def test_an_empty_file_and_one_of_headings_come_back_as_they_were() -> None:
    assert come_back({"a.md": ""}, {"a.md": ""}) == {"a.md": ["a.md"]}
    assert come_back({"a.md": "# Plan"}, {"a.md": "# Plan"}) == {"a.md": ["a.md", "# Plan"]}
    assert come_back({"a.md": "# Plan"}, {"a.md": f"# Plan\n{RIVER}"}) == {"a.md": ["a.md", "# Plan", None]}
    assert come_back({"a.md": "# Plan"}, {"a.md": f"# Costs\n{RIVER}"}) == {"a.md": [None, None, None]}


def test_of_several_documents_of_a_source_the_one_comes_back_that_said_the_same() -> None:
    rows = [*remove({"a.md": f"# A\n{RIVER}\n{TOWER}"}), *remove({"a.md": f"# A\n{BREAD}\n{TRAIN}"}, first=50)]
    for text, keys in ((f"# A\n{RIVER}\n{TOWER}", [1, 2, 3, 4]), (f"# A\n{BREAD}\n{TRAIN}", [50, 51, 52, 53])):
        after = make_new({"a.md": text})
        assert revive(after, match_nothing(after), rows, "notes").nodes == [keys]


def test_a_text_that_was_removed_in_two_places_is_not_guessed() -> None:
    gone = {"a.md": f"# A\n{RIVER}\n{BREAD}", "b.md": f"# B\n{RIVER}\n{TRAIN}"}
    assert come_back(gone, {"c.md": f"# C\n{RIVER}\n{TOWER}"})["c.md"] == [None] * 4


def test_the_same_source_of_another_root_is_another_file() -> None:
    assert come_back({"a.md": f"# A\nnote\n{RIVER}"}, {"a.md": "# A\nnote"}, root="other")["a.md"] == [None] * 3


def test_nothing_removed_leaves_everything_as_it_was() -> None:
    after = make_new({"a.md": RIVER})
    none: list[RemovedRow] = []
    assert revive(after, match_nothing(after), none, "notes") == match_nothing(after)
