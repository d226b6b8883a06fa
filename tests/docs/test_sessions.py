"""The sessions that README and the pages of docs/ show are what the program prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import make_sessions

SESSION = "before\n<!-- session -->\n```console\n$ remem tree\nold\n{}```\n<!-- /session -->\n$ remem outside\n"


def test_the_output_of_a_session_is_replaced_and_the_rest_of_the_page_stays() -> None:
    made = make_sessions.refresh_page(SESSION.format("older\n"), lambda command: f"ran {command}   \n\n")
    assert made == SESSION.format("").replace("old", "ran remem tree")


def test_two_commands_of_a_session_are_set_apart_by_an_empty_line() -> None:
    made = make_sessions.refresh_session("$ remem a\n$ remem b\n", lambda command: command + "!")
    assert made == ["$ remem a\nremem a!\n", "$ remem b\nremem b!\n"]


def test_what_is_another_on_each_run_is_hidden_in_sessions_alone() -> None:
    said = "took 1.25 s and 12 ms at 2026-11-30 15:04:57, 372 736 bytes, 49 checks, key 3q2pse1HzME\n"
    hidden = make_sessions.hide_passing(SESSION.format(said) + said)
    assert "took 0 and 0 at 0, 0, 0, key 3q2pse1HzME" in hidden and hidden.endswith(said)


def test_a_command_that_fails_is_told_with_what_it_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuntimeError, match="there is no store"):
        make_sessions.run_command("remem tree")
    with pytest.raises(RuntimeError, match="exit status 3"):
        make_sessions.run_command("exit 3")


@pytest.mark.parametrize("page", make_sessions.list_pages(), ids=lambda page: page.name)
def test_the_sessions_of_a_page_are_what_the_program_prints_now(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    made = make_sessions.make_page(text)
    assert make_sessions.hide_passing(text) == make_sessions.hide_passing(made), "run python docs/make_sessions.py"
