"""Pages of a delta in which memories expire meanwhile."""

from __future__ import annotations

from pathlib import Path

from remem import Remem
from tests.usage.clock import Clock


def test_what_expires_between_two_pages_of_a_delta_hides_nothing_else(tmp_path: Path, clock: Clock) -> None:
    found: list[str] = []
    with Remem.open_sync(tmp_path / "store.db") as remem:
        for number in range(12):
            remem.store(f"memory {number}", id=f"m{number:02}", ttl=60 if number in (0, 1, 9) else None)
        cursor: str | None = None
        for _ in range(20):
            page = remem.delta(0, budget=80, cursor=cursor)
            found += [change.id for change in page]
            cursor = page.cursor
            if cursor is None:
                break
            clock.now += 61_000
    assert len(found) == len(set(found))
    assert set(found) >= {f"m{number:02}" for number in range(12)} - {"m09"}
