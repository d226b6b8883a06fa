"""Sections too short to be known by one of their blocks move to other files as a whole."""

from __future__ import annotations

import pytest

from tests.matching.diff_trees import follow

COSTS = ["Ten.", "- a and b"]


@pytest.mark.parametrize("body", [["body of s here"], COSTS, ["one", "### Deep", "two", "## Not this"][:3], ["東京へ"]])
@pytest.mark.parametrize("level", ["#", "##"])
def test_a_short_section_moves_to_another_file_with_all_that_it_holds(body: list[str], level: str) -> None:
    section = ["## S", *body]
    old = {"a.md": "\n".join(["# T", "Intro.", *section]), "b.md": "# B\ntext"}
    new = {"a.md": "# T\nIntro.", "b.md": "\n".join(["# B", "text", f"{level} S", *body])}
    assert follow(old, new) == {"a.md": ["a.md", "# T", "Intro."], "b.md": ["b.md", "# B", "text", *section]}
    made = {"a.md": "# T\nIntro.", "c.md": "\n".join([f"{level} S", *body])}
    assert follow({"a.md": old["a.md"]}, made)["c.md"] == [None, *section]


def test_two_short_sections_that_change_places_keep_their_ids() -> None:
    old = {"a.md": "# T\n## Costs\nTen a day.\n## Crew\nAnn and Tom", "b.md": "# B\n## Tools\nSaw, axe."}
    new = {"a.md": "# T\n## Crew\nAnn and Tom\n## Tools\nSaw, axe.", "b.md": "# B\n## Costs\nTen a day."}
    assert follow(old, new) == {
        "a.md": ["a.md", "# T", "## Crew", "Ann and Tom", "## Tools", "Saw, axe."],
        "b.md": ["b.md", "# B", "## Costs", "Ten a day."],
    }


@pytest.mark.parametrize("section", ["## Notes", "## Notes\nTBD", "## Notes\n## More\n### Notes again"])
def test_a_trivial_section_is_not_taken_for_that_of_another_file(section: str) -> None:
    old = {"a.md": f"# T\nIntro.\n{section}", "b.md": "# B\ntext"}
    found = follow(old, {"a.md": "# T\nIntro.", "b.md": f"# B\ntext\n{section}"})
    assert found == {
        "a.md": ["a.md", "# T", "Intro."],
        "b.md": ["b.md", "# B", "text", *[None] * (section.count("\n") + 1)],
    }


@pytest.mark.parametrize("twice", ["old", "new"])
def test_a_short_section_that_stands_twice_is_not_taken_for_that_of_another_file(twice: str) -> None:
    section = "## Plan\nAsk Ann today."
    old = {"a.md": f"# T\nIntro.\n{section}", "b.md": "# B\ntext", "c.md": "# C\nwords"}
    new = {"a.md": "# T\nIntro.", "b.md": f"# B\ntext\n{section}", "c.md": "# C\nwords here"}
    if twice == "old":
        old["c.md"] = f"# C\nwords\n{section}"
    else:
        new["c.md"] = f"# C\nwords here\n{section}"
    assert follow(old, new)["b.md"] == ["b.md", "# B", "text", None, None]


def test_a_section_of_which_a_part_stayed_is_not_moved_as_a_whole() -> None:
    old = {"a.md": "# T\n## Plan\nAsk Ann today.\n### Deep\nLater that day.", "b.md": "# B"}
    new = {"a.md": "# T\n## Plan\nAsk Ann today.", "b.md": "# B\n### Deep\nLater that day."}
    assert follow(old, new)["b.md"] == ["b.md", "# B", "### Deep", "Later that day."]
