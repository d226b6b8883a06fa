"""When the cold nodes were last told to an agent: one instant in `meta`, which all processes of a store share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_TOLD = """
SELECT CAST(value AS INTEGER)
FROM meta
WHERE key = 'cold_told'
"""
# An instant in the future stands while it is nearer than the pause: another process was a little ahead, or the clock
# was set back a little. One that is farther away was written under a wrong clock.
CLAIM_TELLING = """
INSERT INTO meta (key, value)
VALUES ('cold_told', CAST(:now AS TEXT))
ON CONFLICT (key) DO UPDATE
SET value = excluded.value
WHERE abs(CAST(meta.value AS INTEGER) - :now) >= :pause
"""


def load_told(connection: Connection) -> int | None:
    """When it was told last (milliseconds), None where never."""
    row = connection.execute(SELECT_TOLD).fetchone()
    return None if row is None else int(row[0])


def claim_telling(connection: Connection, now: int, pause: int) -> bool:
    """Notes that it is told now, unless that was done within the pause (milliseconds); whether it is to be told. Of
    several processes one alone gets true."""
    return connection.execute(CLAIM_TELLING, {"now": now, "pause": pause}).rowcount == 1
