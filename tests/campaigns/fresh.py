"""Compares a store with `fresh(store)`, a new one of the same texts, however many memories it holds."""

from __future__ import annotations

import shutil
from pathlib import Path

from remem import Remem
from remem.records import Memory
from tests.writing.describe import describe, differences


def list_memories(path: Path) -> list[Memory]:
    """All living memories, oldest first."""
    with Remem.open_sync(path) as remem:
        page = remem.memories(200, order="asc")
        found = list(page)
        while page.cursor:
            page = remem.memories(200, cursor=page.cursor, order="asc")
            found += page
    return found


def find_differences(path: Path, folder: Path) -> list[str]:
    """What a store and a new one of its texts say differently; empty where they are equal. `folder` is made and
    removed."""
    folder.mkdir()
    try:
        memories = list_memories(path)
        with Remem.open_sync(path) as old:
            old.export_markdown(folder / "texts")
            roots = [root.name for root in old.roots() if root.documents]
        with Remem.open_sync(folder / "fresh.db") as new:
            for memory in memories:
                new.store(memory.content, id=memory.id, tags=memory.tags, source=memory.source)
            for root in roots:
                new.compile(folder / "texts" / root)
        return differences(describe(path), describe(folder / "fresh.db"))
    finally:
        shutil.rmtree(folder)
