"""Recall: whole sections within a budget, no text twice, nothing that is hardly a hit, and what was left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError
from remem.ingest.tokens import count_tokens
from remem.records import Recall, RecallItem
from remem.rendering.recall import RecallPage, render_item

FACT = "The deploy key rotates on Fridays at noon."


def recall_notes(tmp_path: Path, config: Path, notes: dict[str, str], query: str, budget: int = 1500) -> Recall:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in notes.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Remem.open_sync(tmp_path / "store.db", config=config) as opened:
        opened.compile(folder)
        return opened.recall(query, budget)


def test_recall_gives_whole_sections_with_reasons_within_the_budget_and_no_text_twice(remem: RememSync) -> None:
    found = remem.recall("push on Fridays", 400)
    assert count_tokens(found.text) == found.tokens <= 400
    texts = {item.label: item for item in found}
    assert "We push on Fridays." in texts["Deploy"].text and "Ask Amina first." in texts["Deploy"].text
    assert "Rollback" not in texts
    assert "linked" in texts["Key rotation"].reason and "found by its text" in texts["Deploy"].reason
    assert found.text.count("We push on Fridays.") == 1


def test_a_block_that_stands_in_several_sections_is_told_once(tmp_path: Path, config: Path) -> None:
    notes = {
        "a.md": f"# Deploy\n\n{FACT}\n\nMore about the deploy key.\n\n## Again\n\n> {FACT}\n",
        "b.md": f"Keys\n====\n\nIntro to the deploy key.\n\n**{FACT}**\n\n- {FACT}\n",
        "c.md": f"# Copy\n\n{FACT.upper()}\n",
    }
    found = recall_notes(tmp_path, config, notes, "when does the deploy key rotate")
    assert found.text.casefold().count(FACT.casefold()) == 1
    assert "More about the deploy key." in found.text and "Intro to the deploy key." in found.text
    assert "Again" not in found.text and "Copy" not in [item.label for item in found] + [
        c.label for c in found.left_out
    ]


def test_a_fact_that_is_stored_in_several_places_is_told_once(remem: RememSync) -> None:
    remem.store(f"# Rotation\n\n{FACT}\n\nAsk Amina about it.", id="titled")
    for source in ("mail", "chat"):
        remem.store(FACT, id=source, source=source)
    remem.settle()
    found = remem.recall("deploy key rotates on Fridays")
    assert found.text.count(FACT) == 1 and "Ask Amina about it." in found.text
    assert len({"mail", "chat"} & {item.id for item in found}) <= 1


def test_a_label_is_not_told_beside_the_text_that_it_was_made_of(remem: RememSync) -> None:
    found = remem.recall("the pier is closed")
    (item,) = [item for item in found if item.id == "turn-0"]
    assert item.label == item.text == "Amina: the pier is closed"
    assert found.text.count(item.label) == 1
    assert "## [memory] turn-0\n" in found.text


def test_a_heading_is_not_told_beside_a_body_that_says_the_same(tmp_path: Path, config: Path) -> None:
    notes = {"a.md": "# Keys\n\nSome words on keys.\n\n## Key rotation matters\n\nKey rotation matters.\n\nA lot.\n"}
    found = recall_notes(tmp_path, config, notes, "key rotation matters")
    shown = render_item(found.items[0])
    assert shown.startswith("## [heading] ") and shown.endswith("Key rotation matters.\n\nA lot.")
    assert shown.count("Key rotation matters") == 1 and shown in found.text


def test_the_heading_of_a_section_stands_above_its_text_and_not_in_it(remem: RememSync) -> None:
    (item,) = [item for item in remem.recall("They nest in burrows") if item.label in ("Puffins", "Birds")][:1]
    assert not item.text.startswith("#") or item.label == "Birds"
    assert item.text.count(f"# {item.label}") == 0


def test_repeated_code_and_short_blocks_stay_where_they_stand(tmp_path: Path, config: Path) -> None:
    step = "```\nmake every test\n```"
    notes = {"a.md": f"# Steps\n\nBuild:\n\n{step}\n\nyes\n\nCheck again:\n\n{step}\n\nyes\n"}
    found = recall_notes(tmp_path, config, notes, "steps build")
    assert found.text.count(step) == 2 and found.text.count("\nyes") == 2


def test_what_is_hardly_a_hit_does_not_fill_the_budget_and_is_counted(tmp_path: Path, config: Path) -> None:
    notes = {f"{n}.md": f"# Note {n}\n\nWords on lanterns, number {n} of many.\n" for n in range(25)}
    notes["best.md"] = "# Puffins\n\nPuffins nest in burrows. Puffins dive. Lanterns do not.\n"
    found = recall_notes(tmp_path, config, notes, "puffins burrows dive nest lanterns", 5000)
    best = found.items[0].score
    assert found.items[0].label == "Puffins"
    assert all(item.score >= 0.05 * best for item in found)
    (note,) = [note for note in found.notes if "left out" in note]
    assert note == f"{26 - len(found)} hits of less than 5% of the best score left out"
    assert note in found.text and found.tokens <= 5000


def test_what_does_not_fit_is_named_and_what_it_holds_may_come_by_itself(tmp_path: Path, config: Path) -> None:
    notes = {
        "first.md": "# Anchors\n\nAnchors rust.\n",
        "long.md": "# Anchors and chains\n\n## Parts\n\n" + "Anchors and chains in many words. " * 200 + "\n",
        **{f"{n}.md": f"# Note {n}\n\nLanterns, number {n}.\n" for n in range(20)},
    }
    found = recall_notes(tmp_path, config, notes, "anchors rust", 200)
    assert [item.label for item in found] == ["Anchors"]
    assert {crumb.label for crumb in found.left_out} <= {"Anchors and chains", "Parts"} and found.left_out
    assert "left out: " in found.text and found.tokens <= 200


def test_what_is_told_within_another_section_is_not_said_to_be_left_out(remem: RememSync) -> None:
    found = remem.recall("puffins terns burrows eels", 2000)
    assert {"Puffins", "Terns"} & {word.strip("# ") for word in found.text.splitlines()} or len(found) > 1
    told = found.text.split("left out")[0]
    assert all(crumb.label not in told for crumb in found.left_out)


def test_recall_says_what_did_not_fit_and_cuts_the_first_alone(remem: RememSync) -> None:
    remem.store("puffins " * 2000, id="long")
    found = remem.recall("puffins", 60)
    assert found.tokens <= 60 and len(found) == 1
    assert found.left_out or found.items[0].truncated
    assert "left out" in found.text


def test_an_empty_context_says_what_was_searched_and_why_nothing_is_there(remem: RememSync) -> None:
    found = remem.recall("qwertyuiop", sources=["nowhere"])
    assert found.text.splitlines() == [
        "nothing found", "no passage passes the filter sources: nowhere", f"searched 0 passages of {count(remem)} nodes"
    ]  # fmt: skip
    assert len(found) == 0 and found.tokens == count_tokens(found.text)


def count(remem: RememSync) -> int:
    return remem.stats().nodes


def test_spread_zero_follows_no_links(remem: RememSync) -> None:
    found = remem.recall("push on Fridays", spread=0)
    assert all("told near" not in item.reason and "linked with" not in item.reason for item in found)


@pytest.mark.parametrize("budget", [59, 0, -1, "many", True, 10**9])
def test_a_budget_out_of_range_is_refused(remem: RememSync, budget: object) -> None:
    with pytest.raises(InvalidInputError) as caught:
        remem.recall("puffins", budget)  # type: ignore[arg-type]
    assert caught.value.facts["field"] == "budget"


@pytest.mark.parametrize(("field", "value"), [("touch", 1), ("touch", "no"), ("spread", 2), ("spread", "all")])
def test_a_wrong_argument_is_refused_by_name(remem: RememSync, field: str, value: object) -> None:
    with pytest.raises(InvalidInputError) as caught:
        remem.recall("puffins", **{field: value})  # type: ignore[arg-type]
    assert caught.value.facts["field"] == field


@pytest.mark.parametrize("budget", [60, 100, 300, 1500])
def test_recall_never_exceeds_its_budget(remem: RememSync, budget: int) -> None:
    for query in ("puffins burrows", "since when", "script", "", "nothing of this"):
        assert remem.recall(query, budget).tokens <= budget


def test_a_memory_without_a_title_is_named_by_its_first_words(remem: RememSync) -> None:
    shown = remem.get("turn-0", touch=False).label
    assert shown == "Amina: the pier is closed"
    (hit,) = [hit for hit in remem.search("the pier is closed", mode="keyword") if hit.id == "turn-0"]
    assert hit.label == shown
    (item,) = [item for item in remem.recall("the pier is closed") if item.id == "turn-0"]
    assert item.label == shown


def make_item(label: str, text: str) -> RecallItem:
    return RecallItem("a1", "memory", label, "", "", (), 1.0, "why", text, count_tokens(text))


def test_a_label_cut_from_a_long_text_is_not_printed_above_it() -> None:
    text = "a long text of many words that goes on and on until its label had to be cut somewhere, far before its end"
    assert render_item(make_item(text[:79], text)) == f"## [memory] a1\nwhy\n\n{text}"
    assert render_item(make_item("Ferries", "Ferries leave at noon")).startswith("## Ferries [memory] a1\n")


def test_a_later_section_may_fit_where_an_earlier_did_not() -> None:
    page = RecallPage(100)
    long, short = make_item("Long", "word " * 200), make_item("Short", "a few words")
    assert page.add(long, first=False) is None
    assert page.add(short, first=False) == short
    told = page.finish([], ["a note"])
    assert told.items == (short,) and told.text.endswith("\n\na note")
