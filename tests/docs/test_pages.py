"""The pages of the documentation: links lead somewhere, the index lists all, made pages are what the code says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from docs import make_conformance, make_docs, make_python, make_schema, make_walk
from remem.records import RELATIONSHIP_TYPES

TOP = Path(__file__).resolve().parents[2]
PAGES = [TOP / "README.md", TOP / "CHANGELOG.md", *sorted((TOP / "docs").glob("*.md"))]
FENCE = re.compile(r"^(```+).*?^\1$", re.M | re.S)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)|<img src=\"([^\"]+)\"")
NAMED = re.compile(r"`(docs/[\w/.-]+\.\w+)`|`?python (docs/\w+\.py)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.M)
LARGEST_PICTURE = 250_000


def read_prose(page: Path) -> str:
    """A page without what its code says."""
    return CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))


def list_links(page: Path) -> list[str]:
    """The addresses of the links and pictures of a page."""
    return [link or picture for link, picture in LINK.findall(read_prose(page))]


def list_anchors(page: Path) -> set[str]:
    """The names by which links reach the headings of a page."""
    headings = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    lost = []
    for address in list_links(page):
        if "://" in address:
            continue
        path, _, anchor = unquote(address).partition("#")
        target = page.parent / path if path else page
        if not target.is_file() or (anchor and anchor not in list_anchors(target)):
            lost.append(address)
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_the_documentation_that_a_page_names_are_there(page: Path) -> None:
    named = [name for pair in NAMED.findall(page.read_text(encoding="utf-8")) for name in pair if name]
    assert [name for name in named if not (TOP / name).exists()] == []


def test_the_index_lists_every_page() -> None:
    listed = list_links(TOP / "docs" / "README.md")
    assert {page.name for page in (TOP / "docs").glob("*.md")} - {"README.md"} == {*listed}


def test_pictures_are_small_and_shown_somewhere() -> None:
    shown = {(page.parent / address).resolve() for page in PAGES for address in list_links(page)}
    pictures = [path for path in (TOP / "docs").rglob("*") if path.suffix in (".png", ".svg", ".webp")]
    assert [path.name for path in pictures if path.stat().st_size > LARGEST_PICTURE or path not in shown] == []


def test_pages_name_no_place_of_the_machine_that_made_them() -> None:
    assert [page.name for page in PAGES if re.search(r"/tmp/|/home/|/root/|/work/", page.read_text("utf-8"))] == []


def test_the_schema_page_holds_every_table_and_column() -> None:
    page = make_schema.PAGE.read_text(encoding="utf-8")
    assert page == make_schema.make_page(), "run python docs/make_schema.py"
    tables = re.findall(
        r"^(?:-- )?CREATE (?:VIRTUAL )?TABLE (\w+)", make_schema.SCHEMA.read_text(encoding="utf-8"), re.M
    )
    assert tables and [name for name in tables if f"## {name}\n" not in page] == []
    assert "| `position` | INTEGER | NOT NULL |" in page and "index `edges_by_target` on `(target)`" in page


def test_the_list_of_methods_is_what_the_code_says_now() -> None:
    page = make_python.PAGE.read_text(encoding="utf-8")
    assert page == make_python.make_page(), "run python docs/make_python.py"


def test_the_forms_of_other_tools_become_what_the_page_says() -> None:
    page = make_conformance.PAGE.read_text(encoding="utf-8")
    assert page == make_conformance.make_page(), "run python docs/make_conformance.py"
    assert page.count("→ River Plan.md") > 20


def test_the_picture_of_the_walk_shows_what_the_program_draws_now() -> None:
    assert not make_walk.is_stale(make_walk.draw_walk()), "run python docs/make_walk.py"


def test_the_page_about_links_names_every_relationship_type() -> None:
    page = make_conformance.PAGE.read_text(encoding="utf-8")
    assert [name for name in RELATIONSHIP_TYPES if f"`{name}`" not in page] == []


def test_every_generator_is_run_with_the_others() -> None:
    made = {path.stem.removeprefix("make_") for path in (TOP / "docs").glob("make_*.py")}
    assert made - {"docs", "page"} == {*make_docs.GENERATORS}  # the page needs a browser


@pytest.mark.parametrize("name", ["schema", "python"])
def test_a_generator_run_by_hand_says_that_nothing_is_stale(name: str) -> None:
    command = [sys.executable, str(TOP / "docs" / f"make_{name}.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0
