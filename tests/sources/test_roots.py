"""Which root a compile of a path means."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from remem.errors import ConflictError, InvalidInputError, NotFoundError, RememError
from remem.records import RootPlan, RootRow
from remem.sources.roots import decide_root, pick_spelling

NEEDS_LINKS = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")


@pytest.fixture(name="top")
def _top(tmp_path: Path) -> Path:
    top = tmp_path.resolve()
    for name in ("docs/guide/deep", "docs/notes", "other/docs", "free"):
        (top / name).mkdir(parents=True)
    for name in ("docs/a.md", "docs/guide/b.md", "free/c.txt", "free/d.png", "lone.md"):
        (top / name).write_text("x")
    return top


def root(key: int, name: str, path: Path) -> RootRow:
    return RootRow(key, name, str(path))


def refuse(
    error: type[RememError], path: Path, known: list[RootRow], name: str | None = None, moved: bool = False
) -> RememError:
    with pytest.raises(error) as caught:
        decide_root(path, name, moved, known)
    return caught.value


# --- new roots --------------------------------------------------------------------------------------------------------


def test_a_folder_becomes_a_root_of_its_own_name_or_the_one_given(top: Path) -> None:
    assert decide_root(top / "docs", None, False, []) == RootPlan("docs", str(top / "docs"))
    assert decide_root(top / "docs", "manual", False, []) == RootPlan("manual", str(top / "docs"))


def test_a_path_may_be_relative_and_roundabout(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(top / "free")
    assert decide_root(Path("../docs/../docs/guide/.."), None, False, []) == RootPlan("docs", str(top / "docs"))
    assert decide_root(Path("."), None, False, []) == RootPlan("free", str(top / "free"))


def test_a_lone_file_makes_its_folder_the_root(top: Path) -> None:
    assert decide_root(top / "free" / "c.txt", None, False, []) == RootPlan(
        "free", str(top / "free"), single_file="c.txt"
    )


def test_a_lone_file_beside_known_roots_does_not_take_them_over(top: Path) -> None:
    plan = decide_root(top / "lone.md", None, False, [root(1, "docs", top / "docs")])
    assert plan == RootPlan(top.name, str(top), single_file="lone.md")


@NEEDS_LINKS
def test_links_on_the_way_and_at_the_end_are_resolved(top: Path) -> None:
    (top / "way").symlink_to("docs", target_is_directory=True)
    (top / "free" / "alias.md").symlink_to(top / "docs" / "a.md")
    assert decide_root(top / "way", None, False, []) == RootPlan("docs", str(top / "docs"))
    plan = decide_root(top / "free" / "alias.md", None, False, [])
    assert plan == RootPlan("docs", str(top / "docs"), single_file="a.md")


# --- known roots ------------------------------------------------------------------------------------------------------


def test_a_known_root_is_compiled_whole_under_its_own_name(top: Path) -> None:
    known = [root(1, "manual", top / "docs")]
    for name in (None, "manual"):
        assert decide_root(top / "docs", name, False, known) == RootPlan("manual", str(top / "docs"))
    assert not decide_root(top / "docs", "manual", True, known).moved


def test_a_folder_or_file_in_a_known_root_is_a_part_of_it(top: Path) -> None:
    known = [root(1, "manual", top / "docs"), root(2, "free", top / "free")]
    plan = decide_root(top / "docs" / "guide" / "deep", None, False, known)
    assert plan == RootPlan("manual", str(top / "docs"), below="guide/deep")
    plan = decide_root(top / "docs" / "guide" / "b.md", "manual", False, known)
    assert plan == RootPlan("manual", str(top / "docs"), single_file="guide/b.md")
    plan = decide_root(top / "docs" / "a.md", None, False, known)
    assert plan == RootPlan("manual", str(top / "docs"), single_file="a.md")


def test_the_innermost_of_roots_that_lie_in_each_other_is_meant(top: Path) -> None:
    known = [root(1, "top", top), root(2, "docs", top / "docs")]
    assert decide_root(top / "docs" / "guide", None, False, known) == RootPlan("docs", str(top / "docs"), below="guide")
    assert decide_root(top / "free", None, False, known) == RootPlan("top", str(top), below="free")


@NEEDS_LINKS
def test_a_known_root_is_known_again_by_another_path(top: Path) -> None:
    (top / "link").symlink_to("docs", target_is_directory=True)
    known = [root(1, "docs", top / "link")]
    assert decide_root(top / "docs" / "guide", None, False, known) == RootPlan("docs", str(top / "link"), below="guide")


def test_a_folder_around_known_roots_takes_them_over(top: Path) -> None:
    known = [root(1, "notes", top / "docs" / "notes"), root(2, "docs", top / "docs"), root(3, "gone", top / "gone")]
    plan = decide_root(top, "all", False, known)
    assert plan == RootPlan("all", str(top), takes_over=(("docs", "docs"), ("notes", "docs/notes")))
    assert decide_root(top / "docs", None, False, known).takes_over == (("notes", "notes"),)


def test_a_part_takes_over_the_roots_that_lie_in_it(top: Path) -> None:
    known = [root(1, "top", top), root(2, "notes", top / "docs" / "notes"), root(3, "free", top / "free")]
    plan = decide_root(top / "docs", None, False, known)
    assert plan == RootPlan("top", str(top), below="docs", takes_over=(("notes", "docs/notes"),))


@pytest.mark.parametrize("rules", ["docs/notes/\n", "docs/\n", "*o*/\n!docs/\n"])
def test_a_root_in_what_the_one_around_it_leaves_out_stays_a_root(top: Path, rules: str) -> None:
    (top / ".gitignore").write_text(rules)
    known = [root(1, "top", top), root(2, "notes", top / "docs" / "notes")]
    assert decide_root(top, None, False, known) == RootPlan("top", str(top))
    assert decide_root(top / "docs", None, False, known) == RootPlan("top", str(top), below="docs")
    assert decide_root(top, "all", True, known).takes_over == (("top", ""),)
    assert decide_root(top, None, False, known[1:]) == RootPlan(top.name, str(top))
    assert decide_root(top / "docs" / "notes", None, False, known) == RootPlan("notes", str(top / "docs" / "notes"))


def test_a_root_in_a_hidden_folder_stays_a_root_and_its_name_a_conflict(top: Path) -> None:
    (top / "other").rename(top / ".other")
    known = [root(1, "docs", top / ".other" / "docs")]
    assert decide_root(top, "all", False, known) == RootPlan("all", str(top))
    refuse(ConflictError, top, known, "docs")


def test_what_a_root_leaves_out_becomes_a_root_under_a_name_of_its_own(top: Path) -> None:
    (top / ".gitignore").write_text("docs/notes/\n")
    known, place = [root(1, "top", top)], top / "docs" / "notes"
    assert decide_root(place, "notes", False, known) == RootPlan("notes", str(place))
    assert decide_root(place, None, False, known) == RootPlan("top", str(top), below="docs/notes")
    refuse(ConflictError, top / "docs" / "guide", known, "guide")


def test_a_folder_around_a_root_of_the_same_name_keeps_the_name(top: Path) -> None:
    plan = decide_root(top / "other", "docs", False, [root(1, "docs", top / "other" / "docs")])
    assert plan == RootPlan("docs", str(top / "other"), takes_over=(("docs", "docs"),))


# --- names that are taken ---------------------------------------------------------------------------------------------


def test_a_name_whose_place_still_exists_is_refused_with_the_place_and_the_remedies(top: Path) -> None:
    error = refuse(ConflictError, top / "other" / "docs", [root(1, "docs", top / "docs")])
    assert error.message == f"root docs lies at {top / 'docs'}; give another `root`, or `moved`"
    refuse(ConflictError, top / "free", [root(1, "docs", top / "docs")], "docs")
    refuse(ConflictError, top / "free" / "c.txt", [root(1, "docs", top / "docs")], "docs")


def test_a_root_moves_where_that_is_said_or_its_place_is_gone(top: Path) -> None:
    known, moved = [root(1, "docs", top / "docs")], RootPlan("docs", str(top / "other" / "docs"), moved=True)
    assert decide_root(top / "other" / "docs", None, True, known) == moved
    shutil.rmtree(top / "docs")
    assert decide_root(top / "other" / "docs", None, False, known) == moved
    (top / "docs").write_text("a file in its place")
    assert decide_root(top / "other" / "docs", None, False, known) == moved
    assert decide_root(top / "free", "docs", False, known) == RootPlan("docs", str(top / "free"), moved=True)


def test_another_name_leads_out_of_the_conflict(top: Path) -> None:
    plan = decide_root(top / "other" / "docs", "second", False, [root(1, "docs", top / "docs")])
    assert plan == RootPlan("second", str(top / "other" / "docs"))


def test_a_move_of_a_root_that_is_not_known_is_refused(top: Path) -> None:
    error = refuse(NotFoundError, top / "free", [root(1, "docs", top / "docs")], "dcos", moved=True)
    assert "dcos" in error.message and "docs" in error.message
    refuse(NotFoundError, top / "free", [], moved=True)


def test_a_root_does_not_move_into_itself(top: Path) -> None:
    refuse(ConflictError, top / "docs" / "guide", [root(1, "docs", top / "docs")], "docs", moved=True)


def test_a_known_root_gets_a_new_name_only_where_that_is_confirmed(top: Path) -> None:
    known = [root(1, "docs", top / "docs"), root(2, "free", top / "free")]
    assert "`moved`" in refuse(ConflictError, top / "docs", known, "manual").message
    plan = decide_root(top / "docs", "manual", True, known)
    assert plan == RootPlan("manual", str(top / "docs"), takes_over=(("docs", ""),))
    refuse(ConflictError, top / "docs", known, "free", moved=True)


@pytest.mark.parametrize("path", ["docs/guide", "docs/a.md", "docs/guide/b.md"])
def test_a_part_of_a_known_root_cannot_be_another_root(top: Path, path: str) -> None:
    known = [root(1, "docs", top / "docs"), root(2, "free", top / "free")]
    for name in ("new", "free"):
        assert "docs" in refuse(ConflictError, top / path, known, name).message


# --- paths and names that are refused ---------------------------------------------------------------------------------


def test_a_path_that_does_not_exist_is_refused(top: Path) -> None:
    assert "gone" in refuse(NotFoundError, top / "gone", []).message
    refuse(NotFoundError, top / "lone.md" / "x", [])


def test_a_file_that_is_no_note_is_refused_with_the_kinds_of_notes(top: Path) -> None:
    assert ".md" in refuse(InvalidInputError, top / "free" / "d.png", []).message


@pytest.mark.skipif(sys.platform == "win32", reason="there are neither pipes nor these names")
def test_paths_that_lead_nowhere_sensible_are_refused(top: Path) -> None:
    os.mkfifo(top / "pipe.md")
    (top / "x.md").symlink_to("x.md")
    for path in (top / "pipe.md", top / "x.md", Path("a\0b"), top / ("n" * 300)):
        refuse(InvalidInputError, path, [])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_path_that_is_no_unicode_is_refused(top: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(top) + b"/d\xe9"))
    path.mkdir()
    refuse(InvalidInputError, path, []).message.encode()


@pytest.mark.parametrize("name", ["", " ", ".", "..", "a/b", "a\\b", "a\nb", "a\0", " a", "x" * 201, "\ud800"])
def test_what_cannot_name_a_root_is_refused(top: Path, name: str) -> None:
    refuse(InvalidInputError, top / "docs", [], name).message.encode("utf-8", "replace")


def test_a_folder_without_a_name_asks_for_one(top: Path) -> None:
    assert "give a `root`" in refuse(InvalidInputError, Path(top.anchor), []).message


def test_names_are_spelled_as_the_disk_spells_them() -> None:
    assert pick_spelling("docs", ["Docs", "docs"]) == "docs"
    assert pick_spelling("docs", ["Docs", "other"]) == "Docs"
    assert pick_spelling("Caf\u00e9.md", ["CAFE\u0301.md"]) == "CAFE\u0301.md"
    assert pick_spelling("docs", ["DOCS", "Docs"]) == "docs"
    assert pick_spelling("docs", []) == "docs"
