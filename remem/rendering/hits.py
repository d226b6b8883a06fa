"""Search hits as text: best first, each with where it stands and the part that matches."""

from __future__ import annotations

from collections.abc import Sequence

from remem.records import Searched, SearchHit
from remem.rendering.lines import show_crumbs, show_label, show_name, show_place, show_searched


def render_hit(hit: SearchHit) -> str:
    """Two lines: `- 0.83 Label [kind] id root/path`, and `Document › Section: snippet`."""
    line = f"- {hit.score:.2f} {show_name(hit.label, hit.kind, hit.id)} {show_place(hit.root, hit.source)}".rstrip()
    crumbs = show_crumbs(crumb.label for crumb in hit.breadcrumb)
    told = ": ".join(part for part in (crumbs, show_label(hit.snippet)) if part)
    return line + (f"\n  {told}" if told else "")


def render_notes(searched: Searched | None, notes: Sequence[str]) -> str:
    """What was searched, and what was not and why, one line each; empty where there is nothing to say."""
    lines = [] if searched is None else [show_searched(searched)]
    return "\n".join([*lines, *(show_label(note) for note in notes)])
