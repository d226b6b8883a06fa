"""Mentions as text: who names whom, how, and how many do."""

from __future__ import annotations

from remem.records import Mention
from remem.rendering.lines import show_count, show_label, show_number, show_place


def render_mention(mention: Mention) -> str:
    """`- Label id names Other id2 as "other" 0.295 (2 texts) in root/path`."""
    told = f"- {show_label(mention.source_label)} {mention.source_id} names {show_label(mention.target_label)}"
    told += f' {mention.target_id} as "{show_label(mention.name)}" {show_number(mention.weight)}'
    place = show_place(mention.root, mention.path)
    return f"{told} ({show_count(mention.texts, 'text')})" + (f" in {place}" if place else "")
