"""Which ids, manual edges and pins stay with what when a name is used again, handed on, or a note is copied.
Each compile is followed by the checks of the vault."""

from __future__ import annotations

import pytest

from tests.cases.vault import Vault

FERRY = "Ferry crews sail in winter storms.\n"
BREAD = "Bread needs flour, water, salt and a long night.\n"
HARBOR = "# Harbor\n\nThe harbor lies in the north.\n\nIts light is seen from afar.\n"
BAKERY = "# Bakery\n\nBread needs flour, water, salt and a long night.\n\nThe oven is lit at three.\n"
HUB = "# Hub\n\nWhere everything meets.\n"


def id_of(vault: Vault, source: str) -> str:
    """The id of a document."""
    return vault.nodes(source, "document")[0].id


def relate(vault: Vault, source: str) -> str:
    """Gives a document a manual edge to the hub and one from it, and a pin; returns its id."""
    id = id_of(vault, source)
    vault.remem.relate(id, "hub", type="supports")
    vault.remem.relate("hub", id, type="caused_by")
    vault.remem.pin(id)
    return id


@pytest.mark.parametrize("title", ["", "# Today\n\n"])
@pytest.mark.parametrize("edit", ["", "All of them.\n"])
def test_renamed_note_keeps_id_edges_and_pin_though_its_name_is_used_again(vault: Vault, title: str, edit: str) -> None:
    vault.compile({"n/today.md": title + FERRY, "hub.md": HUB})
    id = relate(vault, "n/today.md")
    report = vault.compile({"n/monday.md": title + FERRY + edit, "n/today.md": title + BREAD})
    assert id_of(vault, "n/monday.md") == id != id_of(vault, "n/today.md")
    assert vault.manual == ["hub.md -> n/monday.md caused_by", "n/monday.md -> hub.md supports"]
    assert report.removed == 0
    assert [line.source for line in vault.remem.tree().items if line.pinned] == ["n/monday.md"]


def test_names_handed_on_in_a_row_leave_ids_and_edges_with_the_texts(vault: Vault) -> None:
    vault.compile({"a.md": HARBOR, "b.md": BAKERY, "hub.md": HUB})
    harbor, bakery = relate(vault, "a.md"), id_of(vault, "b.md")
    report = vault.compile({"a.md": BAKERY, "b.md": None, "c.md": HARBOR})
    assert (id_of(vault, "c.md"), id_of(vault, "a.md")) == (harbor, bakery)
    assert vault.manual == ["c.md -> hub.md supports", "hub.md -> c.md caused_by"]
    assert (report.added, report.removed) == (0, 0)


def test_notes_that_swap_names_swap_ids_and_edges_with_edits_on_top(vault: Vault) -> None:
    vault.compile({"a.md": HARBOR, "b.md": BAKERY, "hub.md": HUB, "x.md": "see [[a]]\n"})
    harbor, bakery = relate(vault, "a.md"), id_of(vault, "b.md")
    report = vault.compile({"a.md": BAKERY + "\nIt closes at noon.\n", "b.md": HARBOR.replace("afar", "far away")})
    assert (id_of(vault, "b.md"), id_of(vault, "a.md")) == (harbor, bakery)
    assert vault.manual == ["b.md -> hub.md supports", "hub.md -> b.md caused_by"]
    assert vault.edges == ["x.md -> a.md"]
    assert (report.added, report.removed) == (1, 0)
    vault.compile({"a.md": HARBOR, "b.md": BAKERY})
    assert (id_of(vault, "a.md"), id_of(vault, "b.md")) == (harbor, bakery)


def test_note_that_is_rewritten_wholly_keeps_id_and_edges(vault: Vault) -> None:
    vault.compile({"a.md": HARBOR, "hub.md": HUB})
    id = relate(vault, "a.md")
    vault.compile({"a.md": BAKERY, "new.md": "# New\n\nNothing of the sort was here before.\n"})
    assert id_of(vault, "a.md") == id
    assert vault.manual == ["a.md -> hub.md supports", "hub.md -> a.md caused_by"]


def test_removed_note_is_not_brought_back_by_another_text_under_its_name(vault: Vault) -> None:
    vault.compile({"today.md": f"# Today\n\n{FERRY}", "hub.md": HUB})
    before = {node.id for node in vault.nodes("today.md")}
    id = relate(vault, "today.md")
    vault.compile({"today.md": None})
    vault.compile({"today.md": f"# Today\n\n{BREAD}"})
    assert not before & {node.id for node in vault.nodes("today.md")}
    assert [edge for edge in vault.manual if edge.startswith("today.md")] == []
    vault.compile({"today.md": None, "monday.md": f"# Today\n\n{FERRY}"})
    assert {node.id for node in vault.nodes("monday.md")} == before
    assert id_of(vault, "monday.md") == id
    assert vault.manual == ["hub.md -> monday.md caused_by", "monday.md -> hub.md supports"]


def test_removed_note_comes_back_with_small_edits(vault: Vault) -> None:
    vault.compile({"a.md": HARBOR, "hub.md": HUB})
    id = relate(vault, "a.md")
    vault.compile({"a.md": None})
    vault.compile({"a.md": HARBOR + "\nNew at the end.\n"})
    assert id_of(vault, "a.md") == id
    assert vault.manual == ["a.md -> hub.md supports", "hub.md -> a.md caused_by"]


@pytest.mark.parametrize("edited", ["The harbor lies in the north. Edited.", "The harbor lies in the far north-west."])
def test_paragraph_edited_while_the_note_is_copied_keeps_id_and_edges(vault: Vault, edited: str) -> None:
    vault.compile({"m.md": HARBOR, "hub.md": HUB})
    before = [node.id for node in vault.nodes("m.md")]
    vault.remem.relate(vault.id_of("The harbor lies in the north."), "hub", type="supports")
    report = vault.compile({"copy.md": HARBOR, "m.md": HARBOR.replace("The harbor lies in the north.", edited)})
    assert [node.id for node in vault.nodes("m.md")] == before
    assert vault.manual == ["m.md -> hub.md supports"]
    assert (report.added, report.modified, report.removed) == (4, 1, 0)


def test_section_cut_out_and_pasted_elsewhere_takes_ids_and_edges_along(vault: Vault) -> None:
    section = "## Light\n\nIts light is seen from afar at night.\n\nA keeper lives below it.\n"
    vault.compile({"m.md": f"# M\n\nfirst\n\n{section}\n## End\n\nlast\n", "o.md": "# O\n", "hub.md": HUB})
    ids = [vault.id_of(text) for text in ("Light", "Its light is seen from afar at night.", "A keeper lives below it.")]
    for id in ids:
        vault.remem.relate(id, "hub", type="supports")
    vault.compile({"m.md": f"# M\n\nfirst\n\n{BREAD}\n## End\n\nlast\n", "o.md": f"# O\n\n{section}"})
    assert [node.id for node in vault.nodes("o.md")][-3:] == ids
    assert len([edge for edge in vault.manual if edge.startswith("o.md")]) == 3
    assert vault.id_of(BREAD.strip()) not in ids
