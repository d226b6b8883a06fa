"""The Markdown text of a page while it is written: blocks in lists and quotes, where anchors lead. It reads no HTML."""

from __future__ import annotations

from collections.abc import Sequence

from remem.ingest.html.marks import write_anchors

MAX_CONTAINERS = 12
"""Lists and quotes nested deeper than this are written as if they were not there."""
_MAX_NUMBER = 999_999_999


class Container:
    """An open list, item, term (an item of a list of definitions) or quote. `first` stands before its first line,
    `rest` before all others. `bullet` is the mark of a list's items, `ended` that of the list that ended last in it."""

    __slots__ = ("begun", "bullet", "ended", "first", "kind", "number", "rest")

    def __init__(self, kind: str, first: str = "", rest: str = "") -> None:
        self.kind = kind
        self.first = first
        self.rest = rest
        self.begun = False
        self.bullet = ""
        self.ended = ""
        self.number: int | None = None


class Unit:
    """A block of the top level: its lines, and the anchors of each as (name, number of the line)."""

    __slots__ = ("anchors", "lines", "sources")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.anchors: list[tuple[str, int]] = []
        self.sources: list[tuple[int, str]] = []


class Sheet:
    """Takes blocks in order, each as its lines. Anchors that were noted lead to the next block."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.anchors: list[str] = []
        self._stack: list[Container] = []
        self._page = Container("page")
        self._below: Container | None = None
        """The container of the block before, if that was a paragraph."""

    def open(self, container: Container) -> int:
        """Open a container; the height to give to `close`."""
        height = len(self._stack)
        if height < MAX_CONTAINERS:
            self._stack.append(container)
        return height

    def close(self, height: int) -> None:
        """Close all that was opened since."""
        while len(self._stack) > height:
            closed = self._stack.pop()
            if closed.kind == "list" and closed.begun:
                self._top().ended = closed.bullet

    def open_list(self, number: int | None = None) -> int:
        """Open a list, numbered from `number` on or with bullets."""
        container = Container("list")
        container.number = None if number is None else min(max(number, 0), _MAX_NUMBER)
        marks = "-*" if number is None else ".)"
        container.bullet = marks[self._top().ended == marks[0]]
        return self.open(container)

    def open_item(self, kind: str = "item") -> int:
        """Open an item where a list is the innermost container; otherwise nothing is opened."""
        top = self._top()
        if top.kind != "list":
            return len(self._stack)
        mark = top.bullet if top.number is None else f"{min(top.number, _MAX_NUMBER)}{top.bullet}"
        return self.open(Container(kind, mark + " ", " " * (len(mark) + 1)))

    def is_in_item(self) -> bool:
        """Whether the innermost container is an item."""
        return self._top().kind == "item"

    def close_term(self) -> None:
        """Close the term that is the innermost container, if one is."""
        if self._top().kind == "term":
            self.close(len(self._stack) - 1)

    def add(
        self, lines: Sequence[str], source: str = "", *, anchors: Sequence[tuple[str, int]] = (), kind: str = ""
    ) -> None:
        """Add a block. `source` is how its text begins, to find its line in the file by; `anchors` are those within
        it, each with the number of its line. `kind` tells a paragraph, which may stand right below a term."""
        height = len(self._stack)
        if self._top().kind == "list":
            self.open_item()
        begins = self._begin_block(kind)
        unit, start = self.units[-1], len(self.units[-1].lines)
        unit.sources.append((start, source))
        rest = "".join(container.rest for container in self._stack)
        unit.lines.append(begins + lines[0])
        unit.lines += [rest + line if line else rest.rstrip() for line in lines[1:]]
        unit.anchors += [(name, start) for name in self.anchors]
        unit.anchors += [(name, start + line) for name, line in anchors]
        self.anchors.clear()
        self._top().ended = ""
        self._below = self._top() if kind == "text" else None
        if self._stack:
            self.close(height)

    def finish(self) -> tuple[str, list[tuple[int, str]]]:
        """The text, and the line (from 1, lines of anchors not counted) and the beginning of each block."""
        if self.anchors and self.units:
            last = self.units[-1]
            last.anchors += [(name, max(len(last.lines) - 1, 0)) for name in self.anchors]
        parts: list[str] = []
        sources: list[tuple[int, str]] = []
        seen: set[str] = set()
        line = 1
        for unit in self.units:
            parts += write_anchors(_drop_repeats(unit.anchors, seen))
            parts += unit.lines
            parts.append("")
            sources += [(line + start, source) for start, source in unit.sources]
            line += len(unit.lines) + 1
        return "\n".join(parts), sources

    def _top(self) -> Container:
        return self._stack[-1] if self._stack else self._page

    def _begin_block(self, kind: str) -> str:
        """Write the blank line before a block where there must be one; what stands before its first line."""
        stack = self._stack
        if not stack or not stack[0].begun:
            self.units.append(Unit())
        elif not self._is_tight(kind):
            common = "".join(container.rest for container in stack if container.begun)
            self.units[-1].lines.append(common.rstrip())
        first = "".join(container.rest if container.begun else container.first for container in stack)
        for index, container in enumerate(stack):
            if not container.begun and container.kind in ("item", "term") and stack[index - 1].number is not None:
                stack[index - 1].number = (stack[index - 1].number or 0) + 1
            container.begun = True
        return first

    def _is_tight(self, kind: str) -> bool:
        """Whether a block stands right below the line before it: a new item in its list, a list or definition below
        the text of its item."""
        new = next((index for index, container in enumerate(self._stack) if not container.begun), -1)
        if new < 0:
            return kind == "text" and self._stack[-1].kind == "term" and self._below is self._stack[-1]
        container = self._stack[new]
        if container.kind in ("item", "term"):
            return True
        return container.kind == "list" and container.number in (None, 1) and self._below is self._stack[new - 1]


def _drop_repeats(anchors: Sequence[tuple[str, int]], seen: set[str]) -> list[tuple[str, int]]:
    """The anchors whose names were not seen before: the first of several is the one that is meant."""
    kept = []
    for name, line in anchors:
        if name not in seen:
            seen.add(name)
            kept.append((name, line))
    return kept
