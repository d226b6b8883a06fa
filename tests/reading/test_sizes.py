"""The tokens that a line of the index tells are those of the node with all below it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.datafiles import find_samples
from remem.engine.sync import RememSync
from tests.writing.describe import connect

MIXED = (
    "---\ntitle: Mixed\n---\n\n# Top\n\nbefore it\n\n## Under\n\n> quoted\n>\n> ## no section\n>\n> | a |\n> |---|\n"
    "> | b |\n\nafter the quote\n\n- one\n- two\n\n  ```\n  code\n  ```\n\n### Deep\n\nend of it\n\n## Last\n"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RememSync]:
    place = tmp_path_factory.mktemp("sizes")
    (place / "notes").mkdir()
    (place / "notes" / "mixed.md").write_text(MIXED, encoding="utf-8")
    (place / "notes" / "data.json").write_text('{"a": {"b": [1, 2, 3], "c": "text of it"}, "d": 5}', encoding="utf-8")
    (place / "notes" / "empty.md").write_text("", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REMEM_EMBEDDING__PROVIDER", "none")
        with Remem.open_sync(place / "store.db") as remem:
            remem.compile(place / "notes")
            remem.compile(find_samples())
            remem.store("# Fact\n\n" + "of the river\n\n" * 200 + "## More\n\nof it", id="long")
            remem.store("a fact", id="short")
            yield remem


def sum_subtrees(store: RememSync) -> dict[str, int]:
    """What lies below each node, counted node by node."""
    connection = connect(Path(store.stats().path))
    try:
        return dict(connection.execute("""
            SELECT n.id, (SELECT sum(m.tokens) FROM nodes AS m
                          WHERE m.document = n.document AND m.position BETWEEN n.position AND n.last)
            FROM nodes AS n"""))  # fmt: skip
    finally:
        connection.close()


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("budget", [None, 400])
def test_a_line_tells_the_tokens_of_all_that_lies_below_it(store: RememSync, blocks: bool, budget: int | None) -> None:
    sums = sum_subtrees(store)
    cursor: str | None = None
    seen = 0
    for _ in range(200):
        page = store.tree(depth=20, blocks=blocks, budget=budget, cursor=cursor)
        assert {line.id: line.total_tokens for line in page} == {line.id: sums[line.id] for line in page}
        seen, cursor = seen + len(page), page.cursor
        if cursor is None:
            break
    assert seen == page.total


def test_a_node_and_the_lines_below_it_tell_the_same_as_the_index(store: RememSync) -> None:
    sums = sum_subtrees(store)
    for line in store.tree(depth=20):
        (view,) = store.show(line.id)
        assert view.total_tokens == sums[line.id]
        assert all(child.total_tokens == sums[child.id] for child in view.children)
        if sums[line.id]:
            assert f" {sums[line.id]}t " in store.tree(line.id, depth=0).text


def test_the_past_tells_the_same_as_the_present_did(store: RememSync) -> None:
    now = {line.id: line.total_tokens for line in store.tree(depth=20)}
    newest = store.snapshots(1)[0].id
    past = store.tree(depth=20, as_of=newest)
    assert {line.id: line.total_tokens for line in past} == now


def test_without_passages_nodes_are_counted_one_by_one(store: RememSync) -> None:
    sums, connection = sum_subtrees(store), connect(Path(store.stats().path))
    connection.execute("DELETE FROM passages WHERE key % 2 = 0")
    connection.close()
    assert all(line.total_tokens == sums[line.id] for line in store.tree(depth=20))
