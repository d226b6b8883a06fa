"""The salt of the store: what hashes of texts with secrets in them are made with. Made once, with random bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from remem.errors import StoreCorruptError

if TYPE_CHECKING:
    from sqlite3 import Connection

SALT_KEY = "redaction_salt"
SALT_BYTES = 16

SELECT_SALT = """
SELECT value
FROM meta
WHERE key = :key
"""
SAVE_SALT = """
INSERT INTO meta (key, value)
VALUES (:key, :salt)
ON CONFLICT (key) DO NOTHING
"""


def find_salt(connection: Connection) -> bytes | None:
    """The salt; None where none was made yet. Raises StoreCorruptError for one that is damaged."""
    row = connection.execute(SELECT_SALT, {"key": SALT_KEY}).fetchone()
    try:
        return None if row is None else bytes.fromhex(row[0])
    except ValueError:
        raise StoreCorruptError("the salt of the store is damaged: restore a backup") from None


def make_salt(connection: Connection) -> bytes:
    """The salt, made where there is none. Must run inside a write transaction."""
    connection.execute(SAVE_SALT, {"key": SALT_KEY, "salt": os.urandom(SALT_BYTES).hex()})
    return find_salt(connection) or b""
