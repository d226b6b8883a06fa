"""The sessions that README and the page on memories show are what the program prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import make_readme


def test_the_output_of_a_session_is_replaced_and_the_rest_of_the_page_stays() -> None:
    session = "before\n<!-- session -->\n```console\n$ remem tree\nold\n{}```\n<!-- /session -->\n$ remem outside\n"
    made = make_readme.refresh_page(session.format("older\n"), lambda command: f"ran {command}   \n\n")
    assert made == session.format("").replace("old", "ran remem tree")


def test_two_commands_of_a_session_are_set_apart_by_an_empty_line() -> None:
    made = make_readme.refresh_session("$ remem a\n$ remem b\n", lambda command: command + "!")
    assert made == ["$ remem a\nremem a!\n", "$ remem b\nremem b!\n"]


@pytest.mark.parametrize("page", make_readme.PAGES, ids=lambda page: page.name)
def test_the_sessions_of_a_page_are_what_the_program_prints_now(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert make_readme.SESSION.search(text)
    assert make_readme.hide_durations(text) == make_readme.hide_durations(make_readme.make_page(text))
