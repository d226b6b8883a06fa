"""Pages of the index after recent uses: each line comes once, in one order."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from tests.usage.clock import Clock


@pytest.mark.parametrize("waited", [0, 1000, 4000, 6000, 60_000])
def test_uses_just_before_the_first_page_have_no_line_repeated(tmp_path: Path, clock: Clock, waited: int) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(30):
        (folder / f"note {number:02}.md").write_text(f"# Note {number:02}\n\nA paragraph about {number}.\n")
    seen: list[str] = []
    with Remem.open_sync(tmp_path / "store.db") as remem:
        remem.compile(folder)
        whole = {line.id for line in remem.tree()}
        clock.now += 60_000
        for number in (29, 17, 3, 23):
            remem.show(f"Note {number:02}")
            clock.now += 100
        remem.pin("Note 11")
        remem.show("Note 11")
    clock.now += waited
    cursor: str | None = None
    for _ in range(60):
        with Remem.open_sync(tmp_path / "store.db") as remem:
            page = remem.tree(budget=200, cursor=cursor)
        if cursor is None:
            assert "Note 11" in [line.label for line in page]
            assert ("Note 23" in [line.label for line in page]) == (waited > 5000)
        seen += [line.id for line in page]
        cursor = page.cursor
        clock.now += 2500
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) and set(seen) == whole
