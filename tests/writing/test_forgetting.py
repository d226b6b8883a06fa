"""Forgetting: what goes along, what rises, and that it stays away until its own text in the file changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.errors import ConflictError, InvalidInputError, NotFoundError
from tests.cases.vault import Vault
from tests.writing.notes import NOTE, OTHER, compile_files, document_of, export, id_of, open_notes


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Two notes."""
    with open_notes(tmp_path) as made:
        yield made


def labels(vault: Vault, source: str = "a.md") -> list[str]:
    return [node.label for node in vault.nodes(source)[1:]]


def living(vault: Vault) -> set[str]:
    return {node.id for node in vault.export.nodes}


# --- what goes --------------------------------------------------------------------------------------------------------


def test_strict_refuses_where_nodes_lie_below_and_says_how_many(vault: Vault) -> None:
    before = vault.export
    with pytest.raises(ConflictError) as caught:
        vault.remem.forget(id_of(vault, "Costs"))
    assert (caught.value.facts["below"], "4 nodes" in str(caught.value)) == (4, True)
    with pytest.raises(ConflictError):
        vault.remem.forget(document_of(vault))
    assert vault.export == before
    pay = id_of(vault, "We pay")
    forgotten = vault.remem.forget(pay)
    assert (forgotten.id, forgotten.mode, forgotten.removed, forgotten.lifted) == (pay, "strict", (pay,), ())
    assert export(vault) == NOTE.replace("We pay ten, see [[b#Two]].\n\n", "")


def test_cascade_takes_all_below_along(vault: Vault) -> None:
    costs = id_of(vault, "Costs")
    gone = {node.id for node in vault.nodes("a.md")[4:9]}
    forgotten = vault.remem.forget(costs, "cascade")
    assert (set(forgotten.removed), forgotten.removed[0]) == (gone, costs)
    assert gone.isdisjoint(living(vault))
    assert any("a" in line for line in vault.pending), "the link to it waits"
    assert export(vault) == NOTE.split("## Costs")[0] + "## Usage" + NOTE.split("## Usage")[1]


def test_reparent_lifts_the_children_to_the_node_above_in_their_place(vault: Vault) -> None:
    usage, use, head = id_of(vault, "Usage"), id_of(vault, "How to use"), id_of(vault, "Head")
    forgotten = vault.remem.forget(usage, "reparent")
    assert (forgotten.removed, forgotten.lifted) == ((usage,), (use,))
    assert next(node for node in vault.export.nodes if node.id == use).parent_id == head
    costs, deep = id_of(vault, "Costs"), id_of(vault, "Deep")
    vault.remem.forget(costs, "reparent")
    assert next(node for node in vault.export.nodes if node.id == deep).parent_id == head
    assert labels(vault)[1:] == [
        "Head", "Intro with b.", "We pay ten, see b#Two.", "one two", "Deep", "A deep text about the harbor.",
        "How to use it in the morning.",
    ]  # fmt: skip
    with pytest.raises(InvalidInputError) as caught:
        vault.remem.forget(document_of(vault), "reparent")
    assert caught.value.facts["field"] == "mode"


def test_memory_is_archived_or_removed_for_good(vault: Vault) -> None:
    one, two = vault.remem.store("one"), vault.remem.store("two")
    assert vault.remem.forget(one.id).hard is False
    assert vault.remem.unarchive(one.id).id == one.id
    vault.remem.forget(two.id)
    assert vault.remem.forget(two.id, hard=True).hard
    with pytest.raises(NotFoundError):
        vault.remem.unarchive(two.id)


def test_bad_input_gets_an_error_and_changes_nothing(vault: Vault) -> None:
    vault.remem.store("x", id="m", graph_extraction={"entities": [{"name": "Ada", "type": "person"}]})
    before = vault.export
    cases: list[tuple[dict[str, object], type[Exception]]] = [
        ({"node": "nobody"}, NotFoundError),
        ({"node": ""}, InvalidInputError),
        ({"node": None}, InvalidInputError),
        ({"node": "Ada"}, ConflictError),
        ({"node": "Usage", "mode": "soft"}, InvalidInputError),
        ({"node": "Usage", "mode": None}, InvalidInputError),
        ({"node": "Usage", "hard": "yes"}, InvalidInputError),
        ({"node": id_of(vault, "We pay"), "hard": True}, InvalidInputError),
    ]
    for arguments, error in cases:
        with pytest.raises(error):
            vault.remem.forget(**arguments)  # type: ignore[arg-type]
    assert vault.export == before


# --- what stays away --------------------------------------------------------------------------------------------------


def test_forgotten_node_stays_away_while_other_parts_of_its_file_change(vault: Vault) -> None:
    pay = id_of(vault, "We pay")
    vault.remem.forget(pay)
    report = compile_files(vault, {"a.md": NOTE.replace("- one\n", "- one more\n") + "\nThe end.\n"})
    assert (report.diagnostics, pay in living(vault)) == ((), False)
    assert "one more two" in labels(vault)
    compile_files(vault, {"a.md": "New first line.\n\n" + NOTE.split("---\n\n")[1].replace("## Costs", "## Prices")})
    assert pay not in living(vault)


