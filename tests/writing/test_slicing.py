"""In which parts files are written, by their sizes and by what belongs together."""

from __future__ import annotations

from remem.records import FileStat, SourceFile
from remem.writing.slicing import slice_files

FILES = [SourceFile(name, name, FileStat(10, 0, 0)) for name in "abcdefgh"]


def cut(limit: int, first: str = "", groups: dict[str, int] | None = None) -> list[str]:
    """The names of the files in each part."""
    return ["".join(file.source for file in part) for part in slice_files(FILES, limit, set(first), groups)]


def test_parts_hold_as_much_as_they_may_in_order() -> None:
    assert cut(0) == ["abcdefgh"]
    assert cut(30) == ["abc", "def", "gh"]
    assert cut(5) == list("abcdefgh")
    assert list(slice_files([], 5, set())) == [()]


def test_what_is_to_come_first_comes_first_whatever_its_size() -> None:
    assert cut(20, "fgh") == ["fgh", "ab", "cd", "e"]


def test_a_group_stands_in_one_part() -> None:
    assert cut(30, groups={"a": 1, "g": 1, "c": 2, "d": 2}) == ["agb", "cde", "fh"]
    assert cut(10, groups={"a": 1, "g": 1, "h": 1}) == ["agh", "b", "c", "d", "e", "f"]


def test_a_group_that_is_much_too_great_is_none() -> None:
    assert cut(10, groups=dict.fromkeys("abcdh", 1)) == list("abcdefgh")


def test_a_group_follows_what_comes_first_be_it_a_file_or_not() -> None:
    assert cut(10, "hx", {"a": 1, "h": 1, "b": 2, "x": 2}) == ["abh", "c", "d", "e", "f", "g"]
