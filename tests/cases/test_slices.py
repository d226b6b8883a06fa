"""A compile that is too large for one transaction: slices under one snapshot, and what a crash between them leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.records import CompileProgress, Snapshot
from remem.storage.versions import load_snapshots
from tests.cases.vault import Vault
from tests.writing.describe import connect

COUNT = 12


@pytest.fixture
def sliced(tmp_path: Path) -> Iterator[Vault]:
    """A vault whose compiles commit at every 200 bytes of changed text; a note has a hundred."""
    made = Vault(tmp_path, config="[compile]\nslice_bytes = 200\n")
    with made.remem:
        yield made


def make_note(number: int, extra: str = "") -> str:
    """A note of about a hundred bytes that links to the next one."""
    links = f"the part of number {number} leads to [[n{number + 1}]] and [[n0]] #t{number}"
    return f"# Note {number}\n\nthe words of note {number}{extra}\n\n## Part {number}\n\n{links}\n"


def make_notes(extra: str = "") -> dict[str, str | bytes | None]:
    return {f"n{number:02}.md": make_note(number, extra) for number in range(COUNT)}


def list_snapshots(vault: Vault) -> list[Snapshot]:
    connection = connect(vault.store)
    try:
        return load_snapshots(connection)
    finally:
        connection.close()


class CrashError(Exception):
    """Stands for a process that ends."""


def crash_at(write: int) -> Callable[[CompileProgress], None]:
    """A listener that fails when the slice of this number (from 1) is about to be written."""
    left = [write]

    def listen(told: CompileProgress) -> None:
        left[0] -= told.phase == "write"
        if not left[0]:
            raise CrashError

    return listen


def crash(vault: Vault, write: int) -> None:
    """A compile that ends before the slice of this number is written; the doctor is content with what it left."""
    with pytest.raises(CrashError):
        vault.remem.compile(vault.folder, progress=crash_at(write))
    assert vault.remem.doctor().healthy


def test_slices_make_one_snapshot(sliced: Vault) -> None:
    phases: list[str] = []
    sliced.write(make_notes())
    report = sliced.remem.compile(sliced.folder, progress=lambda told: phases.append(told.phase))
    assert phases.count("write") > 3
    assert (report.files_added, report.snapshot) == (COUNT, 1)
    assert [(found.id, found.finished) for found in list_snapshots(sliced)] == [(1, True)]
    sliced.check()
    sliced.compile(make_notes(" and more"))
    assert [(found.id, found.finished) for found in list_snapshots(sliced)] == [(1, True), (2, True)]


def test_slices_say_what_one_transaction_says(sliced: Vault, tmp_path: Path) -> None:
    sliced.compile(make_notes())
    (tmp_path / "other").mkdir()
    whole = Vault(tmp_path / "other")
    with whole.remem:
        whole.compile(make_notes())
        assert whole.export == sliced.export or whole.ids() == sliced.ids()
        assert (whole.edges, whole.pending) == (sliced.edges, sliced.pending)


def test_doctor_is_content_between_slices(sliced: Vault) -> None:
    sliced.write(make_notes())
    states: list[tuple[bool, int]] = []

    def look(told: CompileProgress) -> None:
        if told.phase == "write":
            with Remem.open_sync(sliced.store) as other:
                states.append((other.doctor().healthy, len(other.export().nodes)))

    sliced.remem.compile(sliced.folder, progress=look)
    assert all(healthy for healthy, _ in states)
    assert [count for _, count in states] == sorted({count for _, count in states})


@pytest.mark.parametrize("write", [1, 2, 4])
@pytest.mark.parametrize("known", [False, True])
def test_next_compile_ends_what_was_interrupted(sliced: Vault, write: int, known: bool) -> None:
    first = int(known)
    if known:
        sliced.compile(make_notes(" before"))
    sliced.write(make_notes())
    crash(sliced, write)
    assert [found.finished for found in list_snapshots(sliced)] == [True] * first + [False] * (write > 1)
    sliced.compile()
    assert [found.finished for found in list_snapshots(sliced)] == [True] * (first + 1)


def test_doctor_ends_what_was_interrupted(sliced: Vault) -> None:
    sliced.write(make_notes())
    crash(sliced, 3)
    assert "history" in {finding.check for finding in sliced.remem.doctor().findings}
    assert sliced.remem.doctor(fix=True).healthy
    assert [found.finished for found in list_snapshots(sliced)] == [True]
    assert sliced.compile().snapshot == 2
    assert sliced.remem.doctor().healthy


def test_notes_may_change_before_the_rest_is_compiled(sliced: Vault) -> None:
    sliced.write(make_notes())
    crash(sliced, 4)
    sliced.compile({"n00.md": make_note(0, " edited"), "n01.md": None, "n11.md": None, "new.md": "new words\n"})
    assert [found.finished for found in list_snapshots(sliced)] == [True]
    sliced.compile({"n01.md": make_note(1), "n00.md": make_note(0)})
    sliced.compile({"n00.md": None})


def test_known_notes_may_change_before_the_rest_is_compiled(sliced: Vault) -> None:
    sliced.compile(make_notes())
    sliced.write(make_notes(" edited"))
    crash(sliced, 4)
    sliced.compile({"n00.md": make_note(0), "n01.md": None, "n02.md": make_note(2, " twice"), "n11.md": None})
    sliced.compile({"n01.md": make_note(1), "n11.md": make_note(11)})
    assert [found.finished for found in list_snapshots(sliced)] == [True, True, True]


def test_drop_after_an_interruption_is_a_snapshot_of_its_own(sliced: Vault) -> None:
    sliced.write(make_notes())
    crash(sliced, 3)
    assert sliced.remem.drop("notes").snapshot == 2
    assert sliced.remem.doctor().healthy
    sliced.compile()
    assert [found.finished for found in list_snapshots(sliced)] == [True, True, True]


def test_other_root_after_an_interruption(sliced: Vault) -> None:
    sliced.write(make_notes())
    crash(sliced, 3)
    other = sliced.place / "other"
    other.mkdir()
    (other / "x.md").write_text("[[n0]] and more\n")
    sliced.remem.compile(other)
    assert sliced.remem.doctor().healthy
    sliced.compile()
    assert all(found.finished for found in list_snapshots(sliced))


def test_sections_that_move_between_slices_are_not_lost(sliced: Vault) -> None:
    sliced.compile(make_notes())
    sliced.remem.relate("Part 2", "Part 9", type="supports")
    moved = make_note(2).partition("\n\n## ")
    files = make_notes(" edited")
    files["n02.md"] = moved[0] + " edited\n"
    files["n10.md"] = f"{make_note(10, ' edited')}\n## {moved[2]}"
    sliced.compile(files)
    assert sliced.manual == ["n10.md -> n09.md#Part 9 supports"]


def test_renamed_folder_larger_than_a_slice_keeps_its_ids(sliced: Vault) -> None:
    sliced.compile({f"d/{name}": text for name, text in make_notes().items()})
    ids = sliced.ids().keys()
    (sliced.folder / "d").rename(sliced.folder / "e")
    report = sliced.compile()
    assert (report.added, report.removed) == (0, 0)
    assert sliced.ids().keys() == ids


@pytest.mark.parametrize(("giver", "taker"), [("n10.md", "n02.md"), ("n02.md", "n10.md"), ("n10.md", "a.md")])
def test_section_keeps_its_ids_where_giver_and_taker_are_slices_apart(sliced: Vault, giver: str, taker: str) -> None:
    number = int(giver[1:3])
    notes = make_notes()
    notes[giver] = f"{make_note(number)}\nshort\n\n> a line of a quote that tells something\n"
    sliced.compile(notes)
    sliced.remem.relate(sliced.id_of("short"), "Part 7", type="supports")
    before = {node.content: node.id for node in sliced.nodes(giver)}
    head, _, section = str(notes[giver]).partition("\n\n## ")
    files = make_notes(" edited")
    files[giver] = head + " edited\n"
    files[taker] = f"{files.get(taker, '# New')!s}\n\n## {section}"
    phases: list[str] = []
    sliced.write(files)
    report = sliced.remem.compile(sliced.folder, progress=lambda told: phases.append(told.phase))
    sliced.check()
    assert (report.removed, phases.count("write") > 2) == (0, True)
    after = {node.content: node.id for node in sliced.nodes(taker)}
    kept = [text for text in before if text.startswith(("## Part", "the part", "short", "> a line of a quote"))]
    assert len(kept) == 4
    assert [after[text] for text in kept] == [before[text] for text in kept]
    assert sliced.manual == [f"{taker} -> n07.md#Part 7 supports"]


def test_note_that_takes_the_place_of_one_in_a_later_slice_keeps_its_ids(sliced: Vault) -> None:
    sliced.compile({**make_notes(), "a.md": "# Other\n\nthe only words of this note, which tell of lights\n"})
    ids = [node.id for node in sliced.nodes("a.md")]
    sliced.write(make_notes(" edited"))
    (sliced.folder / "a.md").replace(sliced.folder / "n09.md")
    sliced.compile()
    assert [node.id for node in sliced.nodes("n09.md")] == ids
