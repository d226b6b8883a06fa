"""Documents that were renamed, taken back: each goes to the place that it had, whoever stands there by now. A rollback
of all has the state hash of the snapshot, and leaves a store that the doctor accepts and no compile changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import pytest

from remem.records import RollbackReport
from tests.cases.vault import Vault

TITLED = "# Title alpha\n\nsome words of alpha here\n"
PLAIN = "plain words of the other one\n"
OTHER = "a third text that is about the harbour\n"
FRONT = "---\ntitle: front\n---\n\nwhat stands behind front matter\n"


@pytest.fixture(autouse=True)
def _sound(vault: Vault) -> Iterator[None]:
    yield
    assert [finding for finding in vault.remem.doctor().findings if finding.fault] == []
    assert vault.remem.compile(vault.folder).snapshot is None


def compile_notes(vault: Vault, files: Mapping[str, str | None]) -> int:
    """The number of the newest snapshot, and its state, after files were written and compiled."""
    vault.write(files)
    vault.remem.compile(vault.folder)
    return vault.remem.snapshots(1)[0].id


def rename(vault: Vault, *pairs: tuple[str, str]) -> int:
    """Renames files, all at once, and compiles."""
    for was, _ in pairs:
        (vault.folder / was).rename(vault.folder / f"{was}.moving")
    for was, now in pairs:
        (vault.folder / f"{was}.moving").rename(vault.folder / now)
    return compile_notes(vault, {})


def list_places(vault: Vault) -> dict[str, str]:
    """The sources of documents, by what their text begins with."""
    nodes = vault.export.nodes
    documents = [node.source for node in nodes if node.kind == "document"]
    return {next(node.content for node in nodes if node.source == at and node.content)[:7]: at for at in documents}


def list_sources(vault: Vault) -> list[tuple[str, str]]:
    """Each document's id, and its source."""
    return sorted((node.id, node.source) for node in vault.export.nodes if node.kind == "document")


def find_states(vault: Vault) -> dict[int, str]:
    return {line.id: line.state_hash for line in vault.remem.snapshots(500)}


def list_renamed(report: RollbackReport) -> list[tuple[str, str]]:
    return [(one.was.removeprefix("notes/"), one.now.removeprefix("notes/")) for one in report.renamed]


@pytest.mark.parametrize("scope", ["all", "notes", "notes/"])
@pytest.mark.parametrize("steps", ["at once", "one by one"])
def test_each_document_of_a_chain_of_renames_goes_back(vault: Vault, scope: str, steps: str) -> None:
    compile_notes(vault, {"a.md": TITLED, "b.md": PLAIN})
    pairs = [("b.md", "c.md"), ("a.md", "b.md")]
    for chain in [pairs] if steps == "at once" else [[pair] for pair in pairs]:
        rename(vault, *chain)
    before, after = {"# Title": "a.md", "plain w": "b.md"}, list_places(vault)
    dry = vault.remem.rollback(1, scope, dry_run=True)
    assert list_places(vault) == after == {"# Title": "b.md", "plain w": "c.md"}
    done = vault.remem.rollback(1, scope)
    assert list_renamed(done) == list_renamed(dry) == [("b.md", "a.md"), ("c.md", "b.md")]
    assert (list_places(vault), done.held) == (before, ("notes/a.md", "notes/b.md", "notes/c.md"))
    states = find_states(vault)
    assert (done.snapshot, states[3]) == (3, states[1])
    assert vault.remem.compile(vault.folder).snapshot is None
    assert list_places(vault) == before
    vault.remem.rollback(2, scope)
    assert list_places(vault) == after


def test_documents_that_changed_names_in_a_ring_go_back(vault: Vault) -> None:
    compile_notes(vault, {"a.md": TITLED, "b.md": PLAIN, "c.md": OTHER, "d.md": FRONT})
    before = list_places(vault)
    rename(vault, ("a.md", "b.md"), ("b.md", "c.md"), ("c.md", "d.md"), ("d.md", "a.md"))
    after = list_places(vault)
    assert len(vault.remem.rollback(1, "all").renamed) == 4
    states = find_states(vault)
    assert (list_places(vault), states[3]) == (before, states[1])
    vault.remem.rollback(2, "all")
    assert list_places(vault) == after


