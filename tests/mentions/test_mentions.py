"""Naming is linking: what a text names without a link becomes an edge, and follows texts and names."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from remem.errors import ConfigError, InvalidInputError, NotFoundError
from tests.mentions.vault import Vault, faults, find, show
from tests.usage.clock import Clock


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


def test_a_text_that_names_a_node_gets_an_edge_from_the_first_block_that_does(vault: Vault) -> None:
    vault.write(Apollo_Plan="# Apollo Plan\n\nText.", x="# One\n\nNothing.\n\nThe apollo plan.\n\nAPOLLO PLAN again.")
    with vault.open() as remem:
        assert vault.compile(remem) == ["x.md: apollo plan -> Apollo Plan 0.5"]
        (edge,) = [edge for edge in remem.export().edges if edge.origin == "mentioned"]
        nodes = {node.id: node for node in remem.export().nodes}
        assert (edge.relationship_type, edge.weight, edge.links, edge.ambiguous) == ("references", 0.5, 1, False)
        assert nodes[edge.source_id].content == "The apollo plan."
        assert (nodes[edge.target_id].kind, nodes[edge.target_id].label) == ("heading", "Apollo Plan")
        assert faults(remem) == []


def test_titles_stems_aliases_and_headings_are_names(vault: Vault) -> None:
    vault.write(
        a__rota_2026="---\ntitle: The crew rota\naliases: [Kraken]\n---\n\n## Night shifts\n\nText.",
        x="Crew: the crew rota.",
        y="See rota 2026.",
        z="Ask Kraken.",
        w="On night shifts, rest.",
    )
    with vault.open() as remem:
        weight = f"{0.5 / (1 + log(3)):.6g}"
        assert vault.compile(remem) == [
            "w.md: night shifts -> Night shifts 0.5",
            f"x.md: the crew rota -> The crew rota {weight}",
            f"y.md: rota 2026 -> The crew rota {weight}",
            f"z.md: Kraken -> The crew rota {weight}",
        ]


def test_names_of_the_own_document_do_not_count(vault: Vault) -> None:
    vault.write(
        Apollo_Plan="# Apollo Plan\n\nThe apollo plan.\n\n## Moon landing\n\nAfter the moon landing.",
        x="## Moon landing\n\nOur moon landing.",
    )
    with vault.open() as remem:
        assert vault.compile(remem) == []


@pytest.mark.parametrize(
    "text",
    [
        "# E Harbour Light\n\nText.",
        "# B\n\n## Notes on the Harbour Light\n\nText.",
        "# B\n\n## Harbour Light today",
        "---\ntitle: The Harbour Light matters\n---\n\nText.",
        "# Harbour Light Keeper\n\nThe keeper.",
        "# Keepers\n\n## Harbour Light Keeper\n\nThe harbour light keeper.",
    ],
)
def test_a_title_or_heading_names_what_stands_in_it(vault: Vault, text: str) -> None:
    vault.write(h="# Harbour Light\n\nText.", x=text)
    with vault.open() as remem:
        assert vault.compile(remem) == ["x.md: Harbour Light -> Harbour Light 0.5"]
        vault.write(h="# Lamp\n\nText.")
        assert vault.compile(remem) == []
        vault.write(h="# Harbour Light\n\nText.")
        assert vault.compile(remem) == ["x.md: Harbour Light -> Harbour Light 0.5"]
        assert faults(remem) == []


def test_the_title_of_a_memory_names_what_stands_in_it(vault: Vault) -> None:
    vault.write(h="# Harbour Light\n\nText.")
    with vault.open() as remem:
        vault.compile(remem)
        remem.store("# About Harbour Light matters\n\nText.")
        remem.settle()
        assert show(remem) == ["memory: Harbour Light -> Harbour Light 0.5"]
        assert faults(remem) == []


def test_a_longer_name_of_others_hides_the_shorter_even_where_it_names_none(vault: Vault) -> None:
    vault.configure("[connections]\nmention_max_texts = 2\n")
    vault.write(h="# Harbour Light\n\nText.", x="A harbour light keeper.", a__Harbour_Light_Keeper="One.")
    with vault.open() as remem:
        assert vault.compile(remem) == ["x.md: harbour light keeper -> Harbour Light Keeper 0.5"]
        vault.write(b__Harbour_Light_Keeper="Two.")
        assert vault.compile(remem) == [] and faults(remem) == []
        (vault.notes / "b" / "Harbour Light Keeper.md").unlink()
        vault.write(y="A harbour light keeper.", z="A harbour light keeper.")
        assert vault.compile(remem) == [] and faults(remem) == []
        (vault.notes / "a" / "Harbour Light Keeper.md").unlink()
        vault.write(z="Text.")
        assert [line.partition(" -> ")[0] for line in vault.compile(remem)] == [
            "x.md: harbour light",
            "y.md: harbour light",
        ]
        assert faults(remem) == []


def test_a_name_of_several_nodes_names_none_unless_the_rules_of_links_decide(vault: Vault) -> None:
    vault.write(
        a__Apollo_Plan="Text.",
        b="## Apollo Plan\n\nA heading gives way to a document.",
        c__Crew_Rota="One.",
        d__Crew_Rota="Two.",
        x="The apollo plan and the crew rota.",
    )
    with vault.open() as remem:
        assert vault.compile(remem) == ["x.md: apollo plan -> Apollo Plan 0.5"]
        (vault.notes / "d" / "Crew Rota.md").unlink()
        assert [line.split(" -> ")[1] for line in vault.compile(remem)] == ["Apollo Plan 0.5", "Crew Rota 0.5"]


def test_a_name_that_too_many_texts_use_names_nothing(vault: Vault) -> None:
    vault.configure("[connections]\nmention_max_texts = 3\n")
    vault.write(Apollo_Plan="Text.", a="The apollo plan.", b="The apollo plan.", c="The apollo plan.")
    with vault.open() as remem:
        assert vault.compile(remem) == [f"{x}.md: apollo plan -> Apollo Plan {0.5 / (1 + log(3)):.6g}" for x in "abc"]
        vault.write(d="The apollo plan.")
        assert vault.compile(remem) == []
        vault.write(b="Something else.")
        assert [line[:5] for line in vault.compile(remem)] == ["a.md:", "c.md:", "d.md:"]
        assert faults(remem) == []


def test_fifty_texts_are_not_too_many_and_one_more_is(vault: Vault) -> None:
    vault.write(Apollo_Plan="Text.", **{f"n{number}": "The apollo plan." for number in range(50)})
    with vault.open() as remem:
        lines = vault.compile(remem)
        assert len(lines) == 50 and all(line.endswith(f" {0.5 / (1 + log(50)):.6g}") for line in lines)
        vault.write(last="The apollo plan.")
        assert vault.compile(remem) == []


def test_a_count_changes_the_weights_of_that_node_alone(vault: Vault) -> None:
    vault.write(Apollo_Plan="Text.", Crew_Rota="Text.", a="The apollo plan.", b="The crew rota.")
    with vault.open() as remem:
        vault.compile(remem)
        before = {m.target_label: m for m in remem.mentions()}
        vault.write(c="The apollo plan.")
        vault.compile(remem)
        after = {m.target_label: m for m in remem.mentions() if m.path != "c.md"}
        assert after["Crew Rota"] == before["Crew Rota"]
        assert (after["Apollo Plan"].weight, after["Apollo Plan"].texts) == (0.295308, 2)


def test_mentions_follow_new_names_edits_and_renames(vault: Vault) -> None:
    vault.write(x="The apollo plan and deploy key rotation.", y="The deploy key.")
    with vault.open() as remem:
        assert vault.compile(remem) == []
        vault.write(z="# Notes\n\n## Deploy key\n\nText.", Apollo_Plan="Text.")
        assert [line.partition(" -> ")[0] for line in vault.compile(remem)] == [
            "x.md: apollo plan",
            "x.md: deploy key",
            "y.md: deploy key",
        ]
        vault.write(w="## Deploy key rotation\n\nText.")
        lines = vault.compile(remem)
        assert "x.md: deploy key rotation -> Deploy key rotation 0.5" in lines and len(lines) == 4
        assert "w.md: Deploy key -> Deploy key 0.295308" in lines
        (vault.notes / "Apollo Plan.md").rename(vault.notes / "Gemini Plan.md")
        vault.write(w="Nothing.", y="The gemini plan.")
        assert [line.partition(" -> ")[0] for line in vault.compile(remem)] == [
            "x.md: deploy key",
            "y.md: gemini plan",
        ]
        (vault.notes / "x.md").unlink()
        assert len(vault.compile(remem)) == 1
        remem.drop("notes")
        assert show(remem) == []


def test_a_mention_never_stands_beside_a_link(vault: Vault) -> None:
    vault.write(Apollo_Plan="# Apollo Plan\n\nText.", x="The apollo plan.\n\nSee [[Apollo Plan]].", y="Apollo plan.")
    with vault.open() as remem:
        assert vault.compile(remem) == ["y.md: Apollo plan -> Apollo Plan 0.295308"]
        vault.write(x="The apollo plan.")
        assert len(vault.compile(remem)) == 2
        vault.write(y="Apollo plan.\n\n- supports [[Apollo Plan]]")
        assert vault.compile(remem) == ["x.md: apollo plan -> Apollo Plan 0.295308"]


def test_a_link_that_finds_its_target_later_takes_the_mention_away(vault: Vault) -> None:
    vault.write(Apollo_Plan="Text.", x="The apollo plan.\n\nSee [[Moonshot]].")
    with vault.open() as remem:
        assert len(vault.compile(remem)) == 1
        vault.write(Apollo_Plan="---\naliases: [Moonshot]\n---\n\nText.")
        assert vault.compile(remem) == []
        assert faults(remem) == []


def test_relate_replaces_a_mention_and_unrelate_gives_it_back(vault: Vault) -> None:
    vault.write(Apollo_Plan="# Apollo Plan\n\nText.", x="The apollo plan.")
    with vault.open() as remem:
        vault.compile(remem)
        mention = find(remem, "x.md", "Apollo Plan")
        remem.relate(mention.source_id, mention.target_id, type="references", weight=2)
        origins = [edge.origin for edge in remem.export().edges]
        assert origins == ["manual"] and vault.compile(remem) == []
        remem.unrelate(mention.source_id, mention.target_id)
        assert show(remem) == ["x.md: apollo plan -> Apollo Plan 0.5"]
        remem.relate("x", "Apollo Plan")
        assert show(remem) == [] and faults(remem) == []


@pytest.mark.parametrize("changed", ["x", "Apollo_Plan"])
def test_a_removed_mention_stays_away_until_one_of_the_two_texts_changes(vault: Vault, changed: str) -> None:
    texts = {"Apollo_Plan": "# Apollo Plan\n\nText.", "x": "The apollo plan.", "y": "The apollo plan."}
    vault.write(**texts)
    with vault.open() as remem:
        vault.compile(remem)
        mention = find(remem, "x.md", "Apollo Plan")
        removed = remem.unrelate(mention.source_id, mention.target_id)
        assert removed.deleted == 1
        with pytest.raises(NotFoundError):
            remem.unrelate(mention.source_id, mention.target_id)
        vault.write(z="The apollo plan.", y="Nothing.")
        assert [line[:5] for line in vault.compile(remem)] == ["z.md:"]
        remem.doctor(fix=True)
        assert [line[:5] for line in show(remem)] == ["z.md:"]
        vault.write(**{changed: texts[changed] + "\n\nMore."})
        assert [line[:5] for line in vault.compile(remem)] == ["x.md:", "z.md:"]
        assert faults(remem) == []


def test_a_removed_mention_stays_away_when_its_note_goes_and_comes_back(vault: Vault) -> None:
    vault.write(Apollo_Plan="Some text.", x="The apollo plan.")
    with vault.open() as remem:
        vault.compile(remem)
        mention = find(remem, "x.md", "Apollo Plan")
        remem.unrelate(mention.source_id, mention.target_id)
        (vault.notes / "x.md").unlink()
        vault.compile(remem)
        vault.write(x="The apollo plan.")
        assert vault.compile(remem) == []


def test_no_discover_leaves_the_work_to_the_next_compile_or_settle(vault: Vault) -> None:
    vault.write(Apollo_Plan="Text.", x="The apollo plan.")
    with vault.open() as remem:
        assert vault.compile(remem, discover=False) == []
        assert len(vault.compile(remem)) == 1
        vault.write(y="The apollo plan.", x="Nothing.")
        vault.compile(remem, discover=False)
        assert [finding.fault for finding in faults(remem)] == [False]
    with vault.open() as remem:
        remem.settle()
        assert show(remem) == ["y.md: apollo plan -> Apollo Plan 0.5"]
        assert faults(remem) == []


def test_a_note_that_is_back_before_the_work_is_done_is_named_as_before(vault: Vault) -> None:
    """The work of a process that died, too, is done after whatever comes next."""
    plan = "# Apollo Plan\n\nText."
    vault.write(Apollo_Plan=plan, x="The apollo plan.")
    with vault.open() as remem:
        named = vault.compile(remem)
        (vault.notes / "Apollo Plan.md").unlink()
        remem.compile(vault.notes, discover=False)
        vault.write(Apollo_Plan=plan)
        assert vault.compile(remem) == named == ["x.md: apollo plan -> Apollo Plan 0.5"]
        assert faults(remem) == []


def test_a_dry_run_changes_no_mention(vault: Vault) -> None:
    vault.write(Apollo_Plan="Text.", x="The apollo plan.")
    with vault.open() as remem:
        assert vault.compile(remem, dry_run=True) == []


def test_mentions_can_be_switched_off_and_on(vault: Vault) -> None:
    vault.write(Apollo_Plan="Text.", x="The apollo plan.")
    with vault.open() as remem:
        assert len(vault.compile(remem)) == 1
    vault.configure("[connections]\nmentions = false\n")
    with vault.open() as remem:
        assert vault.compile(remem) == []
        vault.write(y="The apollo plan.")
        assert vault.compile(remem) == [] and faults(remem) == []
    vault.configure("")
    with vault.open() as remem:
        assert len(vault.compile(remem)) == 2 and faults(remem) == []
    vault.configure("[connections]\nmention_max_texts = 1\n")
    with vault.open() as remem:
        assert vault.compile(remem) == [] and faults(remem) == []


def test_a_limit_below_one_is_refused(vault: Vault) -> None:
    vault.configure("[connections]\nmention_max_texts = 0\n")
    with pytest.raises(ConfigError) as caught:
        vault.open()
    assert caught.value.facts["name"] == "connections.mention_max_texts"


def test_walks_show_mentions_and_filter_them_by_origin(vault: Vault) -> None:
    vault.write(Apollo_Plan="# Apollo Plan\n\nText.", x="# X\n\nThe apollo plan.")
    with vault.open() as remem:
        snapshot = remem.compile(vault.notes).snapshot
        (found,) = remem.related("Apollo Plan", "in")
        assert (found.node.label, found.score, found.path[0].origin) == ("X", 0.5, "mentioned")
        assert len(remem.related("X", origins=["mentioned"])) == 1
        assert remem.related("X", origins=["parsed", "manual"]) == []
        assert remem.compile(vault.notes).snapshot is None and remem.stats().snapshots == snapshot == 1


def test_the_list_is_paged_by_budget_and_cursor(vault: Vault) -> None:
    vault.write(Apollo_Plan="Text.", **{f"n{number}": "The apollo plan." for number in range(9)})
    with vault.open() as remem:
        vault.compile(remem)
        whole = list(remem.mentions())
        page = remem.mentions(budget=120)
        seen = list(page)
        while page.cursor:
            assert page.tokens <= 120
            page = remem.mentions(budget=120, cursor=page.cursor)
            seen += page
        assert seen == whole
        assert remem.mentions().text.splitlines()[0] == (
            f"- The apollo plan. {whole[0].source_id} names Apollo Plan {whole[0].target_id}"
            f' as "apollo plan" {whole[0].weight:g} (9 texts) in notes/n0.md'
        )
        with pytest.raises(InvalidInputError):
            remem.mentions(cursor="nothing")


def test_two_roots_name_each_other_and_the_own_root_comes_first(vault: Vault) -> None:
    other = vault.place / "other"
    other.mkdir()
    (other / "Apollo Plan.md").write_text("Other.", encoding="utf-8")
    (other / "y.md").write_text("The apollo plan, the crew rota.", encoding="utf-8")
    vault.write(Apollo_Plan="Text.", Crew_Rota="Text.", x="The apollo plan.")
    with vault.open() as remem:
        vault.compile(remem)
        remem.compile(other)
        roots = {node.id: node.root for node in remem.export().nodes}
        named = sorted((m.root, m.path, m.name, roots[m.target_id]) for m in remem.mentions())
        assert named == [
            ("notes", "x.md", "apollo plan", "notes"),
            ("other", "y.md", "apollo plan", "other"),
            ("other", "y.md", "crew rota", "notes"),
        ]


def test_memories_name_notes_and_are_named_by_their_titles(vault: Vault) -> None:
    vault.write(Apollo_Plan="Text.", x="Before the lunar window opens.")
    with vault.open() as remem:
        vault.compile(remem)
        memory = remem.store("# Lunar window\n\nThe apollo plan was approved.")
        remem.settle()
        assert show(remem) == ["memory: apollo plan -> Apollo Plan 0.5", "x.md: lunar window -> Lunar window 0.5"]
        remem.update(memory.id, content="# Lunar window\n\nNothing of it.")
        remem.settle()
        assert show(remem) == ["x.md: lunar window -> Lunar window 0.5"]
        remem.forget(memory.id)
        remem.settle()
        assert show(remem) == [] and faults(remem) == []


def test_the_doctor_makes_all_mentions_again_and_leaves_the_edges_as_they_were(vault: Vault, clock: Clock) -> None:
    vault.write(plan="# Tide table\n\nText.", one="The tide table hangs there.", two="No tide table here.")
    with vault.open() as remem:
        vault.compile(remem)
        before = remem.export()
        assert sum(edge.origin == "mentioned" for edge in before.edges) == 2
        clock.turn(1)
        assert remem.doctor(fix=True).fixed == 0
        assert remem.export() == before


def test_a_name_that_goes_as_its_text_moves_into_its_document_leaves_no_edge(vault: Vault) -> None:
    text = "# Title\n\nThe boat of the ferry leaves at nine.\n\nAnother line of text here."
    vault.write(f="---\ntitle: ferry\n---\n\n## Other", x=text)
    with vault.open() as remem:
        assert vault.compile(remem) == ["x.md: ferry -> ferry 0.5"]
        (vault.notes / "x.md").rename(vault.notes / "f.md")
        assert vault.compile(remem) == []
        assert ([edge for edge in remem.export().edges if edge.origin == "mentioned"], faults(remem)) == ([], [])
