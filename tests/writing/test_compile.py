"""What a compile takes and what it leaves: roots, parts of roots, lone files, the guard against accidents, dry runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.errors import ConflictError, InvalidInputError, NotFoundError
from remem.records import CompileProgress
from tests.cases.vault import Vault, codes

NOTES = {
    "index.md": "# Harbor\n\nThe front page, see [[b]] and [[Costs]].\n",
    "a.md": "# A\n\nalpha words of the first note\n\n## Costs\n\nten\n",
    "sub/b.md": "# B\n\nbeta words, [[a#Costs]] and [[../a]]\n",
    "sub/index.md": "What lies in the folder: [[b]], [[sub/]].\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """A vault whose store is open; its folder is `docs`."""
    made = Vault(tmp_path, "docs")
    with made.remem:
        yield made


def roots_of(vault: Vault) -> list[tuple[str, Path, int]]:
    """Name, place and number of documents of each root."""
    return [(root.name, Path(root.path), root.documents) for root in vault.remem.roots()]


def sources_of(vault: Vault) -> dict[str, set[str]]:
    """The sources of each root."""
    found: dict[str, set[str]] = {}
    for node in vault.export.nodes:
        found.setdefault(node.root, set()).add(node.source)
    return found


def count_snapshots(vault: Vault) -> int:
    return vault.remem.stats().snapshots


# --- roots -----------------------------------------------------------------------------------------------------------


def test_folder_becomes_a_root_of_its_name(vault: Vault) -> None:
    report = vault.compile(NOTES)
    assert (report.root, report.files, report.files_added, report.snapshot) == ("docs", 4, 4, 1)
    assert roots_of(vault) == [("docs", vault.folder, 4)]


def test_part_of_a_root_is_compiled_alone(vault: Vault) -> None:
    vault.compile(NOTES)
    vault.write({"a.md": "changed outside of the part\n", "sub/b.md": None, "sub/c.md": "new\n"})
    report = vault.remem.compile(vault.folder / "sub")
    assert (report.root, report.files_added, report.files_changed, report.files_removed) == ("docs", 1, 0, 1)
    assert "changed outside of the part" not in vault.texts("a.md", "text")
    report = vault.compile()
    assert (report.files_added, report.files_changed, report.files_removed) == (0, 1, 0)


def test_lone_file_makes_its_folder_the_root_and_removes_nothing(vault: Vault) -> None:
    vault.write(NOTES)
    report = vault.remem.compile(vault.folder / "a.md")
    assert (report.root, report.files, report.files_added) == ("docs", 1, 1)
    assert sources_of(vault) == {"docs": {"a.md"}}
    report = vault.compile()
    assert (report.files_added, report.files_changed) == (3, 0)
    vault.write({"index.md": None, "a.md": "# A\n\nother words\n"})
    report = vault.remem.compile(vault.folder / "a.md")
    assert (report.files_changed, report.files_removed) == (1, 0)
    assert "index.md" in sources_of(vault)["docs"]


def test_folder_around_a_root_takes_it_over_with_its_ids(vault: Vault) -> None:
    vault.compile(NOTES)
    vault.remem.relate("a", "b", type="supports")
    ids, manual = vault.ids().keys(), vault.export.edges
    vault.write({"gone.md": "words that will come back\n"})
    vault.remem.compile(vault.folder)
    gone = vault.id_of("words that will come back")
    vault.write({"gone.md": None})
    vault.remem.compile(vault.folder)
    (vault.place / "out").mkdir()
    vault.folder.rename(vault.place / "out/docs")
    vault.folder = vault.place / "out"
    vault.remem.compile(vault.folder / "docs")
    (vault.folder / "top.md").write_text("[[a]] [[docs/]] [[docs/sub/b]]\n")
    before = count_snapshots(vault)
    report = vault.remem.compile(vault.folder)
    assert (report.root, report.snapshot, report.removed) == ("out", before + 1, 0)
    assert roots_of(vault) == [("out", vault.folder, 5)]
    assert ids <= vault.ids().keys()
    assert {edge for edge in manual if edge.origin == "manual"} <= set(vault.export.edges)
    assert [edge for edge in vault.edges if edge.startswith("top")] == [
        "top.md -> docs/a.md",
        "top.md -> docs/index.md",
        "top.md -> docs/sub/b.md",
    ]
    vault.check()
    vault.write({"docs/gone.md": "words that will come back\n"})
    vault.compile()
    assert vault.id_of("words that will come back") == gone


def test_part_takes_over_the_roots_that_lie_in_it(vault: Vault) -> None:
    vault.write(NOTES)
    vault.remem.compile(vault.folder / "sub")
    ids = vault.ids()
    assert roots_of(vault) == [("sub", vault.folder / "sub", 2)]
    vault.compile()
    assert roots_of(vault) == [("docs", vault.folder, 4)]
    assert ids.keys() <= vault.ids().keys()


def test_root_in_what_the_root_around_it_ignores_keeps_its_documents(vault: Vault) -> None:
    vault.write({**NOTES, ".gitignore": "sub/\n"})
    vault.remem.compile(vault.folder / "sub")
    ids = vault.ids()
    for _ in range(2):
        report = vault.remem.compile(vault.folder)
        assert (report.files, report.removed) == (2, 0)
        assert roots_of(vault) == [("docs", vault.folder, 2), ("sub", vault.folder / "sub", 2)]
    assert vault.remem.compile(vault.folder / "sub").root == "sub"
    assert ids.items() <= vault.ids().items()


def test_notes_of_a_root_taken_over_that_are_ignored_from_now_on_are_told(vault: Vault) -> None:
    vault.write(NOTES)
    vault.remem.compile(vault.folder / "sub")
    vault.write({".gitignore": "b.md\n", "sub/index.md": None})
    report = vault.remem.compile(vault.folder)
    assert (report.files_removed, codes(report.diagnostics)) == (2, ["sub/b.md:0 ignored"])
    vault.check()


def test_two_roots_stay_apart(vault: Vault) -> None:
    vault.compile(NOTES)
    other = vault.place / "other"
    other.mkdir()
    (other / "a.md").write_text("# A\n\nanother\n\n[[Costs]] [[z]]\n")
    vault.remem.compile(other)
    assert [root[0] for root in roots_of(vault)] == ["docs", "other"]
    assert [edge for edge in vault.edges if edge.startswith("a.md")] == ["a.md -> a.md#Costs"]
    vault.check()
    vault.remem.drop("docs")
    assert sources_of(vault) == {"other": {"a.md"}}
    assert vault.pending == ["a.md: Costs", "a.md: z"]
    assert vault.remem.doctor().healthy


def test_name_that_lies_elsewhere_is_refused(vault: Vault) -> None:
    vault.compile(NOTES)
    other = vault.place / "x/docs"
    other.mkdir(parents=True)
    before = vault.export
    with pytest.raises(ConflictError, match="`moved`"):
        vault.remem.compile(other)
    assert vault.export == before
    report = vault.remem.compile(other, "more")
    assert report.root == "more"
    with pytest.raises(ConflictError):
        vault.remem.compile(vault.folder, "more")
    with pytest.raises(InvalidInputError):
        vault.remem.compile(vault.folder, "a/b")


def test_root_whose_place_is_gone_has_moved(vault: Vault) -> None:
    vault.compile(NOTES)
    before = vault.export
    (vault.place / "elsewhere").mkdir()
    vault.folder = vault.folder.rename(vault.place / "elsewhere/docs")
    report = vault.remem.compile(vault.folder)
    assert (report.root, report.snapshot) == ("docs", None)
    assert roots_of(vault) == [("docs", vault.folder, 4)]
    assert vault.export == before


def test_root_moves_where_that_is_said(vault: Vault) -> None:
    vault.compile(NOTES)
    before = vault.export
    copy = vault.place / "copy"
    shutil.copytree(vault.folder, copy)
    report = vault.remem.compile(copy, "docs", moved=True)
    assert (report.snapshot, report.removed) == (None, 0)
    assert roots_of(vault) == [("docs", copy, 4)]
    assert vault.export == before
    with pytest.raises(NotFoundError):
        vault.remem.compile(vault.folder, "unknown", moved=True)


def test_root_gets_a_new_name_with_its_ids(vault: Vault) -> None:
    vault.compile({**NOTES, "gone.md": "words that will come back\n"})
    gone = vault.id_of("words that will come back")
    vault.compile({"gone.md": None})
    ids = vault.ids()
    with pytest.raises(ConflictError, match="`moved`"):
        vault.remem.compile(vault.folder, "wiki")
    report = vault.remem.compile(vault.folder, "wiki", moved=True)
    assert (report.root, report.snapshot) == ("wiki", None)
    assert roots_of(vault) == [("wiki", vault.folder, 4)]
    assert vault.ids() == ids
    vault.check()
    vault.compile({"gone.md": "words that will come back\n"})
    assert vault.id_of("words that will come back") == gone


def test_dropped_root_comes_back_with_its_ids(vault: Vault) -> None:
    vault.compile(NOTES)
    vault.remem.relate("a", "b", type="supports")
    before = vault.export
    report = vault.remem.drop("docs")
    assert (report.root, report.documents, report.nodes, report.snapshot) == ("docs", 4, len(before.nodes), 2)
    assert vault.export.nodes == ()
    assert (roots_of(vault), vault.export.edges) == ([], ())
    assert vault.remem.doctor().healthy
    vault.compile()
    assert vault.export.nodes == before.nodes
    assert vault.manual == ["a.md -> sub/b.md supports"]
    with pytest.raises(NotFoundError, match="docs"):
        vault.remem.drop("unknown")


def test_missing_folder_removes_nothing(vault: Vault) -> None:
    vault.compile(NOTES)
    before = vault.export
    shutil.rmtree(vault.folder)
    with pytest.raises(NotFoundError):
        vault.remem.compile(vault.folder)
    assert vault.export == before


# --- accidents -------------------------------------------------------------------------------------------------------


def make_many(vault: Vault, count: int = 20) -> None:
    """Compiles `count` notes of their own words."""
    vault.compile(
        {f"d/note {n}.md": f"# Note {n}\n\nthe words of number {n}, [[note {n + 1}]]\n" for n in range(count)}
    )


def test_disappearance_of_most_files_removes_nothing_unless_confirmed(vault: Vault) -> None:
    make_many(vault)
    before = vault.export
    vault.write({f"d/note {n}.md": None for n in range(11)})
    for _ in range(2):
        report = vault.remem.compile(vault.folder)
        assert (report.files_removed, report.removed, report.snapshot, len(report.kept)) == (0, 0, None, 11)
        assert codes(report.diagnostics) == ["d/note 0.md:0 kept"]
        assert report.diagnostics[0].message.endswith(" If that is meant: `remem compile --prune`")
    assert vault.export == before
    vault.write({"d/note 15.md": "# Note 15\n\nother words\n"})
    report = vault.remem.compile(vault.folder)
    assert (report.files_changed, report.files_removed) == (1, 0)
    report = vault.remem.compile(vault.folder, prune=True)
    assert (report.files_removed, len(report.kept)) == (11, 0)
    vault.check()


def test_what_was_not_removed_is_told_before_what_is_wrong_with_files(vault: Vault) -> None:
    make_many(vault)
    vault.write({f"d/note {n}.md": None for n in range(11)} | {"a.yaml": "a: [\n"})
    codes = [found.code for found in vault.remem.compile(vault.folder).diagnostics]
    assert codes[0] == "kept" and len(codes) == 2


def test_disappearance_of_half_the_files_is_a_deletion(vault: Vault) -> None:
    make_many(vault)
    vault.write({f"d/note {n}.md": None for n in range(10)})
    report = vault.compile()
    assert (report.files_removed, report.kept) == (10, ())


def test_disappearance_of_a_few_files_is_a_deletion(vault: Vault) -> None:
    make_many(vault, 19)
    vault.write({f"d/note {n}.md": None for n in range(19)})
    report = vault.compile()
    assert (report.files_removed, report.kept) == (19, ())


def test_disappearance_of_most_of_a_part_removes_nothing(vault: Vault) -> None:
    make_many(vault)
    vault.compile({f"e/{n}.md": f"{n}\n" for n in range(60)})
    shutil.rmtree(vault.folder / "d")
    (vault.folder / "d").mkdir()
    report = vault.remem.compile(vault.folder / "d")
    assert (report.files_removed, len(report.kept)) == (0, 20)
    report = vault.remem.compile(vault.folder)
    assert (report.files_removed, len(report.kept)) == (20, 0)


def test_renamed_folder_is_no_disappearance(vault: Vault) -> None:
    make_many(vault, 30)
    ids = vault.ids().keys()
    (vault.folder / "d").rename(vault.folder / "e")
    report = vault.compile()
    assert (report.added, report.removed, report.kept) == (0, 0, ())
    assert vault.ids().keys() == ids


def test_file_that_is_ignored_from_now_on_is_removed(vault: Vault) -> None:
    vault.compile(NOTES)
    vault.write({".rememignore": "sub/\n"})
    report = vault.compile()
    assert report.files_removed == 2
    assert vault.pending == ["index.md: b"]


# --- dry runs and progress -------------------------------------------------------------------------------------------


def test_dry_run_tells_and_changes_nothing(vault: Vault) -> None:
    vault.write(NOTES)
    report = vault.remem.compile(vault.folder, dry_run=True)
    assert (report.dry_run, report.files_added, report.snapshot) == (True, 4, None)
    assert (vault.export.nodes, roots_of(vault), count_snapshots(vault)) == ((), [], 0)
    vault.compile()
    before = vault.export
    report = vault.remem.compile(vault.folder, dry_run=True)
    assert (report.dry_run, report.files_unchanged) == (True, 4)
    vault.write({"a.md": None, "sub/b.md": "# B\n\nother words\n", "new.md": "[[a]]\n"})
    report = vault.remem.compile(vault.folder, dry_run=True)
    assert (report.files_added, report.files_changed, report.files_removed, report.snapshot) == (1, 1, 1, None)
    assert vault.export == before
    assert vault.compile().snapshot == 2


def test_progress_names_its_phases_in_order(vault: Vault) -> None:
    seen: list[CompileProgress] = []
    vault.write(NOTES)
    vault.remem.compile(vault.folder, progress=seen.append)
    assert [told.phase for told in seen] == ["scan", "parse", "parse", "parse", "parse", "write"]
    size = sum(len(text) for text in NOTES.values())
    assert (seen[-1].done, seen[-1].total) == (size, size)


def test_error_of_the_listener_leaves_the_store_as_it_was(vault: Vault) -> None:
    def fail(told: CompileProgress) -> None:
        if told.phase == "write":
            raise ZeroDivisionError

    vault.write(NOTES)
    with pytest.raises(ZeroDivisionError):
        vault.remem.compile(vault.folder, progress=fail)
    assert vault.export.nodes == ()
    assert vault.compile().snapshot == 1


def test_a_note_of_two_roots_keeps_one_from_taking_over_the_other_until_one_is_dropped(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    (outer / "sub").mkdir(parents=True)
    (outer / "sub" / "a.md").write_text("# A\n\nalpha\n")
    (outer / "b.md").write_text("bee\n")
    with Remem.open_sync(tmp_path / "store.db") as remem:
        remem.compile(outer)
        (outer / ".rememignore").write_text("sub/\n")
        remem.compile(outer / "sub", root="sub")
        (outer / ".rememignore").unlink()
        with pytest.raises(ConflictError, match=r"outer/sub/a\.md is a note of the roots outer and sub") as caught:
            remem.compile(outer)
        assert "`remem drop sub`" in caught.value.message and remem.doctor().healthy
        remem.drop("sub")
        remem.compile(outer)
        assert [(root.name, root.documents) for root in remem.roots()] == [("outer", 2)] and remem.doctor().healthy


def test_what_calls_changed_of_a_file_in_both_roots_is_that_of_the_inner_one(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    (outer / "sub").mkdir(parents=True)
    (outer / "sub" / "a.md").write_text("# A\n\nalpha\n\nbeta\n\ngamma\n")
    with Remem.open_sync(tmp_path / "store.db") as remem:

        def forget(text: str) -> None:
            remem.forget(next(node.id for node in remem.export().nodes if node.content == text))

        remem.compile(outer)
        forget("alpha")
        (outer / ".rememignore").write_text("sub/\n")
        remem.compile(outer)
        remem.compile(outer / "sub", root="sub")
        forget("beta")
        (outer / ".rememignore").unlink()
        remem.compile(outer)
        assert "beta" not in [node.content for node in remem.export().nodes]
        assert [root.name for root in remem.roots()] == ["outer"] and remem.doctor().healthy
