"""Which ids stay when notes are edited, moved, split, joined, renamed, or come back."""

from __future__ import annotations

import pytest

from tests.cases.vault import Vault

NOTE = """# Deploy

How the service goes out, step by step.

## Before

Tell the people on call that a release is coming.

Look at the dashboards for anything that is red.

## Release

- build the image
- push the image
- watch the first machine

The whole thing takes about ten minutes.

## After

Write down what went wrong this time.
"""


def ids_by_text(vault: Vault) -> dict[str, str]:
    """The id of each node by kind and text. No two nodes of the vault say the same."""
    return {f"{node.kind} {node.content or node.source}": node.id for node in vault.export.nodes}


def replace(old: str, new: str, note: str = NOTE) -> str:
    assert note.count(old) == 1
    return note.replace(old, new)


def test_inserting_above_moves_no_id(vault: Vault) -> None:
    vault.compile({"a.md": NOTE})
    before = ids_by_text(vault)
    report = vault.compile(
        {"a.md": replace("## Before\n", "A new paragraph here.\n\n## Earliest\n\nmore\n\n## Before\n")}
    )
    after = ids_by_text(vault)
    assert (report.added, report.modified, report.moved, report.removed) == (3, 0, 0, 0)
    assert before.items() <= after.items()


def test_reworded_heading_keeps_its_section(vault: Vault) -> None:
    vault.compile({"a.md": NOTE, "b.md": "[[a#Release]]\n"})
    before = ids_by_text(vault)
    vault.remem.relate(before["heading ## Release"], "b", type="supports")
    report = vault.compile({"a.md": replace("## Release\n", "## Rolling it out\n")})
    after = ids_by_text(vault)
    assert (report.added, report.modified, report.removed) == (0, 1, 0)
    assert after["heading ## Rolling it out"] == before["heading ## Release"]
    assert vault.manual == ["a.md -> b.md supports"]
    assert vault.edges == ["b.md -> a.md#Rolling it out"]


def test_edited_paragraph_keeps_its_id(vault: Vault) -> None:
    vault.compile({"a.md": NOTE})
    before = ids_by_text(vault)
    report = vault.compile({"a.md": replace("takes about ten minutes", "takes about twenty minutes")})
    assert (report.added, report.modified, report.removed) == (0, 1, 0)
    assert set(ids_by_text(vault).values()) == set(before.values())


def test_section_that_moves_in_its_file_keeps_its_ids(vault: Vault) -> None:
    vault.compile({"a.md": NOTE})
    before = ids_by_text(vault)
    start, release, after = NOTE.index("## Before"), NOTE.index("## Release"), NOTE.index("## After")
    text = NOTE[:start] + NOTE[release:after] + NOTE[start:release] + NOTE[after:]
    report = vault.compile({"a.md": text})
    assert (report.added, report.modified, report.removed) == (0, 0, 0)
    assert report.moved == 1
    assert ids_by_text(vault) == before


@pytest.mark.parametrize("target", ["b.md", "new.md", "sub/new.md"])
def test_section_that_moves_to_another_file_keeps_its_ids(vault: Vault, target: str) -> None:
    other = "# Other\n\nSomething else entirely.\n"
    vault.compile({"a.md": NOTE, "b.md": other, "c.md": "[[#none]] [[Release]]\n"})
    before = ids_by_text(vault)
    vault.remem.relate(before["heading ## Release"], "c", type="supports")
    start, end = NOTE.index("## Release"), NOTE.index("## After")
    section = NOTE[start:end]
    report = vault.compile(
        {"a.md": NOTE[:start] + NOTE[end:], target: (other + "\n" if target == "b.md" else "# New\n\n") + section}
    )
    after = ids_by_text(vault)
    assert report.removed == 0
    for text in ("heading ## Release", "text The whole thing takes about ten minutes."):
        assert after[text] == before[text]
    assert vault.manual == [f"{target} -> c.md supports"]
    assert vault.edges == [f"c.md -> {target}#Release"]


@pytest.mark.parametrize("edit", ["", "twenty"])
def test_renamed_file_keeps_its_ids(vault: Vault, edit: str) -> None:
    vault.compile({"a.md": NOTE, "b.md": "[[a]]\n"})
    before = ids_by_text(vault)
    text = NOTE.replace("ten minutes", f"{edit} minutes") if edit else NOTE
    report = vault.compile({"a.md": None, "d/renamed.md": text})
    assert (report.added, report.removed, report.files_removed) == (0, 0, 0)
    assert set(ids_by_text(vault).values()) == set(before.values())
    assert vault.edges == ["b.md -> d/renamed.md"]


def test_files_that_swap_their_names_swap_their_ids(vault: Vault) -> None:
    other = "# Harbor\n\nThe harbor lies in the north.\n\nIts light is seen from afar.\n"
    vault.compile({"a.md": NOTE, "b.md": other})
    before = ids_by_text(vault)
    vault.compile({"a.md": other, "b.md": NOTE})
    after = ids_by_text(vault)
    swapped = {"document a.md": before["document b.md"], "document b.md": before["document a.md"]}
    assert after == {**before, **swapped}


