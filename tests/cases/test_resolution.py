"""Where links lead in a vault that changes: names, aliases, folders, renames, what waits and what heals."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.cases.vault import Vault, is_case_sensitive


def test_dots_in_names_are_no_extensions(vault: Vault) -> None:
    """Case 11"""
    names = ("J.R. Reed.md", "Pump.io.md", "memo.ab.md", "3.2 Budget.md")
    text = "[[J.R. Reed]] [[Pump.io]] [[memo.ab]] [[3.2 Budget]] [[3.2 Budget.md]] [[rates.tsv]]\n"
    vault.compile({"x.md": text, **dict.fromkeys(names, "")})
    assert vault.edges == [
        "x.md -> 3.2 Budget.md x2",
        "x.md -> J.R. Reed.md",
        "x.md -> Pump.io.md",
        "x.md -> memo.ab.md",
    ]
    assert vault.pending == ["x.md: rates.tsv"]


def test_words_in_common_never_resolve_a_link(vault: Vault) -> None:
    """Case 28"""
    near = {"summary of birds.md": "# summary of birds, billing and refunds\n", "summary.md": "", "refunds.md": ""}
    vault.compile({"x.md": "[[summary (billing/refunds)]]\n", **near})
    assert vault.edges == []
    vault.compile({"summary.md": None})
    assert vault.pending == ["x.md: summary (billing/refunds)"]


def test_link_heals_when_its_target_appears_and_waits_when_it_goes(vault: Vault) -> None:
    """Case 29"""
    vault.compile({"a.md": "[[Later#Part]]\n"})
    for _ in range(2):
        assert (vault.edges, vault.pending) == ([], ["a.md: Later#Part"])
        vault.compile({"Later.md": "# Part\n"})
        assert (vault.edges, vault.pending) == (["a.md -> Later.md"], [])
        vault.compile({"Later.md": None})
    assert (vault.edges, vault.pending) == ([], ["a.md: Later#Part"])


def test_missing_heading_keeps_the_edge_to_its_document(vault: Vault) -> None:
    vault.compile({"a.md": "[[b#Part]] [[#Gone]]\n", "b.md": "text\n"})
    assert vault.edges == ["a.md -> b.md"]
    assert vault.pending == ["a.md: #Gone", "a.md: b#Part"]
    vault.compile({"b.md": "text\n\n## Part\n"})
    assert vault.edges == ["a.md -> b.md#Part"]
    assert vault.pending == ["a.md: #Gone"]


def test_case_does_not_keep_a_link_from_its_file(vault: Vault) -> None:
    """Case 31"""
    text = "\n".join(f"line {number}" for number in range(10)) + "\n"
    vault.compile({"ideas-kitchen.md": text, "x.md": "[[IDEAS-kitchen]]\n"})
    assert vault.edges == ["x.md -> ideas-kitchen.md"]
    assert sorted(path.name for path in vault.folder.iterdir()) == ["ideas-kitchen.md", "x.md"]
    assert (vault.folder / "ideas-kitchen.md").read_text() == text


def test_notes_that_differ_in_case_only_are_kept_apart(vault: Vault, tmp_path: Path) -> None:
    """Case 32"""
    if not is_case_sensitive(tmp_path):
        return
    vault.compile({"note.md": "low", "Note.md": "first", "NOTE.md": "all", "x.md": "[[Note]]\n\n[[nOTE]]\n"})
    assert len([node for node in vault.export.nodes if node.kind == "document"]) == 4
    assert "x.md -> Note.md" in vault.edges
    assert len([edge for edge in vault.edges if edge.endswith("?")]) == 1


def test_file_comes_before_folder_and_folder_index(vault: Vault) -> None:
    """Case 35"""
    text = "[[bar]]\n\n[[bar/]]\n\n[[q/bar]]\n\n[[index]]\n"
    vault.compile({"bar.md": "", "bar/index.md": "", "q/bar/x.md": "", "links.md": text})
    assert vault.edges == ["links.md -> bar.md", "links.md -> bar/index.md", "links.md -> bar/index.md"]
    assert vault.pending == ["links.md: q/bar"]


@pytest.mark.parametrize(
    ("matter", "found"),
    [
        ('aliases: [QBR, "#Reports/QBR"]', ["QBR"]),
        ("aliases: QBR, Quarter Review", ["QBR", "Quarter Review"]),
        ("alias: QBR", ["QBR"]),
        ("aliases:\n  - ", []),
        ("aliases: [31102000, True, {a: b}]", ["31102000", "True"]),
    ],
)
def test_every_form_of_aliases_is_understood(vault: Vault, matter: str, found: list[str]) -> None:
    """Case 37"""
    labels = ("QBR", "Quarter Review", "31102000", "True")
    report = vault.compile(
        {"n.md": f"---\n{matter}\n---\nbody\n", "x.md": "\n\n".join(f"[[{label}]]" for label in labels) + "\n"}
    )
    assert len(vault.edges) == len(found)
    assert sorted(vault.pending) == sorted(f"x.md: {label}" for label in labels if label not in found)
    assert [found.code for found in report.diagnostics] == (["front-matter-value"] if "{" in matter else [])


def test_file_name_beats_alias_whenever_it_is_there(vault: Vault) -> None:
    """Case 38"""
    vault.compile({"a.md": "---\naliases: [Plan]\n---\n", "Plan.md": "# Plan\n", "x.md": "[[Plan]]\n"})
    for _ in range(2):
        assert vault.edges == ["x.md -> Plan.md"]
        vault.compile({"Plan.md": None})
        assert vault.edges == ["x.md -> a.md"]
        vault.compile({"Plan.md": "# Plan\n"})
    assert vault.edges == ["x.md -> Plan.md"]


def test_renamed_heading_is_found_by_its_earlier_label(vault: Vault) -> None:
    """Case 43"""
    files = {"a.md": "intro\n\n# One\n\nbody of it\n", "b.md": "[[a#One|x]] ![[a#One]] [t](a.md#One)\n"}
    vault.compile(files)
    vault.compile({"a.md": "intro\n\n# Two\n\nbody of it\n"})
    assert vault.edges == ["b.md -> a.md#Two x3"]
    assert vault.pending == []
    assert len(vault.stale) == 3


def test_renamed_file_is_found_by_its_earlier_name(vault: Vault) -> None:
    vault.compile({"Harbor.md": "some words of the harbor\n", "x.md": "[[Harbor]] [[d/Harbor]]\n"})
    vault.compile({"Harbor.md": None, "Port.md": "some words of the harbor\n"})
    assert vault.edges == ["x.md -> Port.md"]
    assert vault.pending == ["x.md: d/Harbor"]
    assert len(vault.stale) == 1
    vault.compile({"Harbor.md": "another one\n"})
    assert vault.edges == ["x.md -> Harbor.md"]
    assert vault.stale == []


def test_names_of_any_script_are_distinct(vault: Vault) -> None:
    """Case 61"""
    names = ("まとめ", "总结", "🧠", "???", "и")
    links = "\n\n".join(f"[[{name}]]" for name in names) + "\n"
    vault.compile({**{f"{name}.md": "" for name in names}, "x.md": links})
    assert vault.edges == sorted(f"x.md -> {name}.md" for name in names)
    assert len({node.id for node in vault.export.nodes if node.kind == "document"}) == 6


def test_variation_selectors_count_for_nothing(vault: Vault) -> None:
    """Case 62"""
    text = "---\nicon: 👩‍🚀\n---\n# ⚙️ Setup\n\n# Other\n\n[[#⚙ Setup]] [[#⚙️ Setup]]\n"
    report = vault.compile({"x.md": text, "y.md": "[[⚙ Setup]]\n"})
    assert vault.edges == ["x.md -> x.md#⚙️ Setup x2", "y.md -> x.md#⚙️ Setup"]
    assert (vault.pending, report.diagnostics) == ([], ())


def test_invisible_characters_in_names_count_for_nothing(vault: Vault) -> None:
    """Case 68"""
    names = {"Plan.md": "", "خطة.md": "", "River Plan.md": ""}
    text = "[[Plan\u200b]] [[\u200fخطة]] [[River\u00a0Plan]] [[Plan\ufeff]]\n"
    vault.compile({"x.md": text, **names})
    assert vault.edges == ["x.md -> Plan.md x2", "x.md -> River Plan.md", "x.md -> خطة.md"]
    assert vault.texts("x.md", "text") == [text.strip()]


def test_decomposed_and_composed_letters_are_equal(vault: Vault) -> None:
    """Case 68"""
    vault.compile({"Cafe\u0301.md": "", "x.md": "[[Caf\u00e9]] [[CAFE\u0301]]\n"})
    assert vault.edges == ["x.md -> Cafe\u0301.md x2"]


@pytest.mark.parametrize("order", list(permutations(("a.md", "b/a.md", "x.md"))))
def test_order_of_arrival_does_not_decide_where_links_lead(vault: Vault, order: tuple[str, ...]) -> None:
    texts = {"a.md": "# One\n\n[[Two]]\n", "b/a.md": "# Two\n\n[[a]] [[One]]\n", "x.md": "[[a]] [[b/a]] [[Two]]\n"}
    for source in order:
        vault.compile({source: texts[source]})
    assert vault.edges == [
        "a.md -> b/a.md",
        "b/a.md -> a.md",
        "x.md -> a.md ?",
        "x.md -> b/a.md x2",
    ]


def test_hint_of_a_source_picks_the_file(vault: Vault) -> None:
    files = {"d/one.md": "# A\n\n## Costs\n", "e/one.md": "# B\n\n## Costs\n"}
    hints = ("Costs; source=e/one.md", "; source=d/one.md", "Costs; source=f/one.md", "Gone; source=e/one.md")
    text = "\n\n".join(f"[[{hint}]]" for hint in hints) + "\n"
    vault.compile({**files, "x.md": text})
    assert "x.md -> e/one.md#Costs" in vault.edges
    assert "x.md -> d/one.md" in vault.edges
    assert vault.pending == ["x.md: Gone; source=e/one.md"]
    vault.compile({"e/one.md": None, "g/e/one.md": "# B\n\n## Costs\n"})
    assert "x.md -> g/e/one.md#Costs" in vault.edges


SECTION = "## Costs\n\nThe engine costs more than the harbor light did in the north.\n"


@pytest.mark.parametrize("target", ["b.md", "new.md"])
def test_heading_that_leaves_its_document_is_missed_there(vault: Vault, target: str) -> None:
    """The link names the document, so it does not follow the heading."""
    vault.compile({"a.md": f"# A\n\nalpha words\n\n{SECTION}", "b.md": "# B\n", "x.md": "[[a#Costs]]\n"})
    vault.compile({"a.md": "# A\n\nalpha words\n", target: f"# New\n\n{SECTION}"})
    assert vault.edges == ["x.md -> a.md"]
    assert vault.pending == ["x.md: a#Costs"]
    vault.compile({"a.md": f"# A\n\nalpha words\n\n{SECTION}", target: "# New\n"})
    assert (vault.edges, vault.pending) == (["x.md -> a.md#Costs"], [])


def test_order_of_equal_headings_decides_which_is_meant(vault: Vault) -> None:
    other = "## Costs\n\nWhat the budget says of the south and its river plan.\n\n### Deep\n"
    vault.compile({"a.md": f"# A\n\n{SECTION}\n{other}", "x.md": "[[a#Costs]]\n\n[[a#costs-1]]\n\n[[a#Costs#Deep]]\n"})
    first = {edge.source_id: edge.target_id for edge in vault.export.edges}
    vault.compile({"a.md": f"# A\n\n{other}\n{SECTION}"})
    second = {edge.source_id: edge.target_id for edge in vault.export.edges}
    changed = [source for source in first if first[source] != second[source]]
    assert len(changed) == 2


def test_place_decides_among_earlier_names_when_a_note_moves(vault: Vault) -> None:
    one, two = "the words of one, which are its own\n", "quite another text is in two\n"
    vault.compile({"y/x/a.md": one, "a.md": two, "x/from.md": "[[a]]\n"})
    vault.compile({"y/x/a.md": None, "a.md": None, "b.md": one, "c.md": two})
    vault.compile({"b.md": None, "x/b.md": one})
    assert vault.edges == ["x/from.md -> x/b.md ?"]
    vault.compile({"x/b.md": None, "y/z/b.md": one, "c.md": None, "x/c.md": two})
    assert vault.edges == ["x/from.md -> x/c.md ?"]


def test_relations_that_come_to_one_target_are_one_edge(vault: Vault) -> None:
    vault.compile({"hub.md": "words\n", "a.md": f"# A\n\n{SECTION}"})
    vault.remem.relate("hub", target_label="Costs", weight=2)
    vault.compile({"Costs.md": "a file of that name\n"})
    vault.remem.relate("hub", target_label="Costs", weight=3)
    assert vault.manual == ["hub.md -> Costs.md related_to w=3", "hub.md -> a.md#Costs related_to w=2"]
    vault.compile({"Costs.md": None})
    assert vault.manual == ["hub.md -> a.md#Costs related_to w=3"]


def test_relation_waits_where_its_label_leads_back_to_its_node(vault: Vault) -> None:
    vault.compile({"hub.md": "words\n"})
    vault.remem.relate("hub", target_label="Later")
    vault.compile({"hub.md": "---\naliases: [Later]\n---\n\nwords\n"})
    assert vault.manual == []
    assert [edge.label for edge in vault.export.pending] == ["Later"]
    vault.compile({"Later.md": "here\n"})
    assert vault.manual == ["hub.md -> Later.md related_to"]
