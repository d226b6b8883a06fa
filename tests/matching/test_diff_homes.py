"""Which file is which document when names are used again in the same compile."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.matching.diff_trees import follow

RIVER = "The river floods the lower fields every spring."
TOWER = "A wooden tower stands behind the old school."
BREAD = "Bread needs flour, water, salt and a long night."
TRAIN = "Morning trains to the coast leave from platform two."
FERRY = "Ferry crews sail in winter storms."
FERRIES = "Ferry crews also sail in winter storms."

HABITS = "# Today\n- [ ] read\n## Notes"


def find_documents(old: dict[str, str], new: dict[str, str]) -> dict[str, str | None]:
    """Which old document each new file is."""
    return {source: found[0] for source, found in follow(old, new).items()}


@pytest.mark.parametrize("title", ["", "# Today\n", "--- tags: daily\n# Today\n## Notes\n"])
@pytest.mark.parametrize("moved", [FERRY, FERRIES, f"{TRAIN}\n{FERRIES}"])
def test_a_renamed_file_stays_its_document_though_its_name_is_used_again(title: str, moved: str) -> None:
    old = {"n/today.md": f"{title}{FERRY}"}
    new = {"n/monday.md": f"{title}{moved}", "n/today.md": f"{title}{BREAD}"}
    assert find_documents(old, new) == {"n/monday.md": "n/today.md", "n/today.md": None}
    assert find_documents(old, dict(reversed(new.items()))) == {"n/monday.md": "n/today.md", "n/today.md": None}


def test_a_renamed_file_takes_its_blocks_and_title_along() -> None:
    found = follow(
        {"today.md": f"# Today\n{FERRY}\nok"}, {"today.md": f"# Today\n{BREAD}", "mon.md": f"# Mon\n{FERRY}\nok"}
    )
    assert found == {"today.md": [None, None, None], "mon.md": ["today.md", "# Today", FERRY, "ok"]}


@pytest.mark.parametrize("edit", ["", " Often."])
def test_names_handed_on_in_a_row_leave_each_document_with_its_text(edit: str) -> None:
    a, b, c = f"# A\n{RIVER}\n{FERRY}", f"# B\n{TOWER}\n{BREAD}", f"# C\n{TRAIN}"
    assert find_documents({"a.md": a, "b.md": b}, {"a.md": b + edit, "c.md": a + edit}) == {
        "a.md": "b.md",
        "c.md": "a.md",
    }
    ring = find_documents({"a.md": a, "b.md": b, "c.md": c}, {"a.md": c + edit, "b.md": a + edit, "c.md": b + edit})
    assert ring == {"a.md": "c.md", "b.md": "a.md", "c.md": "b.md"}


def test_files_that_swap_names_swap_documents_with_edits_on_top() -> None:
    old = {"a.md": f"# A\n{RIVER}\n{TOWER}", "b.md": f"# B\n{BREAD}\n{TRAIN}"}
    new = {"a.md": f"# B\n{BREAD} Often.\n{TRAIN}", "b.md": f"# A\n{RIVER}\nThe wooden tower stands by the old school."}
    assert follow(old, new) == {"a.md": ["b.md", "# B", BREAD, TRAIN], "b.md": ["a.md", "# A", RIVER, TOWER]}


def test_files_that_are_much_alike_swap_documents_if_all_bytes_swapped() -> None:
    old = {"a.md": f"# A\n{RIVER}\n{TOWER}\n{BREAD}\none", "b.md": f"# B\n{RIVER}\n{TOWER}\n{BREAD}\ntwo"}
    assert follow(old, {"a.md": old["b.md"], "b.md": old["a.md"]})["a.md"] == [
        "b.md", "# B", f"{RIVER}~2", f"{TOWER}~2", f"{BREAD}~2", "two",
    ]  # fmt: skip


def test_a_file_moved_over_another_is_its_document_still() -> None:
    old = {"a.md": f"# A\n{RIVER}\n{TOWER}", "b.md": f"# B\n{BREAD}\n{TRAIN}"}
    assert find_documents(old, {"a.md": old["b.md"]}) == {"a.md": "b.md"}


def test_a_draft_moved_over_its_original_is_an_edit_of_the_original() -> None:
    old = {"a.md": f"# A\n{RIVER}\n{TOWER}", "draft.md": f"# A\n{RIVER}\n{TOWER}\n{BREAD}"}
    assert find_documents(old, {"a.md": old["draft.md"]}) == {"a.md": "a.md"}


@pytest.mark.parametrize("other", [f"# X\n{TRAIN}", "# Today\n- [ ] read\n## Notes\nplans", ""])
def test_a_file_that_is_rewritten_wholly_beside_other_changes_is_the_same_document(other: str) -> None:
    old = {"today.md": f"{HABITS}\n{FERRY}", "x.md": f"# X\n{RIVER}"}
    assert find_documents(old, {"today.md": f"{HABITS}\n{BREAD}", "new.md": other})["today.md"] == "today.md"
    assert find_documents(old, {"today.md": BREAD, "x.md": other}) == {"today.md": "today.md", "x.md": "x.md"}


def test_a_file_that_is_edited_while_a_copy_keeps_the_old_text_is_the_same_document() -> None:
    for text, edited in [
        (FERRY, FERRIES),
        (f"# A\n{RIVER}\n{TOWER}", f"# A\n{RIVER}\n{BREAD}"),
        (RIVER, "The river floods the harbor and the mill each autumn."),
        (FERRY, f"{FERRY} {BREAD} {TRAIN} {TOWER} {RIVER}"),
        ("知識グラフは役に立つものです", "知識グラフはとても役に立つものです"),
    ]:
        assert find_documents({"a.md": text}, {"a.md": edited, "copy.md": text}) == {"a.md": "a.md", "copy.md": None}


def test_of_a_file_that_gave_most_away_the_name_keeps_the_document() -> None:
    rest = "\n".join(
        f"{text} So {word} said." for text in (TOWER, BREAD, TRAIN, FERRY) for word in ("Ann", "Tom", "Eve")
    )
    old = {"a.md": f"# A\n{RIVER}\n{rest}"}
    assert find_documents(old, {"a.md": f"# A\n{RIVER}", "b.md": f"# B\n{rest}"}) == {"a.md": "a.md", "b.md": None}


def test_a_file_of_the_same_name_elsewhere_takes_no_document_for_a_little_of_its_text() -> None:
    old = {"a/index.md": f"{RIVER}\n{TOWER}\n{FERRY}"}
    new = {"a/index.md": BREAD, "b/index.md": f"{RIVER}\n{TRAIN}\nThe harbor lies in the north."}
    assert find_documents(old, new) == {"a/index.md": "a/index.md", "b/index.md": None}


def test_a_note_that_is_gone_does_not_go_on_in_another_of_the_same_headings() -> None:
    old = {"today.md": f"{HABITS}\n{FERRY}", "yesterday.md": f"{HABITS}\nok"}
    assert find_documents(old, {"today.md": f"{HABITS}\n{BREAD}"}) == {"today.md": "today.md"}


def test_a_stub_left_behind_does_not_keep_the_document() -> None:
    old = {"a.md": f"# A\n{RIVER}\n{TOWER}"}
    assert find_documents(old, {"a.md": "# A\nsee [[b]]", "b.md": old["a.md"]}) == {"a.md": None, "b.md": "a.md"}


@pytest.mark.parametrize("left", ["# T", "# T\nSee [[B]].", "# T\n## Empty", "# T\n- [Deploy](b.md)\n![[B]]"])
@pytest.mark.parametrize("place", ["b.md", "z/a.md"])
def test_a_file_that_gave_its_text_away_stays_under_its_title(left: str, place: str) -> None:
    section = ["## Deploy", BREAD, TRAIN]
    found = follow({"a.md": "\n".join(["# T", *section])}, {"a.md": left, place: "\n".join(["# B", *section])})
    assert found["a.md"][:2] == ["a.md", "# T"]
    assert found[place] == [None, None, *section]


@pytest.mark.parametrize("text", ["alpha beta gamma delta", "- [ ] call Ann Lee", "東京へ行く朝の電車"])
def test_a_short_text_keeps_its_id_in_the_new_file_that_a_stub_leads_to(text: str) -> None:
    old = {"a.md": f"# Log\n{text}\nok", "z.md": f"# Z\n{RIVER}"}
    new = {"a.md": "# Log\n[[b]]", "b.md": f"# B\n{text}\nok", "z.md": f"# Z\n{RIVER} Often."}
    assert follow(old, new) == {
        "a.md": ["a.md", "# Log", None],
        "b.md": [None, None, text, "ok"],
        "z.md": ["z.md", "# Z", RIVER],
    }


@pytest.mark.parametrize("text", ["TBD", "Coming soon.", "## Notes"])
def test_a_trivial_text_is_another_in_the_new_file_that_a_stub_leads_to(text: str) -> None:
    old = {"a.md": f"# Log\n{TOWER}\n{text}"}
    assert follow(old, {"a.md": "# Log\nsee [[b]]", "b.md": f"# B\n{text}"})["b.md"] == [None, None, None]
    assert follow(old, {"a.md": f"# Log\n{TOWER}", "b.md": f"# B\n{text}"})["b.md"] == [None, None, None]


@pytest.mark.parametrize("source", ["a.md", "b.md", "z.md"])
def test_a_short_text_that_stands_once_more_goes_to_no_new_file(source: str) -> None:
    text = "alpha beta gamma delta"
    old, new = {"a.md": f"# Log\n{RIVER}\n{text}"}, {"a.md": f"# Log\n{RIVER}", "b.md": f"# B\n{text}"}
    old["z.md"], new["z.md"] = f"# Z\n{TOWER}", f"# Z\n{TOWER} Often."
    new[source] += f"\n{BREAD}\n{text}"
    if source == "z.md":
        old[source] += f"\n{BREAD}\n{text}"
    assert follow(old, new)["b.md"][1:3] == [None, None]


def test_a_short_text_that_is_edited_where_it_stands_keeps_its_id_though_a_new_file_repeats_it() -> None:
    old = {"a.md": f"# Log\n{RIVER}\nalpha beta gamma delta\n{TOWER}"}
    new = {
        "a.md": f"# Log\n{RIVER}\nalpha beta gamma delta and more\n{TOWER}",
        "b.md": f"# B\n{BREAD}\nalpha beta gamma delta",
    }
    assert follow(old, new) == {
        "a.md": ["a.md", "# Log", RIVER, "alpha beta gamma delta", TOWER],
        "b.md": [None, None, None, None],
    }


def test_a_title_in_front_matter_keeps_a_document_as_a_heading_does() -> None:
    front = "--- title: T"
    assert find_documents({"a.md": f"{front}\n{BREAD}\n{TRAIN}"}, {"a.md": front, "b.md": f"{BREAD}\n{TRAIN}"}) == {
        "a.md": "a.md",
        "b.md": None,
    }


@pytest.mark.parametrize(
    ("left", "other"),
    [("# Today", "# Today"), ("", "# Monday"), ("# Other", "# Monday"), (f"# Today\n{TOWER}", "# Monday")],
)
def test_a_document_goes_with_its_text_where_title_or_text_at_the_old_name_are_another(left: str, other: str) -> None:
    new = {"today.md": left, "monday.md": f"{other}\n{FERRY}\n{BREAD}\nMore."}
    assert find_documents({"today.md": f"# Today\n{FERRY}\n{BREAD}"}, new) == {
        "today.md": None,
        "monday.md": "today.md",
    }


def test_an_empty_file_that_is_filled_is_the_same_document_though_another_empty_one_appears() -> None:
    assert find_documents({"a.md": ""}, {"a.md": FERRY, "b.md": ""}) == {"a.md": "a.md", "b.md": None}
    assert find_documents({"a.md": "# New"}, {"a.md": f"# Boats\n{FERRY}", "b.md": "# New"})["a.md"] == "a.md"


def test_of_two_equal_files_that_are_rewritten_one_follows_its_text() -> None:
    new = {"a.md": f"# A\n{BREAD}", "b.md": f"# B\n{TRAIN}", "c.md": FERRY}
    assert find_documents({"a.md": FERRY, "b.md": FERRY}, new) == {"a.md": None, "b.md": "b.md", "c.md": "a.md"}


@settings(max_examples=60)
@given(seed=st.integers(0, 1_000_000))
def test_documents_follow_their_text_through_any_exchange_of_names(seed: int) -> None:
    random = Random(seed)
    words = [f"word{n}" for n in range(400)]
    texts = ["\n".join(" ".join(random.sample(words, 9)) for _ in range(random.randint(2, 5))) for _ in range(6)]
    names = [f"{n}.md" for n in range(9)]
    old = dict(zip(names, texts, strict=False))
    places = random.sample(names, len(texts))
    new = {place: f"# Same\n{text} and more" for place, text in zip(places, texts, strict=True)}
    known = dict(zip(places, old, strict=True))
    assert find_documents({source: f"# Same\n{text}" for source, text in old.items()}, new) == known