def test_split_paragraph_leaves_the_id_to_the_larger_part(vault: Vault) -> None:
    text = "The first sentence is short. The second one is a good deal longer than the first and says more of it.\n"
    vault.compile({"a.md": text})
    id = vault.nodes("a.md", "text")[0].id
    vault.compile({"a.md": text.replace(". The", ".\n\nThe")})
    assert [node.id == id for node in vault.nodes("a.md", "text")] == [False, True]


def test_joined_paragraph_has_the_id_of_the_first(vault: Vault) -> None:
    first, second = "The harbor lies in the north of the town", "Its light is seen from afar at night"
    vault.compile({"a.md": f"{first}\n\n{second}\n"})
    id = vault.nodes("a.md", "text")[0].id
    report = vault.compile({"a.md": f"{first}\n{second}\n"})
    assert [node.id for node in vault.nodes("a.md", "text")] == [id]
    assert (report.added, report.removed) == (0, 1)


def test_copy_of_a_section_leaves_the_ids_to_the_original(vault: Vault) -> None:
    vault.compile({"a.md": NOTE})
    before = [node.id for node in vault.nodes("a.md")]
    section = NOTE[NOTE.index("## Release") : NOTE.index("## After")]
    vault.compile({"a.md": NOTE + "\n" + section, "copy.md": NOTE})
    after = [node.id for node in vault.nodes("a.md")]
    assert after[: len(before)] == before
    assert not set(before) & {node.id for node in vault.nodes("copy.md")}


def test_equal_neighbours_swapped_change_nothing(vault: Vault) -> None:
    vault.compile({"a.md": "- x\n\nsame\n\nsame\n\nend\n"})
    before = vault.export
    report = vault.compile({"a.md": "- x\n\nsame\n\n\nsame\n\nend\n"})
    assert report.snapshot is None
    assert (vault.export.nodes, vault.export.edges) == (before.nodes, before.edges)


def test_branch_switched_and_switched_back_loses_nothing(vault: Vault) -> None:
    main = {"a.md": NOTE, "b.md": "# B\n\nsee [[a#Release]]\n", "d/c.md": "# C\n\nonly on main\n"}
    branch = {"a.md": "# Deploy\n\nAll is new here.\n", "b.md": None, "d/c.md": None, "e.md": "# E\n\nonly there\n"}
    vault.compile(main)
    before = ids_by_text(vault)
    vault.remem.relate(before["heading ## Release"], "b", type="caused_by", weight=3)
    vault.remem.relate("C", before["text Write down what went wrong this time."], type="supports")
    edges = vault.export.edges
    for _ in range(2):
        vault.compile(branch)
        assert len([edge for edge in vault.export.pending if edge.origin == "manual"]) + len(vault.manual) == 2
        vault.compile({**main, "e.md": None})
        assert ids_by_text(vault) == before
        assert [edge for edge in vault.export.edges if edge.origin == "manual"] == [
            edge for edge in edges if edge.origin == "manual"
        ]
        assert vault.edges == ["b.md -> a.md#Release"]


def test_deleted_note_comes_back_in_a_later_compile(vault: Vault) -> None:
    vault.compile({"a.md": NOTE, "b.md": "x\n"})
    before = ids_by_text(vault)
    vault.compile({"a.md": None})
    vault.compile({"c.md": "something in between\n"})
    report = vault.compile({"a.md": NOTE, "c.md": None})
    assert report.added == len(before) - 2
    assert ids_by_text(vault) == before


def test_renamed_file_is_found_again_over_two_compiles(vault: Vault) -> None:
    vault.compile({"a.md": NOTE, "b.md": "x\n"})
    before = ids_by_text(vault)
    vault.compile({"a.md": None})
    vault.compile({"other.md": NOTE})
    after = ids_by_text(vault)
    assert set(after.values()) == set(before.values())


def test_front_matter_moves_no_id(vault: Vault) -> None:
    vault.compile({"a.md": NOTE})
    before = ids_by_text(vault)
    report = vault.compile({"a.md": f"---\ntitle: Shipping\ntags: [ops]\n---\n\n{NOTE}"})
    assert (report.added, report.removed) == (1, 0)
    assert before.items() <= ids_by_text(vault).items()
    report = vault.compile({"a.md": NOTE})
    assert (report.added, report.removed) == (0, 1)
    assert ids_by_text(vault) == before


def test_promoted_heading_keeps_its_id(vault: Vault) -> None:
    vault.compile({"a.md": NOTE})
    before = ids_by_text(vault)
    vault.compile({"a.md": replace("## After", "# After")})
    after = ids_by_text(vault)
    assert after["heading # After"] == before["heading ## After"]
    assert set(after.values()) == set(before.values())


