"""Bytes of a file to text: byte order marks, replaced bytes, line ends, NUL, and what is no text at all. Pure."""

from __future__ import annotations

import codecs

from remem.records import Diagnostic

# The marks of UTF-32 begin with those of UTF-16, so they come first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_REPLACEMENT = "\ufffd"
_HEAD_BYTES = 8192
_CONTROL_SHARE = 0.3
_FEW_CONTROLS = 8
# What text files do hold: backspace, tab, line ends, vertical tab, form feed, escape.
_CONTROLS = bytes(code for code in [*range(32), 127] if code not in b"\b\t\n\v\f\r\x1b")


def decode_bytes(source: str, data: bytes) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text with lines ended by `\\n`, without byte order mark, and what had to be replaced.

    UTF-8, or what the mark at the start says. Other bytes, lone surrogates and NUL become U+FFFD. Linear.
    """
    encoding, body = split_mark(data)
    problems: list[Diagnostic] = []
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        text = body.decode(encoding, "replace")
        count = text.count(_REPLACEMENT) - body.decode(encoding, "ignore").count(_REPLACEMENT)
        line = count_lines(body[: error.start].decode(encoding, "replace"))
        message = f"bytes that are not {encoding.upper()[:6].rstrip('-')}: U+FFFD stands for them in {count} places"
        problems.append(Diagnostic(source, line, "bad-encoding", message))
    if "\r" in text:
        text = end_lines(text)
    if "\0" in text:
        message = f"U+FFFD stands for NUL characters in {text.count(chr(0))} places"
        problems.append(Diagnostic(source, count_lines(text[: text.index("\0")]), "nul", message))
        text = text.replace("\0", _REPLACEMENT)
    return text, tuple(problems)


def split_mark(data: bytes) -> tuple[str, bytes]:
    """The encoding that the byte order mark says (UTF-8 where there is none), and the bytes after the mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, data[len(mark) :]
    return "utf-8", data


def end_lines(text: str) -> str:
    """The text with every line end as `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def count_lines(text: str) -> int:
    """The number, from 1, of the line in which the text ends."""
    return end_lines(text).count("\n") + 1


def is_binary(data: bytes) -> bool:
    """Whether the first 8 KB look like no text: a third is control characters, or NUL stands beside bytes that are not
    UTF-8. What has the mark of UTF-16 or UTF-32 is text."""
    head = data[:_HEAD_BYTES]
    if split_mark(head)[0] != "utf-8":
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > max(_FEW_CONTROLS, _CONTROL_SHARE * len(head)):
        return True
    return b"\0" in head and not is_utf8(head)


def is_utf8(head: bytes) -> bool:
    """Whether these bytes can be the beginning of UTF-8; the last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
