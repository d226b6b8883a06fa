"""Near-duplicates as discovery has found them: memories that discovered edges of at least 0.95 join. Reads no vectors,
so it knows nothing of those that discovery has not come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.graph.groups import join_pairs
from remem.records import MICRO, DuplicateGroup
from remem.storage import discovery

if TYPE_CHECKING:
    from sqlite3 import Connection

NEAR = 0.95
"""The cosine from which two memories count as near-duplicates."""


def group_alike(connection: Connection, threshold: float = NEAR) -> list[DuplicateGroup]:
    """Groups of living memories, oldest first. Linear in the discovered edges."""
    pairs = discovery.list_alike(connection, round(threshold * MICRO))
    ids = {pair.source: pair.source_id for pair in pairs} | {pair.target: pair.target_id for pair in pairs}
    groups = join_pairs((pair.source, pair.target, pair.weight / MICRO) for pair in pairs)
    return [DuplicateGroup(tuple(ids[node] for node in group), least) for group, least in groups]
