"""Walks a root and lists its notes with size, time and inode, by the rules of formats, hidden names, links, ignoring.

Opens no note, follows no link, keeps nothing. What it could not see it says, so that nobody takes it for deleted.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path

from remem.errors import InvalidInputError
from remem.records import Diagnostic, FileStat, Scan, SourceFile
from remem.sources.formats import MAX_FILE_BYTES, find_format, find_other_name, is_storable, show_name
from remem.sources.ignore import IgnoreRules, extend_rules


def scan_folder(folder: Path, *, below: str = "", max_bytes: int = MAX_FILE_BYTES) -> Scan:
    """All notes of the root `folder`, or those below one folder of it. The rules of the folders above `below` count.

    Raises InvalidInputError where `below` is no plain relative path. All else, a missing root included, is told in the
    result. Linear in the number of files.
    """
    walk = _Walk(folder, max_bytes)
    rules = walk.enter(split_source(below))
    if rules is not None:
        walk.visit(below, rules)
    return walk.finish()


def scan_file(folder: Path, source: str, *, max_bytes: int = MAX_FILE_BYTES) -> Scan:
    """One note of the root `folder`, under the same rules; no file and a diagnostic where they leave it out.

    Raises InvalidInputError where `source` is no plain relative path.
    """
    if not source:
        raise InvalidInputError("a note has a name", field="source")
    *parents, name = split_source(source)
    walk = _Walk(folder, max_bytes)
    rules = walk.enter(parents)
    if rules is not None:
        walk.visit_entry("/".join(parents), name, rules)
    return walk.finish()


def is_walked(folder: Path, source: str) -> bool:
    """Whether a walk of the root `folder` comes to the folder that lies there as `source`: nothing on the way is
    hidden, left out, or beyond reach. Raises InvalidInputError where `source` is no plain relative path."""
    return _Walk(folder, MAX_FILE_BYTES).enter(split_source(source)) is not None


def is_shielded(source: str, unreadable: Sequence[str]) -> bool:
    """Whether a source lies at or below something that a scan could not see, so that its absence proves nothing."""
    return any(not place or source == place or source.startswith(place + "/") for place in unreadable)


def split_source(source: str) -> list[str]:
    """The names on the way to a source; none for "". Raises InvalidInputError for a path that is not plain."""
    parts = source.split("/") if source else []
    if any(part in ("", ".", "..") for part in parts):
        raise InvalidInputError(f"{show_name(source)!r} is not a path below a root", field="source")
    return parts


class _Walk:
    """One walk: what it found so far. `root` is a path as text, all other paths are sources."""

    def __init__(self, root: Path, max_bytes: int) -> None:
        self.root = os.fspath(root)
        self.max_bytes = max_bytes
        self.files: list[SourceFile] = []
        self.unreadable: list[str] = []
        self.diagnostics: list[Diagnostic] = []

    def finish(self) -> Scan:
        self.files.sort(key=attrgetter("source"))
        return Scan(tuple(self.files), tuple(sorted(self.unreadable)), tuple(self.diagnostics))

    def tell(self, source: str, code: str, message: str) -> None:
        self.diagnostics.append(Diagnostic(show_name(source), 0, code, message))

    def miss(self, source: str, code: str, message: str) -> None:
        """Tell a problem that hides what lies there, known documents included."""
        self.unreadable.append(source)
        self.tell(source, code, message)

    def locate(self, source: str) -> str:
        return os.path.join(self.root, source) if source else self.root

    def load_rules(self, folder: str, outer: IgnoreRules) -> IgnoreRules | None:
        """The rules of a folder. None where they cannot be read: what should be ignored must not be taken in."""
        try:
            rules, faults = extend_rules(outer, self.root, folder)
        except OSError as error:
            self.miss(folder, "ignore-unreadable", f"its ignore rules cannot be read ({error.strerror})")
            return None
        self.diagnostics += faults
        return rules

    def enter(self, parts: Sequence[str]) -> IgnoreRules | None:
        """Go down from the root to the folder named by `parts`: the rules around it, None where the way is barred."""
        rules = IgnoreRules()
        for depth, name in enumerate(parts):
            parent, source = "/".join(parts[:depth]), "/".join(parts[: depth + 1])
            loaded = self.load_rules(parent, rules)
            if loaded is None or not self.admit_folder(source, name, loaded):
                return None
            rules = loaded
        return rules

    def admit_folder(self, source: str, name: str, rules: IgnoreRules) -> bool:
        try:
            mode = os.lstat(self.locate(source)).st_mode
        except OSError as error:
            self.miss(source, "unreadable", f"cannot be read ({error.strerror})")
            return False
        if not stat.S_ISDIR(mode):
            self.tell(source, "not-regular", "is no folder, and links are not followed")
        elif name.startswith(".") or rules.excludes(source, is_folder=True):
            self.tell(source, "ignored", "is hidden or left out by the ignore rules")
        else:
            return True
        return False

    def visit(self, top: str, outer: IgnoreRules) -> None:
        """Walk a folder and all below it, without recursion: a path may be two thousand folders deep."""
        pending = [(top, outer)]
        while pending:
            folder, outer = pending.pop()
            rules = self.load_rules(folder, outer)
            if rules is not None:
                prefix = folder + "/" if folder else ""
                pending += [(prefix + name, rules) for name in self.visit_folder(folder, prefix, rules)]

    def visit_folder(self, folder: str, prefix: str, rules: IgnoreRules) -> list[str]:
        """Take in the files of one folder; return the names of the folders in it that are to be walked."""
        inner: list[str] = []
        try:
            with os.scandir(self.locate(folder)) as entries:
                for entry in entries:
                    if not entry.name.startswith(".") and self.consider(entry, prefix + entry.name, rules):
                        inner.append(entry.name)
        except OSError as error:
            self.miss(folder, "unreadable", f"cannot be listed ({error.strerror}); what is known of it stays")
            return []
        return inner

    def visit_entry(self, folder: str, name: str, outer: IgnoreRules) -> None:
        """Take in one file, by its entry in its folder; told where that gives nothing and no reason is known."""
        source = f"{folder}/{name}" if folder else name
        rules = self.load_rules(folder, outer)
        if rules is None:
            return
        entry = self.find_entry(folder, name)
        if entry is None:
            return
        told = len(self.diagnostics)
        if not name.startswith("."):
            self.consider(entry, source, rules)
        if not self.files and len(self.diagnostics) == told:
            self.tell(source, "ignored", "is hidden, left out by the ignore rules, a link, or no note")

    def find_entry(self, folder: str, name: str) -> os.DirEntry[str] | None:
        try:
            with os.scandir(self.locate(folder)) as entries:
                found = next((entry for entry in entries if entry.name == name), None)
        except OSError as error:
            self.miss(folder, "unreadable", f"cannot be listed ({error.strerror})")
            return None
        if found is None:
            self.miss(f"{folder}/{name}" if folder else name, "vanished", "is not there any more")
        return found

    def consider(self, entry: os.DirEntry[str], source: str, rules: IgnoreRules) -> bool:
        """Take in a file. True for a folder that is to be walked."""
        try:
            if is_link(entry):
                self.tell_link(entry, source, rules)
            elif entry.is_dir(follow_symlinks=False):
                return self.is_storable(source) and not rules.excludes(source, is_folder=True)
            elif find_format(entry.name) and self.is_storable(source) and not rules.excludes(source):
                self.add_file(entry, source)
        except OSError as error:
            self.miss(source, "unreadable", f"cannot be read ({error.strerror}); what is known of it stays")
        return False

    def add_file(self, entry: os.DirEntry[str], source: str) -> None:
        found = entry.stat(follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode):
            self.tell(source, "not-regular", "is no regular file")
        elif found.st_size > self.max_bytes:
            limit = f"{self.max_bytes} ([compile] max_file_bytes)"
            self.miss(source, "too-large", f"has {found.st_size} bytes, more than {limit}")
        else:
            known = FileStat(found.st_size, found.st_mtime_ns, found.st_ino)
            self.files.append(SourceFile(source, entry.path, known))

    def is_storable(self, source: str) -> bool:
        said = find_other_name(source)
        if said is not None:
            reads = f"has a name in UTF-8, and this process reads names as {sys.getfilesystemencoding()}"
            self.miss(said, "bad-name", f"{reads}: set LC_ALL=C.UTF-8; what is known of it stays")
            return False
        if is_storable(source):
            return True
        self.tell(source, "bad-name", "has a name that is not valid Unicode; rename it")
        return False

    def tell_link(self, entry: os.DirEntry[str], source: str, rules: IgnoreRules) -> None:
        """Say why a link gives no note, unless what it leads to is found under its own path."""
        is_note = find_format(entry.name) is not None or "." not in entry.name
        if not is_note or rules.excludes(source) or rules.excludes(source, is_folder=True):
            return
        root, target = os.path.realpath(self.root), os.path.realpath(entry.path)
        if target != root and not target.startswith(os.path.join(root, "")):
            self.tell(source, "link-outside", "is a link out of the root, which is not followed")
        elif not os.path.exists(entry.path):
            self.tell(source, "link-broken", "is a link that leads nowhere")


def is_link(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a symbolic link or a junction of Windows, which leads elsewhere too."""
    if entry.is_symlink():
        return True
    return (
        sys.platform == "win32" and entry.stat(follow_symlinks=False).st_reparse_tag == stat.IO_REPARSE_TAG_MOUNT_POINT
    )
