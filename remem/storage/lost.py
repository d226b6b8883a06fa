"""Statements of the doctor on documents whose row is gone while their nodes stand. Decides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_LOST = """
SELECT n.key, (SELECT min(m.text) FROM names AS m WHERE m.node = n.key AND m.kind = 'stem')
FROM nodes AS n
LEFT JOIN documents AS d ON d.node = n.key
WHERE n.kind = 'document'
  AND n.parent IS NULL
  AND d.node IS NULL
ORDER BY n.key
"""
SELECT_SETTINGS = """
SELECT settings
FROM documents
GROUP BY settings
ORDER BY count(*) DESC, settings
LIMIT 1
"""


class LostDocument(NamedTuple):
    """A document node without its row, and the stem of the file that it was made from (None: not known)."""

    node: int
    stem: str | None


def list_lost(connection: Connection) -> list[LostDocument]:
    """The documents whose row is gone."""
    return [LostDocument._make(row) for row in connection.execute(SELECT_LOST)]


def find_settings(connection: Connection) -> str | None:
    """What most documents were parsed under; None where there are none."""
    row = connection.execute(SELECT_SETTINGS).fetchone()
    return None if row is None else str(row[0])
