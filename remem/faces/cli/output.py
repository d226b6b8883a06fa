"""What goes to a terminal or a pipe: data on stdout, talk on stderr, colour and rulings on a terminal alone.

Without a terminal a line is plain text: no colour, no box drawing, no wrapping, the same on every run.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TextIO

import click

from remem.faces.wire import dump_json

if TYPE_CHECKING:
    from remem.records import Page

# Control characters and the ends of lines that are none of `\n` would move the cursor, or break one line into two.
_CONTROL = dict.fromkeys([*range(32), *range(127, 160), 0x2028, 0x2029], "\ufffd")
_CONTROL_IN_TEXT = {code: shown for code, shown in _CONTROL.items() if code not in (9, 10)}
_CONTROL_IN_JSON = {code: f"\\u{code:04x}" for code in (*range(127, 160), 0x2028, 0x2029)}
_ONE_LINE = {**_CONTROL, 9: " ", 10: " ", 13: " "}


def is_terminal() -> bool:
    """Whether a person reads stdout as it is written."""
    return _look_at(sys.stdout)[0]


def has_colour() -> bool:
    """Whether stdout takes colour: a terminal, and nobody has said NO_COLOR."""
    return _look_at(sys.stdout)[1]


@lru_cache(1)
def _look_at(stream: TextIO) -> tuple[bool, bool]:
    """Whether a stream is a terminal, and takes colour. Kept, since it is asked for each word."""
    terminal = stream.isatty()
    return terminal, terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def find_width() -> int | None:
    """The columns that a line may take; None where lines are not to be broken."""
    width = shutil.get_terminal_size((0, 0)).columns
    return max(width, 20) if width else None


def wrap_words(text: str, indent: str) -> Iterator[str]:
    """The text behind an indent, broken between words where the width does not hold it; styles count for nothing."""
    width = find_width()
    line = indent
    for word in text.split(" "):
        longer = f"{line} {word}" if line != indent else line + word
        if width and line != indent and len(click.unstyle(longer)) > width:
            yield line
            longer = indent + word
        line = longer
    yield line


def paint(text: str, style: str) -> str:
    """The text in the style of its role (label, id, dim, good, bad, match) where stdout takes colour."""
    if not text or not has_colour():
        return text
    match style:
        case "label":
            return click.style(text, bold=True)
        case "id":
            return click.style(text, fg="cyan")
        case "good":
            return click.style(text, fg="green")
        case "bad":
            return click.style(text, fg="red")
        case "match":
            return click.style(text, fg="yellow", bold=True)
    return click.style(text, dim=True)


def choose_brush() -> Callable[[str, str], str]:
    """`paint`, or what leaves texts as they are where stdout takes no colour: for very many lines."""
    return paint if has_colour() else _leave_plain


def _leave_plain(text: str, style: str) -> str:
    return text


def paint_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with the parts between those characters, in order, marked as what was looked for."""
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts += text[done:start], paint(text[start:end], "match")
        done = end
    return "".join(parts) + text[done:]


def clean_label(text: str) -> str:
    """A label on one line, with nothing in it that a terminal obeys."""
    return text.translate(_ONE_LINE) if not text.isprintable() else text


def clean_text(text: str) -> str:
    """A text of several lines with nothing in it that a terminal obeys; into a pipe it goes as it is."""
    return text.translate(_CONTROL_IN_TEXT) if is_terminal() else text


def print_lines(lines: Iterable[str]) -> None:
    """Lines of data to stdout, in one piece."""
    text = "\n".join(lines)
    if text:
        click.echo(text, color=True)  # what is painted is painted for this stream


def print_page(page: Page[Any]) -> None:
    """A page as its text, which says what is left out and how to go on."""
    print_lines([clean_text(page.text)])


def print_json(value: object) -> None:
    """One line of JSON to stdout."""
    print_data(dump_json(value), json=True)


def print_data(data: bytes, *, json: bool) -> None:
    """What is written to files as well, in UTF-8; on a terminal without anything in it that a terminal obeys."""
    if is_terminal():
        text = data.decode("utf-8")
        data = (text.translate(_CONTROL_IN_JSON) if json else clean_text(text)).encode("utf-8")
    click.echo(data, nl=False)


def say(text: str) -> None:
    """A line of talk to stderr."""
    click.echo(clean_label(text), err=True)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, named: bool = False) -> None:
    """A table: ruled, with headers, on a terminal; aligned columns otherwise, with headers only where they are `named`,
    since their numbers say nothing without."""
    if not rows:
        return
    if is_terminal():
        _print_ruled(headers, rows)
        return
    rows = [headers, *rows] if named else rows
    widths = [max(len(row[column]) for row in rows) for column in range(len(headers))]
    print_lines("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def _print_ruled(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*headers, box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 file`, `1 234 files`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}".replace(",", " ")
