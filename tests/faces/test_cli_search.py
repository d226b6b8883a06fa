"""The command `search`: hits for people and scripts, and what is said of an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.command import remem

QUERY = "why was the timetable wrong"
KEYWORD = ("--mode", "keyword")
HIT = [
    "1.00  Stored in UTC  heading LxQJUP5zxhJ  gangway/incidents/2026-05-03-stale-timetable.md",
    "      The stale timetable › Causes",
]


def test_a_hit_says_where_it_stands_and_shows_what_matches(store: Path) -> None:
    done = remem("--db", store, "search", QUERY, *KEYWORD, "--limit", "1")
    lines = done.out.splitlines()
    assert done.status == 0 and lines[:2] == HIT and len(lines) == 3
    assert lines[2].startswith("      The winter sailings") and "wrong offset" in lines[2]
    assert "29 sections, 1 shown; --cursor " in done.err


def test_the_words_of_a_query_need_no_quotes(store: Path) -> None:
    quoted = remem("--db", store, "search", QUERY, *KEYWORD)
    assert remem("--db", store, "search", *QUERY.split(), *KEYWORD).out == quoted.out != ""


def test_matched_words_are_marked_on_a_terminal_alone(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    command = ("--db", store, "search", QUERY, *KEYWORD, "--limit", "1")
    assert "\x1b[33m\x1b[1mwrong\x1b[0m offset" in remem(*command, terminal=True).out
    assert "\x1b" not in remem(*command).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in remem(*command, terminal=True).out


def test_a_part_too_long_for_the_line_is_broken_between_words(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("--db", store, "search", QUERY, *KEYWORD)
    whole = remem(*command).out
    monkeypatch.setenv("COLUMNS", "60")
    narrow = remem(*command)
    shown = [line for line in narrow.out.splitlines() if line.startswith("      ")]
    assert max(map(len, shown)) <= 60 and narrow.out.split() == whole.split()
    monkeypatch.setenv("COLUMNS", "20")
    assert remem(*command, terminal=True).status == 0


def test_marks_stand_at_the_words_whatever_stands_before_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "note.md").write_text("# 島\n\n🚢 é\x1b[2J\x07 ferry &amp; Ferries\n", encoding="utf-8")
    db = tmp_path / "m.db"
    assert remem("--db", db, "compile", tmp_path / "note.md").status == 0
    out = remem("--db", db, "search", "ferry", *KEYWORD, terminal=True).out
    assert "\x1b[33m\x1b[1mferry\x1b[0m" in out and "\x1b[33m\x1b[1mFerries\x1b[0m" in out
    assert "\x1b[2J" not in out and "\x07" not in out


@pytest.mark.parametrize("query", ["", "   ", "?!", "xyzzyplugh", '"', "a" * 3000])
def test_no_query_is_an_error_and_an_answer_without_hits_says_what_was_searched(store: Path, query: str) -> None:
    done = remem("--db", store, "search", query, *KEYWORD)
    assert (done.status, done.out) == (0, "")
    assert "0 sections" in done.err and "searched 135 passages of 364 nodes" in done.err


def test_filters_hold_and_what_nothing_passes_is_explained(store: Path) -> None:
    command = ("--db", store, "search", "timetable", *KEYWORD, "--limit", "200", "--json")
    incidents = remem(*command, "--source", "incidents/").load()["results"]
    assert incidents and all(hit["memory"]["source"].startswith("incidents/") for hit in incidents)
    either = remem(*command, "--source", "incidents/", "--source", "people/").load()["results"]
    assert len(either) > len(incidents)
    tagged = remem(*command, "--tag", "decision,deck").load()["results"]
    assert tagged == remem(*command, "--tag", "#decision", "--tag", "deck").load()["results"]
    refused = remem("--db", store, "search", "timetable", *KEYWORD, "--kind", "code", "--root", "elsewhere")
    assert refused.status == 0 and "there is no root elsewhere" in refused.err


def test_a_cursor_goes_on_where_a_page_ended(store: Path) -> None:
    command = ("--db", store, "search", QUERY, *KEYWORD, "--json", "--limit")
    whole = remem(*command, "6").load()
    first = remem(*command, "4").load()
    second = remem(*command, "2", "--cursor", first["cursor"]).load()
    ids = [[hit["memory"]["id"] for hit in page["results"]] for page in (whole, first, second)]
    assert ids[1] + ids[2] == ids[0]
    assert (first["total"], first["left_out"], second["left_out"]) == (29, 25, 23)


def test_a_score_is_explained_by_words_and_numbers(store: Path) -> None:
    lines = remem("--db", store, "search", QUERY, *KEYWORD, "--limit", "3", "--explain").out.splitlines()
    told = [line for line in lines if line.startswith("      words: ")]
    assert len(told) == 3 and told[0].startswith("      words: timetable, wrong; bm25 5.68")
    assert told[2].startswith("      words: wrong, not timetable; bm25 ")


def test_a_budget_prints_what_models_get(store: Path) -> None:
    done = remem("--db", store, "search", QUERY, *KEYWORD, "--budget", "120")
    assert done.status == 0 and done.out.startswith("- 1.00 Stored in UTC [heading] LxQJUP5zxhJ ")
    assert "more (cursor " in done.out and done.err == ""


@pytest.mark.parametrize(
    "line", [(), ("x", "--limit", "0"), ("x", "--limit", "201"), ("x", "--kind", "novel"), ("x", "--mode", "magic")]
)
def test_a_wrong_option_is_wrong_usage(store: Path, line: tuple[str, ...]) -> None:
    done = remem("--db", store, "search", *line)
    assert (done.status, done.out) == (2, "") and done.err.startswith("error: ")


def test_pins_and_temperatures_are_shown(store: Path) -> None:
    assert "temperature 0.50" in remem("--db", store, "show", "Pier reserve").out
    assert remem("--db", store, "pin", "Pier reserve", "--json").load()["pinned"]
    warmer = remem("--db", store, "show", "Pier reserve")
    assert "temperature 0.57, pinned" in warmer.out or "temperature 0.58, pinned" in warmer.out
    lines = remem("--db", store, "tree", "Pier reserve").out.splitlines()
    assert lines[0].endswith("pinned")
    node = remem("--db", store, "tree", "Pier reserve", "--json").load()["nodes"][0]
    assert node["pinned"] and node["temperature"] > 0.57
    assert not remem("--db", store, "unpin", "Pier reserve", "--json").load()["pinned"]
    exported = remem("--db", store, "export").load()["nodes"]
    assert not {"temperature", "pinned"} & {name for node in exported for name in node}
