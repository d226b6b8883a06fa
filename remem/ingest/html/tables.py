"""Tables: cells as they come to a table of Markdown. Which cells there are is found by the walk."""

from __future__ import annotations

import re

_BACKSLASHED_PIPE = re.compile(r"\\(?=\|)")
_MAX_MISSING = 1 << 17
"""Cells that rows may lack; from twice as many on, the Markdown parser takes a table for text."""
_MAX_FILLED = 64
"""Only up to this column do cells that span others leave empty ones."""


class Table:
    """The rows of a table, with the anchors in each. A cell that spans columns is followed by empty ones."""

    def __init__(self) -> None:
        self.source = ""
        self.caption: list[str] = []
        self.rows: list[list[str]] = []
        self.anchors: list[list[str]] = []
        self._taken: dict[int, int] = {}

    def open_row(self, names: list[str]) -> None:
        """Begin a row that `names` lead to."""
        self.rows.append([])
        self.anchors.append(list(names))

    def add_cell(self, text: str, columns: str | None, rows: str | None, names: list[str]) -> None:
        """Add a cell with how many columns and rows it spans, as written."""
        if not self.rows:
            self.open_row([])
        row = self.rows[-1]
        self._skip_taken(row)
        width, height = _read_span(columns), _read_span(rows)
        if height > 1:
            for column in range(len(row), min(len(row) + width, _MAX_FILLED)):
                self._taken[column] = height - 1
        row.append(text)
        row += [""] * min(width - 1, _MAX_FILLED - len(row))
        self.anchors[-1] += names

    def close_row(self) -> None:
        """End a row."""
        if self.rows:
            self._skip_taken(self.rows[-1])

    def write(self) -> tuple[list[str], list[tuple[str, int]]]:
        """The lines of the table, the first row as its header, and the anchors with their lines. Nothing where no cell
        has text, nor where the Markdown parser would give up: many rows much shorter than the longest."""
        rows, names = self._find_kept()
        width = max(map(len, rows), default=0)
        if sum(width - len(row) for row in rows) > _MAX_MISSING:
            return [], []
        lines: list[str] = []
        anchors: list[tuple[str, int]] = []
        for row, found in zip(rows, names, strict=True):
            anchors += [(name, len(lines)) for name in found]
            if not lines:
                lines += [_write_row(row + [""] * (width - len(row))), "|" + "---|" * width]
            else:
                lines.append(_write_row(row))
        return lines, anchors

    def list_rows(self) -> list[tuple[str, list[str]]]:
        """Each row that has text as one line, and its anchors."""
        rows, names = self._find_kept()
        return [(" | ".join(filter(None, row)), found) for row, found in zip(rows, names, strict=True)]

    def list_names(self) -> list[str]:
        """All anchors."""
        return [name for names in self.anchors for name in names]

    def _find_kept(self) -> tuple[list[list[str]], list[list[str]]]:
        """The rows that have text; each with the anchors of the empty ones before it, the last with those after it."""
        rows: list[list[str]] = []
        names: list[list[str]] = []
        waiting: list[str] = []
        for row, own in zip(self.rows, self.anchors, strict=True):
            waiting += own
            if any(row):
                rows.append(row)
                names.append(waiting)
                waiting = []
        if rows:
            names[-1] += waiting
        return rows, names

    def find_single(self) -> str | None:
        """The text of the only cell with text, None where there are none or several."""
        cells = [cell for row in self.rows for cell in row if cell]
        return cells[0] if len(cells) == 1 else None

    def _skip_taken(self, row: list[str]) -> None:
        while self._taken.get(len(row)):
            self._taken[len(row)] -= 1
            row.append("")


def _write_row(row: list[str]) -> str:
    return "|" + "|".join(f" {_escape_pipes(cell)} " if cell else "  " for cell in row) + "|"


def _escape_pipes(cell: str) -> str:
    if "|" not in cell:
        return cell
    return _BACKSLASHED_PIPE.sub(r"\\ ", cell).replace("|", r"\|")


def _read_span(written: str | None) -> int:
    number = (written or "").strip()
    return max(int(number), 1) if number.isdecimal() and len(number) < 7 else 1
