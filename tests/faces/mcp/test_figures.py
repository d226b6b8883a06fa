"""What is there once is told in the singular, wherever a model or a person reads of it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from remem import Remem
from remem.faces import wire
from remem.faces.mcp.changing_tools import tell_compile
from remem.faces.mcp.figures import tell_stats
from remem.faces.mcp.resources import read_resource, tell_health
from remem.records import DoctorReport, Finding, Unrelated
from tests.doctor.store import change
from tests.faces.command import remem as run_command


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "none")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("alone #quay\n")
    return folder


def read_texts(notes: Path) -> dict[str, str]:
    """What a store with one note of one node says of itself."""

    async def read() -> dict[str, str]:
        async with Remem.open(notes.parent / "memory.db") as remem:
            told = {"compile": tell_compile(await remem.compile(notes))}
            told["stats"] = tell_stats(await remem.stats(), await remem.roots())
            told["recall"] = (await remem.recall("qwertyuiop")).text
            await remem.store("a fact", id="fact")
            await remem.pin("fact")
            return told | {uri: await read_resource(remem, uri) for uri in ("memory://stats", "remem://doctor")}

    return asyncio.run(read())


def test_one_of_a_kind_is_told_in_the_singular(notes: Path) -> None:
    texts = read_texts(notes)
    assert texts["compile"].startswith("notes: 1 file (1 added")
    assert f"root notes: 1 document in {notes}" in texts["stats"] and "; 1 tag; 0 diagnostics" in texts["stats"]
    assert re.search("searched 1 passage of [0-9]+ nodes?", texts["recall"])
    assert texts["memory://stats"].startswith("1 memory (1 long_term") and "1 node pinned" in texts["memory://stats"]
    assert [text for text in texts.values() if re.search(r"\b1 [a-z]+s\b", text)] == []


def test_one_fault_or_finding_is_told_in_the_singular() -> None:
    report = DoctorReport((Finding("edges", True, "wrong"), Finding("pending", False, "waits")), 1)
    assert tell_health(report).startswith("1 check: 1 fault; `remem doctor --fix` rebuilds what it can, 1 finding\n")


def test_the_doctor_tells_of_one_in_the_singular(notes: Path) -> None:
    (notes / "b.md").write_text("see [[a]]\n")
    store = notes.parent / "memory.db"
    assert run_command("--db", store, "compile", notes).status == 0
    assert change(store, "DELETE FROM edges WHERE origin = 1")
    assert "1 parsed edge is missing" in run_command("--db", store, "doctor").both


def test_one_edge_that_went_is_told_in_the_singular() -> None:
    assert [wire.show_unrelated(Unrelated("a", "b", number))["message"] for number in (1, 2)] == [
        "1 edge removed", "2 edges removed"
    ]  # fmt: skip
