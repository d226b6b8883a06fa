"""How a store is made, brought up to date, and refused."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from remem.datafiles import find_data
from remem.errors import StoreError, StoreNewerError
from remem.storage import migrate, sqlite
from remem.storage.pool import Store
from remem.storage.sqlite import Connection

SECOND = """-- One more table; a semicolon in a comment ends nothing.
CREATE TABLE colours (
    name TEXT PRIMARY KEY, -- unlike this one;
    shade TEXT NOT NULL DEFAULT 'a;b'
) STRICT;
CREATE TRIGGER colours_of_roots AFTER INSERT ON roots BEGIN
    INSERT INTO colours (name) VALUES (new.name);
END;
"""
THIRD = "INSERT INTO colours (name) SELECT name FROM roots;\n"
ADD_ROOT = "INSERT INTO roots (name, path, compiled_at) VALUES ('notes', 'notes', 0)"


def connect(path: Path) -> Any:
    return sqlite.choose().connect(str(path), isolation_level=None, check_same_thread=False)


def run_script(path: Path, script: str) -> None:
    connection = connect(path)
    connection.executescript(script)
    connection.close()


def fetch_all(path: Path, statement: str) -> list[tuple[Any, ...]]:
    connection = connect(path)
    rows = connection.execute(statement).fetchall()
    connection.close()
    return list(rows)


def describe_schema(connection: Any) -> dict[tuple[str, str], str]:
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    return {(kind, name): " ".join((sql or "").split()) for kind, name, sql in rows}


def fetch_codes(connection: Any) -> list[list[tuple[Any, ...]]]:
    return [connection.execute(f"SELECT * FROM {table}").fetchall() for table in ("relationship_types", "origins")]


def open_store(path: Path) -> None:
    async def open_and_close() -> None:
        await (await Store.open(path)).close()

    asyncio.run(open_and_close())


def make_steps(folder: Path, *steps: str) -> Path:
    """A folder with the schema and migrations of this version and further migrations."""
    shutil.copytree(find_data("migrations"), folder / "migrations")
    text = find_data("schema.sql").read_text(encoding="utf-8")
    for number, step in enumerate(steps, migrate.get_newest() + 1):
        (folder / "migrations" / f"{number:04}_step.sql").write_text(step, encoding="utf-8")
        text += step
    (folder / "schema.sql").write_text(text, encoding="utf-8")
    return folder


def upgrade(path: Path, folder: Path) -> None:
    connection = connect(path)
    try:
        migrate.prepare(connection, str(path), folder=folder)
    finally:
        connection.close()


def list_backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(path.name + ".backup-*"))


def test_schema_and_migrations_give_the_same_store() -> None:
    fresh, migrated = connect(Path(":memory:")), connect(Path(":memory:"))
    for statement in migrate.split_statements(find_data("schema.sql").read_text(encoding="utf-8")):
        fresh.execute(statement)
    for step in migrate.list_migrations(None):
        for statement in migrate.split_statements(step.path.read_text(encoding="utf-8")):
            migrated.execute(statement)
    assert describe_schema(fresh) == describe_schema(migrated)
    assert fetch_codes(fresh) == fetch_codes(migrated)


def test_a_new_store_knows_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_store(path)
    newest = migrate.get_newest()
    assert fetch_all(path, "PRAGMA application_id") == [(migrate.APPLICATION_ID,)]
    assert fetch_all(path, "PRAGMA user_version") == [(newest,)]
    assert fetch_all(path, "SELECT value FROM meta WHERE key = 'version'") == [(str(newest),)]
    ((created_at,),) = fetch_all(path, "SELECT value FROM meta WHERE key = 'created_at'")
    assert int(created_at) > 1_700_000_000_000


def test_opening_again_changes_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_store(path)
    before = path.read_bytes()
    open_store(path)
    assert path.read_bytes() == before


def test_a_newer_store_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_store(path)
    run_script(path, "PRAGMA user_version = 9999")
    before = path.read_bytes()
    with pytest.raises(StoreNewerError) as caught:
        open_store(path)
    assert caught.value.facts["version"] == 9999
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["memory.db"]


def test_a_newer_store_that_was_not_closed_keeps_its_log(tmp_path: Path) -> None:
    path, copy = tmp_path / "memory.db", tmp_path / "copy.db"
    open_store(path)
    writer = connect(path)
    writer.execute("PRAGMA user_version = 9999")
    for suffix in ("", "-wal"):
        shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
    before = copy.read_bytes(), Path(f"{copy}-wal").read_bytes()
    with pytest.raises(StoreNewerError):
        open_store(copy)
    assert (copy.read_bytes(), Path(f"{copy}-wal").read_bytes()) == before
    writer.close()


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize("header", ["PRAGMA user_version = 1", "PRAGMA application_id = 77"])
def test_the_database_of_another_program_is_refused_and_left_untouched(tmp_path: Path, mode: str, header: str) -> None:
    path = tmp_path / "history.db"
    run_script(path, f"PRAGMA journal_mode = {mode}; CREATE TABLE visits (url TEXT); {header};")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_store(path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["history.db"]


def test_an_older_store_is_brought_up_to_date_after_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_store(path)
    run_script(path, ADD_ROOT)
    steps = make_steps(tmp_path / "steps", SECOND, THIRD)
    upgrade(path, steps)
    newest = migrate.get_newest() + 2
    assert fetch_all(path, "PRAGMA user_version") == [(newest,)]
    assert fetch_all(path, "SELECT value FROM meta WHERE key = 'version'") == [(str(newest),)]
    assert fetch_all(path, "SELECT name, shade FROM colours") == [("notes", "a;b")]
    (backup,) = list_backups(path)
    assert backup.name.startswith(f"memory.db.backup-v{newest - 2}-")
    assert fetch_all(backup, "SELECT name FROM roots") == [("notes",)]
    assert fetch_all(backup, "PRAGMA user_version") == [(newest - 2,)]
    assert fetch_all(backup, "PRAGMA integrity_check") == [("ok",)]
    upgrade(path, steps)
    assert list_backups(path) == [backup]


def test_an_older_store_without_data_needs_no_backup(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_store(path)
    upgrade(path, make_steps(tmp_path / "steps", SECOND))
    assert list_backups(path) == []
    fresh = tmp_path / "fresh.db"
    upgrade(fresh, tmp_path / "steps")
    assert describe_schema(connect(path)) == describe_schema(connect(fresh))


@pytest.mark.parametrize(
    "broken",
    [
        "INSERT INTO no_such_table VALUES (1);\n",
        "INSERT INTO edges VALUES (1, 2, 99, 99, 0, 1, 0, 0, 0);\n",
    ],
)
def test_a_failed_migration_leaves_the_store_as_it_was(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "memory.db"
    open_store(path)
    run_script(path, ADD_ROOT)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"step\.sql failed and the file is as it was"):
        upgrade(path, make_steps(tmp_path / "steps", SECOND, broken))
    assert path.read_bytes() == before
    open_store(path)


def test_two_connections_may_migrate_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    open_store(path)
    run_script(path, ADD_ROOT)
    steps = make_steps(tmp_path / "steps", SECOND, THIRD)
    barrier = threading.Barrier(3)
    errors: list[BaseException] = []

    def migrate_once() -> None:
        barrier.wait()
        try:
            upgrade(path, steps)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=migrate_once) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(list_backups(path)) == 1
    assert fetch_all(path, "SELECT name FROM colours") == [("notes",)]


def test_a_script_that_is_cut_off_is_not_run_in_part(tmp_path: Path) -> None:
    steps = make_steps(tmp_path / "steps")
    schema = steps / "schema.sql"
    schema.write_text(schema.read_text(encoding="utf-8") + "\nCREATE TABLE half (", encoding="utf-8")
    path = tmp_path / "memory.db"
    with pytest.raises(StoreError, match="cut off"):
        upgrade(path, steps)
    assert fetch_all(path, "SELECT name FROM sqlite_schema") == []


def test_a_missing_migration_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations" / "0002_later.sql").write_text("SELECT 1;\n", encoding="utf-8")
    with pytest.raises(StoreError, match="lacks some of its migrations"):
        migrate.list_migrations(tmp_path)


def test_statements_end_where_sql_ends_them() -> None:
    assert len(list(migrate.split_statements(SECOND + THIRD + "-- the end\n"))) == 3


def test_a_connection_is_left_without_a_transaction(tmp_path: Path) -> None:
    connection: Connection = connect(tmp_path / "memory.db")
    migrate.prepare(connection, str(tmp_path / "memory.db"))
    assert not connection.in_transaction
    connection.close()
