"""`remem graph`: a picture as a file."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from remem import Remem
from tests.faces.command import remem


def test_a_picture_is_written_as_svg_or_html(folder: Path) -> None:
    done = remem("graph", "Seat inventory", "--out", "seats.svg")
    assert done.status == 0 and "nodes," in done.both and "seats.svg" in done.both
    assert ElementTree.parse(folder / "seats.svg").getroot().tag.endswith("svg")
    assert remem("graph", "Seat inventory", "--depth", "2", "--out", "seats.HTML").status == 0
    assert (folder / "seats.HTML").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert {path.name for path in folder.iterdir()} >= {"seats.svg", "seats.HTML"}


def test_the_same_store_gives_the_same_file(folder: Path) -> None:
    for name in ("one.svg", "two.svg"):
        assert remem("graph", "Seat inventory", "--out", name).status == 0
    assert (folder / "one.svg").read_bytes() == (folder / "two.svg").read_bytes()


def test_a_file_that_exists_is_written_over_only_when_told(folder: Path) -> None:
    (folder / "seats.svg").write_text("mine")
    done = remem("graph", "Seat inventory", "--out", "seats.svg")
    assert done.status == 1 and "--force" in done.err and (folder / "seats.svg").read_text() == "mine"
    assert remem("graph", "Seat inventory", "--out", "seats.svg", "--force").status == 0
    assert "<svg" in (folder / "seats.svg").read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_told_in_one_line_and_nothing_is_left(folder: Path) -> None:
    before = sorted(os.listdir(folder))
    for out in ("none/seats.svg", "gangway/seats.svg/x.svg"):
        done = remem("graph", "Seat inventory", "--out", out)
        assert done.status == 1 and done.err.count("\n") == 1 and "cannot write" in done.err
    (folder / "taken.svg").mkdir()
    done = remem("graph", "Seat inventory", "--out", "taken.svg", "--force")
    assert done.status == 1 and "cannot write" in done.err
    (folder / "taken.svg").rmdir()
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("Seat inventory",), 2, "--out FILE.html or FILE.svg"),
        (("Seat inventory", "--out", "seats.png"), 2, "must end in .html or .svg"),
        (("Seat inventory", "--out", "seats"), 2, "must end in .html or .svg"),
        (("Seat inventory", "--out", "s.svg", "--depth", "6"), 2, "--depth"),
        (("Seat inventory", "--out", "s.svg", "--limit", "401"), 2, "--limit"),
        (("nobody of that name", "--out", "s.svg"), 1, "not found"),
    ],
)
def test_wrong_requests_write_nothing(folder: Path, arguments: tuple[str, ...], status: int, told: str) -> None:
    done = remem("graph", *arguments)
    assert done.status == status and told in done.err
    assert not list(folder.glob("s*.*g"))


def test_a_hub_is_cut_and_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hub").mkdir()
    links = "\n\n".join(f"## Part {number}\n\n[[Hub]]" for number in range(5_000))
    (tmp_path / "hub" / "Hub.md").write_text("# Hub\n", encoding="utf-8")
    (tmp_path / "hub" / "Many.md").write_text(f"# Many\n\n{links}\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "memory.db") as store:
        store.compile(tmp_path / "hub")
    done = remem("graph", "Hub", "--out", "hub.svg")
    assert done.status == 0 and "60 nodes" in done.both and "more were left out (--limit)" in done.both
    root = ElementTree.parse(tmp_path / "hub.svg").getroot()
    assert sum(1 for element in root.iter() if element.get("class") in ("node", "node anchor")) == 60


def test_nodes_and_edges_come_as_json_instead(folder: Path) -> None:
    found = remem("graph", "Seat inventory", "--json").load()
    assert {"nodes", "edges", "left_out"} <= set(found) and found["nodes"][0]["label"] == "Seat inventory"
