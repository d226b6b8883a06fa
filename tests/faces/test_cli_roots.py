"""The command `roots` page by page."""

from __future__ import annotations

from pathlib import Path

from remem import Remem
from tests.faces.command import remem


def test_roots_fit_a_budget_and_go_on(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with Remem.open_sync(store) as opened:
        for number in range(12):
            folder = tmp_path / f"a folder of notes {number:02}"
            folder.mkdir()
            (folder / "note.md").write_text(f"# Note {number}\n")
            opened.compile(folder)
    names, cursor = list[str](), tuple[str, ...]()
    for _ in range(12):
        page = remem("--db", store, "roots", "--budget", "120", "--json", *cursor).load()
        names += [root["name"] for root in page["roots"]]
        text = remem("--db", store, "roots", "--budget", "120", *cursor).out
        assert all(root["name"] in text for root in page["roots"])
        if page["cursor"] is None:
            break
        assert f"(cursor {page['cursor']})" in text
        cursor = ("--cursor", page["cursor"])
    assert names == [f"a folder of notes {number:02}" for number in range(12)]
    assert remem("--db", store, "roots", "--budget", "5").status == 2
