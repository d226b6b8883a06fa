"""Copies: the original keeps its ids though it is edited in the compile that brings the copy; what moves takes them
along."""

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
RIVER_2 = "The river floods all the lower fields every autumn."
TOWER_2 = "A wooden tower stood behind the new school."

NOTE = f"# T\n{RIVER}\n{TOWER}"
KEPT = ["m.md", "# T", RIVER, TOWER]


@pytest.mark.parametrize(
    "edited", [f"# T\n{RIVER} Edited.\n{TOWER}", f"# T\n{RIVER_2}\n{TOWER}", f"# T\n{RIVER}\n{TOWER_2}"]
)
@pytest.mark.parametrize("extra", ["", f"\n{BREAD}"])
def test_an_edited_paragraph_keeps_its_id_though_a_copy_has_the_old_text(edited: str, extra: str) -> None:
    found = follow({"m.md": NOTE}, {"copy.md": NOTE + extra, "m.md": edited})
    assert found["m.md"] == KEPT
    assert set(found["copy.md"]) == {None}


@pytest.mark.parametrize(
    "edited", [f"# T\n{RIVER_2}\n{TOWER_2}", f"# Other\n{RIVER_2}\n{TOWER_2}", f"# T\n{RIVER_2}\n{BREAD}\n{TOWER_2}"]
)
def test_a_note_edited_in_every_block_keeps_its_ids_though_a_copy_has_the_old_text(edited: str) -> None:
    found = follow({"m.md": NOTE}, {"m.md": edited, "copy.md": NOTE})
    assert [key for key in found["m.md"] if key] == KEPT
    assert found["copy.md"] == [None] * 4


def test_blocks_copied_along_speak_for_each_other() -> None:
    old, edited = f"# T\n{RIVER}\nok\n{TOWER}\n{BREAD}", f"# T\n{RIVER_2}\nfine\n{TOWER_2}\n{BREAD}"
    found = follow({"m.md": old, "o.md": f"# O\n{TRAIN}"}, {"m.md": edited, "o.md": f"# O\n{TRAIN}\n{old[4:]}"})
    assert (found["m.md"][2], found["m.md"][4]) == (RIVER, TOWER)
    assert found["o.md"] == ["o.md", "# O", TRAIN, None, None, None, None]


def test_a_section_copied_to_another_file_and_edited_at_home_stays_there() -> None:
    old = {"m.md": f"# M\n{TRAIN}\n## S\n{RIVER}\n{TOWER}", "o.md": "# O"}
    for heading in ("## S", "## Renamed"):
        new = {"m.md": f"# M\n{TRAIN}\n{heading}\n{RIVER_2}\n{TOWER}", "o.md": f"# O\n## S\n{RIVER}\n{TOWER}"}
        assert follow(old, new) == {
            "m.md": ["m.md", "# M", TRAIN, "## S", RIVER, TOWER], "o.md": ["o.md", "# O", None, None, None],
        }  # fmt: skip


def test_a_section_copied_in_its_file_and_edited_at_its_old_place_stays_there() -> None:
    found = follow({"m.md": NOTE}, {"m.md": f"# T\n{RIVER_2}\n{TOWER}\n## Copy\n{RIVER}\n{TOWER}", "copy.md": NOTE})
    assert found == {"m.md": [*KEPT, None, None, None], "copy.md": [None] * 4}


def test_a_paragraph_that_still_begins_the_text_at_its_place_has_not_moved() -> None:
    old = {"m.md": f"# T\n{BREAD}\n{RIVER}", "o.md": f"# O\n{TRAIN}"}
    found = follow(old, {"m.md": f"# T\n{BREAD}\n{RIVER} And more.", "o.md": f"# O\n{TRAIN}\n{RIVER}"})
    assert found == {"m.md": ["m.md", "# T", BREAD, RIVER], "o.md": ["o.md", "# O", TRAIN, None]}