def test_name_alone_goes_back_without_a_snapshot_and_is_told(vault: Vault) -> None:
    compile_notes(vault, {"a.md": TITLED})
    id = vault.nodes("a.md")[0].id
    compile_notes(vault, {"other.md": OTHER})
    assert rename(vault, ("a.md", "b.md")) == 2
    assert rename(vault, ("b.md", "c.md")) == 2
    assert [vault.remem.tree(depth=0, as_of=to)[0].source for to in (1, 2)] == ["a.md", "c.md"]
    assert vault.remem.rollback(2).renamed == ()
    done = vault.remem.rollback(1, id)
    assert (done.snapshot, list_renamed(done), done.renamed[0].label) == (None, [("c.md", "a.md")], "Title alpha")
    assert list_places(vault) == {"# Title": "a.md", "a third": "other.md"}
    again = vault.remem.rollback(1, "a.md")
    assert (again.snapshot, again.renamed, again.held) == (None, (), ())


def test_file_that_changes_wins_over_the_place_that_its_document_went_back_to(vault: Vault) -> None:
    compile_notes(vault, {"a.md": TITLED})
    compile_notes(vault, {"other.md": OTHER})
    rename(vault, ("a.md", "b.md"))
    assert list_renamed(vault.remem.rollback(1)) == [("b.md", "a.md")]
    compile_notes(vault, {"b.md": TITLED + "\nand more of it\n"})
    assert [node.source for node in vault.export.nodes if node.content == "and more of it"] == ["b.md"]


def test_next_document_keeps_its_place_too_where_one_cannot_leave_its_own(vault: Vault) -> None:
    compile_notes(vault, {"a.md": PLAIN, "b.md": OTHER})
    rename(vault, ("b.md", "c.md"), ("a.md", "b.md"))
    compile_notes(vault, {"a.md": FRONT})
    places = list_places(vault)
    done = vault.remem.rollback(1, "b.md")
    assert (done.snapshot, done.renamed, list_places(vault)) == (None, (), places)
    vault.remem.rollback(1)
    assert list_places(vault) == {"plain w": "a.md", "a third": "b.md"}


def test_purge_of_all_that_was_leaves_what_was_renamed_readable(vault: Vault) -> None:
    compile_notes(vault, {"a.md": TITLED, "b.md": PLAIN})
    compile_notes(vault, {"b.md": OTHER})
    newest = rename(vault, ("a.md", "c.md"))
    vault.remem.purge(snapshot=newest)
    assert {line.source for line in vault.remem.tree(depth=0, as_of=newest)} == {"b.md", "c.md"}
    assert vault.remem.rollback(newest, "all").renamed == ()


@pytest.mark.parametrize("seed", range(6))
def test_every_snapshot_of_files_that_change_names_can_be_returned_to(vault: Vault, seed: int) -> None:
    chance = Random(seed)
    names = [f"{name}.md" for name in "abcdef"]
    compile_notes(vault, dict(zip(names, (TITLED, PLAIN, OTHER, FRONT), strict=False)))
    told: list[str] = []
    places = {1: list_sources(vault)}
    for _ in range(14):
        there = sorted(path.name for path in vault.folder.glob("*.md"))
        event = chance.random()
        if event < 0.6:
            some = chance.sample(there, chance.randint(1, len(there)))
            free = [name for name in names if name not in there or name in some]
            told.append(str(pairs := list(zip(some, chance.sample(free, len(some)), strict=True))))
            rename(vault, *pairs)
        elif event < 0.75:
            name = chance.choice(there)
            told.append(f"edit {name}")
            compile_notes(vault, {name: (vault.folder / name).read_text() + f"\nmore of it {chance.random()}\n"})
        else:
            to = chance.randint(1, len(find_states(vault)))
            told.append(f"rollback {to}")
            vault.remem.rollback(to, "all")
            states = find_states(vault)
            assert (states[len(states)], list_sources(vault)) == (states[to], places[to]), told
            assert vault.remem.compile(vault.folder).snapshot is None, told
        assert [finding for finding in vault.remem.doctor().findings if finding.fault] == [], told
        places[len(find_states(vault))] = list_sources(vault)
