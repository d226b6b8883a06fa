"""Versions and edits by REST: what was, the way back, and notes that calls change while their files stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faces.rest.site import Site


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Site]:
    """The service on a store of two notes and a memory that was changed."""
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "Deploy.md").write_text("# Deploy\n\nSee [[Keys]].\n\n## Steps\n\nOne.\n", encoding="utf-8")
    (folder / "Keys.md").write_text("# Keys\n\nRotate on Fridays.\n", encoding="utf-8")
    with Site(tmp_path / "memory.db") as site:
        site.run(site.remem.compile, folder)
        site.store("m", "The first words of [[Keys]].", tags=["old"])
        site.ask("PATCH", "/memories/m", json={"content": "Other words.", "tags": ["new"]})
        yield site


def test_a_memory_is_read_as_it_was_also_when_it_is_gone(vault: Site) -> None:
    vault.ask("DELETE", "/memories/m", params={"hard": True})
    vault.refuse("GET", "/memories/m", 404, "not_found")
    was = vault.get("/memories/m", as_of=2, include_connections=True)
    assert (was["content"], was["tags"], was["connections"]) == ("The first words of [[Keys]].", ["old"], [])
    assert vault.get("/memories/m", as_of=3)["content"] == "Other words."
    vault.refuse("GET", "/memories/m?as_of=1", 404, "not_found")


def test_the_past_is_not_warmed_by_reading_it(vault: Site) -> None:
    for _ in range(3):
        vault.get("/memories/m", as_of=2)
        vault.get("/nodes/Steps", as_of=1)
    assert vault.get("/nodes/Steps")["temperature"] == 0.5
    assert vault.get("/memories/m")["access_count"] == 0


def test_what_a_call_writes_is_there_at_once_and_the_file_stays(vault: Site, tmp_path: Path) -> None:
    file = tmp_path / "harbour" / "Deploy.md"
    before = file.read_bytes()
    edited = vault.ask("POST", "/write", json={"payload": "## After\n\nSee [[Keys]].", "parent": "Deploy"})
    assert (edited["label"], edited["snapshot"], len(edited["added"])) == ("After", 4, 2)
    assert "See [[Keys]]." in vault.get("/nodes/After")["text"]
    assert vault.get("/memories/After/related")["related"][0]["memory"]["label"] == "Keys"
    summed = vault.ask("POST", "/nodes/Steps/summary", json={"text": "Just one."})
    assert summed["label"] == "Steps" and vault.get("/nodes/Steps")["text"].endswith("Just one.")
    gone = vault.ask("DELETE", "/nodes/After", params={"mode": "cascade"})
    assert gone["mode"] == "cascade" and len(gone["removed"]) == 2
    vault.refuse("GET", "/nodes/After", 404, "not_found")
    assert file.read_bytes() == before


def test_a_memory_is_archived_by_its_address_as_a_node_too(vault: Site) -> None:
    assert vault.ask("DELETE", "/nodes/m")["message"] == "m is archived"
    assert vault.get("/memories", archived=True)["total"] == 1


def test_a_rollback_is_told_before_it_is_done_and_can_be_undone(vault: Site) -> None:
    def read() -> Any:
        return [(line["id"], line["label"]) for line in vault.get("/tree")["nodes"]]

    before = read()
    vault.ask("DELETE", "/nodes/Deploy", params={"mode": "cascade"})
    told = vault.ask("POST", "/rollback", json={"snapshot": 3, "dry_run": True})
    assert told["snapshot"] is None and told["added"] == len(told["changes"]) > 0 and read() != before
    done = vault.ask("POST", "/rollback", json={"snapshot": 3})
    assert done["snapshot"] == 5 and {**done, "snapshot": None, "dry_run": True} == told and read() == before
    vault.ask("POST", "/rollback", json={"snapshot": 4})
    assert read() != before
    assert vault.ask("POST", "/rollback", json={"snapshot": 4})["snapshot"] is None


def test_later_pages_tell_of_the_same_span_though_the_store_changed(vault: Site) -> None:
    whole = [change["id"] for change in vault.get("/delta", since=0)["changes"]]
    page = vault.get("/delta", since=0, budget=60)
    found = [change["id"] for change in page["changes"]]
    vault.store("late", "Told in between.")
    while page["cursor"]:
        page = vault.get("/delta", since=0, budget=60, cursor=page["cursor"])
        found += [change["id"] for change in page["changes"]]
    assert found == whole


def test_a_purge_takes_former_texts_away_while_the_service_runs(vault: Site, tmp_path: Path) -> None:
    done = vault.ask("POST", "/purge", json={"node": "m"})
    assert done["complete"] is True and done["texts"] == 1
    assert not [path for path in tmp_path.glob("memory.db*") if b"first words" in path.read_bytes()]
    entries = vault.get("/nodes/m/history")["history"]
    assert [entry["purged"] for entry in entries] == [True, True]
    vault.refuse("GET", "/memories/m?as_of=2", 403, "refused")
    assert vault.get("/memories/m")["content"] == "Other words."


def test_the_figures_name_what_is_cold(vault: Site) -> None:
    assert vault.get("/stats")["cold"] == {"total": 0, "nodes": []}
