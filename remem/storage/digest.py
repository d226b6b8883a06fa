"""When the cold nodes were last told to an agent: one instant in `meta`, which all processes of a store share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.storage import meta

if TYPE_CHECKING:
    from sqlite3 import Connection

TOLD_KEY = "cold_told"

# An instant in the future stands while it is nearer than the pause: another process was a little ahead, or the clock
# was set back a little. One that is farther away was written under a wrong clock.
CLAIM_TELLING = """
INSERT INTO meta (key, value)
VALUES (:key, CAST(:now AS TEXT))
ON CONFLICT (key) DO UPDATE
SET value = excluded.value
WHERE abs(CAST(meta.value AS INTEGER) - :now) >= :pause
"""


def load_told(connection: Connection) -> int | None:
    """When it was told last (milliseconds), None where never."""
    return meta.find_number(connection, TOLD_KEY)


def claim_telling(connection: Connection, now: int, pause: int) -> bool:
    """Notes that it is told now, unless that was done within the pause (milliseconds); whether it is to be told. Of
    several processes one alone gets true."""
    return connection.execute(CLAIM_TELLING, {"key": TOLD_KEY, "now": now, "pause": pause}).rowcount == 1
