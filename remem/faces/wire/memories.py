"""Memories as JSON shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.faces.wire.nodes import show_rest
from remem.faces.wire.search import show_hit, show_search
from remem.faces.wire.values import Json, pick_fields, show_time
from remem.records import DEFAULT_IMPORTANCE

if TYPE_CHECKING:
    from remem.records import ExtractionReport, Forgotten, Memory, Page, SearchHit, SearchPage

LONGEST_TEXT = 1200
"""So many characters of a content stand where many are listed."""

_memory_fields = pick_fields(
    "id", "content", "memory_type", "importance", "source", "access_count", "pinned", "archived"
)
_node_fields = pick_fields("temperature", "kind", "label", "root", "tokens", "existing")
_entity_fields = pick_fields("id", "name", "type", "created")
_relationship_fields = pick_fields("source_id", "target_id", "relationship_type", "strength", "created")
_refused_fields = pick_fields("item", "reason")
_place_fields = pick_fields("id", "kind", "label", "root", "source")


def show_stored(memory: Memory) -> Json:
    """A memory with all its fields; `graph_extraction` only where entities came with the call."""
    shown = {
        **_memory_fields(memory),
        "tags": list(memory.tags),
        "metadata": dict(memory.metadata),
        "created_at": show_time(memory.created_at),
        "updated_at": show_time(memory.updated_at),
        "accessed_at": _show_moment(memory.accessed_at),
        "expires_at": _show_moment(memory.expires_at),
        **_node_fields(memory),
    }
    if memory.extraction is not None:
        shown["graph_extraction"] = _show_extraction(memory.extraction)
    return shown


def _show_moment(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else show_time(milliseconds)


def _show_extraction(report: ExtractionReport) -> Json:
    return {
        "entities": [_entity_fields(entity) for entity in report.entities],
        "relationships": [_relationship_fields(made) for made in report.relationships],
        "refused": [_refused_fields(item) for item in report.refused],
    }


def show_memories(page: Page[Memory]) -> Json:
    """`{memories, total, next_cursor}`."""
    return {"memories": [show_stored(memory) for memory in page], "total": page.total, "next_cursor": page.cursor}


def show_shortened(memory: Memory) -> Json:
    """A memory whose `content` is cut at 1200 characters; `truncated` says whether it was."""
    truncated = len(memory.content) > LONGEST_TEXT
    return {**show_stored(memory), "content": memory.content[:LONGEST_TEXT], "truncated": truncated}


def show_results(page: SearchPage, memories: Sequence[Memory | None]) -> Json:
    """`{results: [{memory, score, snippet, …}], total}`: hits with the memories that they found, in the same order; of
    one that is gone meanwhile, what the hit knows."""
    results = [_show_result(hit, memory) for hit, memory in zip(page.items, memories, strict=True)]
    return {"results": results, "total": page.total}


def show_found(page: SearchPage, memories: Sequence[Memory | None]) -> Json:
    """`{results, total, mode, notes, searched, left_out, cursor}`: the results, and what else a search tells."""
    told = {name: value for name, value in show_search(page).items() if name != "hits"}
    return show_results(page, memories) | told | show_rest(page)


def _show_result(hit: SearchHit, memory: Memory | None) -> Json:
    place = _place_fields(hit)
    told = {name: value for name, value in show_hit(hit).items() if name not in place}
    if memory is not None:
        return {"memory": show_shortened(memory), **told}
    gone = {**place, "content": hit.snippet, "importance": DEFAULT_IMPORTANCE, "truncated": True}
    return {"memory": gone, **told}


def show_forgotten(forgotten: Forgotten) -> Json:
    """`{success, message, id, hard, snapshot}`; of a node of a note also `mode`, and the ids of all nodes that are gone
    (`removed`) or rose (`lifted`)."""
    done = "removed for good" if forgotten.hard else "archived" if forgotten.mode is None else "forgotten"
    below = [f"{len(forgotten.removed) - 1} below it as well"] if len(forgotten.removed) > 1 else []
    risen = [f"{len(forgotten.lifted)} lifted"] if forgotten.lifted else []
    shown: Json = {
        "success": True,
        "message": ", ".join([f"{forgotten.id} is {done}", *below, *risen]),
        "id": forgotten.id,
        "hard": forgotten.hard,
        "snapshot": forgotten.snapshot,
    }
    if forgotten.mode is not None:
        shown |= {"mode": forgotten.mode, "removed": list(forgotten.removed), "lifted": list(forgotten.lifted)}
    return shown
