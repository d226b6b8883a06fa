"""What nodes that are gone were called, and where they stood. Compares nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_NAMED = """
SELECT key, id, kind, label, root, source
FROM removed
WHERE kind = 'document'
   OR label IS NOT NULL
ORDER BY snapshot DESC, document, position
"""


class GoneNode(NamedTuple):
    """A removed node with a name of its own: a document, a heading, or what a call named."""

    key: int
    id: str
    kind: str
    label: str | None
    root: str
    source: str


def list_named(connection: Connection) -> Iterator[GoneNode]:
    """The removed nodes that have names, those that went last first."""
    return (GoneNode._make(row) for row in connection.execute(SELECT_NAMED))
