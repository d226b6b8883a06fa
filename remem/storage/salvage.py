"""Pages that are damaged: which tables they belong to, and how these are made anew within the file. What follows from
the texts may come back empty; of all else every row must be readable. It knows no rule of the doctor's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from remem.errors import StoreCorruptError
from remem.storage import jobs, sqlite
from remem.storage.faults import CORRUPT, get_code
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_OBJECTS = """
SELECT type, name, tbl_name, sql
FROM sqlite_schema
ORDER BY rowid
"""
CHECK_TABLE = """
SELECT integrity_check
FROM pragma_integrity_check(:table)
LIMIT 1
"""
CHECK_FILE = "PRAGMA quick_check(1)"
# One after the other: the schema can be written between the second and the fourth alone.
TAKE_OUT = (
    "PRAGMA defer_foreign_keys = ON",
    "PRAGMA writable_schema = ON",
    "DELETE FROM sqlite_schema WHERE tbl_name IN (SELECT value FROM json_each(:tables))",
    "PRAGMA writable_schema = RESET",
)
REWRITE_FILE = "VACUUM"

# What can be made again of the rest, or is of use for a moment only. Of `names` those of earlier times are lost then.
DERIVED = frozenset({
    "names", "tags", "links", "edges", "diagnostics", "passages", "passages_text", "graph_changes", "mention_names",
    "mention_uses", "mention_work", "node_vectors", "vectors", "phrases", "jobs", "claims", "positions",
})  # fmt: skip
# Whatever of these is damaged, all are made again: rows of one are numbered by those of another.
TIED = (frozenset({"vectors", "node_vectors"}), frozenset({"passages", "passages_text", "vectors", "phrases"}))
VIRTUAL = ("passages_text", "node_vectors")


class Damage(NamedTuple):
    """A table with damaged pages: what SQLite says, whether its rows can be read all the same, and whether it follows
    from others. `table` is "" for pages that belong to none."""

    table: str
    problem: str
    readable: bool
    derived: bool

    @property
    def mendable(self) -> bool:
        """Whether nothing that cannot be made again is lost."""
        return self.readable or self.derived


class _Object(NamedTuple):
    type: str
    name: str
    table: str
    statement: str | None


def find_damage(connection: Connection) -> list[Damage]:
    """The tables with damaged pages; empty where SQLite finds the file in order. Reads all of it."""
    found: dict[str, Damage] = {}
    for table in _list_tables(_load_objects(connection)):
        problem = _check_table(connection, table)
        if problem is not None:
            owner = _find_owner(table)
            found[owner] = Damage(
                owner, problem, owner not in VIRTUAL and _is_readable(connection, owner), _follows(owner)
            )
    if not found and (problem := _check_file(connection)) is not None:
        found[""] = Damage("", problem, True, True)
    return list(found.values())


def rebuild_tables(connection: Connection, damaged: Sequence[Damage]) -> None:
    """Makes damaged tables anew with the rows that they hold; what follows from others and cannot be read is empty
    afterwards. Runs in a write transaction; `rewrite` then gives the damaged pages back.

    Raises StoreCorruptError, with nothing changed, where rows of the others cannot be read.
    """
    lost = [damage.table for damage in damaged if not damage.mendable]
    if lost:
        raise StoreCorruptError(f"rows of {', '.join(lost)} cannot be read: restore a backup", tables=lost)
    empty = {damage.table for damage in damaged if not damage.readable}
    for tied in TIED:
        empty |= tied if empty & tied else set()
    if empty & {"vectors", "edges"}:
        _owe_vectors(connection, empty)
        empty |= TIED[0]
    names = {damage.table for damage in damaged if damage.table} | empty
    objects = [each for each in _load_objects(connection) if _find_owner(each.table) in names]
    rows = {name: _read_rows(connection, name) for name in names - empty}
    for statement in TAKE_OUT:
        connection.execute(statement, {"tables": json_list({each.table for each in objects})})
    _make_again(connection, objects, rows)


def rewrite(connection: Connection) -> None:
    """Writes the whole file anew, without the pages that belong to no table. Must run outside of any transaction."""
    connection.execute(REWRITE_FILE)


def _make_again(
    connection: Connection, objects: Sequence[_Object], rows: dict[str, list[tuple[Any, ...]]]
) -> None:  # fmt: skip
    made = [each for each in objects if each.statement and each.name == _find_owner(each.name)]
    for kind in ("table", "index", "trigger"):
        for each in made:
            if each.type == kind and each.statement is not None:
                connection.execute(each.statement)
                own = rows.get(each.name) if kind == "table" else None
                if own:
                    _write_rows(connection, each.name, own)


def _owe_vectors(connection: Connection, empty: set[str]) -> None:
    """What has vectors now is to have them again, and with them its discovered edges."""
    if not empty & {"vectors", "passages", "jobs"}:
        jobs.queue_embedded(connection)


def _load_objects(connection: Connection) -> list[_Object]:
    return [_Object._make(row) for row in connection.execute(SELECT_OBJECTS)]


def _list_tables(objects: Iterable[_Object]) -> list[str]:
    return [
        each.name for each in objects if each.type == "table" and not (each.statement or "").startswith("CREATE VIRT")
    ]


def _find_owner(table: str) -> str:
    """The virtual table that keeps its rows in a table, else the table itself."""
    if table == "sqlite_sequence":
        return "node_vectors"
    return next((name for name in VIRTUAL if table.startswith(f"{name}_")), table)


def _follows(table: str) -> bool:
    return table in DERIVED


def _check_table(connection: Connection, table: str) -> str | None:
    try:
        told = str(connection.execute(CHECK_TABLE, {"table": table}).fetchone()[0])
    except sqlite.Error as error:
        return _tell_damage(error)
    return None if told == "ok" else told.splitlines()[-1]


def _check_file(connection: Connection) -> str | None:
    try:
        told = str(connection.execute(CHECK_FILE).fetchone()[0])
    except sqlite.Error as error:
        return _tell_damage(error)
    return None if told == "ok" else told.splitlines()[-1]


def _is_readable(connection: Connection, table: str) -> bool:
    try:
        _read_rows(connection, table)
    except sqlite.Error as error:
        _tell_damage(error)
        return False
    return True


# The name of a table cannot be a parameter; these names are those of the file's own schema.


def _read_rows(connection: Connection, table: str) -> list[tuple[Any, ...]]:
    return connection.execute('SELECT * FROM "' + table + '" NOT INDEXED').fetchall()


def _write_rows(connection: Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    places = ", ".join("?" * len(rows[0]))
    connection.executemany('INSERT INTO "' + table + '" VALUES (' + places + ")", rows)


def _tell_damage(error: Exception) -> str:
    if get_code(error) != CORRUPT:
        raise error
    return str(error)
