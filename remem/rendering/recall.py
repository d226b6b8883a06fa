"""A recalled context as text: sections with where they stand and why they are there, packed into a budget of tokens.
Whole sections or none; only the first is cut where it alone is too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from remem.ingest.tokens import count_tokens
from remem.records import Crumb, Recall, RecallItem
from remem.rendering.budget import cut_text, shorten_text
from remem.rendering.lines import show_crumbs, show_label, show_name, show_place

NOTHING = "nothing found"
CUT = "… (cut)"
NAMED = 3
"""So many of what is left out are named."""
SHARE_OF_REST = 5
"""What is said below the sections takes no more than this part of a budget."""


def pack_recall(candidates: Sequence[RecallItem], budget: int, notes: Sequence[str]) -> Recall:
    """The candidates from the best on, as far as they fit; a later one may fit where an earlier did not."""
    room = budget - budget // SHARE_OF_REST
    items: list[RecallItem] = []
    left: list[RecallItem] = []
    used = 0
    for item in candidates:
        cost = count_tokens(render_item(item) + "\n\n")
        if used + cost <= room:
            items.append(item)
            used += cost
        elif not items and not left:
            items.append(_cut_item(item, room))
            used = room
        else:
            left.append(item)
    return _compose(items, left, budget, notes)


def render_item(item: RecallItem) -> str:
    """`## Label [kind] id`, where it stands and why it is there, an empty line, the text."""
    crumbs = show_crumbs(crumb.label for crumb in item.breadcrumb)
    place = " · ".join(filter(None, (show_place(item.root, item.source), crumbs, show_label(item.reason))))
    head = f"## {show_name(item.label, item.kind, item.id)}"
    return f"{head}\n{place}\n\n{item.text}" if place else f"{head}\n\n{item.text}"


def _cut_item(item: RecallItem, room: int) -> RecallItem:
    def compose(start: str) -> str:
        return render_item(replace(item, text=start + CUT)) + "\n\n"

    text = cut_text(item.text, compose, room) + CUT
    return replace(item, text=text, tokens=count_tokens(text), truncated=True)


def _compose(items: list[RecallItem], left: Sequence[RecallItem], budget: int, notes: Sequence[str]) -> Recall:
    lines = [show_label(note) for note in notes]
    if left:
        names = ", ".join(f"{show_label(item.label)} ({item.id})" for item in left[:NAMED])
        more = f" and {len(left) - NAMED} more" if len(left) > NAMED else ""
        lines.insert(0, f"… left out: {names}{more}")
    rest = shorten_text("\n".join(lines), max(8, budget // SHARE_OF_REST - 8)) if lines else ""
    text = "\n\n".join(filter(None, (*map(render_item, items), rest))) or NOTHING
    if count_tokens(text) > budget:
        text = shorten_text(text, budget)
    crumbs = tuple(Crumb(item.id, item.label) for item in left)
    return Recall(tuple(items), text, count_tokens(text), crumbs, tuple(notes))
