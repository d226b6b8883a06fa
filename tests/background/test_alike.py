"""Many memories that say nearly the same are related by work in proportion to their number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.background.discover import MOST_CHUNKS, DiscoveryRules, discover_some
from remem.embedding.memory import VectorMemory
from remem.storage.sqlite import Connection, load_vectors
from tests.background.conftest import write_config
from tests.writing.describe import connect

FAR = 10**15
LINES = " ".join(f"The river works of the year {year} cost more than was planned." for year in range(1900, 1960))
COUNT_EDGES = "SELECT count(*) FROM edges WHERE origin = 2"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    """Embedded memories of several chunks each, of which none is related yet."""
    with Remem.open_sync(tmp_path / "store.db", config=write_config(tmp_path, "")) as remem:
        remem.store_batch([f"{LINES} {number}" for number in range(80)])
        remem.settle()
    opened = connect(tmp_path / "store.db")
    load_vectors(opened)
    yield opened
    opened.close()


def relate(connection: Connection, count: int) -> tuple[int, list[int]]:
    """Relates the first memories anew; how many statements that took, and how many memories each write took."""
    statements, steps = list[str](), list[int]()
    connection.execute("DELETE FROM edges WHERE origin = 2")
    connection.execute(
        "INSERT INTO jobs (kind, node) SELECT 'discover', node FROM memories ORDER BY node LIMIT ?", (count,)
    )
    connection.set_trace_callback(statements.append)
    memory = VectorMemory()
    while done := discover_some(connection, memory, DiscoveryRules(), FAR):
        steps.append(done)
    connection.set_trace_callback(None)
    return len(statements), steps


def test_the_statements_for_a_memory_are_the_same_however_many_are_alike(connection: Connection) -> None:
    few, _ = relate(connection, 16)
    many, _ = relate(connection, 80)
    assert many <= 5.5 * few


def test_one_write_relates_memories_of_so_many_chunks_and_all_are_related(connection: Connection) -> None:
    chunks = connection.execute("SELECT count(*) FROM vectors").fetchone()[0] / 80
    _, steps = relate(connection, 80)
    assert max(steps) <= max(1, MOST_CHUNKS // chunks) and sum(steps) == 80
    assert connection.execute(COUNT_EDGES).fetchone() == (5 * 80,)


def test_a_text_longer_than_one_write_takes_is_related_alone(connection: Connection, tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "store.db", config=tmp_path / "settings.toml") as remem:
        remem.store(f"{LINES} " * 16, id="long")
        remem.settle()
        found = [edge for edge in remem.export().edges if edge.origin == "discovered"]
        assert any("long" in (edge.source_id, edge.target_id) for edge in found)
