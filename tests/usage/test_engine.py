"""Temperatures, pins and cold nodes as callers of the engine see them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from remem import Remem
from remem.errors import InvalidInputError, NotFoundError
from remem.records import TreeLine
from tests.usage.clock import Clock, look

COUNT = "SELECT count(*) FROM usage"
NOTES = {
    "Deploy.md": "# Deploy\n\nKeys rotate on Fridays. See [[Costs]] and [[River]].\n\n## Steps\n\nPush the button.\n",
    "Costs.md": "# Costs\n\nThe harbor is dear.\n",
    "River.md": "# River\n\nThe river is wide.\n\n## Banks\n\n"
    + "The bank of the river is green and long. " * 60
    + "\n",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def list_heats(lines: Iterable[TreeLine], kind: str = "") -> dict[str, float]:
    """The temperatures by label, of one kind or of all."""
    return {line.label: line.temperature for line in lines if line.kind == kind or not kind}


def test_reading_a_node_warms_it_at_once_for_all_that_show_it(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        assert remem.show("Costs")[0].node.temperature == 0.5
        assert remem.show("Costs", touch=False)[0].node.temperature == 0.575
        assert remem.show("Costs")[0].node.temperature == 0.575
        heats = list_heats(remem.tree(), "heading")
        assert heats == {"Costs": 0.6387, "Deploy": 0.5, "Steps": 0.5, "River": 0.5, "Banks": 0.5}
        children = remem.show(remem.tree(depth=0)[0].id, touch=False)[0].children
        assert list_heats(children, "heading") == {"Costs": 0.6387}


def test_relations_that_surface_warm_a_third_and_the_anchor_not_at_all(
    tmp_path: Path, notes: Path, clock: Clock
) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        assert [item.node.temperature for item in remem.related("Deploy", touch=False)] == [0.5, 0.5]
        assert [item.node.temperature for item in remem.related("Deploy", limit=1)] == [0.5]
        (warm,) = remem.related("Deploy", limit=1)
        assert warm.node.temperature == 0.525
        heats = list_heats(remem.tree(depth=0))
        assert sorted(heats.values()) == [0.5, 0.5, 0.5488]
        assert heats["Deploy"] == 0.5


def test_hits_of_a_search_warm_a_third(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        (hit,) = remem.search("harbor", mode="keyword", touch=False)
        assert remem.show(hit.id, touch=False)[0].node.temperature == 0.5
        remem.search("harbor", mode="keyword")
        assert remem.show(hit.id, touch=False)[0].node.temperature == 0.525


def test_the_index_paths_and_exports_warm_nothing(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        remem.tree()
        assert remem.path("Deploy", "Costs") is not None
        remem.pending()
        remem.stats()
        export = remem.export()
        remem.show("Costs", touch=False)
        remem.cold(below=1.0)
    assert look(tmp_path / "m.db", COUNT) == [(0,)]
    assert {node.temperature for node in export.nodes} == {0.5}


def test_nodes_cool_from_when_they_were_first_seen(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        clock.turn(7)
        (notes / "Costs.md").write_text("# Costs\n\nThe harbor is very dear.\n\nA new paragraph.\n", encoding="utf-8")
        (notes / "Zoo.md").write_text("# Zoo\n", encoding="utf-8")
        remem.compile(notes)
        clock.turn(7)
        heats = list_heats(remem.tree())
        assert (heats["Deploy"], heats["The harbor is very dear."]) == (0.125, 0.125)
        assert (heats["A new paragraph."], heats["Zoo"]) == (0.25, 0.25)


def test_a_setting_tells_how_fast_nodes_cool(tmp_path: Path, notes: Path, clock: Clock) -> None:
    config = tmp_path / "settings.toml"
    config.write_text("[temperature]\nhalf_life_days = 1\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "m.db", config=config) as remem:
        remem.compile(notes)
        clock.turn(2)
        assert remem.show("Costs")[0].node.temperature == 0.125


def test_what_one_process_has_read_is_warm_for_the_next_one(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        remem.show("Costs")
    clock.turn(7)
    with Remem.open_sync(tmp_path / "m.db") as remem:
        assert remem.show("Costs")[0].node.temperature == 0.2875


def test_a_pinned_node_does_not_cool_until_it_is_unpinned(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        remem.show("Costs")
        pinned = remem.pin("Costs")
        assert (pinned.label, pinned.temperature, pinned.pinned, pinned.accesses) == ("Costs", 0.575, True, 1)
        clock.turn(100)
        assert remem.pin("Costs") == pinned
        (view,) = remem.show("Costs", touch=False)
        assert (view.node.pinned, view.node.temperature) == (True, 0.575)
        assert [line.label for line in remem.tree() if line.pinned] == ["Costs"]
        assert remem.unpin("Costs").temperature == 0.575
        clock.turn(7)
        assert remem.unpin("Costs").temperature == 0.2875


def test_pinning_makes_no_snapshot_and_rewrites_nothing_else(tmp_path: Path, notes: Path, clock: Clock) -> None:
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'usage'"
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
    names = [name for (name,) in look(tmp_path / "m.db", tables)]
    before = {name: look(tmp_path / "m.db", f'SELECT * FROM "{name}"') for name in names}
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.pin("Costs")
        remem.show("River")
        remem.unpin("Deploy")
    assert {name: look(tmp_path / "m.db", f'SELECT * FROM "{name}"') for name in names} == before
    assert look(tmp_path / "m.db", COUNT) == [(2,)]


def test_a_node_that_comes_back_is_still_pinned(tmp_path: Path, notes: Path, clock: Clock) -> None:
    text = (notes / "Costs.md").read_text(encoding="utf-8")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        pinned = remem.pin("Costs")
        (notes / "Costs.md").unlink()
        remem.compile(notes)
        assert remem.doctor().healthy
        with pytest.raises(NotFoundError):
            remem.pin("Costs")
        clock.turn(50)
        (notes / "Costs.md").write_text(text, encoding="utf-8")
        remem.compile(notes)
        node = remem.show("Costs")[0].node
        assert (node.id, node.pinned, node.temperature) == (pinned.id, True, 0.5)


def test_cold_are_long_texts_that_nobody_uses(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        assert remem.cold() == []
        clock.turn(17)
        assert [node.label for node in remem.cold()] == ["River", "Banks"]
        (river, banks) = remem.cold()
        assert river.tokens > banks.tokens >= 400
        assert (river.kind, river.source, river.accessed_at) == ("document", "River.md", None)
        assert [node.label for node in remem.cold(min_tokens=banks.tokens + 1)] == ["River"]
        assert remem.cold(below=0.05) == []
        assert {node.label for node in remem.cold(min_tokens=0)} >= {"Costs", "Deploy", "Steps"}


def test_what_is_read_or_pinned_is_not_cold(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        clock.turn(100)
        remem.pin("Banks")
        (river,) = remem.cold()
        title = next(line for line in remem.tree(river.id, blocks=False) if line.kind == "heading")
        remem.show(title.id)
        assert remem.cold() == []


def test_a_clock_that_was_set_back_breaks_nothing(tmp_path: Path, notes: Path, clock: Clock) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        remem.show("Costs")
        clock.turn(-400)
        assert remem.show("Costs")[0].node.temperature == 0.575
        assert remem.pin("Costs").temperature == 0.6387
        assert remem.unpin("Costs").temperature == 0.6387
        clock.turn(7)
        assert remem.show("Costs")[0].node.temperature == 0.3194
        assert remem.doctor().healthy


@pytest.mark.parametrize(
    ("min_tokens", "below"), [(-1, 0.1), (True, 0.1), (400, 1.5), (400, -1.0), (400, float("nan"))]
)
def test_values_out_of_range_are_refused(tmp_path: Path, min_tokens: int, below: float) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem, pytest.raises(InvalidInputError) as caught:
        remem.cold(min_tokens, below)
    assert caught.value.facts["field"] == ("min_tokens" if below == 0.1 else "below")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE usage SET temperature = 1.5",
        "UPDATE usage SET temperature = -1",
        "UPDATE usage SET accesses = -3",
        "UPDATE usage SET accessed_at = NULL",
        "UPDATE usage SET pinned = 7",
        "INSERT INTO usage (node, temperature, at) VALUES (99999, 0.5, 0)",
    ],
)
def test_the_doctor_finds_and_mends_usage_that_cannot_be(tmp_path: Path, notes: Path, damage: str) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        remem.show("Costs")
    look(tmp_path / "m.db", damage)
    with Remem.open_sync(tmp_path / "m.db") as remem:
        assert [finding.check for finding in remem.doctor().findings if finding.fault] == ["usage"]
        assert remem.doctor(fix=True).healthy
