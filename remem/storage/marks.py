"""What tells that a store has changed, and roughly what: a few numbers and hashes that are read at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.records import ChangeMarks

if TYPE_CHECKING:
    from sqlite3 import Connection

# Texts change with a snapshot (a compile in slices keeps its id, but not its hash), edges with their log; a field of a
# memory and a relation that waits change with neither.
SELECT_MARKS = """
SELECT
    (SELECT s.id || ' ' || hex(s.state_hash) || ' ' || s.finished FROM snapshots AS s ORDER BY s.id DESC LIMIT 1),
    (SELECT max(seq) FROM graph_changes),
    (SELECT count(*) || ' ' || max(updated_at) FROM relations),
    (SELECT count(*) || ' ' || max(updated_at) FROM memories),
    (SELECT max(compiled_at) FROM roots),
    (SELECT max(at) || ' ' || sum(pinned) FROM usage),
    (SELECT count(*) || ' ' || sum(stamp) FROM jobs)
"""


def load_marks(connection: Connection) -> ChangeMarks:
    """The marks of what the store holds now."""
    *content, usage, work = connection.execute(SELECT_MARKS).fetchone()
    return ChangeMarks(repr(content), str(usage), str(work))
