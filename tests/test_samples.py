"""The sample notes show every form of link, are well formed, and leave only those links open that are meant to be."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from remem import datafiles
from remem.engine import Remem
from remem.ingest.parse import parse_source
from remem.ingest.render import render
from remem.records import CompileReport, ParsedDocument, ParsedLink, PendingEdge

SAMPLES = datafiles.find_samples()
UNWRITTEN = {
    "0009-members-vote-on-fares",
    "Crew rota",
    "Deploy",  # its heading "How long it takes"
    "Islands contact list",
    "Members vote on fares",
    "Migrations policy",
    "What a lost fare costs",
    "Winter timetable 2027",
}


@cache
def parse_samples() -> dict[str, tuple[str, ParsedDocument]]:
    """Text and tree of every note by source."""
    found = {}
    for path in sorted([*SAMPLES.rglob("*.md"), *SAMPLES.rglob("*.txt")]):
        source, text = path.relative_to(SAMPLES).as_posix(), path.read_text(encoding="utf-8")
        found[source] = text, parse_source(source, text, "text" if path.suffix == ".txt" else "markdown")
    return found


def list_links() -> Iterator[ParsedLink]:
    for _, document in parse_samples().values():
        for node in document.nodes:
            yield from node.links


def compile_samples(folder: Path) -> tuple[CompileReport, list[PendingEdge]]:
    with Remem.open_sync(folder / "memory.db") as remem:
        return remem.compile(SAMPLES), list(remem.pending())


def test_every_note_is_parsed_without_a_problem() -> None:
    assert len(parse_samples()) >= 25
    assert [problem for _, document in parse_samples().values() for problem in document.diagnostics] == []


def test_every_note_is_given_back_byte_for_byte() -> None:
    for text, document in parse_samples().values():
        assert render(((node.gap, node.content, node.prefixes) for node in document.nodes[1:]), document.tail) == text


def test_the_notes_show_every_form_of_link() -> None:
    links = list(list_links())
    assert {link.form for link in links} >= {"wiki", "embed", "markdown", "knowledge"}
    assert any(link.anchor.startswith("^") for link in links)
    assert any("#" in link.anchor for link in links)
    assert any(link.anchor and not link.label for link in links)
    assert any(link.label.endswith("/") for link in links)
    assert any(link.label.startswith("../") for link in links)
    assert any(link.shown for link in links if link.form == "wiki")
    assert any(link.id for link in links) and any(link.source for link in links)
    assert len({link.type for link in links}) >= 7 and len({link.weight for link in links}) >= 4


def test_links_in_code_and_comments_of_the_notes_are_none() -> None:
    assert {"Old booking manual", "Two front ends", "...", "puffin-deck.svg"}.isdisjoint(
        link.label for link in list_links()
    )


def test_the_id_that_a_note_links_to_is_the_one_its_target_gets(tmp_path: Path) -> None:
    (link,) = (link for link in list_links() if link.id)
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.compile(SAMPLES)
        assert remem.show(link.id)[0].node.label == link.label


def test_only_the_links_to_unwritten_notes_wait(tmp_path: Path) -> None:
    report, pending = compile_samples(tmp_path)
    assert {edge.label for edge in pending} == UNWRITTEN
    assert (report.diagnostics, report.pending, report.ambiguous) == ((), len(pending), 1)
