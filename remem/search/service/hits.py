"""Hits of a search as callers see them: the best block of a passage, the matching part, the parts of the score."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remem.ingest.labels import find_label
from remem.ingest.plain import render_plain
from remem.ingest.syntax import BARE_PIPE, DELIMITER_ROW, FENCE, FRONT_FENCE
from remem.records import Crumb, PathStep, SearchExplanation, SearchHit, SearchQuery, SearchRequest
from remem.search.escapes import blank_escapes
from remem.search.fusion import Fused
from remem.search.snippets import Match, Matcher, cut_snippet
from remem.storage import passages as passage_rows
from remem.storage.passages import Block, PassagePlace

if TYPE_CHECKING:
    from sqlite3 import Connection

OF_SECTIONS = frozenset(("document", "heading"))
"""Kinds that a filter looks for in sections alone."""
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--|-->|<![^<>]*>|<\?[^<>]*>")


@dataclass(frozen=True, slots=True)
class Found:
    """A section by its best passage: the final score (0 to 1) and its parts (see `SearchExplanation`), and how it came
    where its text did not bring it."""

    place: PassagePlace
    score: float
    parts: Fused
    use: float = 1.0
    text: float = 0.0
    activation: float = 0.0
    reason: str = ""
    via: tuple[PathStep, ...] = ()


def show_hits(
    connection: Connection, query: SearchQuery, found: Sequence[Found], request: SearchRequest
) -> tuple[SearchHit, ...]:
    """The hits as callers see them, in their order."""
    matcher = Matcher(query.terms)
    blocks = passage_rows.load_blocks(connection, [item.place.key for item in found])
    crumbs = passage_rows.load_breadcrumbs(connection, {item.place.section for item in found})
    return tuple(
        _show_hit(matcher, item, blocks[item.place.key], crumbs.get(item.place.section, ()), request) for item in found
    )


def _show_hit(
    matcher: Matcher,
    item: Found,
    blocks: Sequence[Block],
    crumbs: Sequence[tuple[str, str]],
    request: SearchRequest,
) -> SearchHit:
    place = item.place
    block = _choose_block(matcher, blocks, _list_shown(place.kind, request.kinds))
    snippet, spans = _show_block(matcher, block)
    explanation = None
    if request.explain:
        texts = [*(block.content for block in blocks), place.label or "", *(label for _, label in crumbs)]
        explanation = _explain_score(matcher, texts, item)
    return SearchHit(
        id=place.section_id,
        kind=place.kind,
        label=show_label(place),
        root=place.root,
        source=place.source,
        breadcrumb=tuple(Crumb(id, label) for id, label in crumbs),
        score=round(item.score, 6),
        snippet=snippet,
        spans=spans,
        block_id=block.id,
        tokens=place.tokens,
        explanation=explanation,
        reason=item.reason,
        via=item.via,
    )


def show_label(place: PassagePlace) -> str:
    """The label of a passage's section, as it is shown everywhere."""
    return find_label(place.label, place.kind, place.opening)


def _list_shown(kind: str, kinds: Sequence[str] | None) -> Sequence[str] | None:
    """The kinds of blocks to choose from (None: all) in a section of a kind, where some kinds are asked for."""
    return None if kinds is None or kind in kinds else [asked for asked in kinds if asked not in OF_SECTIONS]


def _choose_block(matcher: Matcher, blocks: Sequence[Block], kinds: Sequence[str] | None) -> Block:
    """The block that holds most of the terms, among those of the kinds asked for; headings last."""
    chosen = [block for block in blocks if kinds is None or block.kind in kinds] or blocks
    if len(chosen) == 1:
        return chosen[0]
    values = [(len(matcher.count_terms(block.content)), bool(block.content) and not block.is_title) for block in chosen]
    return chosen[values.index(max(values))]


def _show_block(matcher: Matcher, block: Block) -> tuple[str, tuple[tuple[int, int], ...]]:
    text = show_plain(block.kind, block.content)
    matches = matcher.find(text)
    if not matches:
        # What matched may be what a reader does not see: an address, a parameter.
        raw = " ".join(block.content.split())
        hidden: list[Match] = matcher.find(raw)
        text, matches = (raw, hidden) if hidden else (text, [])
    return cut_snippet(text, matches)


def show_plain(kind: str, content: str) -> str:
    """The text of a block on one line, without its markup."""
    if kind == "code":
        text = " ".join(line for line in content.split("\n") if not FENCE.fullmatch(line))
    elif kind == "kv":
        text = " ".join(line for line in blank_escapes(content).split("\n") if not FRONT_FENCE.fullmatch(line))
    elif kind == "html":
        text = html.unescape(_TAG.sub(" ", content))
    elif kind == "table":
        text = "; ".join(_show_row(line) for line in content.split("\n") if not DELIMITER_ROW.fullmatch(line))
    else:
        text = render_plain(content)
    return " ".join(text.split())


def _show_row(line: str) -> str:
    cells = [render_plain(cell.replace("\\|", "|").strip()) for cell in BARE_PIPE.split(line)]
    return ", ".join(cell for cell in cells if cell)


def _explain_score(matcher: Matcher, texts: Iterable[str], item: Found) -> SearchExplanation:
    held = {term for text in texts for term in matcher.count_terms(text)}
    shown = [" ".join(term.words) + ("*" if term.prefix else "") for term in matcher.terms]
    matched = tuple(word for index, word in enumerate(shown) if index in held)
    missed = tuple(word for index, word in enumerate(shown) if index not in held)
    parts = item.parts
    return SearchExplanation(
        parts.bm25, matched, missed, parts.keyword, parts.cosine, parts.semantic, item.use, item.text, item.activation
    )
