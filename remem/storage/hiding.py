"""Hides nodes from a reading connection for the rest of its transaction. Does not decide which, and writes nothing to
the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

ALLOW_TEMPORARY = "PRAGMA query_only = OFF"
FORBID_WRITES = "PRAGMA query_only = ON"
CREATE_HIDDEN = """
CREATE TEMP TABLE hidden_nodes AS
SELECT value AS key
FROM json_each(:keys)
"""
# It stands before the table of that name for every statement of the connection.
CREATE_VIEW = """
CREATE TEMP VIEW nodes AS
SELECT *
FROM main.nodes
WHERE key NOT IN (SELECT key FROM temp.hidden_nodes)
"""
SELECT_HIDING = """
SELECT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE name = 'hidden_nodes')
"""


def hide_nodes(connection: Connection, keys: Sequence[int]) -> None:
    """Hides nodes (keys) from all that a reading connection does until its transaction ends, which takes the temporary
    view away again that stands before the table."""
    connection.execute(ALLOW_TEMPORARY)
    try:
        connection.execute(CREATE_HIDDEN, {"keys": json_list(keys)})
        connection.execute(CREATE_VIEW)
    finally:
        connection.execute(FORBID_WRITES)


def is_hiding(connection: Connection) -> bool:
    """Whether nodes are hidden from the connection in this transaction."""
    return bool(connection.execute(SELECT_HIDING).fetchone()[0])
