"""The salt of the store: what hashes of texts with secrets in them are made with. Made once, with random bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from remem.errors import StoreCorruptError
from remem.storage import meta

if TYPE_CHECKING:
    from sqlite3 import Connection

SALT_KEY = "redaction_salt"
SALT_BYTES = 16


def find_salt(connection: Connection) -> bytes | None:
    """The salt; None where none was made yet. Raises StoreCorruptError for one that is damaged."""
    salt = meta.find_value(connection, SALT_KEY)
    try:
        return None if salt is None else bytes.fromhex(salt)
    except ValueError:
        raise StoreCorruptError("the salt of the store is damaged: restore a backup") from None


def make_salt(connection: Connection) -> bytes:
    """The salt, made where there is none. Must run inside a write transaction."""
    meta.add_value(connection, SALT_KEY, os.urandom(SALT_BYTES).hex())
    return find_salt(connection) or b""
