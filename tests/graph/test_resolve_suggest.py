"""Suggestions for links that found nothing."""

from __future__ import annotations

from remem.graph.resolve import Hint
from remem.graph.suggest import SuggestionIndex, suggest
from tests.graph.vault import build_vault

VAULT = """
River Plan.md | title: River Plan | # River Plan | ## Costs of the river
docs/Budget 2025.md
docs/Budget 2026.md
docs/Budget 2027.md
docs/Budget 2028.md
renamed.md | < first-draft.md
まとめ.md
memory: Tea at noon
"""


def offer(label: str, **parts: str) -> list[str]:
    return [name.text for name in suggest(Hint(label, **parts), build_vault(VAULT).names)]


def test_close_names_are_offered_the_closest_first() -> None:
    assert offer("Rivr Plan") == ["River Plan"]
    assert offer("notes/rivr-plan.md") == ["River Plan"]
    assert offer("Tea at non") == ["Tea at noon"]


def test_at_most_three_are_offered_in_order() -> None:
    assert offer("Budget 2029") == ["Budget 2025", "Budget 2026", "Budget 2027"]
    assert offer("Budget 2028")[0] == "Budget 2028"


def test_an_earlier_name_is_offered() -> None:
    assert [name.node for name in suggest(Hint("first-drafts"), build_vault(VAULT).names)] == [
        build_vault(VAULT).find_document("renamed.md").node
    ]


def test_what_is_not_close_is_not_offered() -> None:
    assert offer("summary (billing/refunds)") == []
    assert offer("") == []
    assert offer("x") == []
    assert suggest(Hint("River Plan"), []) == ()


def test_a_path_that_several_files_end_in_offers_them() -> None:
    names = build_vault("a/n/t.md\nb/n/t.md").names
    assert [name.source for name in suggest(Hint("n/t"), names)] == ["a/n/t.md", "b/n/t.md"]


def test_names_of_any_script_are_offered() -> None:
    assert offer("まとめー") == ["まとめ"]


def test_without_a_label_the_source_is_what_counts() -> None:
    assert offer("", source="docs/Budget 2025") == ["Budget 2025", "Budget 2026", "Budget 2027"]


def test_the_order_of_the_names_does_not_matter() -> None:
    names = build_vault("\n".join(f"f{number}/Same {number % 7}.md" for number in range(200))).names
    forward, backward = SuggestionIndex(names), SuggestionIndex(reversed(names))
    for label in ("Same 1", "same", "Sam 8", "Same 3.md"):
        assert forward.find(Hint(label)) == backward.find(Hint(label)) != ()
