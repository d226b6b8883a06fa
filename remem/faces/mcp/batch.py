"""The tool that reads several nodes at once: in order, as many as the budget holds. Reads nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remem.checks import check_int
from remem.errors import AmbiguousError, NotFoundError
from remem.faces import wire
from remem.faces.mcp.tools import Answer, Arguments, ToolCall
from remem.ingest.tokens import count_tokens, fits_limit
from remem.limits import MIN_BUDGET
from remem.reading.cursors import mark_request, read_cursor, write_cursor
from remem.rendering.budget import JOIN_SLACK, cut_text

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import NodeView, Page

GAP = "\n\n"
SHARE_OF_REST = 4
"""The line that names what is over budget takes no more than this part of it."""


async def fetch_batch(call: ToolCall, given: Arguments) -> Answer:
    """The texts of nodes, in the order in which they were asked for.

    What is missing is marked in its place; what is over budget is named, and comes with the cursor. A first node that
    alone is too long is cut, and goes on with a cursor of its own.
    """
    asked: tuple[str, ...] = given["node_ids"]
    mark = mark_request("fetch_batch", asked)
    start = 0
    if given["cursor"] is not None:
        (start,) = read_cursor(mark, given["cursor"], 1)
        start = check_int("cursor", start, 0, len(asked) - 1)
    batch = Batch(asked, mark, start, given["budget"])
    while batch.end < len(asked) and await _add_next(call.remem, batch):
        pass
    batch.drop_excess()
    return batch.show()


@dataclass
class Batch:
    """What was fetched so far: a text and a JSON shape for each of the nodes from `start` on."""

    asked: Sequence[str]
    mark: bytes
    start: int
    budget: int | None
    texts: list[str] = field(default_factory=list)
    shapes: list[wire.Json] = field(default_factory=list)

    @property
    def end(self) -> int:
        """The number of the next node."""
        return self.start + len(self.texts)

    def add(self, text: str, shape: wire.Json) -> None:
        """Takes the next node."""
        self.texts.append(text)
        self.shapes.append(shape)

    def find_room(self) -> int | None:
        """The tokens that the next node may have; None for any number."""
        if self.budget is None:
            return None
        if not self.texts and self.end + 1 == len(self.asked):
            return self.budget
        rest = self.name_rest(self.end + 1) or self.name_rest(self.end)
        return self.budget - count_tokens(GAP.join([*self.texts, "", rest])) - JOIN_SLACK

    def name_rest(self, end: int) -> str:
        """The line that tells what is over budget, "" where nothing is."""
        rest = self.asked[end:]
        if not rest:
            return ""
        cursor = write_cursor(self.mark, (end,))
        named = f"… over budget: {', '.join(rest)} (cursor {cursor})"
        short = self.budget is None or fits_limit(named, self.budget // SHARE_OF_REST)
        return named if short else f"… {len(rest)} more over budget (cursor {cursor})"

    def compose(self) -> str:
        """The whole text."""
        return GAP.join(part for part in (*self.texts, self.name_rest(self.end)) if part)

    def drop_excess(self) -> None:
        """Takes off the end what is over budget after all."""
        while self.budget is not None and len(self.texts) > 1 and not fits_limit(self.compose(), self.budget):
            self.texts.pop()
            self.shapes.pop()

    def show(self) -> Answer:
        """The answer."""
        rest = list(self.asked[self.end :])
        data: wire.Json = {"nodes": self.shapes, "over_budget": rest, "left_out": len(rest)}
        if rest:
            data["cursor"] = write_cursor(self.mark, (self.end,))
        return Answer(self.compose(), data)


async def _add_next(remem: Remem, batch: Batch) -> bool:
    """Adds the next node; False where it is over budget."""
    asked = batch.asked[batch.end]
    room = batch.find_room()
    is_narrow = room is not None and room < MIN_BUDGET
    if is_narrow and batch.texts:
        return False
    try:
        page = await remem.show(asked, 0, MIN_BUDGET if is_narrow else room)
    except (NotFoundError, AmbiguousError) as error:
        _add_mark(batch, error.code, error.message, room)
        return True
    if is_narrow and not fits_limit(page.text, max(room or 0, 1)):
        _add_mark(batch, "over_budget", f"{asked}: MemoryFetch reads it in parts", room)
        return False
    if page.left_out and batch.texts:
        return False
    batch.add(page.text, _show_part(asked, page))
    return not page.left_out


def _add_mark(batch: Batch, status: str, message: str, room: int | None) -> None:
    text = f"{status}: {message}"
    if room is not None and not fits_limit(text, room):
        text = cut_text(text, lambda start: start, max(room, 1))
    batch.add(text, {"asked": batch.asked[batch.end], "status": status, "message": text})


def _show_part(asked: str, page: Page[NodeView]) -> wire.Json:
    data: wire.Json = {"asked": asked, "status": "cut" if page.cursor else "ok", **wire.show_view(page.items[0])}
    del data["content"]
    if page.cursor is not None:  # goes on with MemoryFetch, depth 0
        data["cursor"] = page.cursor
    return data
