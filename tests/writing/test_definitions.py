"""Link definitions (`[r1]: b.md`) in documents that calls change: they count for the whole document, wherever they
stand and whatever brought them there or took them away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.vault import Vault
from tests.writing.notes import compile_files, id_of, open_notes

BARE = "# Head\n\nsee [ref][r1] here\n\n## Part\n\nplain words\n\nmore\n"
DEFINED = "# Head\n\nsee [ref][r1] here\n\n## Part\n\nplain words\n\n[r1]: b.md\n\nend of it\n\n## More\n\nlast of it\n"
LISTED = "# Head\n\nsee [ref][r1] here\n\n- item\n\n  [r1]: b.md\n- more\n\nlast of it\n"
NEW = "new words\n\n[r1]: b.md\n\nend"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Two notes; at the end the store must be sound."""
    with open_notes(tmp_path) as made:
        yield made


def follow(vault: Vault, label: str) -> set[str]:
    """The sources that the links of a node of the note `a.md` lead to."""
    node = id_of(vault, label)
    homes = {one.id: source for source in ("a.md", "b.md") for one in vault.nodes(source)}
    return {homes[edge.target_id] for edge in vault.export.edges if (edge.source_id, edge.origin) == (node, "parsed")}


def count_faults(vault: Vault) -> int:
    return sum(finding.fault for finding in vault.remem.doctor().findings)


def test_a_definition_added_below_a_section_gives_links_to_what_stood_there(vault: Vault) -> None:
    compile_files(vault, {"a.md": BARE})
    assert follow(vault, "see") == set()
    vault.remem.write(NEW, parent=id_of(vault, "Part"))
    assert follow(vault, "see") == {"b.md"}


def test_a_definition_written_over_a_block_gives_links_to_quotes_before_it(vault: Vault) -> None:
    compile_files(vault, {"a.md": "> quoted\n>\n> see [ref][r1]\n\n## Part\n\nplain words\n"})
    vault.remem.write(NEW, anchor=id_of(vault, "plain"))
    assert follow(vault, "quoted") == {"b.md"}


@pytest.mark.parametrize("by", ["write", "summarise"])
def test_links_go_with_the_definition_that_a_call_takes_away(vault: Vault, by: str) -> None:
    compile_files(vault, {"a.md": DEFINED})
    assert follow(vault, "see") == {"b.md"}
    part = id_of(vault, "Part")
    if by == "write":
        vault.remem.write("## Part\n\nother words", anchor=part)
    else:
        vault.remem.summarise(part, "short")
    assert follow(vault, "see") == set()


def test_what_a_call_writes_uses_the_definitions_of_the_document(vault: Vault) -> None:
    compile_files(vault, {"a.md": DEFINED})
    vault.remem.write("it is [told][r1] there", anchor=id_of(vault, "last"))
    assert follow(vault, "it is") == {"b.md"}


def test_another_target_of_a_definition_holds_for_the_whole_document(vault: Vault) -> None:
    compile_files(vault, {"a.md": LISTED})
    assert follow(vault, "see") == {"b.md"}
    vault.remem.write("- item\n\n  [r1]: a.md#More\n- more\n\n## More", anchor=id_of(vault, "item"))
    assert follow(vault, "see") == {"a.md"}


def test_definitions_that_were_forgotten_stay_away_when_the_file_changes_elsewhere(vault: Vault) -> None:
    compile_files(vault, {"a.md": LISTED})
    vault.remem.forget(id_of(vault, "item"), "cascade")
    assert follow(vault, "see") == set()
    compile_files(vault, {"a.md": LISTED.replace("last of it", "the last of all")})
    assert follow(vault, "see") == set()
    compile_files(vault, {"a.md": LISTED.replace("- more", "- much more")})
    assert follow(vault, "see") == {"b.md"}


def test_rollback_brings_links_back_where_the_text_would_make_other_nodes(vault: Vault) -> None:
    compile_files(vault, {"a.md": DEFINED})
    vault.remem.summarise(id_of(vault, "More"), "first\n\nsecond")
    before = vault.remem.stats().snapshots
    vault.remem.forget(id_of(vault, "see"))
    vault.remem.rollback(before)
    assert follow(vault, "see") == {"b.md"}


def test_comments_that_a_call_opens_hide_the_links_behind_them(vault: Vault) -> None:
    compile_files(vault, {"a.md": "# Head\n\nfirst\n\nsee [[b]] here\n\n%%\n\nlast\n"})
    assert follow(vault, "see") == {"b.md"}
    vault.remem.write("first\n\n%%\n\nhidden", anchor=id_of(vault, "first"))
    assert (follow(vault, "see"), count_faults(vault)) == (set(), 0)
    vault.remem.forget(id_of(vault, "%%"))
    assert follow(vault, "see") == {"b.md"}


def test_links_that_a_summary_keeps_stay_where_definitions_come_and_go(vault: Vault) -> None:
    compile_files(vault, {"a.md": DEFINED})
    vault.remem.summarise(id_of(vault, "see"), "short")
    assert follow(vault, "see") == {"b.md"}
    vault.remem.write("## Part\n\nother [words][r2]\n\n[r2]: b.md", anchor=id_of(vault, "Part"))
    assert (follow(vault, "see"), follow(vault, "other")) == ({"b.md"}, {"b.md"})
