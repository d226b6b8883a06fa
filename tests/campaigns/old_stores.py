"""Stores of earlier versions. `tests/data/old/v7.db` was written by a Remem of that version; still older ones are made
here of the rows of a newer one and the migrations up to their version."""

from __future__ import annotations

import argparse
from pathlib import Path

from remem.storage import migrate
from remem.storage.sqlite import Connection, choose

OLD = Path(__file__).resolve().parents[1] / "data" / "old" / "v7.db"
VERSIONS = range(1, 8)
"""The versions that a store can be made of."""
MENTIONS_SINCE = 6
PAGE_SIZE = 512
"""Small pages make a small file: it has more tables than rows."""

SELECT_TABLES = "SELECT name FROM {0}.sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
SELECT_COLUMNS = "SELECT name FROM pragma_table_xinfo('{1}', '{0}')"
SELECT_TRIGGERS = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"


def make_old(target: Path, version: int, source: Path = OLD) -> Path:
    """Makes the store that an earlier version would have made: the rows of `source` in the tables and columns that the
    version knows. Versions before 5 knew no memories: give a source without any."""
    connection: Connection = choose().connect(str(target), isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        for step in migrate.list_migrations(None)[:version]:
            connection.executescript(step.path.read_text(encoding="utf-8"))
        connection.execute("ATTACH :source AS old", {"source": f"file:{source}?mode=ro&immutable=1"})
        _copy_rows(connection)
        if version < MENTIONS_SINCE:
            connection.execute("DELETE FROM meta WHERE key LIKE 'mention%'")
        connection.execute("UPDATE meta SET value = :version WHERE key = 'version'", {"version": str(version)})
        connection.execute("DETACH old")
        connection.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version:d}")
    finally:
        connection.close()
    return target


def _copy_rows(connection: Connection) -> None:
    triggers = connection.execute(SELECT_TRIGGERS).fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    tables = [{name for (name,) in connection.execute(SELECT_TABLES.format(schema))} for schema in ("main", "old")]
    connection.execute("BEGIN")
    for table in sorted(tables[0] & tables[1]):
        known, kept = (
            [name for (name,) in connection.execute(SELECT_COLUMNS.format(schema, table))] for schema in ("main", "old")
        )
        columns = ", ".join(f'"{name}"' for name in known if name in kept)
        connection.execute(f"DELETE FROM main.{table}")
        connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM old.{table}")
    connection.execute("COMMIT")
    for _, statement in triggers:
        connection.execute(statement)


def main() -> None:
    """Makes one file: `python -m tests.campaigns.old_stores 3 old.db`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("version", type=int, choices=VERSIONS)
    parser.add_argument("target", type=Path)
    parser.add_argument("--source", type=Path, default=OLD)
    options = parser.parse_args()
    make_old(options.target, options.version, options.source)


if __name__ == "__main__":
    main()
