"""Folders that are followed: what changes is compiled, whatever way it changes, and nothing is lost by accident."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic

import pytest

from remem import Remem
from remem.background.watcher import Watcher
from remem.errors import InvalidInputError, NotFoundError, StoreBusyError
from remem.records import CompileReport, WatchState
from remem.sources.watch import Pace

FAST = Pace(quiet=0.05, longest=0.5, heartbeat=0.1, rescan=600.0, poll=0.1, retry=0.05, longest_retry=0.2)
PATIENCE = 60.0

News = list[tuple[CompileReport | None, str]]


class Followed:
    """An open store and its folder of notes, which is followed."""

    def __init__(self, remem: Remem, folder: Path) -> None:
        self.remem = remem
        self.folder = folder
        self.news: News = []

    async def start(self) -> WatchState:
        return await self.remem.watch(
            self.folder, tell=lambda report, problem: self.news.append((report, problem)), pace=FAST
        )

    async def state(self) -> WatchState:
        return (await self.remem.watches())[0]

    async def sources(self) -> set[str]:
        return {node.source for node in (await self.remem.export()).nodes if node.kind == "document"}

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        """Waits until something holds, and says what is the case where it never does."""
        end = monotonic() + PATIENCE
        while not await holds():
            assert monotonic() < end, (await self.remem.watches(), await self.sources())
            await asyncio.sleep(0.02)

    async def until_sources(self, *sources: str) -> None:
        async def hold() -> bool:
            return await self.sources() == set(sources)

        await self.until(hold)

    async def until_state(self, state: str) -> None:
        async def hold() -> bool:
            return (await self.state()).state == state

        await self.until(hold)


def follow(tmp_path: Path, work: Callable[[Followed], Awaitable[None]]) -> None:
    """Runs `work` on a store that follows a folder with the note `a.md`."""

    async def run() -> None:
        folder = tmp_path / "notes"
        folder.mkdir()
        (folder / "a.md").write_text("# A\n")
        async with Remem.open(tmp_path / "store.db") as remem:
            followed = Followed(remem, folder)
            await followed.start()
            await work(followed)
        assert not [thread for thread in threading.enumerate() if thread.name == "remem-watch"]

    asyncio.run(run())


def test_notes_that_come_change_and_go_are_followed(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        folder = followed.folder
        (folder / "b.md").write_text("# B\n")
        await followed.until_sources("a.md", "b.md")
        (folder / "b.md").rename(folder / "c.md")
        await followed.until_sources("a.md", "c.md")
        (folder / "c.md").unlink()
        await followed.until_sources("a.md")

    follow(tmp_path, work)


def test_a_note_that_is_only_renamed_is_told_of(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        (followed.folder / "a.md").rename(followed.folder / "b.md")

        async def told() -> bool:
            return any(report is not None and report.files_changed for report, _ in followed.news)

        await followed.until(told)
        assert await followed.sources() == {"b.md"} and followed.news[-1][0].snapshot is None  # type: ignore[union-attr]

    follow(tmp_path, work)


def test_an_atomic_save_keeps_the_node_and_its_text_follows(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        before = (await followed.remem.show("A", touch=False)).items[0].node.id
        (followed.folder / "a.md.tmp").write_text("# A\n\nsaved at once\n")
        os.replace(followed.folder / "a.md.tmp", followed.folder / "a.md")

        async def saved() -> bool:
            return "saved at once" in (await followed.remem.show("A", touch=False)).items[0].text

        await followed.until(saved)
        assert (await followed.remem.show("A", touch=False)).items[0].node.id == before

    follow(tmp_path, work)


def test_a_folder_with_many_notes_that_comes_at_once_is_taken_in_whole(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        made = tmp_path / "made"
        for number in range(300):
            path = made / f"{number % 7}" / f"{number}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {number}\n")
        shutil.copytree(made, followed.folder / "sub")

        async def all_there() -> bool:
            return len(await followed.sources()) == 301

        await followed.until(all_there)

    follow(tmp_path, work)


def test_an_edit_of_the_ignore_rules_takes_notes_out_and_in(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        (followed.folder / "b.md").write_text("b")
        await followed.until_sources("a.md", "b.md")
        (followed.folder / ".rememignore").write_text("b.md\n")
        await followed.until_sources("a.md")
        (followed.folder / ".rememignore").unlink()
        await followed.until_sources("a.md", "b.md")

    follow(tmp_path, work)


def test_a_folder_that_vanishes_loses_nothing_and_is_followed_again_when_it_returns(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        followed.folder.rename(tmp_path / "elsewhere")
        await followed.until_state("missing")
        assert await followed.sources() == {"a.md"}
        (tmp_path / "elsewhere" / "b.md").write_text("b")
        (tmp_path / "elsewhere").rename(followed.folder)
        await followed.until_sources("a.md", "b.md")
        (followed.folder / "c.md").write_text("c")
        await followed.until_sources("a.md", "b.md", "c.md")

    follow(tmp_path, work)


def test_a_mass_deletion_is_not_taken_for_meant(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        for number in range(30):
            (followed.folder / f"{number}.md").write_text("x")
        await followed.until_sources("a.md", *(f"{number}.md" for number in range(30)))
        for number in range(30):
            (followed.folder / f"{number}.md").unlink()

        async def told() -> bool:
            return (await followed.state()).problem.endswith(". If that is meant: `remem compile --prune`")

        await followed.until(told)
        assert len(await followed.sources()) >= 15

    follow(tmp_path, work)


def test_a_root_that_is_dropped_does_not_come_back_by_itself(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        await followed.remem.drop("notes")
        (followed.folder / "b.md").write_text("b")
        await followed.until_state("dropped")
        assert await followed.sources() == set()
        assert await followed.remem.roots() is not None and len(await followed.remem.roots()) == 0
        await followed.start()
        assert await followed.sources() == {"a.md", "b.md"}

    follow(tmp_path, work)


def test_two_stores_open_on_one_file_may_follow_the_same_folder(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        async with Remem.open(tmp_path / "store.db") as other:
            await other.watch(followed.folder, pace=FAST)
            for number in range(20):
                (followed.folder / f"{number}.md").write_text("x")
                await asyncio.sleep(0)
            await followed.until_sources("a.md", *(f"{number}.md" for number in range(20)))
        assert [finding for finding in (await followed.remem.doctor()).findings if finding.fault] == []

    follow(tmp_path, work)


def find_holders(place: Path, text: str) -> list[str]:
    """The files of the store that hold a text."""
    return [path.name for path in place.glob("store.db*") if text.encode() in path.read_bytes()]


def test_secrets_are_kept_out_while_watching_too(tmp_path: Path) -> None:
    secret = "hunter" + "2Zq9Xk"

    async def work(followed: Followed) -> None:
        (followed.folder / "b.md").write_text(f"password={secret}\n")
        await followed.until_sources("a.md", "b.md")
        assert find_holders(tmp_path, secret) == []

    follow(tmp_path, work)


def test_unwatching_ends_it(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        assert await followed.remem.unwatch(followed.folder) is True
        assert await followed.remem.unwatch(followed.folder) is False
        assert await followed.remem.watches() == []

    follow(tmp_path, work)


def test_a_file_or_nothing_cannot_be_watched(tmp_path: Path) -> None:
    async def work(followed: Followed) -> None:
        with pytest.raises(InvalidInputError, match="is a file"):
            await followed.remem.watch(followed.folder / "a.md")
        with pytest.raises(NotFoundError):
            await followed.remem.watch(tmp_path / "none")
        assert len(await followed.remem.watches()) == 1

    follow(tmp_path, work)


def test_known_roots_are_watched_as_they_become_known(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("a")

    async def run() -> None:
        async with Remem.open(tmp_path / "store.db") as remem:
            await remem.compile(folder)
            await remem.watch_roots()
            end = monotonic() + PATIENCE
            while [state.state for state in await remem.watches()] != ["watching"]:
                assert monotonic() < end
                await asyncio.sleep(0.02)
            assert (await remem.watches())[0].root == "docs"

    asyncio.run(run())


# --- the watcher alone ------------------------------------------------------------------------------------------------


def make_report(snapshot: int | None = None) -> CompileReport:
    return CompileReport("notes", 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, snapshot, ())


def test_a_compile_that_fails_is_told_once_and_tried_again(tmp_path: Path) -> None:
    outcomes: list[Exception | None] = [
        StoreBusyError("busy"),
        StoreBusyError("busy"),
        ValueError("a secret text"),
        None,
    ]
    news: list[tuple[bool, str]] = []

    async def compile(root: str, path: str) -> CompileReport:
        outcome = outcomes.pop(0) if outcomes else None
        if outcome is not None:
            raise outcome
        return make_report()

    async def run() -> None:
        watcher = Watcher(str(tmp_path), compile, lambda report, problem: news.append((report is None, problem)), FAST)
        watcher.start()
        end = monotonic() + PATIENCE
        while not news or news[-1][0]:
            assert monotonic() < end
            await asyncio.sleep(0.02)
        assert watcher.read_state().state == "watching" and watcher.read_state().problem == ""
        await watcher.stop()
        assert watcher.read_state().state == "stopped"

    asyncio.run(run())
    assert news == [(True, "busy"), (True, "unexpected ValueError"), (False, "")]


def test_stopping_gives_up_a_compile_that_is_under_way(tmp_path: Path) -> None:
    async def run() -> None:
        begun = asyncio.Event()

        async def compile(root: str, path: str) -> CompileReport:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

        watcher = Watcher(str(tmp_path), compile, None, FAST)
        watcher.start()
        await asyncio.wait_for(begun.wait(), PATIENCE)
        await asyncio.wait_for(watcher.stop(), PATIENCE)
        await watcher.stop()

    asyncio.run(run())


def test_where_the_system_does_not_tell_the_folder_is_looked_through(tmp_path: Path) -> None:
    looks: list[str] = []

    class Deaf(Watcher):
        def _open_events(self) -> None:
            return None

    async def compile(root: str, path: str) -> CompileReport:
        looks.append(path)
        return make_report()

    async def run() -> None:
        watcher = Deaf(str(tmp_path), compile, None, FAST)
        watcher.start()
        end = monotonic() + PATIENCE
        while len(looks) < 3:
            assert monotonic() < end
            await asyncio.sleep(0.02)
        assert watcher.read_state().native is False
        await watcher.stop()

    asyncio.run(run())
    assert set(looks) == {str(tmp_path)}


def test_a_watcher_that_is_not_told_of_a_change_finds_it_by_and_by(tmp_path: Path) -> None:
    looks: list[str] = []

    async def compile(root: str, path: str) -> CompileReport:
        looks.append(path)
        return make_report()

    async def run() -> None:
        watcher = Watcher(str(tmp_path), compile, None, FAST._replace(rescan=0.1))
        watcher.start()
        end = monotonic() + PATIENCE
        while len(looks) < 3:
            assert monotonic() < end
            await asyncio.sleep(0.02)
        await watcher.stop()

    asyncio.run(run())