def test_new_indents_and_line_ends_move_no_id(vault: Vault) -> None:
    vault.compile({"a.md": NOTE})
    before = vault.export
    vault.compile({"a.md": NOTE.replace("\n", "\r\n")})
    assert vault.export == before
    report = vault.compile({"a.md": "".join(f"  {line}" for line in NOTE.splitlines(keepends=True))})
    assert (report.added, report.removed) == (0, 0)
    assert [node.id for node in vault.export.nodes] == [node.id for node in before.nodes]
    vault.compile({"a.md": "".join(f"> {line}" for line in NOTE.splitlines(keepends=True))})
    after = {node.id for node in vault.export.nodes}
    assert len(after & {node.id for node in before.nodes}) >= len(before.nodes) - 1


def test_file_split_in_two_keeps_the_ids_of_both_halves(vault: Vault) -> None:
    vault.compile({"a.md": NOTE})
    before = ids_by_text(vault)
    at = NOTE.index("## Release")
    report = vault.compile({"a.md": NOTE[:at], "b.md": NOTE[at:]})
    after = ids_by_text(vault)
    assert (report.added, report.removed) == (1, 0)
    assert before.items() <= after.items()


def test_ids_are_the_same_wherever_the_folder_is_compiled(vault: Vault, tmp_path: object) -> None:
    files = {"a.md": NOTE, "b.md": "same\n\nsame\n\n- same\n", "d/b.md": "same\n"}
    vault.compile(files)
    (vault.place / "twin").mkdir()
    twin = Vault(vault.place / "twin")
    with twin.remem:
        twin.compile(files)
        assert [node.id for node in twin.export.nodes] == [node.id for node in vault.export.nodes]


def test_id_is_never_given_to_other_content(vault: Vault) -> None:
    vault.compile({"a.md": "alpha words of old\n"})
    first = vault.ids()
    vault.compile({"a.md": "zeta\n"})
    vault.compile({"a.md": "zeta\n\nsome quite different text\n"})
    for id, text in vault.ids().items():
        assert first.get(id, text) == text or id not in first


def test_split_points_follow_edits_and_not_a_copy(vault: Vault) -> None:
    """An edit keeps earlier split points. The doctor, which parses the texts again, agrees."""
    items = [f"- item {number} of the harbor log, with words to fill it and {number * 7} more" for number in range(90)]
    vault.compile({"a.md": "\n".join(items) + "\n"})
    before = vault.texts("a.md", "list")
    items[3] += ", and some words that make this one a good deal longer than it was before"
    vault.compile({"a.md": "\n".join(items) + "\n"})
    after = vault.texts("a.md", "list")
    assert len(set(before) & set(after)) >= len(before) - 1
    copy = [*items[:2], "- an item of the copy alone", *items[2:]]
    vault.compile({"a.md": "\n".join(items) + "\n\nbetween\n\n" + "\n".join(copy) + "\n"})
    assert vault.texts("a.md", "list")[: len(after)] == after
    copy[40] = "- changed"
    vault.compile({"a.md": "\n".join(copy) + "\n\nbetween\n\n" + "\n".join(items[5:]) + "\n"})


@pytest.mark.parametrize("left", ["", "\nMoved to [[b]].\n"])
def test_a_note_whose_text_goes_to_another_file_keeps_its_ids_pins_and_edges(vault: Vault, left: str) -> None:
    section = "## Deploy steps\n\nThe deploy begins with the key and ends with the check of all ports.\n\nGo home.\n"
    vault.compile({"a.md": f"# T\n\n{section}", "c.md": "# C\n"})
    before = ids_by_text(vault)
    vault.remem.relate(before["heading # T"], "c", type="supports")
    vault.remem.pin(before["document a.md"])
    vault.compile({"a.md": f"# T\n{left}", "b.md": f"# B\n\n{section}"})
    after = ids_by_text(vault)
    assert before.items() <= after.items()
    assert [edge.source_id for edge in vault.export.edges if edge.origin == "manual"] == [after["heading # T"]]
    assert [line.id for line in vault.remem.tree() if line.pinned] == [after["document a.md"]]


def test_a_short_section_keeps_its_ids_and_edges_in_another_file(vault: Vault) -> None:
    vault.compile({"a.md": "# T\n\n## Costs\n\nTen.\n\n- a\n- b\n", "b.md": "# B\n", "c.md": "[[Costs]]\n"})
    before = ids_by_text(vault)
    vault.remem.relate(before["text Ten."], "c", type="supports")
    report = vault.compile({"a.md": "# T\n", "b.md": "# B\n\n## Costs\n\nTen.\n\n- a\n- b\n"})
    assert (report.added, report.removed) == (0, 0)
    assert ids_by_text(vault) == before
    assert [edge.source_id for edge in vault.export.edges if edge.origin == "manual"] == [before["text Ten."]]


def test_a_paragraph_that_is_one_short_link_keeps_its_id_when_it_is_written_on(vault: Vault) -> None:
    vault.compile({"a.md": "# T\n\nFirst of all.\n\n[[b]]\n\nLast of all.\n", "b.md": "# B\n"})
    id = ids_by_text(vault)["text [[b]]"]
    vault.compile({"a.md": "# T\n\nFirst of all.\n\n[[b]] changed\n\nLast of all.\n"})
    assert ids_by_text(vault)["text [[b]] changed"] == id
