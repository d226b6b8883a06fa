"""The head of a page as front matter: title, description, author, keywords as tags. It reads nothing of the body."""

from __future__ import annotations

import json
import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from remem.ingest.html.escape import collapse_space

_MAX_TAGS = 64
# What JSON leaves as it is and YAML does not take.
_UNPRINTED = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_TAG_SPACE = re.compile(r"\s+")


def write_head(page: LexborHTMLParser) -> list[str]:
    """The lines of the front matter, none where the head says nothing of it."""
    head = page.head
    if head is None:
        return []
    said = {"title": _read_title(head), **_read_metas(head)}
    lines = [f"{key}: {_quote(value)}" for key, value in said.items() if value and key != "keywords"]
    tags = [_TAG_SPACE.sub("-", word.strip()) for word in said.get("keywords", "").split(",")]
    tags = list(dict.fromkeys(tag.lstrip("#") for tag in tags if tag.strip("#-")))[:_MAX_TAGS]
    if tags:
        lines.append(f"tags: [{', '.join(map(_quote, tags))}]")
    return ["---", *lines, "---"] if lines else []


def find_base(page: LexborHTMLParser) -> str:
    """The address that relative ones are taken from, empty where the page names none."""
    head = page.head
    found = head.css_first("base[href]") if head is not None else None
    return (found.attributes.get("href") or "").strip() if found is not None else ""


def _read_title(head: LexborNode) -> str:
    found = head.css_first("title")
    return collapse_space(found.text()).strip(" ") if found is not None else ""


def _read_metas(head: LexborNode) -> dict[str, str]:
    said: dict[str, str] = {}
    for meta in head.css("meta[name][content]"):
        name = (meta.attributes.get("name") or "").strip().lower()
        if name in ("description", "author", "keywords"):
            said.setdefault(name, collapse_space(meta.attributes.get("content") or "").strip(" "))
    return said


def _quote(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNPRINTED.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
