"""Triggers and views: the part of a database file that runs by itself, in whoever opens it. Refuses those of a store
that are not Remem's own. Changes nothing, and does not ask whether one is missing."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from remem.errors import StoreError
from remem.storage.sqlite import Connection

SELECT_PROGRAMS = """
SELECT type, name, sql
FROM sqlite_schema
WHERE type IN ('trigger', 'view')
"""
_PROGRAM = re.compile(r"^(CREATE (?:TRIGGER .*?^END|VIEW [^;]*));$", re.MULTILINE | re.DOTALL)


def check_programs(connection: Connection, path: str, own: tuple[Path, ...]) -> None:
    """Raises StoreError where the store has a trigger or view that stands in none of the `own` SQL files. A trigger of
    that name with another text is another."""
    known = _load_programs(own)
    for kind, name, text in connection.execute(SELECT_PROGRAMS).fetchall():
        if _fold(text or "") not in known:
            raise StoreError(
                f"store {path}: it holds the {kind} {str(name)[:80]!r}, which is none of Remem's, and was left"
                " untouched. Open stores of those alone whom you trust. What you added yourself, drop first.",
                path=path,
            )


@cache
def _load_programs(files: tuple[Path, ...]) -> frozenset[str]:
    texts = (path.read_text(encoding="utf-8") for path in files)
    return frozenset(_fold(program) for text in texts for program in _PROGRAM.findall(text))


def _fold(text: str) -> str:
    return " ".join(text.split())
