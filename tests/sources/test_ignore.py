"""Ignore rules: the same answers as git gives."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from remem.records import Scan
from remem.sources.scan import scan_folder
from tests.guard import guard_hang

NOTES = [
    "a.md",
    "keep.md",
    "build/x.md",
    "build/keep.md",
    "docs/a.md",
    "docs/build/y.md",
    "docs/deep/er/z.md",
    "docs/deep/keep.md",
    "docs/[x]/q.md",
    "docs/[x]/r.md",
    "x y/trail .md",
    "ü/ß.md",
    "!bang.md",
    "#hash.md",
    "log/1.md",
    "log/2/3.md",
]

RULES = [
    {"": "build/\n"},
    {"": "/build\n"},
    {"": "*.md\n!keep.md\n"},
    {"": "build/\n!build/keep.md\n"},
    {"": "build/*\n!build/keep.md\n"},
    {"": "docs/**/z.md\n"},
    {"": "**/er/\n"},
    {"": "docs/build\n"},
    {"": "# comment\n\n   \n\\#hash.md\n\\!bang.md\n"},
    {"": "#hash.md\n"},
    {"": "trail\\ .md\nü/\n"},
    {"": "a.md   \n"},
    {"": "A.MD\n"},
    {"": "log/?.md\nlog/[0-9]/\n"},
    {"": "*\n!*/\n!keep.md\n"},
    {"": "a.md\r\nkeep.md\r\n"},
    {"": "docs/deep/", "docs": "!deep/\n"},
    {"": "*.md\n", "docs": "!a.md\n!build/\n", "docs/build": "!y.md\n"},
    {"docs": "a.md\n"},
    {"docs": "/a.md\n/build\n"},
    {"docs": "deep/er\n"},
    {"docs": "build/\n"},
    {"docs": "**/z.md\n"},
    {"docs": "*\n!deep\n"},
    {"docs/[x]": "q.md\n"},
    {"docs/[x]": "/r.md\n"},
    {"x y": "*.md\n"},
    {"docs/deep": "!keep.md\n", "": "keep.md\n"},
    {"log": "*\n", "log/2": "!3.md\n"},
    {"": "build/**\n!build/keep.md\n"},
    {"": "/*\n!/docs\n/docs/*\n!/docs/a.md\n"},
    {"": "**\n!keep.md\n"},
    {"": "docs/**/\n"},
    {"": "**/build/**\n"},
    {"": "docs/*/er\n!er\n"},
    {"": "build\n", "docs": "!build\n"},
    {"": "docs/\n", "docs": "!a.md\n"},
    {"": "/\n//\n[\nfoo[\n"},
    {"": "?.md\n!?eep.md\n!ü/?.md\n"},
    {"": "[!a].md\n[^k]*.md\n"},
    {"": " a.md\n./keep.md\n"},
    {"": "\\a.md\nke\\ep.md\n"},
]


def fill(root: Path, names: list[str]) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")


def write_rules(root: Path, rules: dict[str, str], name: str) -> None:
    for folder, text in rules.items():
        (root / folder / name).write_bytes(text.encode())


def sources(scan: Scan) -> list[str]:
    return [file.source for file in scan.files]


@pytest.mark.skipif(shutil.which("git") is None or sys.platform == "win32", reason="git is what it is compared with")
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: " ".join(map(repr, rules.items())))
def test_the_rules_leave_out_what_git_leaves_out(tmp_path: Path, rules: dict[str, str]) -> None:
    fill(tmp_path, NOTES)
    write_rules(tmp_path, rules, ".rememignore")
    ours = sources(scan_folder(tmp_path))
    for folder in rules:
        (tmp_path / folder / ".rememignore").rename(tmp_path / folder / ".gitignore")
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "none"), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, env=environ, check=True, timeout=60)
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, check=True, timeout=60).stdout
    assert ours == sorted(name for name in listed.decode().split("\0") if name.endswith(".md"))


def test_own_rules_go_before_those_of_git(tmp_path: Path) -> None:
    fill(tmp_path, ["a.md", "b.md", "c.md"])
    write_rules(tmp_path, {"": "a.md\nb.md\n"}, ".gitignore")
    write_rules(tmp_path, {"": "!a.md\nc.md\n"}, ".rememignore")
    assert sources(scan_folder(tmp_path)) == ["a.md"]


def test_rules_of_git_count_in_the_root_alone(tmp_path: Path) -> None:
    fill(tmp_path, ["a.md", "d/a.md"])
    write_rules(tmp_path, {"d": "a.md\n"}, ".gitignore")
    assert sources(scan_folder(tmp_path)) == ["a.md", "d/a.md"]


def test_a_faulty_rule_is_told_with_its_line_and_the_others_hold(tmp_path: Path) -> None:
    fill(tmp_path, ["a.md", "b.md", "d/c.md"])
    write_rules(tmp_path, {"": "!\na.md\n[z-a]\nx\\\n[[:alpha:]].md\n", "d": "!\n"}, ".rememignore")
    scan = scan_folder(tmp_path)
    assert sources(scan) == ["b.md", "d/c.md"]
    places = [(problem.source, problem.line) for problem in scan.diagnostics if problem.code == "ignore-rule"]
    assert places == [(".rememignore", line) for line in (1, 3, 4, 5)] + [("d/.rememignore", 1)]


def test_a_rule_that_would_take_long_is_not_applied(tmp_path: Path) -> None:
    fill(tmp_path, ["a" * 200 + ".md"])
    write_rules(tmp_path, {"": "*a" * 12 + "*b\n" + "**/a/" * 9 + "b\n"}, ".rememignore")
    with guard_hang("the scan"):
        scan = scan_folder(tmp_path)
    assert [problem.line for problem in scan.diagnostics] == [1, 2]
    assert len(scan.files) == 1


def test_rules_may_have_a_byte_order_mark_and_foreign_bytes(tmp_path: Path) -> None:
    fill(tmp_path, ["a.md", "b.md"])
    (tmp_path / ".rememignore").write_bytes(b"\xef\xbb\xbfa.md\n\xff\xfe.md\n")
    assert sources(scan_folder(tmp_path)) == ["b.md"]


def test_a_folder_whose_rules_cannot_be_read_is_left_out_and_not_taken_as_gone(tmp_path: Path) -> None:
    fill(tmp_path, ["a.md", "d/b.md", "d/e/c.md"])
    (tmp_path / "d" / ".rememignore").write_bytes(b"x\n" * 600_000)
    scan = scan_folder(tmp_path)
    assert (sources(scan), scan.unreadable) == (["a.md"], ("d",))
    assert [problem.code for problem in scan.diagnostics] == ["ignore-unreadable"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_rules_are_read_through_a_link_inside_the_root_alone(tmp_path: Path) -> None:
    fill(tmp_path, ["v/a.md", "v/b.md"])
    (tmp_path / "outer").write_text("a.md\n")
    (tmp_path / "v" / "rules").write_text("b.md\n")
    link = tmp_path / "v" / ".rememignore"
    link.symlink_to("rules")
    assert sources(scan_folder(tmp_path / "v")) == ["a.md"]
    link.unlink()
    link.symlink_to(tmp_path / "outer")
    assert scan_folder(tmp_path / "v").unreadable == ("",)


def test_a_folder_in_the_place_of_the_rules_is_no_rule(tmp_path: Path) -> None:
    fill(tmp_path, ["a.md", ".rememignore/x", ".gitignore/y"])
    assert sources(scan_folder(tmp_path)) == ["a.md"]
