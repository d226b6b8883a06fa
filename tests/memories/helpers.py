"""What tests of memories ask of a store again and again."""

from __future__ import annotations

from pathlib import Path

from remem.engine.sync import RememSync
from tests.usage.clock import Clock, look

SECOND = 1 / 86_400
"""One second in the days that the clock is turned by."""


def turn(clock: Clock, seconds: float) -> None:
    """Turns the clock on by seconds."""
    clock.turn(seconds * SECOND)


def count_snapshots(path: Path) -> int:
    """How many snapshots there are."""
    return int(look(path, "SELECT coalesce(max(id), 0) FROM snapshots")[0][0])


def read_state(path: Path) -> bytes:
    """The state hash of the newest snapshot."""
    return bytes(look(path, "SELECT state_hash FROM snapshots ORDER BY id DESC LIMIT 1")[0][0])


def list_ids(remem: RememSync, **filters: object) -> list[str]:
    """The ids of the memories in the order of the list."""
    return [memory.id for memory in remem.memories(limit=200, **filters)]  # type: ignore[arg-type]


def list_edges(remem: RememSync) -> set[tuple[str, str, str, str, float]]:
    """All edges: source, target, type, origin, weight."""
    edges = remem.export().edges
    return {(e.source_id, e.target_id, e.relationship_type, e.origin, e.weight) for e in edges}


def list_found(remem: RememSync, query: str) -> list[str]:
    """The ids of the hits of a search by words."""
    return [hit.id for hit in remem.search(query, mode="keyword")]
