"""Walks over the graph of a compiled vault: circles, parallel edges, dense graphs, stars; what callers may ask for."""

from __future__ import annotations

import pytest

from remem.errors import InvalidInputError, NotFoundError
from tests.cases.vault import Vault
from tests.guard import guard_hang


def reached(vault: Vault, anchor: str, depth: int = 5) -> list[str]:
    """Labels of what a walk reports, sorted."""
    return sorted(item.node.label for item in vault.remem.related(anchor, depth=depth, limit=1000))


def test_embeds_in_a_circle_end(vault: Vault) -> None:
    """Case 92"""
    circle = {"a.md": "![[b]]\n", "b.md": "![[c]]\n", "c.md": "![[a]]\n"}
    vault.compile({**circle, "s.md": "# s\n![[s#s]]\n\n# s\n", "self.md": "![[self]]\n"})
    assert vault.edges == ["a.md -> b.md", "b.md -> c.md", "c.md -> a.md"]
    assert reached(vault, "a") == ["b", "c"]
    assert vault.remem.show("a")[0].text == "![[b]]"


def test_dense_graph_is_walked_at_once(vault: Vault) -> None:
    """Case 94"""
    vault.write({f"n{i}.md": " ".join(f"[[n{(i + step) % 81}]]" for step in range(1, 61)) + "\n" for i in range(81)})
    vault.remem.compile(vault.folder)
    assert len(vault.edges) == 81 * 60
    with guard_hang("a walk along 60 ** 5 paths"):
        found = vault.remem.related("n0", direction="out", depth=5, limit=100)
    assert len(found) == 80
    assert {item.score for item in found} == {5.0}


def test_star_gives_its_first_neighbour_by_a_fixed_order(vault: Vault) -> None:
    """Case 95"""
    vault.compile({"hub.md": "\n\n".join(f"[[leaf {i}; w=2]]" for i in range(300)), "in.md": "[[hub; w=2]]\n"})
    vault.write({f"leaf {i}.md": "" for i in range(300)})
    vault.remem.compile(vault.folder)
    whole = vault.remem.related("hub", depth=3, limit=1000)
    assert len(whole) == 301
    for _ in range(3):
        assert [item.node.id for item in vault.remem.related("hub", depth=3, limit=1)] == [whole[0].node.id]
    assert [item.node.id for item in whole] == sorted(item.node.id for item in whole)


def test_parallel_links_of_one_paragraph_are_one_edge(vault: Vault) -> None:
    """Case 97. A link and an embed of one type are one edge, counted twice."""
    vault.compile({"a.md": "[[b]] ![[b]]\n", "b.md": "[[a]]\n"})
    assert vault.edges == ["a.md -> b.md x2", "b.md -> a.md"]
    assert reached(vault, "a", 2) == ["b"]


def test_parallel_links_of_two_paragraphs_are_two_edges(vault: Vault) -> None:
    """Case 97"""
    vault.compile({"a.md": "[[b]]\n\n![[b]]\n", "b.md": "[[a]]\n"})
    assert vault.edges == ["a.md -> b.md", "a.md -> b.md", "b.md -> a.md"]
    assert reached(vault, "a", 2) == ["b"]


def test_weights_add_up_along_the_way(vault: Vault) -> None:
    vault.compile({"a.md": "[[c; w=2.5]] [[b; w=1.5]]\n", "b.md": "[[c; w=2]]\n", "c.md": ""})
    found = {item.node.label: item for item in vault.remem.related("a", direction="out", depth=2)}
    assert (found["c"].score, found["c"].hops, found["c"].distance) == (3.5, 2, 1)
    assert [step.label for step in found["c"].path] == ["b", "c"]
    assert found["c"].direct is not None
    assert found["c"].direct.weight == 2.5


@pytest.mark.parametrize("id", ["41", "n 1", "N1", "../x", "[[a]]", "'; DROP TABLE nodes; --"])
def test_unknown_node_is_named_in_the_error(vault: Vault, id: str) -> None:
    """Case 137"""
    vault.compile({"a.md": "x\n"})
    for call in (vault.remem.show, vault.remem.related, lambda id: vault.remem.relate(id, "a")):
        with pytest.raises(NotFoundError, match="not found: ") as caught:
            call(id)
        assert id in caught.value.message
    assert vault.manual == []


@pytest.mark.parametrize("id", ["", " ", "a\0", "\ud83d", "x" * 5000])
def test_reference_that_is_no_text_is_refused(vault: Vault, id: str) -> None:
    """Cases 64, 65, 137"""
    vault.compile({"a.md": "x\n"})
    for call in (vault.remem.show, vault.remem.related, vault.remem.tree, lambda id: vault.remem.relate("a", id)):
        with pytest.raises((InvalidInputError, NotFoundError)):
            call(id)
    with pytest.raises(InvalidInputError):
        vault.remem.relate("a", target_label=id)
    assert (vault.manual, vault.pending) == ([], [])


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -1, 1_000_001, "2", None, True])
def test_weight_out_of_range_is_refused(vault: Vault, weight: float) -> None:
    vault.compile({"a.md": "x\n", "b.md": "y\n"})
    with pytest.raises(InvalidInputError):
        vault.remem.relate("a", "b", weight=weight)
    with pytest.raises(InvalidInputError):
        vault.remem.related("a", weight_min=weight)
    assert vault.manual == []
