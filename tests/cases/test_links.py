"""What counts as a link in Markdown: tables, code, comments, brackets, blocks, attachments."""

from __future__ import annotations

import pytest

from remem.errors import InvalidInputError
from remem.storage.sqlite import Connection
from tests.cases.vault import Vault, codes
from tests.writing.describe import connect

PLAN = {"River Plan.md": "# River Plan\n\n## Costs\n"}


def shown_texts(vault: Vault) -> list[tuple[str, str]]:
    """Label and display text of every link."""
    connection: Connection = connect(vault.store)
    try:
        return list(connection.execute("SELECT label, shown FROM links ORDER BY key"))
    finally:
        connection.close()


def test_escaped_pipe_in_a_table_separates_the_display_text(vault: Vault) -> None:
    """Case 1"""
    vault.compile({"t.md": "| who | what |\n|---|---|\n| [[River Plan\\|plan]] | x |\n", **PLAN})
    assert vault.edges == ["t.md -> River Plan.md"]
    assert vault.pending == []
    assert shown_texts(vault) == [("River Plan", "plan")]
    assert vault.outline("t.md") == ["document t", "  table who, what"]


def test_link_torn_by_a_table_is_recovered_and_reported(vault: Vault) -> None:
    """Case 2"""
    report = vault.compile({"t.md": "| a | b |\n|---|---|\n| see [[River Plan|plan]] today | y |\n", **PLAN})
    assert vault.edges == ["t.md -> River Plan.md"]
    assert vault.pending == []
    assert codes(report.diagnostics) == ["t.md:3 torn-table-link"]


def test_link_torn_by_a_table_that_finds_nothing_waits_without_stray_brackets(vault: Vault) -> None:
    """Case 2"""
    report = vault.compile({"t.md": "| a | b |\n|---|---|\n| [[Nope|plan]] | y |\n| [[open | no end |\n"})
    assert vault.pending in (["t.md: Nope"], [])
    assert "t.md:3 torn-table-link" in codes(report.diagnostics)


def test_pipe_outside_tables_needs_no_escape(vault: Vault) -> None:
    """Case 4"""
    vault.compile({"x.md": '---\nicon: "[[art/pad.svg|Pad]]"\n---\nProse with [[River Plan|plan]].\n', **PLAN})
    assert vault.edges == ["x.md -> River Plan.md"]
    assert vault.pending == ["x.md: art/pad.svg"]
    assert shown_texts(vault) == [("art/pad.svg", "Pad"), ("River Plan", "plan")]
    assert vault.texts("x.md", "kv") == ['---\nicon: "[[art/pad.svg|Pad]]"\n---']


def test_brackets_in_code_are_no_links(vault: Vault) -> None:
    """Case 5"""
    shell = '```bash\nif [[ -f "$HOME/x" ]]; then echo [[ok]]; fi\n```'
    vault.compile({"x.md": f"{shell}\n`rows[[0, 1]]` and ``a `[[b]]` c``\n\n    indented [[code]]\n"})
    assert (vault.edges, vault.pending) == ([], [])
    assert vault.texts("x.md", "code") == [shell, "indented [[code]]"]


def test_backticks_on_one_line_are_no_fence(vault: Vault) -> None:
    """Case 7"""
    vault.compile({"x.md": "```[[Target|Text]]```\n\n# After\n[[Real]]\n", "Real.md": "", "Target.md": ""})
    assert vault.headings("x.md") == ["After"]
    assert vault.edges == ["x.md -> Real.md"]


def test_links_in_comments_do_not_count(vault: Vault) -> None:
    """Case 8"""
    names = ("Ada", "Old", "Hidden", "Same line", "Shown")
    text = (
        "%% ![[Ada#Thanks]] %%\n<!-- [[Old]] -->\n<!-- note --> [[Same line]]\n%%\nblock [[Hidden]]\n%%\n"
        "100 %% of [[Shown]] is odd\n"
    )
    vault.compile({"x.md": text, **{f"{name}.md": "" for name in names}})
    assert vault.edges == ["x.md -> Same line.md", "x.md -> Shown.md"]
    assert vault.pending == []


