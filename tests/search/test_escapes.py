"""Escapes of data files in what is searched."""

import pytest

from remem.search.escapes import blank_escapes, holds_escapes


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"one\ntwo\tthree", "one  two  three"),
        (r"C:\\new\\table", r"C:\\new\\table"),
        (r"a\\\nb", r"a\\  b"),
        (r"\"quoted\" \u00e9", r"\"quoted\" \u00e9"),
        ("plain\ntext\\", "plain\ntext\\"),
    ],
)
def test_an_escaped_line_end_is_no_letter(text: str, shown: str) -> None:
    assert blank_escapes(text) == shown
    assert len(shown) == len(text)


def test_only_data_files_hold_escapes() -> None:
    assert all(map(holds_escapes, ("a.json", "b/C.JSONL", "d.yml", "e.yaml", "f.toml")))
    assert not any(map(holds_escapes, ("a.md", "b.txt", "c.html", "json", "")))
