"""Connections as calls make them: a manual edge between two nodes that exist. `authoring` removes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.records import Edge
from remem.writing.authoring import relate_nodes
from remem.writing.relations import Target

if TYPE_CHECKING:
    from sqlite3 import Connection


def connect_nodes(connection: Connection, source: str, target: str, type: str, weight: float, now: int) -> Edge:
    """Makes or updates a manual edge; see `Remem.connect`."""
    made = relate_nodes(connection, source, Target(id=target), type, weight, now)
    return Edge(
        source_id=made.source_id,
        target_id=made.target_id or target,
        relationship_type=made.relationship_type,
        origin="manual",
        weight=made.weight,
        links=1,
        ambiguous=False,
        created_at=made.created_at,
        updated_at=made.updated_at,
    )