@pytest.mark.parametrize("instead", ["", f"\n{BREAD}", "\nSee [[o]]."])
@pytest.mark.parametrize("target", ["o.md", "new.md"])
def test_a_section_that_is_cut_out_takes_its_ids_along_whatever_is_written_in_its_place(
    instead: str, target: str
) -> None:
    section = f"## S\n{RIVER}\n{TOWER}\nok"
    old = {"m.md": f"# M\n{TRAIN}\n{section}\n## Next\nend", "o.md": "# O\nok"}
    new = {"m.md": f"# M\n{TRAIN}{instead}\n## Next\nend", target: f"# O\nok\n{section}"}
    found = follow(old, new)
    assert found[target][-4:] == ["## S", RIVER, TOWER, "ok"]
    assert found["m.md"][:3] == ["m.md", "# M", TRAIN] and found["m.md"][-2:] == ["## Next", "end"]


def test_a_block_that_is_gone_at_home_goes_on_in_the_copy() -> None:
    found = follow({"m.md": NOTE}, {"m.md": f"# T\n{TOWER}", "copy.md": NOTE})
    assert found == {"m.md": ["m.md", "# T", TOWER], "copy.md": [None, None, RIVER, None]}


def test_a_paragraph_moved_below_a_heading_like_its_own_takes_its_id_along() -> None:
    old = {"m.md": f"# M\n## Notes\n{RIVER}\n## End\n{TRAIN}", "o.md": "# O"}
    new = {"m.md": f"# M\n## Notes\n{BREAD}\n## End\n{TRAIN}", "o.md": f"# O\n## Notes\n{RIVER}"}
    assert follow(old, new)["o.md"] == ["o.md", "# O", None, RIVER]


def test_a_paragraph_that_moved_with_the_sections_around_it_is_no_copy() -> None:
    step = [f"Step {n} of the long plan is done by the team on time." for n in range(8)]
    old = f"# A\n{step[0]}\n{step[1]}\n# B\n{step[2]}\n### C\n{step[3]}\n{step[4]}\n{step[5]}\n{step[6]}\n{step[7]}"
    rest = f"{step[3]}\n{step[4]}\n{step[5]}\n{step[7]}\n{step[1]}\n# B\n# A\n{step[0]}"
    assert follow({"m.md": old}, {"m.md": f"### C\n{step[2]}\n{rest}"})["m.md"][2:] == [step[2], *rest.split("\n")]


@settings(max_examples=60)
@given(seed=st.integers(0, 1_000_000))
def test_whatever_is_edited_in_a_note_that_is_copied_its_blocks_stay_in_it(seed: int) -> None:
    random = Random(seed)
    lines = ["# T"]
    for n in range(random.randint(2, 12)):
        words = [f"word{n}{letter}" for letter in "abcdefghij"]
        lines.append(
            "ok" if n and random.random() < 0.1 else f"## Part {n}" if random.random() < 0.2 else " ".join(words)
        )
    edited = [f"{line} more" if line.startswith("word") and random.random() < 0.6 else line for line in lines]
    copied = lines if random.random() < 0.5 else lines[: random.randint(1, len(lines))]
    home = follow({"m.md": "\n".join(lines)}, {"m.md": "\n".join(lines)})["m.md"]
    found = follow({"m.md": "\n".join(lines)}, {"m.md": "\n".join(edited), "copy.md": "\n".join(copied)})
    assert found == {"m.md": home, "copy.md": [None] * (len(copied) + 1)}


def test_a_short_section_that_is_edited_keeps_its_ids_though_a_copy_of_the_file_has_the_old_text() -> None:
    old = "# T\n## Crew\nAnn and Tom"
    found = follow({"m.md": old}, {"m.md": "# T\n## Staff\nAnn and Tim", "copy.md": old})
    assert found == {"m.md": ["m.md", "# T", "## Crew", "Ann and Tom"], "copy.md": [None] * 4}