def test_forgotten_node_comes_back_under_its_id_when_its_own_text_changes(vault: Vault) -> None:
    pay, costs = id_of(vault, "We pay"), id_of(vault, "Costs")
    vault.remem.forget(costs, "cascade")
    report = compile_files(vault, {"a.md": NOTE.replace("We pay ten", "We pay eleven")})
    assert report.diagnostics == ()
    assert (pay in living(vault), costs in living(vault)) == (True, False)
    assert labels(vault)[1:] == [
        "Head", "Intro with b.", "We pay eleven, see b#Two.", "Usage", "How to use it in the morning.",
    ]  # fmt: skip
    compile_files(vault, {"a.md": NOTE.replace("We pay ten", "We pay twelve").replace("## Costs", "## Costs now")})
    assert costs in living(vault)
    assert next(node for node in vault.export.nodes if node.id == pay).parent_id == costs


def test_one_of_two_equal_texts_stays_away(vault: Vault) -> None:
    compile_files(vault, {"c.md": "# One\n\nthe same words\n\n# Two\n\nthe same words\n"})
    second = vault.nodes("c.md", "text")[1].id
    first = vault.nodes("c.md", "text")[0].id
    vault.remem.forget(second)
    compile_files(vault, {"c.md": "# One\n\nthe same words\n\nmore\n\n# Two\n\nthe same words\n\nrest\n"})
    assert [node.id for node in vault.nodes("c.md", "text") if node.content == "the same words"] == [first]


def test_text_that_leaves_the_file_and_returns_is_there_again(vault: Vault) -> None:
    pay = id_of(vault, "We pay")
    vault.remem.forget(pay)
    compile_files(vault, {"a.md": NOTE.replace("We pay ten, see [[b#Two]].\n\n", "")})
    compile_files(vault, {"a.md": NOTE})
    assert pay in living(vault)


def test_forgotten_text_that_moves_to_another_file_stays_away(vault: Vault) -> None:
    deep = id_of(vault, "A deep text")
    vault.remem.forget(deep)
    text = "A deep text about the harbor.\n\n"
    compile_files(vault, {"a.md": NOTE.replace(text, ""), "b.md": OTHER + "\n" + text})
    assert deep not in living(vault)
    assert "A deep text about the harbor." not in labels(vault, "b.md")


def test_forgotten_document_stays_away_until_its_file_changes(vault: Vault) -> None:
    document, two = document_of(vault, "b.md"), id_of(vault, "Two", "b.md")
    code = id_of(vault, "code", "b.md")
    vault.remem.forget(code)
    vault.remem.forget(document, "cascade")
    assert vault.nodes("b.md") == []
    assert vault.remem.compile(vault.folder).snapshot is None
    compile_files(vault, {"a.md": NOTE + "\nmore\n"})
    assert vault.nodes("b.md") == []
    compile_files(vault, {"b.md": OTHER + "\nmore\n"})
    assert {document, two} <= living(vault)
    assert code not in living(vault), "what was forgotten before stays away"


def test_forgotten_document_stays_away_when_its_file_is_renamed_or_leaves_for_a_while(vault: Vault) -> None:
    vault.remem.forget(document_of(vault, "b.md"), "cascade")
    compile_files(vault, {"b.md": None})
    compile_files(vault, {"b.md": OTHER})
    assert vault.nodes("b.md") == []
    (vault.folder / "b.md").rename(vault.folder / "c.md")
    assert vault.remem.compile(vault.folder).snapshot is None
    assert (vault.nodes("b.md"), vault.nodes("c.md")) == ([], [])
    compile_files(vault, {"c.md": OTHER + "\nmore\n"})
    assert vault.nodes("c.md") != []


def test_forgotten_node_stays_away_when_its_file_leaves_for_a_while(vault: Vault) -> None:
    pay = id_of(vault, "We pay")
    vault.remem.forget(pay)
    compile_files(vault, {"a.md": None})
    assert vault.nodes("a.md") == []
    compile_files(vault, {"a.md": NOTE})
    assert "Usage" in labels(vault)
    assert pay not in living(vault)


def test_what_a_call_writes_again_is_forgotten_no_more(vault: Vault) -> None:
    pay = id_of(vault, "We pay")
    vault.remem.forget(pay)
    edited = vault.remem.write("We pay ten, see [[b#Two]].", parent=id_of(vault, "Costs"))
    assert edited.id == pay
    compile_files(vault, {"a.md": NOTE + "\nmore\n"})
    assert pay in living(vault)


def test_front_matter_that_is_forgotten_names_nothing(vault: Vault) -> None:
    vault.remem.forget(id_of(vault, "title: Alpha"))
    for _ in range(2):
        assert (vault.nodes("a.md")[0].label, vault.nodes("a.md")[0].tags) == ("Head", ())
        with pytest.raises(NotFoundError):
            vault.remem.show("Al")
        compile_files(vault, {"a.md": NOTE + "\nmore\n"})


def test_first_heading_that_is_forgotten_is_no_title(vault: Vault) -> None:
    vault.remem.forget(id_of(vault, "Bee", "b.md"), "reparent")
    assert vault.nodes("b.md")[0].label == "b"
    assert export(vault, "b.md") == OTHER.removeprefix("# Bee\n\n")


def test_name_of_a_document_means_all_of_it_and_the_name_of_its_heading_that_alone(vault: Vault) -> None:
    document, head = document_of(vault, "b.md"), id_of(vault, "Head")
    assert vault.remem.forget("b", "cascade").id == document
    assert vault.nodes("b.md") == []
    assert vault.remem.forget("Head", "cascade").id == head
    assert labels(vault) == ["title: Alpha aliases: [Al] tags: [top]"]
