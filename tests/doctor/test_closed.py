"""Documents that calls changed so that their text would make another tree: links, names and block ids of what stands
are still checked against what it says, and made again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.doctor.store import change, dump

NOTES = {
    "a.md": (
        "---\naliases: [Alpha, First]\ntags: [x]\n---\n\n# A\n\n"
        "- one [[b; w=2.5]]\n- supports:: two [[C|shown]]\n\n"
        "See [the other][ref] and [[c#Part]]. ^one\n\n[ref]: b.md\n\n"
        "## Under\n\nlong text of it, [[b]] and [[c]]\n\n> quoted [[Nowhere]]\n\n## Last\n\nlast of it [[c]]\n"
    ),
    "b.md": "# B\n\ntext of b\n",
    "c.md": "# C\n\n## Part\n\n[[Alpha]] [[A#^one]] [[a#^two]]\n",
}
DAMAGES = {
    "links deleted": "DELETE FROM links WHERE node IN (SELECT key FROM nodes WHERE document = 1)",
    "one link deleted": "DELETE FROM links WHERE key = (SELECT min(key) FROM links WHERE label = 'b')",
    "another label": "UPDATE links SET label = 'Else', name_key = 'else' WHERE label = 'b'",
    "another anchor": "UPDATE links SET anchor = 'Else' WHERE anchor = 'Part'",
    "another weight": "UPDATE links SET weight = 7 WHERE weight = 2500000",
    "another display text": "UPDATE links SET shown = 'Else' WHERE shown = 'shown'",
    "a link of its own": "INSERT INTO links SELECT key + 1000, node, 99, form, 'Rubbish', '', '', '', '', type, weight,"
    " 'rubbish', NULL, 'pending', NULL, NULL, 0, 0 FROM links WHERE label = 'b' LIMIT 1",
    "kept links deleted": "DELETE FROM links WHERE form = 'kept'",
    "headings": "DELETE FROM names WHERE kind = 'heading'",
    "block ids": "DELETE FROM names WHERE kind = 'block'",
    "aliases": "DELETE FROM names WHERE kind = 'alias'",
    "another alias": "UPDATE names SET text = 'Else', key = 'else' WHERE text = 'First'",
    "title": "DELETE FROM names WHERE kind = 'title'",
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("closed")
    for source, text in NOTES.items():
        (place / source).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REMEM_EMBEDDING__PROVIDER", "hashing")
        with Remem.open_sync(place / "store.db") as remem:
            remem.compile(place)
            remem.write("- three [[b]] ^two", parent="A")
            remem.summarise("Under", "what it says, of [[b]]")
            remem.forget("Last", "reparent")
            remem.embed()
        yield place / "store.db"


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path / "store.db"))


def list_faults(remem: RememSync, *, fix: bool = False) -> list[str]:
    return [finding.message for finding in remem.doctor(fix=fix).findings if finding.fault]


def list_nesting(remem: RememSync) -> list[tuple[str, str]]:
    """What each node of the document says, and what the one around it does."""
    nodes = {node.id: node for node in remem.export().nodes if node.source == "a.md"}
    return [(node.content, nodes[node.parent_id].content) for node in nodes.values() if node.parent_id]


def test_the_text_of_the_document_would_make_another_tree_and_nothing_is_wrong_with_it(path: Path) -> None:
    before = dump(path)
    with Remem.open_sync(path) as remem:
        assert remem.export_markdown(path.parent / "out")
        assert list_faults(remem) == [] and list_faults(remem, fix=True) == []
        text = next((path.parent / "out").rglob("a.md"))
        nested = list_nesting(remem)
    assert dump(path) == before
    with Remem.open_sync(path.parent / "other.db") as other:
        other.compile(text.parent)
        assert list_nesting(other) != nested


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_its_nodes_say_is_compared_and_made_again(damage: str, path: Path) -> None:
    before = dump(path)
    assert change(path, DAMAGES[damage])
    with Remem.open_sync(path) as remem:
        assert list_faults(remem)
        assert list_faults(remem, fix=True) == [] and list_faults(remem) == []
        remem.settle()
    after = dump(path)
    assert {table: rows for table, rows in after.items() if rows != before[table]} == {}
