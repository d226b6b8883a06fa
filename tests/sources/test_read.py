"""Reading one note: a consistent copy or a reason, and when a file need not be read again."""

from __future__ import annotations

import os
import sys
import threading
from hashlib import blake2b
from pathlib import Path

import pytest

from remem.records import FileStat, SourceFile, SourceText, UnreadSource
from remem.sources.read import is_unchanged, read_source
from remem.sources.scan import scan_folder

SECOND = 1_000_000_000


def make_file(path: Path, data: bytes) -> SourceFile:
    path.write_bytes(data)
    return find_file(path)


def find_file(path: Path) -> SourceFile:
    return next(file for file in scan_folder(path.parent).files if file.source == path.name)


def read_code(file: SourceFile, max_bytes: int = 1000) -> str:
    outcome = read_source(file, max_bytes=max_bytes)
    assert isinstance(outcome, UnreadSource)
    assert outcome.source == outcome.diagnostic.source == file.source
    return outcome.diagnostic.code


def test_a_note_is_read_with_the_hash_of_its_bytes_and_the_stat_of_its_listing(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf# A\r\n\r\nb\r\n"
    file = make_file(tmp_path / "a.md", data)
    expected = SourceText("a.md", "# A\n\nb\n", blake2b(data, digest_size=16).digest(), file.stat, ())
    assert read_source(file) == expected


def test_problems_of_the_text_are_told_with_it(tmp_path: Path) -> None:
    outcome = read_source(make_file(tmp_path / "a.md", b"a\n\xff\n"))
    assert isinstance(outcome, SourceText)
    assert [(problem.source, problem.line, problem.code) for problem in outcome.diagnostics] == [
        ("a.md", 2, "bad-encoding")
    ]


def test_the_stat_is_that_of_the_bytes_read_even_where_the_listing_is_older(tmp_path: Path) -> None:
    old = make_file(tmp_path / "a.md", b"old")
    new = make_file(tmp_path / "a.md", b"newer")
    outcome = read_source(old)
    assert isinstance(outcome, SourceText)
    assert (outcome.text, outcome.stat) == ("newer", new.stat)


def test_a_file_that_vanished_or_was_never_readable_is_an_outcome(tmp_path: Path) -> None:
    file = make_file(tmp_path / "a.md", b"x")
    (tmp_path / "a.md").unlink()
    assert read_code(file) == "vanished"
    below = SourceFile("b.md/c.md", str(tmp_path / "b.md" / "c.md"), file.stat)
    make_file(tmp_path / "b.md", b"x")
    assert read_code(below) == "unreadable"


def test_a_folder_in_the_place_of_a_file_is_an_outcome(tmp_path: Path) -> None:
    file = make_file(tmp_path / "a.md", b"x")
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").mkdir()
    assert read_code(file) in ("not-regular", "unreadable")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_put_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    file = make_file(tmp_path / "a.md", b"x")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").symlink_to("secret")
    assert read_code(file) == "not-regular"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_in_the_place_of_a_file_does_not_block(tmp_path: Path) -> None:
    file = make_file(tmp_path / "a.md", b"x")
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    assert read_code(file) == "not-regular"


def test_a_file_that_has_grown_too_large_is_an_outcome(tmp_path: Path) -> None:
    file = make_file(tmp_path / "a.md", b"x")
    (tmp_path / "a.md").write_bytes(b"x" * 1001)
    assert read_code(file) == "too-large"


def test_what_is_no_text_is_an_outcome(tmp_path: Path) -> None:
    assert read_code(make_file(tmp_path / "a.md", b"\0" * 500)) == "binary"


def test_a_file_that_is_being_written_gives_one_of_its_states_or_none(tmp_path: Path) -> None:
    path, stop = tmp_path / "a.md", threading.Event()
    file = make_file(path, b"a" * 200_000)

    def write() -> None:
        with path.open("r+b", buffering=0) as target:
            while not stop.is_set():
                for letter in (b"b", b"a"):
                    target.truncate(0)
                    target.seek(0)
                    target.write(letter * 200_000)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        outcomes = [read_source(file) for _ in range(50)]
    finally:
        stop.set()
        writer.join()
    for outcome in outcomes:
        if isinstance(outcome, SourceText):
            assert len(outcome.text) == outcome.stat.size
        else:
            assert outcome.diagnostic.code == "unstable"


def test_a_file_is_unchanged_only_if_it_had_settled_when_it_was_read() -> None:
    known = FileStat(10, 100 * SECOND, 7)
    assert is_unchanged(known, known, 102_000)
    assert not is_unchanged(known, known, 101_999)
    assert not is_unchanged(known, known, 50_000)  # the clock was set back, or the file comes from the future


@pytest.mark.parametrize(
    "found", [FileStat(11, 100 * SECOND, 7), FileStat(10, 100 * SECOND + 1, 7), FileStat(10, 99 * SECOND, 7)]
)
def test_another_size_or_time_is_a_change(found: FileStat) -> None:
    assert not is_unchanged(found, FileStat(10, 100 * SECOND, 7), 200_000)


def test_another_inode_is_a_change_unless_it_is_unknown() -> None:
    known = FileStat(10, 100 * SECOND, 7)
    assert not is_unchanged(FileStat(10, 100 * SECOND, 8), known, 200_000)
    assert is_unchanged(FileStat(10, 100 * SECOND, 0), known, 200_000)


def test_an_atomic_save_is_a_change_even_with_the_same_size_and_time(tmp_path: Path) -> None:
    old = make_file(tmp_path / "a.md", b"one")
    (tmp_path / "a.tmp").write_bytes(b"two")
    os.utime(tmp_path / "a.tmp", ns=(old.stat.mtime, old.stat.mtime))
    os.replace(tmp_path / "a.tmp", tmp_path / "a.md")
    new = find_file(tmp_path / "a.md")
    assert new.stat.mtime == old.stat.mtime
    assert not is_unchanged(new.stat, old.stat, old.stat.mtime // 1_000_000 + 10_000)
