"""Anchors: the headings and blocks of one document by what follows the `#` of a link. Which document a link means is
decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from remem.keys import exact_key, github_slug, strict_key
from remem.records import Outline, OutlineHeading

_SLUG_FORMS = ("markdown", "href")
_Span = tuple[int, int]
_EVERYWHERE = (-1, 1 << 62)


class AnchorMatch(NamedTuple):
    """The node that an anchor names; `ambiguous` and `stale` as in Resolution."""

    node: int
    ambiguous: bool = False
    stale: bool = False


class AnchorIndex:
    """Finds anchors in one outline. Built in time linear in the headings; a look-up costs the headings of one key."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._by_key: dict[str, list[OutlineHeading]] = {}
        for heading in outline.headings:
            self._by_key.setdefault(strict_key(heading.label), []).append(heading)

    def find(self, anchor: str, form: str = "wiki", below: int | None = None) -> AnchorMatch | None:
        """What the anchor names, or None.

        `A#B` is a heading B somewhere below a heading A, `^x` the block x. With `below` (a node key) only headings
        under that one count, and none where it is no heading. Links of the forms markdown and href follow GitHub among
        equal headings: the first carries the plain anchor.
        """
        block = anchor.rpartition("#")[2].strip()
        if block.startswith("^"):
            return self._find_block(block[1:].strip())
        span = _EVERYWHERE if below is None else self._by_node.get(below)
        if span is None:
            return None
        whole = self._match_key(anchor, [span]) if "#" in anchor else []
        if whole:
            return self._choose(anchor, whole, form)
        return self._find_nested([part for part in anchor.split("#") if part.strip()], span, form)

    def _find_block(self, block: str) -> AnchorMatch | None:
        node = self._outline.blocks.get(block)
        if node is None:
            node = self._blocks_by_key.get(strict_key(block))
        return None if node is None else AnchorMatch(node)

    def _find_nested(self, parts: Sequence[str], span: _Span, form: str) -> AnchorMatch | None:
        spans, stale, found = [span], False, None
        for part in parts:
            headings = self._match_key(part, spans) or self._match_slug(part, spans)
            if not headings and self._outline.html and len(parts) == 1 and (block := self._find_block(part)):
                return block
            if not headings:
                headings, stale = _inside(self._by_earlier.get(strict_key(part), ()), spans), True
            if not headings:
                return None
            found = self._choose(part, headings, form)
            spans = [(heading.position, heading.last) for heading in headings]
        return found and found._replace(stale=stale)

    def _match_key(self, part: str, spans: Sequence[_Span]) -> list[OutlineHeading]:
        return _inside(self._by_key.get(strict_key(part), ()), spans)

    def _match_slug(self, part: str, spans: Sequence[_Span]) -> list[OutlineHeading]:
        heading = self._by_slug.get(github_slug(part))
        return _inside([heading], spans) if heading else []

    def _choose(self, part: str, headings: Sequence[OutlineHeading], form: str) -> AnchorMatch:
        """Exact case first, then the first of the document."""
        if len(headings) > 1:
            exact = exact_key(part)
            headings = [heading for heading in headings if exact_key(heading.label) == exact] or headings
        if len(headings) > 1 and form in _SLUG_FORMS and self._by_slug.get(github_slug(part)) is headings[0]:
            headings = headings[:1]
        return AnchorMatch(headings[0].node, ambiguous=len(headings) > 1)

    @cached_property
    def _by_node(self) -> dict[int, _Span]:
        return {heading.node: (heading.position, heading.last) for heading in self._outline.headings}

    @cached_property
    def _by_slug(self) -> dict[str, OutlineHeading]:
        """Repeats get `-1`, `-2`, ... in order, the next number that is free."""
        slugs: dict[str, OutlineHeading] = {}
        repeats: dict[str, int] = {}
        for heading in self._outline.headings:
            base = slug = github_slug(heading.label)
            while slug in slugs:
                repeats[base] = repeats.get(base, 0) + 1
                slug = f"{base}-{repeats[base]}"
            slugs[slug] = heading
        slugs.pop("", None)
        return slugs

    @cached_property
    def _by_earlier(self) -> dict[str, list[OutlineHeading]]:
        earlier: dict[str, list[OutlineHeading]] = {}
        for heading in self._outline.headings:
            for key in dict.fromkeys(map(strict_key, heading.earlier)):
                earlier.setdefault(key, []).append(heading)
        return earlier

    @cached_property
    def _blocks_by_key(self) -> dict[str, int]:
        keys: dict[str, int] = {}
        for block, node in self._outline.blocks.items():
            keys.setdefault(strict_key(block), node)
        return keys


def _inside(headings: Iterable[OutlineHeading], spans: Sequence[_Span]) -> list[OutlineHeading]:
    """The headings strictly inside one of the spans; both are in document order, so one sweep decides."""
    inside, reach, at = [], -1, 0
    for heading in headings:
        while at < len(spans) and spans[at][0] < heading.position:
            reach = max(reach, spans[at][1])
            at += 1
        if heading.position <= reach:
            inside.append(heading)
    return inside
