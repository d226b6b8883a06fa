"""Filters by the source of memories."""

from __future__ import annotations

import pytest

from remem.engine.sync import RememSync

SOURCES = {"a": "crew/Session-1", "b": "CREW", "c": "crew", "d": "crewmen/notes.md", "e": "", "f": "Jörg\\Übung"}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["crew"], "abc"), (["CREW"], "abc"), (["crew/"], "a"), (["crew/session-1"], "a"), (["Session-1"], "a"),
        (["./Crew\\Session-1"], "a"), (["ession-1"], ""), (["notes"], "d"), (["notes.md", "CREW"], "abcd"),
        (["jörg"], "f"), (["jo\u0308rg/ÜBUNG"], "f"), (["%", "*"], ""), ([""], "e"), (["", "notes"], "de"),
        ([], "abcdef"),
    ],
)  # fmt: skip
def test_memories_are_found_by_the_end_or_the_folder_of_their_source_in_any_case(
    remem: RememSync, wanted: list[str], found: str
) -> None:
    for id, source in SOURCES.items():
        remem.store(f"walrus {id}", id=id, source=source, tags=["walrus"])
    expected = set(found)
    assert {memory.id for memory in remem.memories(limit=50, tags=["walrus"], sources=wanted)} == expected
    if "" in wanted:
        return  # a search has no such filter
    hits = remem.search("walrus", "keyword", limit=50, kinds=["memory"], sources=wanted)
    assert {hit.id for hit in hits} == expected
    assert {item.id for item in remem.recall("walrus", sources=wanted) if item.kind == "memory"} <= expected
