"""The colours of a picture in light and dark, and its style sheet. Draws nothing."""

from __future__ import annotations

KINDS = {
    "document": ("#4a68b8", "#7d97ea"),
    "heading": ("#93a8dd", "#5a6da6"),
    "memory": ("#d59a3a", "#e0ad58"),
    "entity": ("#55967a", "#6cb594"),
    "ghost": ("#a9a49a", "#6f727b"),
}
TYPES = {
    "related_to": ("#8a8f9c", "#8e94a3"),
    "caused_by": ("#c8703f", "#db8753"),
    "part_of": ("#5f8f6b", "#78ad85"),
    "references": ("#6d7fc4", "#8494dd"),
    "contradicts": ("#bf4f5a", "#dc6f79"),
    "supports": ("#3f9a8a", "#57b7a6"),
    "similar_to": ("#a678b4", "#bd92ca"),
    "derived_from": ("#9a8348", "#b89f5e"),
}
BASE = {
    "ground": ("#faf9f6", "#15171c"),
    "ink": ("#24262b", "#e4e5e9"),
    "soft": ("#6a6e78", "#9a9fab"),
    "edge": ("#e6e3dc", "#2c3038"),
    "raised": ("#ffffff", "#1d2026"),
    "accent": ("#5b6bd6", "#8c9bf5"),
}
DASHES = {"manual": "", "parsed": "", "discovered": "6 4", "mentioned": "2 4"}
"""How an edge's origin is drawn: those that somebody wrote are whole lines."""

_RULES = """
svg{background:var(--ground);
font-family:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.edge{fill:none;stroke-opacity:.8}
.weight{font-size:10px;fill:var(--soft);text-anchor:middle}
.name{font-size:12.5px;fill:var(--ink);unicode-bidi:plaintext}
.anchor .name{font-weight:650;font-size:14px}
.name,.weight,.key{paint-order:stroke;stroke:var(--ground);stroke-width:3.5px;stroke-linejoin:round}
.key{font-size:11.5px;fill:var(--soft)}
.node circle{stroke:var(--ground);stroke-width:1.5}
.anchor circle.ring{fill:none;stroke:var(--accent);stroke-width:2}
.ghost circle{fill:var(--ground);stroke:var(--kind-ghost);stroke-width:2}
"""


def make_style() -> str:
    """The style sheet: dark where the reader's system is."""
    return f":root{{{_list(0)}}}@media(prefers-color-scheme:dark){{:root{{{_list(1)}}}}}{_RULES}"


def _list(mode: int) -> str:
    named = {**BASE, **{f"kind-{kind}": colours for kind, colours in KINDS.items()}}
    named |= {f"type-{name}": colours for name, colours in TYPES.items()}
    return "".join(f"--{name}:{colours[mode]};" for name, colours in named.items())
