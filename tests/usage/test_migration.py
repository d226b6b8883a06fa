"""An older store learns when its nodes were first seen, as a new one would have known it."""

from __future__ import annotations

from pathlib import Path

from remem import Remem
from remem.datafiles import find_data
from tests.usage.clock import Clock, look

SELECT_ARRIVALS = "SELECT last, at FROM arrivals ORDER BY last"


def test_the_migration_finds_the_arrivals_that_the_trigger_would_have_kept(tmp_path: Path, clock: Clock) -> None:
    path, folder = tmp_path / "m.db", tmp_path / "notes"
    folder.mkdir()
    with Remem.open_sync(path) as remem:
        for count in (1, 2, 1, 3):
            for number in range(3):
                note = folder / f"{number}.md"
                note.unlink(missing_ok=True)
                if number < count:
                    note.write_text(f"# Note {number}\n\nText of {count} and {number}.\n", encoding="utf-8")
            remem.compile(folder)
            clock.turn(1)
    kept = look(path, SELECT_ARRIVALS)
    assert len(kept) >= 3
    for name in ("TRIGGER arrivals_of_snapshot", "TRIGGER arrivals_of_slice", "TABLE arrivals", "TABLE usage"):
        look(path, f"DROP {name}")
    run_script(path, find_data("migrations") / "0003_usage.sql")
    assert look(path, SELECT_ARRIVALS) == kept


def run_script(path: Path, script: Path) -> None:
    """Runs an SQL script on a store."""
    from remem.storage.sqlite import choose

    connection = choose().connect(str(path), isolation_level=None)
    try:
        connection.executescript(script.read_text(encoding="utf-8"))
    finally:
        connection.close()
