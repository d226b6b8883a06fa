"""Walks over the pages of an answer while the store changes: each hit comes once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import AmbiguousError, InvalidInputError, NotFoundError

MODES = ("keyword", "semantic", "hybrid")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "zoo"
    folder.mkdir()
    for number in range(12):
        (folder / f"n{number}.md").write_text(f"# N{number}\n\nzebra {'filler words here ' * number}\n")
    return folder


@pytest.fixture
def zoo(tmp_path: Path, config: Path, folder: Path) -> RememSync:
    """A store, closed, with a dozen notes and six memories that a query finds; the memories have vectors."""
    remem = Remem.open_sync(tmp_path / "zoo.db", config=config)
    with remem:
        remem.compile(folder)
        for number in range(6):
            remem.store(f"zebra memory number {number} {'pad ' * number}", id=f"m{number}")
        remem.settle()
    return remem


def _store_one(remem: RememSync, folder: Path) -> None:
    remem.store("zebra", id="new")
    remem.settle()


def _compile_one(remem: RememSync, folder: Path) -> None:
    (folder / "zz.md").write_text("# zebra\n\nzebra zebra\n")
    remem.compile(folder)


def _lift_last(remem: RememSync, folder: Path) -> None:
    remem.update("m5", content="zebra")
    remem.update("m4", content="zebra zebra")
    remem.settle()


def _embed(remem: RememSync, folder: Path) -> None:
    remem.embed()


def _relate(remem: RememSync, folder: Path) -> None:
    remem.relate("m0", "m5", weight=5)
    remem.relate("m0", "N11", weight=5)
    remem.relate("N1", "N10", weight=5)


def _delete(remem: RememSync, folder: Path) -> None:
    remem.delete("m0")
    remem.delete("m5", hard=True)


CHANGES = [_store_one, _compile_one, _lift_last, _embed, _relate, _delete]


def _walk(
    store: Path,
    config: Path,
    mode: str,
    budget: int | None,
    changes: Mapping[int, Callable[[RememSync], None]],
    anew: bool,
) -> tuple[list[str], list[str]]:
    """What the first ranking held, and what the pages showed, the store being changed after some of them."""
    remem = Remem.open_sync(store, config=config)
    remem.__enter__()
    try:
        whole = [hit.id for hit in remem.search("zebra", mode, limit=100, touch=False)]
        found: list[str] = []
        cursor: str | None = None
        for number in range(40):
            page = remem.search("zebra", mode, limit=4, budget=budget, cursor=cursor)
            assert page.left_out == 0 or page.cursor is not None
            found += [hit.id for hit in page]
            cursor = page.cursor
            if cursor is None:
                return whole, found
            if number in changes:
                changes[number](remem)
            if anew:
                remem.__exit__(None, None, None)
                remem = Remem.open_sync(store, config=config)
                remem.__enter__()
        raise AssertionError("the pages do not end")
    finally:
        remem.__exit__(None, None, None)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("budget", "anew"), [(None, True), (250, False)])
def test_each_hit_comes_once_whatever_changes_between_pages(
    zoo: RememSync, tmp_path: Path, config: Path, folder: Path, mode: str, change: Callable[..., None],
    budget: int | None, anew: bool,
) -> None:  # fmt: skip
    whole, found = _walk(tmp_path / "zoo.db", config, mode, budget, {0: lambda remem: change(remem, folder)}, anew)
    gone = {"m0", "m5"} if change is _delete else set()
    assert len(found) == len(set(found))
    assert set(whole) - gone <= set(found)


def test_each_hit_comes_once_though_the_store_changes_after_every_page(
    zoo: RememSync, tmp_path: Path, config: Path, folder: Path
) -> None:
    steps = enumerate([_embed, _relate, _lift_last, _store_one])
    changes = {number: partial(change, folder=folder) for number, change in steps}
    whole, found = _walk(tmp_path / "zoo.db", config, "hybrid", None, changes, True)
    assert len(found) == len(set(found)) and set(whole) <= set(found)


def test_pages_that_nothing_changes_are_the_ranking_though_each_is_asked_of_another_process(
    zoo: RememSync, tmp_path: Path, config: Path
) -> None:
    for budget in (None, 60, 200):
        whole, found = _walk(tmp_path / "zoo.db", config, "keyword", budget, {}, True)
        assert found == whole


def test_a_walk_that_began_at_an_offset_does_not_go_back_before_it(
    zoo: RememSync, tmp_path: Path, config: Path, folder: Path
) -> None:
    with Remem.open_sync(tmp_path / "zoo.db", config=config) as remem:
        whole = [hit.id for hit in remem.search("zebra", "keyword", limit=100)]
        first = remem.search("zebra", "keyword", offset=5, limit=4)
        assert (first.next_offset, first.left_out) == (9, len(whole) - 9)
        remem.delete("m0")
        second = remem.search("zebra", "keyword", limit=100, cursor=first.cursor)
    found = [hit.id for hit in (*first, *second)]
    assert not set(found) & set(whole[:5]) and set(found) | {"m0"} == set(whole[5:]) | {"m0"}
    assert (second.left_out, second.next_offset) == (0, None)


def test_a_page_can_be_asked_for_again(zoo: RememSync, tmp_path: Path, config: Path) -> None:
    with Remem.open_sync(tmp_path / "zoo.db", config=config) as remem:
        for budget in (None, 100):
            cursor = remem.search("zebra", limit=4, budget=budget).cursor
            pages = [[hit.id for hit in remem.search("zebra", limit=4, budget=budget, cursor=cursor)] for _ in "ab"]
            assert pages[0] == pages[1] != []


def test_a_cursor_with_a_hash_is_refused_where_the_ranking_has_changed_and_nobody_knows_it(
    zoo: RememSync, tmp_path: Path, config: Path
) -> None:
    with Remem.open_sync(tmp_path / "zoo.db", config=config) as remem:
        cursor = remem.search("zebra", "keyword", offset=12, budget=60).cursor
        remem.store("zebra")
        assert cursor is not None
        remem.search("zebra", "keyword", budget=60, cursor=cursor)
    with (
        Remem.open_sync(tmp_path / "zoo.db", config=config) as remem,
        pytest.raises(InvalidInputError, match="the ranking has changed since") as caught,
    ):
        remem.search("zebra", "keyword", budget=60, cursor=cursor)
    assert caught.value.facts["field"] == "cursor"


def test_a_cursor_beside_an_offset_is_refused(zoo: RememSync, tmp_path: Path, config: Path) -> None:
    with Remem.open_sync(tmp_path / "zoo.db", config=config) as remem:
        cursor = remem.search("zebra", limit=2).cursor
        with pytest.raises(InvalidInputError, match="not both"):
            remem.search("zebra", limit=2, cursor=cursor, offset=3)


@pytest.mark.parametrize("query", ["puffins", "", "qwertyuiop"])
def test_a_node_to_relate_to_that_there_is_not_is_an_error_in_every_mode(remem: RememSync, query: str) -> None:
    for mode in MODES:
        for spread in (0, 0.8):
            with pytest.raises(NotFoundError):
                remem.search(query, mode, spread=spread, related_to="nobody")
    remem.store("# Twin\n\none")
    remem.store("# Twin\n\ntwo")
    for mode in MODES:
        with pytest.raises(AmbiguousError):
            remem.search(query, mode, related_to="Twin")
    assert "puffins" in [hit.id for hit in remem.search("puffins", "keyword", related_to="puffins")]
