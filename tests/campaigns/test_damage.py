"""Damaged files: it is told what is damaged, what can be made again is, and nothing is lost in silence."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remem import Remem
from remem.storage import salvage
from remem.storage.pool import Store
from tests.campaigns.damage import Sample, make_sample, mend, try_calls, write_damaged
from tests.campaigns.imprint import take_imprint
from tests.faces.command import remem as run

DERIVED = (
    *("names", "edges", "passages", "passages_text_data", "vectors", "jobs"),
    *("node_vectors_vector_chunks00", "nodes_by_document", "sqlite_autoindex_documents_1", "edges_by_target"),
)
TRUTH = ("nodes", "memories", "contents")


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return make_sample(tmp_path)


def test_damaged_pages_of_what_follows_from_the_texts_are_made_anew(sample: Sample, tmp_path: Path) -> None:
    became = {name: mend(tmp_path / f"{number}.db", sample, name) for number, name in enumerate(DERIVED)}
    assert set(became.values()) == {"mended"}, became


def test_where_the_texts_are_damaged_a_backup_is_asked_for_and_helps(sample: Sample, tmp_path: Path) -> None:
    became = {name: mend(tmp_path / f"{number}.db", sample, name) for number, name in enumerate(TRUTH)}
    assert set(became.values()) == {"lost"}, became
    asyncio.run(Remem.restore(tmp_path / "0.db", tmp_path / "sample.db"))
    with Remem.open_sync(tmp_path / "0.db") as remem:
        assert remem.doctor().healthy and remem.get("m2").id == "m2"


def test_calls_on_a_damaged_store_say_so(sample: Sample, tmp_path: Path) -> None:
    for number, name in enumerate((*DERIVED, *TRUTH)):
        try_calls(tmp_path / f"{number}.db", sample, name)


@pytest.mark.parametrize("text", [b"Harbor Office\n", b"It says something else."])
def test_a_text_with_other_letters_than_were_written_is_found(text: bytes, sample: Sample, tmp_path: Path) -> None:
    assert sample.data.count(text.strip())
    (tmp_path / "t.db").write_bytes(sample.data.replace(text.strip(), text.strip()[:-1] + b"?"))
    with Remem.open_sync(tmp_path / "t.db") as remem:
        assert not remem.doctor().healthy


def test_the_command_says_what_is_damaged_and_how_it_ends(sample: Sample, tmp_path: Path) -> None:
    write_damaged(tmp_path / "t.db", sample, "edges")
    done = run("--db", tmp_path / "t.db", "doctor")
    assert done.status == 1 and "table edges is damaged" in done.out and "`remem doctor --fix` makes" in done.out
    assert run("--db", tmp_path / "t.db", "doctor", "--fix").status == 0
    assert run("--db", tmp_path / "t.db", "doctor").status == 0
    write_damaged(tmp_path / "t.db", sample, "nodes")
    done = run("--db", tmp_path / "t.db", "doctor", "--fix")
    assert done.status == 1 and "restore a backup" in done.err


def test_a_repair_that_was_cut_off_is_ended_by_the_next(sample: Sample, tmp_path: Path) -> None:
    """Killed after the tables were made anew, before the file was."""
    write_damaged(tmp_path / "t.db", sample, "edges_by_target")

    async def rebuild() -> None:
        async with await Store.open(tmp_path / "t.db") as store:
            await store.write_alone(salvage.rebuild_tables, await store.read(salvage.find_damage))

    asyncio.run(rebuild())
    with Remem.open_sync(tmp_path / "t.db") as remem:
        (told,) = [finding.message for finding in remem.doctor().findings if finding.fault]
        assert "`remem doctor --fix`" in told
        assert remem.doctor(fix=True).healthy and remem.doctor().healthy
    assert take_imprint(tmp_path / "t.db") == sample.imprint
