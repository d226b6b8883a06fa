"""Labels of nodes that are no headings: the first meaningful words of a block, its markup removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remem.ingest.plain import render_plain
from remem.ingest.syntax import BARE_PIPE, DELIMITER_ROW, FENCE, FRONT_FENCE

if TYPE_CHECKING:
    from remem.records import NodeRow

MAX_LABEL = 80
_SCANNED = 600
"""Only so much of a block is looked at, in characters."""

_BLOCK_ID = re.compile(r"(?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
_COMMENT_MARKS = re.compile(r"<!--|-->|%%")
_HTML_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>|<![^<>]{0,300}>|<\?[^<>]{0,300}>")
_WORD = re.compile(r"\w")
_CALLOUT = re.compile(r"\[!([\w-]+)\][+-]?[ \t]*")
_TASK = re.compile(r"\[[^\]\n]\][ \t]+")


def block_label(kind: str, content: str) -> str:
    """The label of a block: at most 80 characters, cut between words where one ends, never inside a grapheme.

    Markup, bullets, block ids and link parameters are left out. A block without words gives its first characters.
    """
    head = content[:_SCANNED]
    if kind == "code":
        text = _read_code(head)
    elif kind == "kv":
        text = _read_lines(head, FRONT_FENCE)
    elif kind == "html":
        text = _HTML_TAG.sub(" ", _COMMENT_MARKS.sub(" ", head))
    elif kind == "table":
        text = _read_table(head)
    else:
        text = _read_markdown(head)
    return cut_label(text) or cut_label(head)


def find_label(label: str | None, kind: str, content: str | None) -> str:
    """The label of a node: the one that it has, or one made of what it says."""
    return label if label is not None else block_label(kind, content or "")


def label_row(row: NodeRow) -> str:
    """The label of a node row."""
    return find_label(row.label, row.kind, row.content)


def cut_label(text: str) -> str:
    """`text` on one line, at most 80 characters, cut after a word if one ends in the second half."""
    text = " ".join(text.split())
    if len(text) <= MAX_LABEL:
        return text
    space = text.rfind(" ", MAX_LABEL // 2, MAX_LABEL + 1)
    if space >= 0:
        return text[:space]
    return text[: find_grapheme_end(text, MAX_LABEL)]


def find_grapheme_end(text: str, limit: int) -> int:
    """The last grapheme border at or before `limit`; `limit` itself where the first grapheme is longer."""
    if text[: limit + 1].isascii():
        return limit
    import regex

    end = 0
    for match in regex.finditer(r"\X", text[: limit + 64]):
        if match.end() > limit:
            break
        end = match.end()
    return end or limit


def strip_block_id(text: str) -> str:
    """`text` without the ` ^id` at its end."""
    match = _BLOCK_ID.search(text, max(text.rfind("^") - 1, 0))
    return text[: match.start()].rstrip() if match else text


def _read_code(head: str) -> str:
    """The code without its fence, or the fence's language where nothing else is left."""
    return _read_lines(head, FENCE) or head.strip("`~ \t\n")


def _read_lines(head: str, skipped: re.Pattern[str]) -> str:
    kept = [line for line in head.split("\n") if not skipped.fullmatch(line) and _WORD.search(line)]
    return " ".join(kept)


def _read_table(head: str) -> str:
    row = next((line for line in head.split("\n") if _WORD.search(line) and not DELIMITER_ROW.fullmatch(line)), "")
    cells = [_read_markdown(cell.replace("\\|", "|")).strip() for cell in BARE_PIPE.split(row)]
    return ", ".join(cell for cell in cells if cell)


def _read_markdown(head: str) -> str:
    """The rendered text of the first paragraphs, by the parser itself."""
    head = _BLOCK_ID.sub("", head) if "^" in head else head
    head = _COMMENT_MARKS.sub(" ", head) if "%%" in head else head
    text = render_plain(head)
    text = _CALLOUT.sub(r"\1 ", text, count=1) if text.startswith("[!") else text
    return _TASK.sub("", text, count=1) if text.startswith("[") else text
