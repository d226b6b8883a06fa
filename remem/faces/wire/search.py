"""Answers of a search as JSON shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.faces.wire.graph import show_step
from remem.faces.wire.nodes import show_crumbs
from remem.faces.wire.values import Json, pick_fields

if TYPE_CHECKING:
    from remem.records import Recall, RecallItem, SearchHit, SearchPage, WorkState

_place_fields = pick_fields("id", "kind", "label", "root", "source")
_score_fields = pick_fields("bm25", "keyword", "cosine", "semantic", "use", "text", "activation")
_recalled_fields = pick_fields("score", "reason", "text", "tokens", "truncated", "continued")
_work_fields = pick_fields(
    *("embed", "discover", "waiting", "embedded", "active", "embedder", "problem", "mentions", "worker")
)
_searched_fields = pick_fields("passages", "nodes")


def show_search(page: SearchPage) -> Json:
    """`{hits, mode, notes, searched}`: best first; `notes` say what was not searched, `searched` how many passages and
    nodes were (null where the page is full)."""
    return {
        "hits": [show_hit(hit) for hit in page.items],
        "mode": page.mode,
        "notes": list(page.notes),
        "searched": None if page.searched is None else _searched_fields(page.searched),
    }


def show_hit(hit: SearchHit) -> Json:
    """One section that answers; `spans` are the matched words of its `snippet`, in characters; `reason` and the path
    `via` say how one came that was not found by its text."""
    shown: Json = {
        **_place_fields(hit),
        "breadcrumb": show_crumbs(hit.breadcrumb),
        "score": hit.score,
        "snippet": hit.snippet,
        "spans": [list(span) for span in hit.spans],
        "block_id": hit.block_id,
        "tokens": hit.tokens,
        "reason": hit.reason,
        "via": [show_step(step) for step in hit.via],
    }
    parts = hit.explanation
    if parts is not None:
        words = {"matched": list(parts.matched), "missed": list(parts.missed)}
        shown["explanation"] = {**words, **_score_fields(parts)}
    return shown


def show_recall(found: Recall) -> Json:
    """`{items, text, tokens, left_out, notes, cursor}`: whole sections within a budget; `text` is what a model reads,
    `cursor` goes on (null: all was told)."""
    return {
        "items": [show_recalled(item) for item in found.items],
        "text": found.text,
        "tokens": found.tokens,
        "left_out": show_crumbs(found.left_out),
        "notes": list(found.notes),
        "cursor": found.cursor,
    }


def show_recalled(item: RecallItem) -> Json:
    """One section in a recalled context, and why it is there."""
    return {**_place_fields(item), "breadcrumb": show_crumbs(item.breadcrumb), **_recalled_fields(item)}


def show_work(state: WorkState) -> Json:
    """The background work: texts that owe vectors or relations, those that wait for another attempt, the passages that
    are embedded, and what is the matter."""
    return _work_fields(state)
