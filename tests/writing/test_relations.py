"""Manual edges as they are asked for, wait, heal and are taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError, NotFoundError


def write(folder: Path, **texts: str) -> None:
    """Writes notes by stem; `x__Plan` stands for `x/Plan`."""
    for stem, text in texts.items():
        path = folder / f"{stem.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def open_vault(tmp_path: Path, **texts: str) -> tuple[RememSync, Path]:
    """A store of these notes."""
    vault = tmp_path / "vault"
    write(vault, **texts)
    remem = Remem.open_sync(tmp_path / "store.db")
    remem.compile(vault)
    return remem, vault


def list_manual(remem: RememSync) -> list[tuple[str, str, float]]:
    """The manual edges by the labels of their ends."""
    export = remem.export()
    labels = {node.id: node.label for node in export.nodes}
    return sorted(
        (labels[edge.source_id], labels[edge.target_id], edge.weight)
        for edge in export.edges
        if edge.origin == "manual"
    )


def list_waiting(remem: RememSync) -> list[tuple[str, str, float]]:
    """The manual edges that wait: label, source, weight."""
    return sorted((edge.label, edge.source, edge.weight) for edge in remem.pending() if edge.origin == "manual")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("x/Plan", None), ("y/Plan", None)),
        (("Beta#One", None), ("Beta#Two", None)),
        (("foo-bar", None), ("foo bar", None)),
        (("C", "p/d.md"), ("C", "q/d.md")),
    ],
)
def test_waiting_relations_to_different_names_are_different(
    tmp_path: Path, first: tuple[str, str | None], second: tuple[str, str | None]
) -> None:
    remem, _ = open_vault(tmp_path, a="# Alpha\n\nx\n")
    with remem:
        for weight, (label, source) in enumerate((first, second), start=2):
            remem.relate("Alpha", target_label=label, target_source=source, weight=weight)
        assert len(list_waiting(remem)) == 2
        remem.relate("Alpha", target_label=first[0], target_source=first[1], weight=9)
        assert (first[0], first[1] or "", 9.0) in list_waiting(remem)
        assert len(list_waiting(remem)) == 2
        remem.unrelate("Alpha", target_label=second[0], target_source=second[1])
        assert list_waiting(remem) == [(first[0], first[1] or "", 9.0)]


def test_each_waiting_relation_finds_its_own_note(tmp_path: Path) -> None:
    remem, vault = open_vault(tmp_path, a="# Alpha\n\nx\n")
    with remem:
        remem.relate("Alpha", target_label="x/Plan", weight=2)
        remem.relate("Alpha", target_label="y/Plan", weight=3)
        write(vault, x__Plan="# East\n")
        remem.compile(vault)
        assert list_manual(remem) == [("Alpha", "East", 2.0)]
        write(vault, y__Plan="# West\n")
        remem.compile(vault)
        assert list_manual(remem) == [("Alpha", "East", 2.0), ("Alpha", "West", 3.0)]


@pytest.mark.parametrize("label", ["Plan", "z/Plan", "y/Plans"])
def test_unrelating_a_label_takes_nothing_but_what_was_asked_for_by_it(tmp_path: Path, label: str) -> None:
    remem, _ = open_vault(tmp_path, a="# Alpha\n\nx\n")
    with remem:
        remem.relate("Alpha", target_label="y/Plan")
        with pytest.raises(NotFoundError):
            remem.unrelate("Alpha", target_label=label)
        assert list_waiting(remem) == [("y/Plan", "", 1.0)]


def test_a_missing_heading_is_waited_for_and_found(tmp_path: Path) -> None:
    remem, vault = open_vault(tmp_path, a="# Alpha\n\nx\n", b="# Beta\n\ny\n")
    with remem:
        made = remem.relate("Alpha", target_label="Beta#Costs", weight=2)
        assert (made.pending, made.partial) == (False, True)
        assert list_manual(remem) == [("Alpha", "Beta", 2.0)]
        assert list_waiting(remem) == [("Beta#Costs", "", 2.0)]
        write(vault, b="# Beta\n\ny\n\n## Costs\n\nz\n")
        remem.compile(vault)
        assert (list_manual(remem), list_waiting(remem)) == ([("Alpha", "Costs", 2.0)], [])
        assert remem.doctor().healthy


def test_a_relation_whose_target_is_gone_can_be_taken_back_as_it_is_listed(tmp_path: Path) -> None:
    remem, vault = open_vault(tmp_path, a="# Alpha\n\nx\n", b="# Beta\n\ny\n")
    with remem:
        made = remem.relate("Alpha", "Beta")
        (vault / "b.md").unlink()
        remem.compile(vault)
        (waiting,) = [edge for edge in remem.pending() if edge.origin == "manual"]
        assert (waiting.label, waiting.source, waiting.id) == ("Beta", "b.md", made.target_id)
        assert remem.unrelate("Alpha", waiting.label).deleted == 1
        assert list_waiting(remem) == []


def test_a_relation_whose_source_is_gone_is_listed_and_can_be_taken_back(tmp_path: Path) -> None:
    remem, vault = open_vault(tmp_path, a="# Alpha\n\nx\n", b="# Beta\n\ny\n")
    with remem:
        made = remem.relate("Alpha", "Beta")
        (vault / "a.md").unlink()
        remem.compile(vault)
        (waiting,) = remem.pending()
        assert (waiting.source_id, waiting.source_missing) == (made.source_id, True)
        assert remem.unrelate(made.source_id, "Beta").deleted == 1
        assert list(remem.pending()) == []
        write(vault, a="# Alpha\n\nx\n")
        remem.compile(vault)
        assert list_manual(remem) == []


def test_an_ambiguous_label_is_told_and_taken_back_by_itself(tmp_path: Path) -> None:
    remem, _ = open_vault(tmp_path, boat="# Boat\n", x__one="# Dup\n\nx\n", y__two="# Dup\n\ny\n")
    with remem:
        made = remem.relate("Boat", target_label="Dup")
        assert made.ambiguous
        assert [edge.ambiguous for edge in remem.export().edges] == [True]
        assert remem.unrelate("Boat", target_label="Dup").deleted == 1
        assert remem.export().edges == ()


def test_a_node_is_never_related_to_itself(tmp_path: Path) -> None:
    remem, _ = open_vault(tmp_path, a="# Alpha\n\nx\n")
    with remem:
        with pytest.raises(InvalidInputError):
            remem.relate("Alpha", "Alpha")
        with pytest.raises(InvalidInputError):
            remem.relate("Alpha", target_label="a")
        assert remem.export().edges == ()


@pytest.mark.parametrize("reference", ["vault/x/C#.md", "C#", "x/C#.md", "vault/x/C#", "C#.md#Part"])
def test_a_node_is_found_by_the_place_that_answers_print(tmp_path: Path, reference: str) -> None:
    remem, _ = open_vault(tmp_path, **{"x__C#": "# Sharp\n\n## Part\n\ny\n"})
    with remem:
        label = "Part" if reference.endswith("Part") else "Sharp"
        assert remem.show(reference)[0].node.label == label


def test_what_is_not_found_says_what_to_do(tmp_path: Path) -> None:
    remem, _ = open_vault(tmp_path, plan="# River Plan\n")
    with remem:
        id = remem.tree(depth=0)[0].id
        with pytest.raises(NotFoundError, match=rf"River Plan \({id}\)"):
            remem.show("Rivr Plan")
        with pytest.raises(NotFoundError, match="search"):
            remem.show("zzzzzzzz")
    with Remem.open_sync(tmp_path / "empty.db") as empty, pytest.raises(NotFoundError, match="compile"):
        empty.show("anything")


def find_section(remem: RememSync, label: str) -> str:
    """The id of the section of that label."""
    return next(line.id for line in remem.tree() if line.label == label)


def list_faults(remem: RememSync) -> list[str]:
    return [finding.message for finding in remem.doctor().findings if finding.fault]


def write_pier(vault: Path, heading: str, more: str = "") -> None:
    write(vault, Pier=f"# Pier\n\n## {heading}\n\nIt is lit at dusk.\n\n{more}## Costs\n\nNone.\n")


def open_pier(tmp_path: Path) -> tuple[RememSync, Path]:
    """A store with a relation to a heading that its own document does not have."""
    remem, vault = open_vault(tmp_path, Pier="# Pier\n\n## Light\n\nIt is lit at dusk.\n\n## Costs\n\nNone.\n")
    assert remem.relate(find_section(remem, "Light"), target_label="Pier#Lamp").pending
    return remem, vault


def test_a_relation_within_a_document_follows_its_headings(tmp_path: Path) -> None:
    remem, vault = open_pier(tmp_path)
    with remem:
        for heading, more, edges in (
            ("Light", "## Lamp\n\nA second one.\n\n", [("Light", "Lamp", 1.0)]),
            ("Light", "", []),
            ("Lamp", "", []),  # back to itself
            ("Lantern", "", []),
            ("Lantern", "## Lamp\n\nA second one.\n\n", [("Lantern", "Lamp", 1.0)]),
        ):
            write_pier(vault, heading, more)
            remem.compile(vault)
            assert (list_manual(remem), list_faults(remem)) == (edges, []), (heading, more)


def test_a_relation_that_waits_in_a_document_is_kept_by_the_rules_when_its_source_is_gone(tmp_path: Path) -> None:
    remem, _ = open_pier(tmp_path)
    with remem:
        remem.summarise(find_section(remem, "Pier"), "A pier with a light.")
        assert list_faults(remem) == []
        assert list_manual(remem) == []


def open_costs(tmp_path: Path) -> tuple[RememSync, Path, str]:
    """A store with a relation to one of two sections of the same name, and the id of that."""
    remem, vault = open_vault(
        tmp_path, a="# Alpha\n\n## Costs\n\nnine\n", b="# Beta\n\n## Costs\n\nten\n", m="# Moor\n\nx\n"
    )
    target = next(node.id for node in remem.export().nodes if (node.source, node.label) == ("a.md", "Costs"))
    remem.relate("Moor", target, type="references", weight=2)
    return remem, vault, target


def list_ends(remem: RememSync) -> list[tuple[str, str]]:
    """The sources of the notes that manual edges join."""
    export = remem.export()
    sources = {node.id: node.source for node in export.nodes}
    return sorted((sources[e.source_id], sources[e.target_id]) for e in export.edges if e.origin == "manual")


@pytest.mark.parametrize("source_too", [False, True])
def test_a_relation_goes_back_to_the_node_it_was_made_to(tmp_path: Path, source_too: bool) -> None:
    remem, vault, target = open_costs(tmp_path)
    with remem:
        texts = {path.name: path.read_text(encoding="utf-8") for path in vault.iterdir()}
        (vault / "a.md").unlink()
        remem.compile(vault)
        assert (list_ends(remem), list_faults(remem)) == ([("m.md", "b.md")], [])
        if source_too:
            (vault / "m.md").unlink()
            remem.compile(vault)
        (vault / "a.md").write_text(texts["a.md"], encoding="utf-8")
        remem.compile(vault)
        (vault / "m.md").write_text(texts["m.md"], encoding="utf-8")
        remem.compile(vault)
        assert [edge.target_id for edge in remem.export().edges if edge.origin == "manual"] == [target]
        assert (list_ends(remem), list_faults(remem)) == ([("m.md", "a.md")], [])


def test_a_rollback_gives_a_relation_its_node_back(tmp_path: Path) -> None:
    remem, vault, _ = open_costs(tmp_path)
    with remem:
        (vault / "a.md").unlink()
        remem.compile(vault)
        for snapshot, end in ((1, "a.md"), (2, "b.md"), (1, "a.md")):
            remem.rollback(snapshot)
            assert (list_ends(remem), list_faults(remem)) == ([("m.md", end)], [])


def test_a_relation_to_a_memory_goes_back_to_it(tmp_path: Path) -> None:
    remem, _ = open_vault(tmp_path, plan="# Plan\n", m="# Moor\n\nx\n")
    with remem:
        remem.store("# Plan\n\nof the harbour", id="mp")
        remem.relate("Moor", "mp")
        for call, end in ((remem.forget, "plan.md"), (remem.unarchive, ""), (remem.forget, "plan.md")):
            call("mp")
            assert (list_ends(remem), list_faults(remem)) == ([("m.md", end)], [])
        remem.forget("mp", hard=True)
        assert [(edge.id, edge.label) for edge in remem.pending()] == [("mp", "")]
        remem.store("anything", id="mp")
        assert (list_ends(remem), list_faults(remem)) == ([("m.md", "")], [])


def test_a_purge_leaves_a_relation_with_its_stand_in_until_the_node_is_back(tmp_path: Path) -> None:
    remem, vault, target = open_costs(tmp_path)
    with remem:
        text = (vault / "a.md").read_text(encoding="utf-8")
        (vault / "a.md").unlink()
        remem.compile(vault)
        remem.purge(node=target)
        assert (list_ends(remem), list_faults(remem)) == ([("m.md", "b.md")], [])
        (vault / "b.md").write_text("# Beta\n", encoding="utf-8")
        remem.compile(vault)
        assert [(edge.id, edge.label, edge.source) for edge in remem.pending()] == [(target, "", "")]
        (vault / "a.md").write_text(text, encoding="utf-8")
        remem.compile(vault)
        assert list_faults(remem) == []


@pytest.mark.parametrize("headings_first", [False, True])
def test_relations_to_a_document_and_to_headings_of_it_are_different(tmp_path: Path, headings_first: bool) -> None:
    bare, whole = "# Beta\n\ny\n", "# Beta\n\ny\n\n## One\n\n## Two\n"
    remem, vault = open_vault(tmp_path, a="# Alpha\n\nx\n", b=whole if headings_first else bare)
    with remem:
        for weight, label in ((5, "Beta"), (2, "b#One"), (3, "b#Two")):
            assert remem.relate("Alpha", target_label=label, weight=weight).created
        for text, edges, waiting in (
            (bare, [("Alpha", "Beta", 5.0)], [("b#One", "", 2.0), ("b#Two", "", 3.0)]),
            (whole, [("Alpha", "Beta", 5.0), ("Alpha", "One", 2.0), ("Alpha", "Two", 3.0)], []),
        ):
            write(vault, b=text)
            remem.compile(vault)
            assert (list_manual(remem), list_waiting(remem), list_faults(remem)) == (edges, waiting, [])
        write(vault, b=bare)
        remem.compile(vault)
        assert not remem.relate("Alpha", target_label="b#One", weight=7).created
        assert remem.reconnect("Alpha", "Beta", strength=0.5).weight == 0.5
        assert list_waiting(remem) == [("b#One", "", 7.0), ("b#Two", "", 3.0)]
        assert remem.reconnect("Alpha", "Beta", type="supports").relationship_type == "supports"
        assert [edge.relationship_type for edge in remem.export().edges] == ["supports"]
        assert remem.unrelate("Alpha", "Beta").deleted == 3
        assert (list_manual(remem), list_waiting(remem)) == ([], [])


def test_a_relation_that_waits_for_a_heading_leaves_a_connection_as_it_is(tmp_path: Path) -> None:
    remem, vault = open_vault(tmp_path, a="# Alpha\n\nx\n", b="# Beta\n\ny\n")
    with remem:
        made = remem.connect("Alpha", "Beta", "supports", 0.5)
        assert remem.relate("Alpha", target_label="b#One", type="supports").created
        assert remem.connect("Alpha", "Beta", "supports", 0.5).created_at == made.created_at
        assert list_manual(remem) == [("Alpha", "Beta", 0.5)]
        write(vault, b="# Beta\n\ny\n\n## One\n")
        remem.compile(vault)
        assert list_manual(remem) == [("Alpha", "Beta", 0.5), ("Alpha", "One", 1.0)]


def test_a_relation_is_updated_by_the_name_that_it_was_made_with(tmp_path: Path) -> None:
    remem, vault = open_vault(tmp_path, a="# Alpha\n\nx\n")
    with remem:
        for weight, label in ((2, "Foo"), (3, "Bar")):
            remem.relate("Alpha", target_label=label, weight=weight)
        write(vault, foo="---\naliases: [Bar]\n---\n# Foo\n")
        remem.compile(vault)
        assert not remem.relate("Alpha", target_label="Bar", weight=4).created
        (vault / "foo.md").unlink()
        remem.compile(vault)
        assert list_waiting(remem) == [("Bar", "", 4.0), ("Foo", "", 2.0)]


def test_a_relation_to_a_stand_in_is_one_of_its_own(tmp_path: Path) -> None:
    remem, vault, target = open_costs(tmp_path)
    with remem:
        text = (vault / "a.md").read_text(encoding="utf-8")
        (vault / "a.md").unlink()
        remem.compile(vault)
        (edge,) = [edge for edge in remem.export().edges if edge.origin == "manual"]
        made = [remem.relate("Moor", edge.target_id, type="references", weight=weight).created for weight in (3, 4)]
        assert made == [True, False]
        (vault / "a.md").write_text(text, encoding="utf-8")
        remem.compile(vault)
        edges = {one.target_id: one.weight for one in remem.export().edges if one.origin == "manual"}
        assert edges == {target: 2.0, edge.target_id: 4.0}
        assert list_faults(remem) == []


@pytest.mark.parametrize(
    ("label", "end"),
    [
        ("[[Beta]]", "Beta"), (" [[Beta|shown]] ", "Beta"), ("[[b.md#Costs]]", "Costs"), ("[[#Own]]", "Own"),
        ("[[Either|Or]]", None), ("Either|Or", "Either|Or"), ("TL; w=3", "TL; w=3"), ("[[Beta]] or [[Costs]]", None),
    ],
)  # fmt: skip
def test_a_label_written_as_a_link_is_that_link(tmp_path: Path, label: str, end: str | None) -> None:
    texts = {"a": "# Alpha\n\n## Own\n\nx\n", "b": "# Beta\n\n## Costs\n\n## Either|Or\n\n## TL; w=3\n"}
    remem, _ = open_vault(tmp_path, **texts)
    with remem:
        assert remem.relate("Alpha", target_label=label).pending == (end is None)
        assert list_manual(remem) == ([] if end is None else [("Alpha", end, 1.0)])
        assert remem.unrelate("Alpha", target_label=label).deleted == 1


@pytest.mark.parametrize("label", ["[[]]", "[[|x]]", "[[https://a.test]]", "[[Beta; w=3]]", "[[Beta; source=b.md]]"])
def test_a_label_written_as_a_link_holds_a_name_and_no_more(tmp_path: Path, label: str) -> None:
    remem, _ = open_vault(tmp_path, a="# Alpha\n", b="# Beta\n")
    with remem:
        with pytest.raises(InvalidInputError) as caught:
            remem.relate("Alpha", target_label=label)
        assert caught.value.facts["field"] == "target_label"
        assert (list_manual(remem), list_waiting(remem)) == ([], [])


def test_a_relation_that_waits_for_its_heading_is_led_again_when_its_source_is_renamed(tmp_path: Path) -> None:
    remem, vault = open_vault(tmp_path, c="words of the source", b="# Near\n\nbee", d__b="# Far\n\nother bee")
    with remem:
        (source,) = [node.id for node in remem.export().nodes if node.content == "words of the source"]
        remem.relate(source, target_label="b#Missing")
        assert list_manual(remem) == [("words of the source", "Near", 1.0)]
        (vault / "c.md").rename(vault / "d" / "c.md")
        remem.compile(vault)
        assert list_manual(remem) == [("words of the source", "Far", 1.0)]
        assert remem.doctor().healthy
        (vault / "d" / "c.md").rename(vault / "c.md")
        remem.compile(vault)
        assert list_manual(remem) == [("words of the source", "Near", 1.0)]
        assert remem.doctor().healthy
