"""Whatever happens to texts and names, in whatever order, the mentions are those of a new store of the same texts."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.writing import mentions
from tests.mentions.vault import Vault, faults
from tests.writing.vaults import list_notes, write_note

PHRASES = (
    *("apollo plan", "apollo plan b", "crew rota", "kraken", "night shift", "deploy key", "key rotation", "harbour"),
    *("東京タワー", "Straße 7", "crew_rota", "deploy-key", "tide table", "low tide", "pier reserve", "lane metre"),
)
FILES = ("Apollo Plan", "crew-rota", "Kraken", "x/Apollo Plan", "x/notes", "Night Shift", "y", "x/z", "東京タワー")
FORMS = (
    *("the {}.", "our {},", "a {}", "this {}", "{} and more", "`{}`"),
    *("[[{}]]", "[[{}|shown]]", "**{}**", "- item {}", "a{} b"),
)
TITLES = ("{}", "{}", "Notes on the {}", "{} today")


def make_block(chance: Random) -> str:
    phrase = chance.choice(PHRASES)
    kind = chance.random()
    if kind < 0.12:
        return "#" * chance.randint(1, 2) + " " + chance.choice(TITLES).format(phrase.title())
    parts = [chance.choice(FORMS).format(chance.choice(PHRASES)) for _ in range(chance.randint(1, 3))]
    return "\n".join(parts) if kind < 0.4 else " ".join(parts)


def make_note(chance: Random) -> str:
    front = ""
    if chance.random() < 0.15:
        front = f"---\ntitle: {chance.choice(PHRASES)}\naliases: [{chance.choice(PHRASES)}]\n---\n\n"
    return front + "\n\n".join(make_block(chance) for _ in range(chance.randint(0, 7))) + "\n"


def edit_notes(folder: Path, chance: Random) -> str:
    """One event of a vault."""
    notes = list_notes(folder)
    path = folder / f"{chance.choice(FILES)}.md"
    event = chance.random()
    if not notes or event < 0.35:
        write_note(path, make_note(chance))
        return f"write {path.name}"
    victim = chance.choice(notes)
    if event < 0.5:
        victim.unlink()
        return f"delete {victim.name}"
    if event < 0.65 and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        victim.rename(path)
        return f"rename {victim.name} to {path.name}"
    blocks = victim.read_text(encoding="utf-8").split("\n\n")
    if event < 0.8:
        # A block moves to another note, with its id and its edges.
        block, other = blocks.pop(chance.randrange(len(blocks))), chance.choice(notes)
        write_note(victim, "\n\n".join(blocks))
        write_note(other, other.read_text(encoding="utf-8") + "\n\n" + block)
        return f"move from {victim.name} to {other.name}"
    blocks.insert(chance.randrange(len(blocks) + 1), make_block(chance))
    write_note(victim, "\n\n".join(blocks))
    return f"edit {victim.name}"


def describe(remem: RememSync, origin: str) -> dict[tuple[str, str, int], set[tuple[int, float]]]:
    """The edges of an origin: by source file, and file and position of the target, positions of sources and weights."""
    nodes = {node.id: node for node in remem.export().nodes}
    edges: dict[tuple[str, str, int], set[tuple[int, float]]] = {}
    for edge in remem.export().edges:
        if edge.origin == origin:
            source, target = nodes[edge.source_id], nodes[edge.target_id]
            ends = (source.source, target.source, target.position)
            edges.setdefault(ends, set()).add((source.position, edge.weight))
    return edges


def assert_same(aged: RememSync, fresh: RememSync, events: list[str]) -> None:
    """The same mentions, but where a link of the aged store knows an earlier name that the fresh one never heard of."""
    stale = describe(aged, "parsed").keys() ^ describe(fresh, "parsed").keys()
    have, want = describe(aged, "mentioned"), describe(fresh, "mentioned")
    different = {ends for ends in have.keys() | want.keys() if have.get(ends) != want.get(ends)}
    assert different - stale == set(), events


@pytest.mark.parametrize(("seed", "names"), [(0, 400), (1, 400), (2, 400), (3, 1), (4, 2), (5, 3), (6, 5)])
def test_mentions_equal_those_of_a_fresh_store_after_every_change(
    seed: int, names: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few names are followed in one transaction."""
    monkeypatch.setattr(mentions, "MOST_NAMES", names)
    chance = Random(seed)
    vault = Vault(tmp_path, "[connections]\nmention_max_texts = 4\n")
    found = 0
    for name in chance.sample(FILES, 5):
        write_note(vault.notes / f"{name}.md", make_note(chance))
    with vault.open() as remem:
        for step in range(8):
            events = []
            for _ in range(chance.randint(1, 3)):
                events += [edit_notes(vault.notes, chance) for _ in range(chance.randint(1, 3))]
                remem.compile(vault.notes, discover=chance.random() < 0.6)
            remem.settle()
            with Remem.open_sync(tmp_path / f"fresh{step}.db", config=tmp_path / "settings.toml") as fresh:
                fresh.compile(vault.notes)
                assert_same(remem, fresh, events)
            assert faults(remem) == [], events
            found += len(remem.mentions())
    assert found > 5


def test_a_change_reads_only_the_texts_that_it_concerns(tmp_path: Path) -> None:
    """More texts are read at once than names are looked up for, in several steps."""
    vault = Vault(tmp_path)
    vault.write(**{f"n{number}": f"Text {number} of the crew rota {number}." for number in range(1100)})
    with vault.open() as remem:
        assert vault.compile(remem) == []
        vault.write(**{f"m{number}": f"## Crew rota {number}\n\nText." for number in range(30)})
        assert len(vault.compile(remem)) == 30
        assert faults(remem) == []


def test_relations_and_edits_in_any_order_leave_no_mention_beside_an_authored_edge(tmp_path: Path) -> None:
    chance = Random(3)
    vault = Vault(tmp_path)
    with vault.open() as remem:
        for _ in range(14):
            edit_notes(vault.notes, chance)
            vault.compile(remem)
            mentions = list(remem.mentions())
            if mentions and chance.random() < 0.7:
                mention = chance.choice(mentions)
                remem.relate(mention.source_id, mention.target_id, type=chance.choice(("references", "supports")))
            export = remem.export()
            authored = [(e.source_id, e.target_id) for e in export.edges if e.origin in ("manual", "parsed")]
            assert not {(e.source_id, e.target_id) for e in export.edges if e.origin == "mentioned"} & set(authored)
            assert faults(remem) == []
