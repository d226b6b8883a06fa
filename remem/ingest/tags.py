"""Tags (`#word`) in prose and in lists of tags. Code has been taken out before; nothing is compared or stored here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from remem.ingest.links import find_urls
from remem.keys import strict_key

# A tag begins a line, or follows white space or a mark after which a word may begin: not `C#`, `a/#x`, `color:#EEE`.
# Runs of ASCII letters, digits, `_`, `-`, `/` and of anything beyond ASCII; _trim_tag cuts the latter.
_TAG = re.compile(
    r"(?<![^\s(\[{*_~|>,;!\u00a1-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20])"
    r"#([\w/\-\x80-\U0010ffff]+)"
)
_HEX = re.compile(r"[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3}(?:[0-9a-fA-F]{2})?)?")
# Wiki-links, addresses of Markdown links, and HTML tags: a `#` in them is an anchor or a colour.
_HIDDEN = re.compile(r"\[\[[^\[\]\n]*\]\]|\]\([^()\n]*|<[A-Za-z/][^<>]*>")


def find_tags(text: str) -> list[str]:
    """The tags of a run of prose as written, without `#`, in order, each once (compared by `keys.strict_key`).

    No tags: what stands in URLs, links and HTML tags; all digits; 3, 6 or 8 hex digits that hold a digit; an escaped
    `\\#`; a `#` within or right after a word or another `#`.
    """
    if "#" not in text:
        return []
    hidden = _find_hidden(text)
    found: list[str] = []
    index = 0
    for match in _TAG.finditer(text):
        while index < len(hidden) and hidden[index][1] <= match.start():
            index += 1
        tag = _trim_tag(match[1])
        if _is_tag(tag) and not (index < len(hidden) and hidden[index][0] <= match.start()):
            found.append(tag)
    return list(drop_repeats(found))


def drop_repeats(texts: Iterable[str]) -> Iterator[str]:
    """The texts without those whose strict key came before."""
    seen: set[str] = set()
    for text in texts:
        key = strict_key(text)
        if key and key not in seen:
            seen.add(key)
            yield text


def _find_hidden(text: str) -> list[tuple[int, int]]:
    """The spans, disjoint and in order, in which a `#` begins no tag."""
    spans = find_urls(text)
    if "[[" in text or "](" in text or "<" in text:
        spans += [match.span() for match in _HIDDEN.finditer(text)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            start, end = merged[-1][0], max(end, merged.pop()[1])
        merged.append((start, end))
    return merged


def _trim_tag(tag: str) -> str:
    """The tag up to the first punctuation, control or space character beyond ASCII, without slashes at its end."""
    if not tag.isascii():
        for index, character in enumerate(tag):
            if character > "\x7f" and character != "\u200d" and unicodedata.category(character)[0] in "PZC":
                tag = tag[:index]
                break
    return tag.rstrip("/")


def _is_tag(tag: str) -> bool:
    if not tag or tag[0] in "/-" or tag.isdigit():
        return False
    if tag.isascii():
        return not (_HEX.fullmatch(tag) and not tag.isalpha()) and any(map(str.isalnum, tag))
    return any(unicodedata.category(character)[0] in "LNS" for character in tag)
