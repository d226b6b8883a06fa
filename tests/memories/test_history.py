"""One snapshot for each call that changes what there is or what it says; a state hash that tells states apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.engine.sync import RememSync
from remem.errors import RememError
from tests.memories.helpers import count_snapshots, read_state, turn
from tests.usage.clock import Clock, look

CALLS: dict[str, tuple[int, Callable[[RememSync], Any]]] = {
    "store": (1, lambda r: r.store("new")),
    "store what is there": (0, lambda r: r.store("one", tags=["a"])),
    "store with another tag": (1, lambda r: r.store("one", tags=["b"])),
    "store what is archived": (1, lambda r: r.store("gone")),
    "a batch": (1, lambda r: r.store_batch(["x", "y", "one", "gone", {"content": "x", "tags": ["q"]}])),
    "update of the text": (1, lambda r: r.update("one", content="other")),
    "update of the tags": (1, lambda r: r.update("one", tags=["z"])),
    "update of the rest": (0, lambda r: r.update("one", importance=1, metadata={"a": 1}, source="s", ttl=5)),
    "archive": (1, lambda r: r.forget("one")),
    "hard delete": (1, lambda r: r.forget("one", hard=True)),
    "hard delete of an archived one": (1, lambda r: r.forget("gone", hard=True)),
    "unarchive": (1, lambda r: r.unarchive("gone")),
    "unarchive what lives": (0, lambda r: r.unarchive("one")),
    "promote": (0, lambda r: r.promote("short")),
    "pin": (0, lambda r: r.pin("one")),
    "relate": (0, lambda r: r.relate("one", "short")),
    "read": (0, lambda r: [r.get("one"), r.memories(), r.search("one"), r.related("one")]),
    "expire": (0, lambda r: r.expire()),
}


def fill(remem: RememSync) -> None:
    """A memory, an archived one, a short-term one."""
    remem.store("one", id="one", tags=["a"])
    remem.store("gone", id="gone")
    remem.forget("gone")
    remem.store("short", id="short", ttl=60)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_makes_the_snapshots_that_it_should(name: str, remem: RememSync, path: Path) -> None:
    fill(remem)
    wanted, call = CALLS[name]
    snapshots, state = count_snapshots(path), read_state(path)
    call(remem)
    assert count_snapshots(path) - snapshots == wanted
    assert (read_state(path) != state) == (wanted == 1)


def test_a_snapshot_says_what_it_was(remem: RememSync, path: Path) -> None:
    fill(remem)
    remem.store_batch(["a", "b"])
    remem.update("one", content="two")
    remem.unarchive("gone")
    remem.forget("gone", hard=True)
    assert [row[0] for row in look(path, "SELECT message FROM snapshots ORDER BY id")] == [
        *("store one", "store gone", "archive gone", "store short", "store 2 memories"),
        *("update one", "unarchive gone", "delete gone"),
    ]


def test_equal_states_have_equal_hashes_and_an_archived_memory_is_one(remem: RememSync, path: Path) -> None:
    remem.store("one", id="one", tags=["a"])
    alone = read_state(path)
    remem.store("two", id="two")
    both = read_state(path)
    remem.forget("two")
    archived = read_state(path)
    assert len({alone, both, archived}) == 3
    remem.unarchive("two")
    assert read_state(path) == both
    remem.forget("two")
    remem.forget("two", hard=True)
    assert read_state(path) == alone
    remem.update("one", tags=[])
    remem.update("one", tags=["a"])
    assert read_state(path) == alone


def test_expiry_moves_no_state(remem: RememSync, path: Path, clock: Clock) -> None:
    fill(remem)
    snapshots, state = count_snapshots(path), read_state(path)
    turn(clock, 60)
    assert remem.expire().archived == 1
    assert (count_snapshots(path), read_state(path)) == (snapshots, state)
    remem.unarchive("short")
    assert (count_snapshots(path), read_state(path)) == (snapshots + 1, state)
    turn(clock, 60)
    remem.expire()
    remem.forget("short", hard=True)
    assert read_state(path) != state


def test_the_history_tells_every_change_with_what_was_before(remem: RememSync, path: Path, clock: Clock) -> None:
    remem.store("# A\n\none", id="m", tags=["t"])
    remem.update("m", content="# B\n\ntwo")
    remem.forget("m")
    remem.unarchive("m")
    remem.forget("m")
    remem.forget("m", hard=True)
    remem.store("three", id="m")
    rows = look(
        path,
        "SELECT c.op, c.label, t.text, c.tags FROM changes AS c LEFT JOIN contents AS t ON t.hash = c.content"
        " WHERE c.node = 1 ORDER BY c.snapshot",
    )
    first, second = ("A", "# A\n\none", '["t"]'), ("B", "# B\n\ntwo", '["t"]')
    assert rows == [
        ("add", None, None, None),
        ("mod", *first),
        ("archive", *second),
        ("unarchive", *second),
        ("archive", *second),
        ("discard", *second),
        ("add", None, None, None),
    ]


def test_a_call_that_fails_leaves_no_trace(remem: RememSync, path: Path) -> None:
    fill(remem)
    before = look(path, "SELECT * FROM memories ORDER BY node"), count_snapshots(path)
    calls: list[Callable[[], Any]] = [
        lambda: remem.store("x", id="one"),
        lambda: remem.store_batch(["fine", {"content": "bad", "id": "one"}]),
        lambda: remem.update("one", content="short"),
        lambda: remem.forget("none"),
    ]
    for call in calls:
        with pytest.raises(RememError):
            call()
    assert (look(path, "SELECT * FROM memories ORDER BY node"), count_snapshots(path)) == before


def test_what_came_first_stays_as_old_as_it_is(remem: RememSync, path: Path, clock: Clock) -> None:
    remem.store_batch(["a", "b", {"content": "c", "id": "c"}])
    clock.turn(7)
    remem.forget("c")
    remem.store("d")
    assert [memory.temperature for memory in remem.memories(order="asc")] == [0.25, 0.25, 0.5]
