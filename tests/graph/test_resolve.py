"""Resolution case by case: the table in tests/data/resolve.md, and what a catalog must hold for an answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from remem.graph.resolve import Catalog, Hint, NodeRef, Place, Resolution, hint_keys, needed_outlines, resolve
from tests.graph.vault import Vault, build_vault, read_hint

TABLE = Path(__file__).parent.parent / "data" / "resolve.md"
CASE = re.compile(r"^## (.+)\n\n```\n((?:.+\n)+)```\n((?:- .+\n)+)", re.M)
LINK = re.compile(r"^- (.+?): `(.+)` -> (.+?)(?: \((.+)\))?$")


def read_cases() -> list[tuple[str, str, list[str]]]:
    text = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), TABLE.read_text(encoding="utf-8"))
    return [(match[1], match[2], match[3].splitlines()) for match in CASE.finditer(text)]


def describe(vault: Vault, found: Resolution) -> str:
    flags = [found.rule, "ambiguous" if found.ambiguous else None, "stale" if found.stale else None]
    words = [found.state] if found.state != "edge" else []
    words += [vault.describe(found.target)] if found.target is not None else []
    said = ", ".join(flag for flag in flags if flag)
    return " ".join(words) + (f" ({said})" if said else "")


@pytest.mark.parametrize(("vault", "links"), [pytest.param(*case[1:], id=case[0]) for case in read_cases()])
def test_links_lead_to_what_the_table_says(vault: str, links: list[str]) -> None:
    built = build_vault(vault)
    catalog = built.make_catalog()
    wrong = []
    for line in links:
        match = LINK.match(line)
        assert match, line
        found = describe(built, resolve(read_hint(match[2]), built.find_place(match[1]), catalog))
        if found != match[3] + (f" ({match[4]})" if match[4] else ""):
            wrong.append(f"{line}   but: {found}")
    assert wrong == []


def test_the_table_is_read_whole() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert len(read_cases()) == len(re.findall(r"^## ", text, re.M))
    assert sum(len(case[2]) for case in read_cases()) == len(re.findall(r"^- ", text, re.M))


def test_only_links_with_an_anchor_need_an_outline() -> None:
    vault = build_vault("a.md | # A | ## Costs\nb.md\nmemory: M")
    place, catalog = vault.find_place("b.md"), vault.make_catalog()
    a, b = vault.find_document("a.md").node, vault.find_document("b.md").node
    assert needed_outlines(Hint("a"), place, catalog) == set()
    assert needed_outlines(Hint("a", "Costs"), place, catalog) == {a}
    assert needed_outlines(Hint("Costs", "Sub"), place, catalog) == {a}
    assert needed_outlines(Hint("", "Costs"), place, catalog) == {b}
    assert needed_outlines(Hint("nowhere", "Costs"), place, catalog) == set()


def test_outlines_may_come_after_the_question_which_are_needed() -> None:
    vault = build_vault("a.md | # A | ## Costs\nb.md")
    whole, place = vault.make_catalog(), vault.find_place("b.md")
    outlines = dict(whole.outlines)
    catalog = Catalog(whole.names, whole.ids, loaded := {}, whole.title_heading)
    for document in needed_outlines(Hint("a", "Costs"), place, catalog):
        loaded[document] = outlines[document]
    assert resolve(Hint("a", "Costs"), place, catalog) == resolve(Hint("a", "Costs"), place, whole)


def test_the_keys_of_a_link_name_all_that_it_depends_on() -> None:
    assert hint_keys(Hint("docs/My-Note.md")) == ("my note", None, "docs/My-Note.md")
    assert hint_keys(Hint("docs/My-Note.md", form="markdown")) == ("my note", None, None)
    assert hint_keys(Hint("bar/", form="markdown")).name_key == "bar"
    assert hint_keys(Hint("", "Costs")) == ("", None, None)
    assert hint_keys(Hint("Costs", source="docs/ARCH.md", id="x1")) == ("costs", "arch", "x1")
    assert hint_keys(Hint("3kGXxidmWBp")).name_key == hint_keys(Hint("3KGXXIDMWBP")).name_key


def test_a_link_without_anything_to_go_by_stays_pending() -> None:
    catalog = build_vault("a.md").make_catalog()
    assert resolve(Hint(""), Place(None, "", 0), catalog) == Resolution("pending")
    assert resolve(Hint(" "), Place(None, "", 0), catalog) == Resolution("pending")


def test_a_link_to_its_own_document_leads_to_the_title_heading() -> None:
    vault = build_vault("a.md | # A")
    document = vault.find_document("a.md")
    found = resolve(Hint("", form="href"), vault.find_place("a.md"), vault.make_catalog())
    assert (found.state, found.target, found.rule) == ("edge", document.title_heading, "own")


def test_an_id_of_a_paragraph_has_no_headings_below_it() -> None:
    vault = build_vault("a.md | # A | ## Costs")
    a = vault.find_document("a.md")
    vault.ids["para0000001"] = NodeRef(99, a.node)
    catalog = vault.make_catalog()
    assert resolve(Hint("para0000001"), Place("docs", "b.md", 77), catalog).target == 99
    assert resolve(Hint("para0000001", "Costs"), Place("docs", "b.md", 77), catalog).state == "partial"


def test_a_name_comes_and_goes_and_the_link_with_it() -> None:
    vault = build_vault("a.md | alias: Plan\nx.md")
    place = vault.find_place("x.md")
    assert resolve(Hint("Plan"), place, vault.make_catalog()).rule == "alias"
    before = list(vault.names)
    vault.add_line("Plan.md | # Plan")
    assert resolve(Hint("Plan"), place, vault.make_catalog()).rule == "stem"
    assert resolve(Hint("Plan"), place, vault.make_catalog(before)).rule == "alias"


def test_thousands_of_notes_of_one_name_are_no_burden() -> None:
    lines = [f"a{number % 40}/b{number}/README.md | # R | ## Usage" for number in range(2000)]
    vault = build_vault("\n".join(lines))
    catalog = vault.make_catalog()
    for document in vault.documents:
        place = Place("docs", document.source, document.node)
        assert resolve(Hint("README"), place, catalog).target == document.target
        assert resolve(Hint("Usage"), place, catalog).document == document.node
        folder = document.source.rpartition("/")[0]
        assert resolve(Hint(f"{folder}/README.md"), Place("docs", "x.md", 0), catalog).document == document.node
        assert resolve(Hint(f"{folder.rpartition('/')[2]}/"), Place(None, "", 0), catalog).target == document.target
