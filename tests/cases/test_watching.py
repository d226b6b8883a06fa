"""A note that is deleted and put back at once is followed all the same."""

from __future__ import annotations

from pathlib import Path

from tests.background.test_watching import Followed, follow


def test_note_that_is_deleted_and_put_back_at_once_is_seen_when_it_is_edited_later(tmp_path: Path) -> None:
    """Cases 46, 127"""

    async def work(followed: Followed) -> None:
        note = followed.folder / "a.md"
        before = (await followed.remem.show("A", touch=False)).items[0].node.id
        text = note.read_text()
        for number in range(3):
            note.unlink()
            note.write_text(text)
            note.write_text(f"{text}\nedition {number}\n")

            async def seen(wanted: str = f"edition {number}") -> bool:
                found = [node for node in (await followed.remem.export()).nodes if wanted in node.content]
                return len(found) == 1

            await followed.until(seen)
        assert (await followed.remem.show("A", touch=False)).items[0].node.id == before
        state = await followed.state()
        assert state.compiles >= 1 and state.seen_at is not None

    follow(tmp_path, work)
