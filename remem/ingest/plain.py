"""Markdown to the text a reader sees, on one line. For labels; a document is parsed in `events`."""

from __future__ import annotations

import re
from typing import Any

import pyromark

from remem.ingest.syntax import SIZE
from remem.ingest.tokens import replace_surrogates

_OPTIONS = (
    pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_WIKILINKS
)
_PARAMETERS = re.compile(r"\s*;\s*(?:w|weight|source|id|type)\s*=[^;|]*")
_FOOTNOTE = re.compile(r"^([ \t>*+-]*)\[\^[^\]\s]+\]:[ \t]*|\[\^[^\]\s]+\]", re.MULTILINE)
_BREAK = re.compile(r"<br[\s/>]", re.IGNORECASE)
_BREAKING = frozenset(
    ("Paragraph", "List", "Item", "BlockQuote", "Heading", "CodeBlock", "HtmlBlock", "FootnoteDefinition")
)


def render_plain(text: str) -> str:
    """The words of `text` without markup: links as they are shown, code as it stands, HTML tags left out."""
    text = text if text.isascii() else replace_surrogates(text)
    text = _FOOTNOTE.sub(r"\1", text) if "[^" in text else text
    out: list[str] = []
    wiki = False
    sized = ""
    for event in pyromark.events(text, options=_OPTIONS):
        if isinstance(event, str):
            out.append(" ")
            continue
        for key, value in event.items():
            if key == "Start":
                out.append(" " if _name_tag(value) in _BREAKING else "")
                wiki = _is_bare_wiki(value)
                sized = _find_image(value) if wiki else ""
            elif key == "End":
                wiki, sized = False, ""
                out.append(" " if _name_tag(value) in _BREAKING else "")
            elif key in ("Text", "Code", "InlineMath", "DisplayMath"):
                shown = sized if sized and SIZE.fullmatch(str(value)) else str(value)
                out.append(strip_parameters(shown) if wiki else shown)
            elif key == "InlineHtml" and is_break(str(value)):
                out.append(" ")
    return "".join(out).strip()


def strip_parameters(target: str) -> str:
    """A link's target as shown: without `; key=value`."""
    return _PARAMETERS.sub("", target) if ";" in target else target


def is_break(tag: str) -> bool:
    """Whether an inline tag is a line break, which parts words."""
    return _BREAK.match(tag) is not None


def _name_tag(value: Any) -> str:
    return value if isinstance(value, str) else str(next(iter(value)))


def _find_image(value: Any) -> str:
    return str(value["Image"]["dest_url"]) if "Image" in value else ""


def _is_bare_wiki(value: Any) -> bool:
    data = value.get("Link") or value.get("Image") if isinstance(value, dict) else None
    return data is not None and isinstance(data["link_type"], dict)
