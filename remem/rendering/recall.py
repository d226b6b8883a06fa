"""A recalled context as text: sections with where they stand and why they are there, packed into a budget of tokens.
Whole sections or none; only the first is cut where it alone is too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from remem.ingest.labels import MAX_LABEL
from remem.ingest.plain import render_plain
from remem.ingest.tokens import count_tokens
from remem.records import Crumb, Recall, RecallItem
from remem.rendering.budget import cut_text, shorten_text
from remem.rendering.lines import show_crumbs, show_label, show_name, show_place

NOTHING = "nothing found"
CUT = "… (cut)"
NAMED = 3
"""So many of what is left out are named."""
LEAST_NOTE = 4
"""A note that has room for fewer tokens is not begun; the record has it."""
SHARE_OF_REST = 5
"""What is said below the sections takes no more than this part of a budget."""


class RecallPage:
    """The sections that go in, from the best on, as far as they fit."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._room = budget - budget // SHARE_OF_REST
        self._items: list[RecallItem] = []

    def add(self, item: RecallItem, *, first: bool) -> RecallItem | None:
        """Takes a section, and gives it as it goes in: cut where it is the `first` of all and too long. None where it
        does not fit; a later one may."""
        cost = count_tokens(render_item(item) + "\n\n")
        if cost > self._room and not first:
            return None
        if cost > self._room:
            item, cost = _cut_item(item, self._room), self._room
        self._room -= cost
        self._items.append(item)
        return item

    def finish(self, left: Sequence[Crumb], notes: Sequence[str]) -> Recall:
        """The context, with the names of what did not fit, and notes."""
        room = self._budget - 8 if not self._items else max(8, self._budget // SHARE_OF_REST - 8)
        rest = _name_left(left, room) if left else "" if self._items else NOTHING
        spare = room - count_tokens(rest) - 1
        if notes and spare >= LEAST_NOTE:
            rest = "\n".join(filter(None, (rest, shorten_text("\n".join(map(show_label, notes)), spare))))
        text = "\n\n".join(filter(None, (*map(render_item, self._items), rest)))
        if count_tokens(text) > self._budget:
            text = shorten_text(text, self._budget)
        return Recall(tuple(self._items), text, count_tokens(text), tuple(left), tuple(notes))


def _name_left(left: Sequence[Crumb], room: int) -> str:
    """The first of what is left out by name, as many as `room` tokens hold, since half an id is none; how many more."""
    for named in range(min(NAMED, len(left)), 0, -1):
        names = ", ".join(f"{show_label(crumb.label)} ({crumb.id})" for crumb in left[:named])
        told = f"… left out: {names}" + (f" and {len(left) - named} more" if len(left) > named else "")
        if count_tokens(told) <= room:
            return told
    return f"… {len(left)} left out"


def render_item(item: RecallItem) -> str:
    """`## Label [kind] id`, where it stands and why it is there, an empty line, the text. A label that only says how
    the text begins is left out."""
    crumbs = show_crumbs(crumb.label for crumb in item.breadcrumb)
    place = " · ".join(filter(None, (show_place(item.root, item.source), crumbs, show_label(item.reason))))
    head = f"## {show_name('' if _is_beginning(item) else item.label, item.kind, item.id).lstrip()}"
    return f"{head}\n{place}\n\n{item.text}" if place else f"{head}\n\n{item.text}"


def _is_beginning(item: RecallItem) -> bool:
    """Whether the label is the whole text or its first paragraph, or was cut from its beginning."""
    label, text = _fold(item.label), item.text.removesuffix(CUT)
    if label == _fold(text.partition("\n\n")[0]):
        return True
    return len(item.label) >= MAX_LABEL // 2 and _fold(text).startswith(label)


def _fold(text: str) -> str:
    return " ".join(render_plain(text).split()).casefold().rstrip(".")


def _cut_item(item: RecallItem, room: int) -> RecallItem:
    def compose(start: str) -> str:
        return render_item(replace(item, text=start + CUT)) + "\n\n"

    text = cut_text(item.text, compose, room) + CUT
    return replace(item, text=text, tokens=count_tokens(text), truncated=True)
