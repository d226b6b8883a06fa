"""A recalled context as text: sections with where they stand and why they are there, packed into a budget of tokens.
Whole sections or none; only the first is cut where it alone is too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from remem.ingest.labels import MAX_LABEL
from remem.ingest.plain import render_plain
from remem.ingest.tokens import count_tokens, fits_limit
from remem.records import Crumb, Recall, RecallItem
from remem.rendering.budget import cut_text, find_word_end, shorten_text
from remem.rendering.lines import NOTHING, show_crumbs, show_label, show_name, show_place

CUT = "… (cut)"
NAMED = 3
"""So many of what is left out are named."""
LEAST_NOTE = 8
"""A note that has room for fewer tokens is not begun; the record has it."""
SHARE_OF_REST = 5
"""What is said below the sections takes no more than this part of a budget,"""
LEAST_REST = 34
"""and so many tokens at least: a cursor has room."""
LEAST_TEXT = 5
"""Tokens of a cut text that its head leaves room for."""


class RecallPage:
    """The sections that go in, from the best on, as far as they fit."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._rest = max(budget // SHARE_OF_REST, LEAST_REST)
        self._room = budget - self._rest
        self._items: list[RecallItem] = []
        self._texts: list[str] = []

    def add(self, item: RecallItem, *, first: bool) -> RecallItem | None:
        """Takes a section, and gives it as it goes in: cut where it is the `first` of all and too long. None where it
        does not fit; a later one may."""
        text = render_item(item)
        cost = count_tokens(text + "\n\n")
        if cost > self._room and not first:
            return None
        if cost > self._room:
            (item, text), cost = _cut_item(item, self._room), self._room
        self._room -= cost
        self._items.append(item)
        self._texts.append(text)
        return item

    def finish(
        self, left: Sequence[Crumb], notes: Sequence[str], cursor: str | None = None, nothing: str = NOTHING
    ) -> Recall:
        """The context, with the names of what did not fit, the cursor that goes on, and notes; `nothing` is said where
        nothing is in it."""
        room = self._rest - 4 if self._items else self._budget - 8
        rest = _tell_rest(left, cursor, room) or ("" if self._items else nothing)
        spare = room - count_tokens(rest) - 1
        if notes and spare >= LEAST_NOTE:
            rest = "\n".join(filter(None, (rest, shorten_text("\n".join(map(show_label, notes)), spare))))
        text = "\n\n".join(filter(None, (*self._texts, rest)))
        if count_tokens(text) > self._budget:
            body = "\n\n".join(self._texts)
            spare = self._budget - count_tokens("\n\n" + rest)
            text = f"{shorten_text(body, spare)}\n\n{rest}" if body else shorten_text(rest, self._budget)
        return Recall(tuple(self._items), text, count_tokens(text), tuple(left), tuple(notes), cursor)


def _tell_rest(left: Sequence[Crumb], cursor: str | None, room: int) -> str:
    """The first of what is left out by name, as many as `room` tokens hold, since half an id is none; how many more;
    the cursor."""
    onward = f" (cursor {cursor})" if cursor else ""
    for named in range(min(NAMED, len(left)), 0, -1):
        names = ", ".join(f"{show_label(crumb.label)} ({crumb.id})" for crumb in left[:named])
        more = f" and {len(left) - named} more" if len(left) > named else ""
        told = f"… left out: {names}{more}{onward}"
        if count_tokens(told) <= room:
            return told
    if left:
        return f"… {len(left)} left out{onward}"
    return f"… more is left out{onward}" if cursor else ""


def render_item(item: RecallItem) -> str:
    """`## Label [kind] id`, where it stands and why it is there, an empty line, the text. A label that only says how
    the text begins is left out."""
    crumbs = show_crumbs(crumb.label for crumb in item.breadcrumb)
    place = " · ".join(filter(None, (show_place(item.root, item.source), crumbs, show_label(item.reason))))
    head = _render_head(item, "" if _is_beginning(item) else item.label)
    return f"{head}\n{place}\n\n{item.text}" if place else f"{head}\n\n{item.text}"


def _render_head(item: RecallItem, label: str) -> str:
    return f"## {show_name(label, item.kind, item.id).lstrip()}" + (", continued" if item.continued else "")


def _is_beginning(item: RecallItem) -> bool:
    """Whether the label is the whole text or its first paragraph, or was cut from its beginning."""
    label, text = _fold(item.label), "" if item.continued else item.text.removesuffix(CUT)
    if label == _fold(text.partition("\n\n")[0]):
        return True
    return len(item.label) >= MAX_LABEL // 2 and _fold(text).startswith(label)


def _fold(text: str) -> str:
    return " ".join(render_plain(text).split()).casefold().rstrip(".")


def _cut_item(item: RecallItem, room: int) -> tuple[RecallItem, str]:
    """The start of an item, and as it is rendered. Where its head leaves no room, first the place goes, then the end of
    the label."""

    head: str | None = None

    def render(start: str) -> str:
        return render_item(replace(item, text=start + CUT)) if head is None else f"{head}\n\n{start}{CUT}"

    if not fits_limit(render(item.text[:1]) + "\n\n", room - LEAST_TEXT):
        head = _shorten_head(item, room - LEAST_TEXT - count_tokens(CUT))
    text = cut_text(item.text, lambda start: render(start) + "\n\n", room)
    if text == item.text:
        return item, render(text).removesuffix(CUT)
    text = text[: find_word_end(item.text, len(text))]
    cut = replace(item, text=text + CUT, tokens=count_tokens(text + CUT), truncated=True)
    return cut, render(text)


def _shorten_head(item: RecallItem, limit: int) -> str:
    heads = [_render_head(item, item.label), _render_head(item, "")]
    start = cut_text(show_label(item.label) or "…", lambda start: _render_head(item, start + "…"), limit)
    heads.insert(1, _render_head(item, start + "…"))
    return next((head for head in heads if fits_limit(head, limit)), shorten_text(heads[-1], limit))
