"""Paragraphs that are split, joined or edited, and set back: every text has the id again that it had."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cases.vault import Vault

SHORT = "The river floods the lower fields every spring, and the farmers wait."
LONG = "A wooden tower stands behind the old school. From its top one sees the coast, the harbour and all the trains."
MIDDLE = "Bread needs flour, water, salt and a long night. The oven is lit before dawn by whoever wakes first."


def follow_ids(place: Path, *texts: str) -> list[dict[str, str]]:
    """The ids of a note's paragraphs by text, after each of its versions was compiled."""
    vault = Vault(place)
    found = []
    with vault.remem as remem:
        for text in texts:
            vault.compile({"a.md": f"# Note\n\n{text}\n\nlast words\n"})
            found.append({node.content: node.id for node in vault.nodes("a.md") if node.kind == "text"})
        assert [finding for finding in remem.doctor().findings if finding.fault] == []
        assert vault.compile().snapshot is None
    return found


@pytest.mark.parametrize("marks", [("\n\n", "\n"), ("\n", "\n\n")])
@pytest.mark.parametrize("parts", [(SHORT, LONG), (LONG, SHORT), (SHORT, LONG, MIDDLE), ("one", "and two")])
def test_paragraphs_that_were_joined_or_split_and_set_back_have_their_ids(
    tmp_path: Path, parts: Sequence[str], marks: Sequence[str]
) -> None:
    texts = [mark.join(parts) for mark in marks]
    first, second, *again = follow_ids(tmp_path, *texts, *texts, *texts)
    assert again == [first, second] * 2


def test_a_paragraph_that_is_set_back_in_steps_has_its_id_beside_what_came_meanwhile(tmp_path: Path) -> None:
    edited = SHORT.replace("spring", "autumn")
    first, *_, last = follow_ids(
        tmp_path, f"{SHORT} {LONG}", f"{SHORT}\n\n{LONG}", f"{edited}\n\n{LONG}", f"{SHORT} {LONG}"
    )
    assert last == first


def test_an_edit_stays_an_edit_though_its_text_was_another_paragraph_once(tmp_path: Path) -> None:
    edited = SHORT.replace("spring", "autumn")
    _, before, after = follow_ids(tmp_path, f"{SHORT}\n\n{edited}", edited, f"{SHORT}\n\n{MIDDLE}")
    assert after[SHORT] == before[edited]


def test_what_a_paragraph_said_once_is_not_taken_from_it_while_it_is_edited_again(tmp_path: Path) -> None:
    edited, again = SHORT.replace("spring", "autumn"), SHORT.replace("spring", "winter")
    first, _, last = follow_ids(tmp_path, SHORT, edited, f"{again}\n\n{LONG}\n\n{SHORT}")
    assert last[again] == first[SHORT]
