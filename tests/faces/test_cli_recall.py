"""The command `recall`, and the options that it shares with `search`."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.ingest.tokens import count_tokens
from tests.embedding.server import reply_openai, serve
from tests.faces.command import remem

QUERY = "why was the timetable wrong"


@pytest.fixture
def told(store: Path) -> Path:
    """The store with three memories, of which nothing is embedded."""
    for id, text, more in (
        ("old", "The timetable was wrong in May", ("--importance", "0.9", "--tag", "incident")),
        ("new", "The timetable is right again", ("--ttl", "90000")),
        ("other", "Ferries do not run in the storm", ()),
    ):
        assert remem("--db", store, "store", text, "--id", id, "--no-wait", *more).status == 0
    return store


def list_ids(store: Path, *options: str) -> list[str]:
    found = remem("--db", store, "search", "timetable", "--limit", "200", "--json", *options)
    assert found.status == 0, found.err
    return [hit["memory"]["id"] for hit in found.load()["results"]]


def test_a_context_stays_within_its_budget_and_tells_nothing_twice(store: Path) -> None:
    done = remem("--db", store, "recall", *QUERY.split(), "--budget", "300")
    assert done.status == 0 and done.err == ""
    assert done.out.startswith(
        "## Stored in UTC [heading] LxQJUP5zxhJ\ngangway/incidents/2026-05-03-stale-timetable.md"
    )
    assert count_tokens(done.out.rstrip("\n")) <= 300 and "left out: " in done.out
    assert done.out.count("The winter sailings had been stored as instants.") == 1


def test_json_gives_items_with_reasons_and_what_was_left_out(store: Path) -> None:
    found = remem("--db", store, "recall", QUERY, "--budget", "400", "--json").load()
    assert found["items"][0]["label"] == "Stored in UTC" and found["tokens"] <= 400
    assert all(item["reason"] for item in found["items"])
    assert {"id", "label"} == set(found["left_out"][0])


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--type", "long_term"), {"old"}),
        (("--type", "short_term"), {"new"}),
        (("--importance-min", "0.8"), {"old"}),
        (("--kind", "memory"), {"old", "new"}),
        (("--tag", "incident", "--kind", "memory"), {"old"}),
        (("--created-after", "2020-01-01", "--created-before", "9999-12-31T23:59:59Z"), {"old", "new"}),
        (("--created-before", "2020-01-01T00:00:00+02:00"), set()),
        (("--created-after", "9998-01-01"), set()),
    ],
)
def test_the_options_restrict_what_is_found(told: Path, options: tuple[str, ...], found: set[str]) -> None:
    assert set(list_ids(told, *options, "--spread", "0")) == found
    recalled = remem("--db", told, "recall", "timetable", "--json", *options, "--spread", "0").load()
    assert {item["id"] for item in recalled["items"]} == found


def test_links_are_followed_from_the_hits_and_from_a_node_that_is_named(store: Path) -> None:
    alone, spread = set(list_ids(store, "--spread", "0")), set(list_ids(store))
    assert alone < spread
    drawn = remem("--db", store, "search", "xyzzyplugh", "--related-to", "Pier reserve", "--json").load()["results"]
    assert drawn and any(hit["via"] for hit in drawn)
    told = remem("--db", store, "recall", "xyzzyplugh", "--related-to", "Pier reserve")
    assert told.status == 0 and "linked with Pier reserve" in told.out


@pytest.mark.parametrize("name", ["search", "recall"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--importance-min", "0.9", "--importance-max", "0.1"),
            "--importance-min 0.9 is above `--importance-max` 0.1",
        ),
        (("--created-after", "2026-05-03", "--created-before", "2026-05-02"), "--created-after"),
        (("--created-after", "yesterday"), "no date or time like 2026-05-03"),
        (("--created-before", "99999-01-01"), "no date or time"),
        (("--spread", "1.5"), "spread"),
        (("--spread", "nan"), "spread"),
        (("--type", "eternal"), "--type"),
        (("--importance-max", "7"), "--importance-max must be a number from 0 to 1"),
        (("--kind", "novel"), "--kind"),
        (("--related-to", "nobody knows"), "nobody knows"),
    ],
)
def test_a_wrong_option_is_one_clear_line(store: Path, name: str, options: tuple[str, ...], said: str) -> None:
    done = remem("--db", store, name, "timetable", *options)
    assert done.status in (1, 2) and done.out == ""
    assert done.err.startswith("error: ") and said in done.err and done.err.count("\n") == 1


def test_without_an_embedder_one_line_says_so(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "settings.toml"
    with serve(reply_openai) as service:
        told = f'[embedding]\nprovider = "openai"\nmodel = "small"\nurl = "{service.url}"\ndimensions = 3\n'
        settings.write_text(told, encoding="utf-8")
        base = ("--db", store, "--config", settings)
        assert remem(*base, "store", "The timetable was wrong", "--id", "old").status == 0
    done = remem(*base, "search", "timetable", "--kind", "memory")
    assert done.status == 0 and "old" in done.out
    assert (done.err + capsys.readouterr().err).count("the embedding endpoint") == 1
    recalled = remem(*base, "recall", "timetable", "--kind", "memory")
    assert recalled.out.count("the embedding endpoint") == 1 and recalled.err == ""
