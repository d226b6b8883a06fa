"""The doctor sees what is wrong with memories, and mends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.storage.sqlite import choose
from tests.memories.helpers import list_edges, list_found, list_ids
from tests.usage.clock import Clock

ARCHIVE = "UPDATE memories SET archived_at = 1, archived_by = 'call' WHERE id = 'two'"
REVIVE = "UPDATE memories SET archived_at = NULL, archived_by = NULL WHERE id = 'gone'"
DAMAGES = {
    "another title": "UPDATE nodes SET label = 'Wrong' WHERE id = 'one'",
    "no name": "DELETE FROM names WHERE node = 1",
    "another name": "INSERT INTO names VALUES ('wrong', 'memory', 1, 'Wrong')",
    "no tags": "DELETE FROM tags",
    "no links": "DELETE FROM links",
    "a link that leads elsewhere": "UPDATE links SET state = 'pending', target = NULL",
    "no parsed edges": "DELETE FROM edges WHERE origin = 1",
    "no passages": "DELETE FROM passages",
    "wrong tokens": "UPDATE nodes SET tokens = 99 WHERE id = 'one'",
    "a node without its row": "DELETE FROM memories WHERE id = 'one'",
    "a row without its node": "DELETE FROM removed WHERE id = 'gone'",
    "a living one that is said to be archived": ARCHIVE,
    "an archived one that is said to live": REVIVE,
    "an entity without its row": "DELETE FROM entities",
    "an entity's row alone": "INSERT INTO entities VALUES (99, 'nobody', '')",
    "another state": "UPDATE snapshots SET state_hash = x'00'",
}


def fill(remem: RememSync) -> None:
    remem.store("# One\n\nwords [[Two]] #x", id="one", tags=["a"], source="chat")
    remem.store("# Two", id="two", source="chat", graph_extraction={"entities": [{"name": "Ada"}]})
    remem.store("gone", id="gone")
    remem.forget("gone")


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damage_is_found_and_mended(name: str, path: Path, clock: Clock) -> None:
    with Remem.open_sync(path) as remem:
        fill(remem)
        edges = list_edges(remem)
    connection = choose().connect(str(path), isolation_level=None)
    connection.execute(DAMAGES[name])
    connection.close()
    with Remem.open_sync(path) as remem:
        assert [finding for finding in remem.doctor().findings if finding.fault]
        report = remem.doctor(fix=True)
        assert [finding for finding in report.findings if finding.fault] == []
        assert set(list_ids(remem)) == {"one", "two"}
        assert list_edges(remem) == edges
        assert set(list_found(remem, "words")) == ({"one"} if name == "a node without its row" else {"one", "two"})


def test_what_a_memory_says_outlives_a_repair(path: Path, clock: Clock) -> None:
    with Remem.open_sync(path) as remem:
        fill(remem)
        before = list(remem.memories()), remem.get("gone", archived=True), list_edges(remem)
        assert remem.doctor(fix=True).fixed == 0
        assert (list(remem.memories()), remem.get("gone", archived=True), list_edges(remem)) == before
