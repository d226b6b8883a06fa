"""Walks over the pages of relations while edges change: each relation comes once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError


def _lift(remem: RememSync) -> None:
    for number in range(7, 10):
        remem.relate("hub", f"m{number}", weight=20)


def _lower(remem: RememSync) -> None:
    for number in range(4):
        remem.relate("hub", f"m{number}", weight=0.01)


def _remove(remem: RememSync) -> None:
    remem.unrelate("hub", "m0")
    remem.delete("m9")


def _add(remem: RememSync) -> None:
    remem.store("new one", id="new")
    remem.relate("hub", "new", weight=9)


@pytest.mark.parametrize("change", [_lift, _lower, _remove, _add], ids=lambda change: change.__name__)
@pytest.mark.parametrize("anew", [True, False])
@pytest.mark.parametrize("budget", [150, 400])
def test_each_relation_comes_once_whatever_changes_between_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[RememSync], None], anew: bool, budget: int
) -> None:
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "none")
    store = tmp_path / "store.db"
    with Remem.open_sync(store) as remem:
        remem.store("the hub", id="hub")
        for number in range(10):
            remem.store(f"memory {number}", id=f"m{number}")
            remem.relate("hub", f"m{number}", weight=10 - number)
        whole = {item.node.id for item in remem.related("hub")}
        page = remem.related("hub", budget=budget)
        found = [item.node.id for item in page]
        change(remem)
        while not anew and page.cursor is not None:
            page = remem.related("hub", budget=budget, cursor=page.cursor)
            found += [item.node.id for item in page]
    while page.cursor is not None:
        with Remem.open_sync(store) as remem:
            page = remem.related("hub", budget=budget, cursor=page.cursor)
            found += [item.node.id for item in page]
    gone = {"m9"} if change is _remove else set[str]()
    assert len(found) == len(set(found)) and whole - gone <= set(found)


def test_a_cursor_of_another_anchor_is_refused(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "store.db") as remem:
        for number in range(9):
            remem.store(f"see [[m{(number + 1) % 9}]] and [[m{(number + 2) % 9}]], {number}", id=f"m{number}")
        cursor = remem.related("m0", depth=3, budget=60).cursor
        assert cursor is not None
        for other in ({"anchor": "m1"}, {"anchor": "m0", "rank": "strength"}):
            with pytest.raises(InvalidInputError, match="cursor belongs to another request"):
                remem.related(**{"depth": 3, "cursor": cursor, **other})  # type: ignore[arg-type]
