"""What makes the pages: parts between marks are made anew, and a page that is stale is told by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import pages

PAGE = "# Page\n\n<!-- list -->\nold\n<!-- /list -->\n\n<!-- session -->\nstays\n<!-- /session -->\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    place = tmp_path / "page.md"
    place.write_text(PAGE, encoding="utf-8")
    return place


def test_a_part_is_made_anew_and_what_stands_between_other_marks_stays(page: Path) -> None:
    made = pages.refresh_parts(page, {"list": lambda: ["one", "two", ""]})
    assert made == PAGE.replace("\nold\n", "\n\none\ntwo\n\n")
    page.write_text(made, encoding="utf-8")
    assert pages.refresh_parts(page, {"list": lambda: ["one", "two"]}) == made


def test_a_check_tells_a_stale_page_and_writes_nothing(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pages.run(page, lambda: "new", ["--check"]) == 1
    assert (capsys.readouterr().out, page.read_text(encoding="utf-8")) == ("docs/page.md is stale\n", PAGE)
    assert pages.run(page, lambda: "new", []) == 0
    assert (page.read_text(encoding="utf-8"), pages.run(page, lambda: "new", ["--check"])) == ("new", 0)


def test_a_page_that_is_missing_is_stale(tmp_path: Path) -> None:
    assert pages.run(tmp_path / "none.md", lambda: "", ["--check"]) == 1
