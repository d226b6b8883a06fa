"""What a walk over a root finds, and what it says about the rest."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import InvalidInputError
from remem.records import Scan
from remem.sources.formats import find_format
from remem.sources.scan import _Walk, is_shielded, scan_file, scan_folder

NEEDS_LINKS = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")


def fill(root: Path, *sources: str) -> Path:
    for source in sources:
        path = root / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {source}\n", encoding="utf-8")
    return root


def sources(scan: Scan) -> list[str]:
    return [file.source for file in scan.files]


def codes(scan: Scan) -> list[tuple[str, str]]:
    return sorted((problem.source, problem.code) for problem in scan.diagnostics)


@contextmanager
def unlisted(folder: Path) -> Iterator[None]:
    """A folder that cannot be listed, for whoever runs the test: a path longer than the system takes."""
    folder.mkdir(exist_ok=True)
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        for _ in range(20):
            os.mkdir("x" * 250)
            os.chdir("x" * 250)
        yield
    finally:
        os.fchdir(here)
        os.close(here)


def test_notes_are_found_in_order_of_their_source_with_size_time_and_inode(tmp_path: Path) -> None:
    fill(tmp_path, "b.md", "a/z.md", "a.md", "a/b/c.markdown", "a-b.mdx", "c.TXT")
    scan = scan_folder(tmp_path)
    assert sources(scan) == ["a-b.mdx", "a.md", "a/b/c.markdown", "a/z.md", "b.md", "c.TXT"]
    assert (scan.unreadable, scan.diagnostics) == ((), ())
    found, known = scan.files[1], (tmp_path / "a.md").stat()
    assert Path(found.path) == tmp_path / "a.md"
    assert (found.stat.size, found.stat.mtime, found.stat.inode) == (known.st_size, known.st_mtime_ns, known.st_ino)


def test_only_files_of_known_formats_are_found(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "b.html", "c.yaml", "d.png", "README", "e.md~", "f.md.swp", "md")
    assert sources(scan_folder(tmp_path)) == ["a.md", "b.html", "c.yaml"]


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.md", "markdown"),
        ("x/A.MD", "markdown"),
        ("a.b.mdx", "markdown"),
        ("a.txt", "text"),
        ("a.htm", "html"),
        ("a.yml", "yaml"),
        ("a.jsonl", "jsonl"),
        ("a.toml", "toml"),
        ("x/remem-server.toml", None),
        ("a.toml", "toml"),
        (".md", None),
        ("x/.a.md", None),
        ("md", None),
        ("a.docx", None),
        ("a.md/b", None),
    ],
)
def test_a_format_follows_from_the_extension(name: str, format: str | None) -> None:
    assert find_format(name) == format


def test_hidden_files_and_folders_are_skipped(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", ".b.md", ".obsidian/c.md", "d/.trash/e.md")
    assert sources(scan_folder(tmp_path)) == ["a.md"]
    assert sources(scan_folder(tmp_path / ".obsidian")) == ["c.md"]


def test_names_in_every_script_are_kept_as_the_disk_has_them(tmp_path: Path) -> None:
    names = ["まとめ.md", "总结.md", "🧠.md", "???.md", "и.md", "Cafe\u0301.md", "Caf\u00e9 2.md", "a b.md", "TL;DR.md"]
    names = [name for name in names if sys.platform != "win32" or "?" not in name]
    fill(tmp_path, *names)
    assert sources(scan_folder(tmp_path)) == sorted(os.listdir(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_no_unicode_are_skipped_and_told(tmp_path: Path) -> None:
    for name in (b"\xff.md", b"\xfe.png"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    os.mkdir(os.fsencode(tmp_path) + b"/d\xe9")
    scan = scan_folder(fill(tmp_path, "a.md"))
    assert sources(scan) == ["a.md"]
    assert codes(scan) == [("d\ufffd", "bad-name"), ("\ufffd.md", "bad-name")]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always read names as UTF-8")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_names_that_the_process_reads_otherwise_hide_what_is_known(
    tmp_path: Path, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(name: str) -> str:
        return name.encode().decode(encoding, "surrogateescape")

    monkeypatch.setattr(os, "fsencode", lambda name: name.encode(encoding, "surrogateescape"))
    walk = _Walk(tmp_path, 1000)
    assert not walk.is_storable(read("ä.md")) and not walk.is_storable(read("b/ö")) and walk.is_storable("c.md")
    scan = walk.finish()
    assert scan.unreadable == ("b/ö", "ä.md") and codes(scan) == [("b/ö", "bad-name"), ("ä.md", "bad-name")]


def test_a_part_of_a_root_keeps_sources_and_rules_of_the_whole(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "d/b.md", "d/e/c.md", "d/e/draft.md", "d/e/own.md", "f/g.md")
    (tmp_path / ".gitignore").write_text("draft.md\n")
    (tmp_path / "d" / ".rememignore").write_text("/e/own.md\n")
    assert sources(scan_folder(tmp_path, below="d/e")) == ["d/e/c.md"]
    assert sources(scan_folder(tmp_path, below="d")) == ["d/b.md", "d/e/c.md"]


def test_a_part_that_the_whole_leaves_out_gives_nothing_and_says_why(tmp_path: Path) -> None:
    fill(tmp_path, ".x/a.md", "build/b.md", "c.md")
    (tmp_path / ".gitignore").write_text("build/\n")
    for below in (".x", "build"):
        scan = scan_folder(tmp_path, below=below)
        assert (sources(scan), codes(scan), scan.unreadable) == ([], [(below, "ignored")], ())
    assert codes(scan_folder(tmp_path, below="c.md")) == [("c.md", "not-regular")]


@pytest.mark.parametrize("below", ["..", "a/../b", "/a", "a/", "a//b", "."])
def test_a_part_that_is_no_plain_path_is_refused(tmp_path: Path, below: str) -> None:
    with pytest.raises(InvalidInputError):
        scan_folder(tmp_path, below=below)
    with pytest.raises(InvalidInputError):
        scan_file(tmp_path, below)


def test_one_file_is_found_under_the_rules_of_its_root(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "d/b.md", "d/c.md", ".h.md", "x.png")
    (tmp_path / ".gitignore").write_text("/d/c.md\n")
    assert sources(scan_file(tmp_path, "d/b.md")) == ["d/b.md"]
    for source in ("d/c.md", ".h.md", "x.png"):
        scan = scan_file(tmp_path, source)
        assert (sources(scan), codes(scan)) == ([], [(source, "ignored")])
    gone = scan_file(tmp_path, "d/gone.md")
    assert (gone.unreadable, codes(gone)) == (("d/gone.md",), [("d/gone.md", "vanished")])


# --- links ------------------------------------------------------------------------------------------------------------


@NEEDS_LINKS
def test_a_link_to_a_note_of_the_root_gives_that_note_once_under_its_real_path(tmp_path: Path) -> None:
    fill(tmp_path, "AGENTS.md", "d/e.md")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "f").symlink_to("d", target_is_directory=True)
    scan = scan_folder(tmp_path)
    assert (sources(scan), codes(scan)) == (["AGENTS.md", "d/e.md"], [])


@NEEDS_LINKS
def test_links_out_of_the_root_are_not_followed_and_told_without_their_target(tmp_path: Path) -> None:
    secret = fill(tmp_path, "outside/secret.md")
    root = fill(tmp_path / "v", "important.md")
    (root / "link.md").symlink_to(secret / "outside" / "secret.md")
    (root / "d").symlink_to("/", target_is_directory=True)
    (root / "alias.md").symlink_to("important.md")
    (root / "broken.md").symlink_to("nothing.md")
    (root / "picture.png").symlink_to("/nothing.png")
    scan = scan_folder(root)
    assert sources(scan) == ["important.md"]
    assert codes(scan) == [("broken.md", "link-broken"), ("d", "link-outside"), ("link.md", "link-outside")]
    assert "secret" not in " ".join(problem.message for problem in scan.diagnostics)
    assert codes(scan_folder(root, below="d")) == [("d", "not-regular")]
    assert codes(scan_file(root, "link.md")) == [("link.md", "link-outside")]
    assert sources(scan_file(root, "alias.md")) == []


@NEEDS_LINKS
def test_a_loop_of_links_ends_and_each_file_is_found_once(tmp_path: Path) -> None:
    fill(tmp_path, "a/n.md", "m.md")
    (tmp_path / "a" / "b").symlink_to("../../" + tmp_path.name, target_is_directory=True)
    (tmp_path / "self").symlink_to(".", target_is_directory=True)
    (tmp_path / "x.md").symlink_to("y.md")
    (tmp_path / "y.md").symlink_to("x.md")
    scan = scan_folder(tmp_path)
    assert sources(scan) == ["a/n.md", "m.md"]
    assert codes(scan) == [("x.md", "link-broken"), ("y.md", "link-broken")]


@NEEDS_LINKS
def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    fill(tmp_path / "real", "a.md", "d/b.md")
    (tmp_path / "root").symlink_to("real", target_is_directory=True)
    (tmp_path / "real" / "c.md").symlink_to("a.md")
    scan = scan_folder(tmp_path / "root")
    assert (sources(scan), codes(scan)) == (["a.md", "d/b.md"], [])


@NEEDS_LINKS
def test_hard_links_are_files_of_their_own(tmp_path: Path) -> None:
    fill(tmp_path, "a.md")
    (tmp_path / "b.md").hardlink_to(tmp_path / "a.md")
    assert sources(scan_folder(tmp_path)) == ["a.md", "b.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_what_is_no_regular_file_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    fill(tmp_path, "folder.md/a.md")
    scan = scan_folder(tmp_path)
    assert (sources(scan), codes(scan)) == (["folder.md/a.md"], [("pipe.md", "not-regular")])


# --- what could not be seen -------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="the length of paths is Linux's")
def test_a_folder_that_cannot_be_listed_is_told_and_the_others_are_walked(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "z/b.md")
    with unlisted(tmp_path / "d"):
        scan = scan_folder(tmp_path)
    assert sources(scan) == ["a.md", "z/b.md"]
    assert [place.partition("/")[0] for place in scan.unreadable] == ["d"]
    assert [problem.code for problem in scan.diagnostics] in (["unreadable"], ["ignore-unreadable"])


def test_a_folder_without_permission_is_told_and_the_others_are_walked(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "d/b.md", "e/c.md")
    (tmp_path / "d").chmod(0)
    readable = os.access(tmp_path / "d", os.R_OK)  # whoever may read everything sees the note
    scan = scan_folder(tmp_path)
    (tmp_path / "d").chmod(0o700)
    assert sources(scan) == ["a.md", *(["d/b.md"] if readable else []), "e/c.md"]
    assert scan.unreadable == (() if readable else ("d",))


def test_a_missing_root_hides_everything(tmp_path: Path) -> None:
    scan = scan_folder(tmp_path / "gone")
    assert (scan.files, scan.unreadable) == ((), ("",))
    assert is_shielded("any/note.md", scan.unreadable)
    assert scan_folder(tmp_path, below="gone").unreadable == ("gone",)


def test_what_lies_at_or_below_an_unseen_place_is_shielded() -> None:
    assert is_shielded("d/a.md", ["d"])
    assert is_shielded("d", ["d"])
    assert not is_shielded("da/a.md", ["d"])
    assert not is_shielded("a.md", ["d", "e/f.md"])
    assert not is_shielded("a.md", [])


def test_a_file_that_is_too_large_is_told_and_not_taken_as_gone(tmp_path: Path) -> None:
    fill(tmp_path, "a.md", "b.md")
    (tmp_path / "b.md").write_bytes(b"x" * 101)
    scan = scan_folder(tmp_path, max_bytes=100)
    assert (sources(scan), scan.unreadable, codes(scan)) == (["a.md"], ("b.md",), [("b.md", "too-large")])


def test_folders_may_be_deeper_than_functions_may_call_each_other(tmp_path: Path) -> None:
    fill(tmp_path, "a/" * 300 + "n.md")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        scan = scan_folder(tmp_path)
    finally:
        sys.setrecursionlimit(limit)
    assert sources(scan) == ["a/" * 300 + "n.md"]


def test_few_files_are_open_at_once(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    fill(tmp_path, *(f"{number}/{number}/n.md" for number in range(300)))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, limits[1]))
    try:
        scan = scan_folder(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert (len(scan.files), scan.diagnostics) == (300, ())


NAMES = st.sampled_from(["a", "b.md", "c.txt", "d.png", ".e", ".f.md", "G.MD", "h i.md"])


@given(st.sets(st.lists(NAMES, min_size=1, max_size=3).map(tuple), max_size=12))
def test_a_walk_finds_the_visible_notes_and_a_part_finds_those_below(
    tmp_path_factory: pytest.TempPathFactory, paths: set[tuple[str, ...]]
) -> None:
    root = tmp_path_factory.mktemp("root")
    folders = {path[:length] for path in paths for length in range(1, len(path))}
    files = {path for path in paths if path not in folders}
    fill(root, *("/".join(path) for path in files))
    hidden = {path for path in files if any(name.startswith(".") for name in path)}
    expected = sorted("/".join(path) for path in files - hidden if path[-1].lower().endswith((".md", ".txt")))
    assert sources(scan_folder(root)) == expected
    for folder in folders:
        below = "/".join(folder)
        seen = [source for source in expected if source.startswith(below + "/")]
        assert sources(scan_folder(root, below=below)) == seen
    for source in expected:
        assert sources(scan_file(root, source)) == [source]