def test_spaces_around_target_and_pipe_count_for_nothing(vault: Vault) -> None:
    """Case 10"""
    text = "[[ River Plan ]] [[River Plan | the plan]] [[River Plan#  Costs ]] [[River  Plan]]\n"
    vault.compile({"x.md": text, **PLAN})
    assert vault.edges == ["x.md -> River Plan.md x3", "x.md -> River Plan.md#Costs"]
    assert ("River Plan", "the plan") in shown_texts(vault)


def test_anchor_is_no_tag(vault: Vault) -> None:
    """Case 13"""
    vault.compile({"x.md": "# oven.door (v2)\n[[#oven.door (v2)]] and [[Page#costs]]\n"})
    assert vault.edges == []
    assert vault.pending == ["x.md: Page#costs"]
    assert vault.tags("x.md") == []


def test_block_ids_lead_to_the_blocks_that_carry_them(vault: Vault) -> None:
    """Case 14"""
    text = (
        "A paragraph. ^fig-07\n\n- item\n  more ^42\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n^tab-1\n\n"
        "[[#^fig-07]] [[#^42]] [[#^tab-1]] [[#^none]] 2^10 is no id [[#^10]]\n"
    )
    vault.compile({"x.md": text})
    assert vault.edges == ["x.md -> x.md#A paragraph.", "x.md -> x.md#a, b", "x.md -> x.md#item more"]
    assert vault.pending == ["x.md: #^10", "x.md: #^none"]
    assert vault.texts("x.md", "text")[0] == "A paragraph. ^fig-07"


def test_list_item_with_a_block_id_is_a_node(vault: Vault) -> None:
    """Case 14"""
    vault.compile({"x.md": "- one\n- two ^here\n- three\n\n[[#^here]]\n"})
    assert vault.edges == ["x.md -> x.md#two"]
    assert vault.texts("x.md", "list") == ["- one", "- two ^here", "- three"]


def test_brackets_in_link_texts_and_empty_targets(vault: Vault) -> None:
    """Case 16"""
    text = '[a [b] c](x.md) [empty]() []() [A [R](x.md) b](y.md) [[class]](t.md "An")\n'
    vault.compile({"links.md": text, "x.md": "", "y.md": "", "t.md": ""})
    assert vault.edges == ["links.md -> t.md", "links.md -> x.md x2"]
    assert vault.pending == []


def test_wiki_link_wins_over_a_reference_definition(vault: Vault) -> None:
    """Case 17"""
    vault.compile({"x.md": "[[foo]] and ![[foo]] and [[*foo* bar]] and [foo]\n\n[foo]: url.md\n", "foo.md": ""})
    assert vault.edges == ["x.md -> foo.md x2"]
    assert vault.pending == ["x.md: *foo* bar", "x.md: url.md"]


def test_balanced_parentheses_belong_to_the_target(vault: Vault) -> None:
    """Case 19"""
    text = "[w](https://example.org/A_(b)) [n](Notes_(old).md) [[Notes_(old)]]\n"
    vault.compile({"x.md": text, "Notes_(old).md": ""})
    assert vault.edges == ["x.md -> Notes_(old).md x2"]
    assert vault.pending == []


def test_entities_count_in_headings_and_not_in_wiki_targets(vault: Vault) -> None:
    """Case 20"""
    vault.compile({"x.md": "# Q&amp;A &copy; 1\n[[#Q&A © 1]] [[Q&amp;A]]\n", "y.md": "[[x#Q&A © 1]]\n"})
    assert vault.headings("x.md") == ["Q&A © 1"]
    assert vault.edges == ["y.md -> x.md"]
    assert vault.pending == ["x.md: Q&amp;A"]


def test_semicolon_of_normalisation_starts_no_parameter(vault: Vault) -> None:
    """Case 34"""
    files = {"Ερωτήσεις.md": "# Ε\n\n## Πόσα έχω;\n", "TL;DR.md": "", "a.md": ""}
    vault.compile({"x.md": "[[Ερωτήσεις#Πόσα έχω\u037e|όριο]] [[TL;DR]] [[a; w=2]]\n", **files})
    assert vault.edges == ["x.md -> TL;DR.md", "x.md -> a.md w=2", "x.md -> Ερωτήσεις.md#Πόσα έχω;"]
    assert vault.pending == []


