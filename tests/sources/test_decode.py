"""Bytes to text: what marks, foreign bytes, line ends and NUL become, and what is no text."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.sources.decode import decode_bytes, is_binary

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\xff\xfe\xd9\x80" + bytes(range(256)) * 4


def decode(data: bytes) -> tuple[str, list[tuple[int, str]]]:
    text, problems = decode_bytes("a.md", data)
    return text, [(problem.line, problem.code) for problem in problems]


@pytest.mark.parametrize(
    "data",
    [
        "# Ü 🧠\nb\n".encode(),
        codecs.BOM_UTF8 + "# Ü 🧠\nb\n".encode(),
        codecs.BOM_UTF16_LE + "# Ü 🧠\nb\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "# Ü 🧠\r\nb\r\n".encode("utf-16-be"),
        codecs.BOM_UTF32_LE + "# Ü 🧠\rb\r".encode("utf-32-le"),
        codecs.BOM_UTF32_BE + "# Ü 🧠\nb\n".encode("utf-32-be"),
    ],
)
def test_the_encodings_of_unicode_give_the_same_text(data: bytes) -> None:
    assert decode(data) == ("# Ü 🧠\nb\n", [])
    assert not is_binary(data)


def test_line_ends_become_one_and_other_separators_stay() -> None:
    assert decode(b"a\r\nb\rc\nd\r\r\ne") == ("a\nb\nc\nd\n\ne", [])
    text = "a\u2028b\u0085c\x0bd\x0ce"
    assert decode(text.encode()) == (text, [])


def test_only_the_mark_at_the_start_is_dropped() -> None:
    assert decode("\ufeffa\ufeffb".encode()) == ("a\ufeffb", [])


def test_bytes_that_are_not_utf8_are_replaced_and_told_with_their_first_line() -> None:
    text, problems = decode(b"a\r\nb\r\ncaf\xe9 \xff\r\n")
    assert (text, problems) == ("a\nb\ncaf\ufffd \ufffd\n", [(3, "bad-encoding")])
    assert "in 2 places" in decode_bytes("a.md", "\ufffd".encode() + b"\xff\xff")[1][0].message


def test_a_replacement_character_that_was_written_is_no_problem() -> None:
    assert decode("a\ufffdb".encode()) == ("a\ufffdb", [])


def test_lone_surrogates_and_cut_characters_do_not_come_through() -> None:
    lone = codecs.BOM_UTF16_LE + "a\n".encode("utf-16-le") + b"\x00\xd8b\x00"
    assert decode(lone) == ("a\n\ufffdb", [(2, "bad-encoding")])
    assert decode(b"a\xed\xa0\x80b")[0].encode() == "a\ufffd\ufffd\ufffdb".encode()
    assert decode(codecs.BOM_UTF16_LE + b"a\x00b")[0] == "a\ufffd"
    assert decode("a🧠".encode()[:-1])[0] == "a\ufffd"


def test_nul_is_replaced_and_told() -> None:
    assert decode(b"# A\n\nx\0y\0\n") == ("# A\n\nx\ufffdy\ufffd\n", [(3, "nul")])
    assert not is_binary(b"# A\n\nx\0y\0\n")


def test_nothing_is_a_text() -> None:
    assert decode(b"") == ("", [])
    assert decode(codecs.BOM_UTF8) == ("", [])
    assert not is_binary(b"")


@pytest.mark.parametrize(
    "data", [PNG, b"\0" * 4096, "a note\n".encode("utf-16-le") * 50, b"\x7fELF\x02\x01\x01" + b"\0" * 99]
)
def test_pictures_programs_and_zeros_are_no_text(data: bytes) -> None:
    assert is_binary(data)


@pytest.mark.parametrize(
    "data",
    [
        "Привет, мир\n".encode("cp1251") * 50,
        "日本語のメモ\n".encode("shift-jis") * 50,
        "Grüße\n".encode("latin-1"),
        b"\x1b[1mbold\x1b[0m\tx\x0c\n",
        b"a" * 8191 + "🧠".encode(),
        b"\0\0\0",
    ],
)
def test_old_encodings_and_terminal_codes_are_text(data: bytes) -> None:
    assert not is_binary(data)


@given(st.text(alphabet=st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])))
def test_unicode_text_comes_back_as_it_was(text: str) -> None:
    assert decode(text.encode()) == (text.removeprefix("\ufeff"), [])
    assert decode(codecs.BOM_UTF16_BE + text.encode("utf-16-be")) == (text, [])
    assert decode(codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode()) == (text, [])


@given(st.binary(max_size=200))
def test_any_bytes_give_a_text_that_can_be_stored(data: bytes) -> None:
    text, problems = decode_bytes("a.md", data)
    text.encode()
    assert "\r" not in text and "\0" not in text
    lines = text.count("\n") + 1
    assert all(1 <= problem.line <= lines for problem in problems)
    is_binary(data)
