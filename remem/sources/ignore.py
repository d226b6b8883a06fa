"""The ignore rules of a root as git has them: `.rememignore` in any folder, `.gitignore` in the root alone.

Later rules win over earlier ones: those of `.rememignore` over `.gitignore`, those of a folder over the folders around
it. A file below an excluded folder cannot be included again. Decides about paths; walks nothing.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from remem.records import Diagnostic

OWN_FILE = ".rememignore"
GIT_FILE = ".gitignore"
MAX_IGNORE_BYTES = 1_000_000

# More wildcards in one segment, or more `**` in one pattern, would let a pattern take seconds for one path.
MAX_WILDCARDS = 3

# Git takes `a/**/` as the folders below `a`, pathspec as `a` itself.
_DEEP_FOLDERS = re.compile(r"/\*\*/\s*$")
_GROUP = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules that hold in one folder: its own, last one first, and those of the folders around it.

    `offset` is the length of the folder's part of a source. `rules` are (leaves out, pattern). `some` matches whatever
    one of them matches, which most files are not.
    """

    outer: IgnoreRules | None = None
    offset: int = 0
    rules: tuple[tuple[bool, re.Pattern[str]], ...] = ()
    some: re.Pattern[str] | None = None

    def excludes(self, source: str, is_folder: bool = False) -> bool:
        """Whether the rules leave out what has this source. Its folder must have passed before."""
        level: IgnoreRules | None = self
        while level is not None:
            path = source[level.offset :]
            if level.some is not None and level.some.match(path + "/" if is_folder else path):
                for leaves_out, pattern in level.rules:
                    if matches_itself(pattern, path, is_folder):
                        return leaves_out
            level = level.outer
        return False


def matches_itself(pattern: re.Pattern[str], path: str, is_folder: bool) -> bool:
    """Whether a pattern of pathspec means this very path, not a folder above it.

    Such a pattern has one group at most, which is the slash after a folder that matched.
    """
    found = pattern.match(path)
    if found is not None and found.lastindex is None:
        return True
    found = pattern.match(path + "/") if is_folder else None
    return found is not None and found.lastindex is not None and found.end() == len(path) + 1


def extend_rules(outer: IgnoreRules, root: str, folder: str) -> tuple[IgnoreRules, list[Diagnostic]]:
    """The rules of `folder` (a source, "" for the root) given those around it, and a diagnostic for each faulty rule.

    Raises OSError where a file of rules exists and cannot be read.
    """
    rules: list[tuple[bool, re.Pattern[str]]] = []
    diagnostics: list[Diagnostic] = []
    for name in (OWN_FILE,) if folder else (GIT_FILE, OWN_FILE):
        source = f"{folder}/{name}" if folder else name
        for number, line in enumerate(read_lines(root, source), 1):
            try:
                rules += parse_line(line)
            except ValueError as error:
                diagnostics.append(Diagnostic(source, number, "ignore-rule", f"this rule is not applied: {error}"))
    if not rules:
        return outer, diagnostics
    some = "|".join(_GROUP.sub("(?:", pattern.pattern) for _, pattern in rules)
    offset = len(folder) + 1 if folder else 0
    return IgnoreRules(outer, offset, tuple(reversed(rules)), re.compile(some)), diagnostics


def read_lines(root: str, source: str) -> list[str]:
    """The lines of a file of rules; none where there is no such file.

    Raises OSError where it is unreadable, too large, no regular file, or a link out of the root.
    """
    path = os.path.join(root, source)
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return []
    if stat.S_ISDIR(found.st_mode):
        return []
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_IGNORE_BYTES:
        raise OSError(errno.EFBIG, "it is no regular file or larger than a megabyte")
    if os.path.islink(path) and not Path(path).resolve().is_relative_to(Path(root).resolve()):
        raise OSError(errno.ELOOP, "it is a symbolic link out of the root")
    return Path(path).read_bytes().decode("utf-8-sig", "replace").splitlines()


def parse_line(line: str) -> list[tuple[bool, re.Pattern[str]]]:
    """The rule of one line; none for an empty line, a comment, or what never matches.

    Raises ValueError, with the reason, where the line is no usable pattern.
    """
    if not line.strip() or line.startswith("#"):
        return []
    check_cost(line)
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # loaded only where there are rules

    try:
        rule = GitIgnoreSpecPattern(_DEEP_FOLDERS.sub("/**/*/", line))
    except (ValueError, re.error):
        raise ValueError("it is no pattern that gitignore knows") from None
    if rule.regex is None or rule.include is None:
        return []
    # Patterns that hold anywhere come without an anchor: they are to reach as far as they can.
    text = rule.regex.pattern
    return [(rule.include, rule.regex if text.startswith("^") else re.compile("^.*" + text))]


def check_cost(line: str) -> None:
    """Refuse what would take too long to match, and the character classes by name, which would match wrongly.

    Raises ValueError.
    """
    if "[[" in line:
        raise ValueError("named character classes are not understood; list the characters")
    segments = line.split("/")
    wildcards = max(len(re.findall(r"\*+", segment)) for segment in segments)
    if max(wildcards, segments.count("**")) > MAX_WILDCARDS:
        raise ValueError(f"it has more than {MAX_WILDCARDS} wildcards in a row; split it into several rules")
