"""The index of all sections, which is read in one pass, is the one that pages are cut from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem, datafiles
from remem.engine.sync import RememSync

EVERYTHING = 1_000_000
NOTES = {
    "b/index.md": "# B\n\n## One\n\n- item\n\n  # In a list\n\n### Deep\n\n#### Deeper\n\n## Two\n\n##### Five\n",
    "a.md": "no heading at all\n",
    "empty.md": "",
    "b.md": "---\ntitle: Another\n---\n\n# First\n\n# Second\n\n> ## Quoted\n>\n> text\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RememSync]:
    """Sample notes, odd notes in a root whose name comes first, memories and an entity."""
    place = tmp_path_factory.mktemp("sections")
    for source, text in NOTES.items():
        path = place / "another" / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with Remem.open_sync(place / "m.db") as remem:
        remem.compile(datafiles.find_samples())
        remem.compile(place / "another")
        remem.store("A fact without a title.", id="fact", graph_extraction={"entities": [{"name": "Holmay"}]})
        remem.store("# Titled\n\n## Below\n\ntext", id="titled")
        remem.pin("fact")
        remem.show("Deploy")
        yield remem


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 5, 1000])
def test_the_whole_index_of_sections_is_the_page_that_holds_everything(store: RememSync, depth: int) -> None:
    whole = store.tree(depth=depth, blocks=False)
    page = store.tree(depth=depth, budget=EVERYTHING, blocks=False)
    assert list(whole) == list(page) != []
    assert (whole.total, whole.left_out, whole.cursor) == (page.total, 0, None)
    assert whole.text == page.text


def test_hidden_sections_are_those_that_lie_deeper_than_was_asked(store: RememSync) -> None:
    everything = store.tree(depth=1000, blocks=False)
    for depth in (0, 1, 2):
        lines = store.tree(depth=depth, blocks=False)
        assert len(lines) + sum(line.hidden for line in lines) == len(everything)
        assert {line.depth for line in lines if line.hidden} <= {depth}


def test_headings_in_lists_and_quotes_are_no_sections(store: RememSync) -> None:
    labels = [line.label for line in store.tree(depth=1000, blocks=False) if line.root == "another"]
    assert labels == ["a", "Another", "First", "Second", "B", "B", "One", "Deep", "Deeper", "Two", "Five", "empty"]


def test_an_empty_store_says_so(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        page = remem.tree(blocks=False)
        assert (list(page), page.text) == ([], "nothing is stored yet")