def test_several_links_to_one_target_are_one_edge(vault: Vault) -> None:
    """Case 40"""
    vault.compile({"x.md": "[[a]] [[a|b]] ![[a]] [y](a.md) [[A]]\n", "a.md": ""})
    assert vault.edges == ["x.md -> a.md x5"]
    vault.compile({"x.md": "[[a]] [[a|b]] ![[a]] [y](a.md)\n"})
    assert vault.edges == ["x.md -> a.md x4"]
    vault.compile({"x.md": "[[a]]\n"})
    assert vault.edges == ["x.md -> a.md"]
    vault.compile({"x.md": "nothing\n"})
    assert vault.edges == []


def test_link_to_itself_is_no_edge(vault: Vault) -> None:
    """Case 41"""
    vault.compile({"a.md": "[[a]] [[#H]]\n\n# H\n"})
    assert vault.edges == ["a.md -> a.md#H"]
    assert [item.node.label for item in vault.remem.related("a", depth=5, scope="node")] == []
    assert vault.pending == []


def test_relation_to_itself_is_refused(vault: Vault) -> None:
    """Case 41"""
    vault.compile({"a.md": "one\n", "b.md": "[[a]]\n"})
    with pytest.raises(InvalidInputError):
        vault.remem.relate("a", "a")
    assert vault.manual == []
    assert [item.node.label for item in vault.remem.related("a", depth=5)] == ["b"]


def test_autolinks_images_and_addresses_are_no_note_links(vault: Vault) -> None:
    """Case 91"""
    text = (
        "![alt](img.png) ![[img.png|200]] ![[Note]] [^1] <b@c.org> https://x.org/[[a]]\n\n[^1]: see [[Foot]]\n"
        "\n[site](https://x.org/b.md) [mail](mailto:b@c.org) [pdf](paper.pdf)\n"
    )
    vault.compile({"x.md": text, "Note.md": "", "Foot.md": "", "a.md": ""})
    assert vault.edges == ["x.md -> Foot.md", "x.md -> Note.md"]
    assert vault.pending == []


def test_id_that_does_not_exist_waits(vault: Vault) -> None:
    """Case 55"""
    vault.compile({"x.md": "[[id:10cf-missing]] [[Nope; id=0]]\n", "a.md": ""})
    assert vault.edges == []
    assert vault.pending == ["x.md: Nope; id=0", "x.md: id:10cf-missing"]


def test_id_that_does_not_exist_gives_way_to_the_label(vault: Vault) -> None:
    """Case 55"""
    vault.compile({"x.md": "[[a; id=0]]\n", "a.md": ""})
    assert vault.edges == ["x.md -> a.md"]


@pytest.mark.parametrize("form", ["[[{}]]", "[[Nope; id={}]]"])
def test_link_by_id_stays_with_its_node(vault: Vault, form: str) -> None:
    """Case 55"""
    vault.compile({"a.md": "first\n\nsecond\n"})
    vault.compile({"x.md": form.format(vault.id_of("second")) + "\n"})
    assert vault.edges == ["x.md -> a.md#second"]
    vault.compile({"a.md": "zero\n\nfirst\n\nsecond thoughts\n"})
    assert vault.edges == ["x.md -> a.md#second thoughts"]


def test_taking_a_link_out_takes_its_edge_away(vault: Vault) -> None:
    vault.compile({"x.md": "see [[a]] and [[Nope]]\n", "a.md": ""})
    vault.compile({"x.md": "see a and Nope\n"})
    assert (vault.edges, vault.pending) == ([], [])


def test_heaviest_weight_wins_and_types_are_distinct(vault: Vault) -> None:
    vault.compile({"x.md": "[[a; w=2]] [[a; w=5]] [[a]] [[a; type=supports]]\n\n- caused_by [[a]]\n", "a.md": ""})
    assert vault.edges == ["x.md -> a.md caused_by", "x.md -> a.md supports", "x.md -> a.md w=5 x3"]
