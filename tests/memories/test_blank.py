"""A text that shows nothing is no text, wherever one is given; a query may be anything."""

from __future__ import annotations

from typing import Any

import pytest

from remem.engine.sync import RememSync
from remem.errors import InvalidInputError
from remem.keys import is_blank
from tests.memories.helpers import list_ids

BLANKS = [
    "",
    " ",
    "\n\t",
    "\u200b",
    "\ufeff",
    "\u200b \ufeff\n\u2060",
    "\u00ad",
    "\u3164",
    "\u2800",
    "\ufe0f",
    "\u202e",
]

CALLS: dict[str, Any] = {
    "store": lambda remem, text: remem.store(text),
    "store_batch": lambda remem, text: remem.store_batch(["fine", text]),
    "update": lambda remem, text: remem.update("kept", content=text),
    "tags": lambda remem, text: remem.store("fine", tags=[text]),
    "marked tags": lambda remem, text: remem.update("kept", tags=["#" + text]),
    "id": lambda remem, text: remem.store("fine", id=text),
    "label": lambda remem, text: remem.relate("kept", target_label=text),
}


@pytest.mark.parametrize("text", BLANKS, ids=ascii)
def test_a_blank_text_is_refused_and_changes_nothing(text: str, remem: RememSync) -> None:
    remem.store("kept", id="kept")
    for call in CALLS.values():
        with pytest.raises(InvalidInputError):
            call(remem, text)
    memory = remem.get("kept")
    assert (memory.content, memory.tags, list_ids(remem)) == ("kept", (), ["kept"])


@pytest.mark.parametrize("text", BLANKS, ids=ascii)
def test_blank_names_of_entities_are_left_out_and_a_blank_source_is_none(text: str, remem: RememSync) -> None:
    given = {"entities": [{"name": text}, {"name": "Ada", "description": text}]}
    memory = remem.store("fine", source=text, graph_extraction=given)
    assert memory.extraction is not None and memory.source == ""
    assert [entity.name for entity in memory.extraction.entities] == ["Ada"]
    assert len(memory.extraction.refused) == 1
    assert list(remem.search(text)) == []


@pytest.mark.parametrize("text", ["x", "\u200bx", "👍", "é", "\u0301", "!", "中", "1"])
def test_what_shows_anything_is_a_text(text: str, remem: RememSync) -> None:
    assert not is_blank(text)
    assert remem.store(text).content == text
