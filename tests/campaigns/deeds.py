"""What is done to a store in a campaign: one random call of each kind on whatever the store holds. It says what it is
about to do before it does it, so that what was cut off can be judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from remem.engine.sync import RememSync
from tests.writing.vaults import WORDS, edit_vault, make_block, make_line, make_note, write_note

Intent = dict[str, object]
MANY = 40
"""Memories of a batch, notes of a large compile."""


class Stage(NamedTuple):
    """What deeds are done with: an open store, a folder of notes, and a name that no other actor has."""

    remem: RememSync
    vault: Path
    chance: Random
    name: str

    def make_id(self) -> str:
        """An id that was never given before."""
        return f"{self.name}x{self.chance.randrange(10**9)}"

    def choose_memory(self) -> str | None:
        """Some memory that lives."""
        found = [memory.id for memory in self.remem.memories(200)]
        return self.chance.choice(found) if found else None

    def choose_note(self, kinds: tuple[str, ...] = ()) -> str | None:
        """Some node of a note."""
        nodes = [node for node in self.remem.export().nodes if node.source and (not kinds or node.kind in kinds)]
        return self.chance.choice(nodes).id if nodes else None


Deed = Callable[[Stage], tuple[Intent, Callable[[], object]] | None]
"""What it is about to do, and how; None where the store holds nothing to do it to."""


def store(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """A memory with links and words that others have, so that discovery and mentions have work."""
    id, content = stage.make_id(), f"{stage.name} {make_line(stage.chance)} {stage.chance.random()}"
    given = {"source": stage.chance.choice(("", "chat")), "tags": [stage.chance.choice(WORDS)]}
    return {"ids": [id]}, lambda: stage.remem.store(content, id=id, **given)  # type: ignore[arg-type]


def store_batch(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """Many memories at once."""
    items = [{"id": stage.make_id(), "content": f"{make_line(stage.chance)} {n}"} for n in range(MANY)]
    return {"ids": [item["id"] for item in items]}, lambda: stage.remem.store_batch(items)


def update(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """New content for a memory."""
    if (id := stage.choose_memory()) is None:
        return None
    content = f"{make_line(stage.chance)} {stage.chance.random()}"
    return {"memory": id}, lambda: stage.remem.update(id, content=content)


def remove(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """A memory is archived, or removed for good."""
    if (id := stage.choose_memory()) is None:
        return None
    return {"memory": id}, lambda: stage.remem.forget(id, hard=stage.chance.random() < 0.5)


def bring_back(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """An archived memory lives again."""
    found = [memory.id for memory in stage.remem.memories(200, archived=True)]
    if not found:
        return None
    id = stage.chance.choice(found)
    return {"memory": id}, lambda: stage.remem.unarchive(id)


def relate(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """An edge to a node, or to a label that waits for its node."""
    if (source := stage.choose_note()) is None:
        return None
    label, target = f"later {stage.make_id()}", stage.choose_memory() or stage.choose_note()
    if stage.chance.random() < 0.5 or target in (None, source):
        return {"label": label}, lambda: stage.remem.relate(source, target_label=label)
    assert target is not None
    return {"target": target}, lambda: stage.remem.relate(source, target, type="supports", weight=3)


def compile_notes(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """A few edits of the folder."""
    for _ in range(stage.chance.randint(1, 4)):
        edit_vault(stage.vault, stage.chance)
    return {}, lambda: stage.remem.compile(stage.vault)


def compile_many(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """Many new notes, in slices, or the end of them."""
    folder = stage.vault / "many"
    if folder.exists() and stage.chance.random() < 0.5:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
    else:
        for number in range(MANY):
            write_note(folder / f"n{number}.md", make_note(stage.chance) + f"\n\n[[n{number + 1}]]\n")
    return {}, lambda: stage.remem.compile(stage.vault, prune=True)


def write(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """Text in the place of a section or below it."""
    if (node := stage.choose_note(("heading", "document"))) is None:
        return None
    payload = "\n\n".join(make_block(stage.chance) for _ in range(3)) + f"\n\nend {stage.chance.random()}"
    if stage.chance.random() < 0.5:
        return {"node": node}, lambda: stage.remem.write(payload, anchor=node)
    return {"node": node}, lambda: stage.remem.write(payload, parent=node)


def summarise(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """A summary in the place of a text."""
    if (node := stage.choose_note()) is None:
        return None
    text = f"{make_line(stage.chance)} {stage.chance.random()}"
    return {"node": node}, lambda: stage.remem.summarise(node, text)


def forget(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """A node of a note goes, with all below it."""
    if (node := stage.choose_note()) is None:
        return None
    return {"node": node}, lambda: stage.remem.forget(node, "cascade")


def roll_back(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """To one of the last snapshots."""
    newest = list(stage.remem.snapshots(limit=8))
    if not newest:
        return None
    to, scope = stage.chance.choice(newest), stage.chance.choice(("notes", "all"))
    intent: Intent = {"to": to.id, "scope": scope}
    if scope == "all":
        intent["state"] = to.state_hash
    return intent, lambda: stage.remem.rollback(to.id, scope)


def purge(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """A secret that was stored and taken back leaves the file."""
    id, secret = stage.make_id(), f"secret{stage.chance.getrandbits(80):x}"
    stage.remem.store(f"The key is {secret}.", id=id)
    stage.remem.update(id, content=f"The key is kept elsewhere, {id}.")
    return {"secret": secret}, lambda: stage.remem.purge(node=id)


def pin(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """A node stays warm."""
    if (node := stage.choose_note()) is None:
        return None
    return {"node": node}, lambda: stage.remem.pin(node)


def discover(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """Vectors, discovery and mentions of what was stored and compiled."""
    items = [{"content": f"{make_line(stage.chance)} {n} {stage.chance.random()}"} for n in range(4)]
    stage.remem.store_batch(items)
    return {}, lambda: stage.remem.settle()


def back_up(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """A copy beside the store, in the place of the one before."""
    target = stage.vault.parent / "copy.db"
    return {}, lambda: stage.remem.backup(target)


def repair(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """All that follows from the texts is made anew."""
    return {}, lambda: stage.remem.doctor(fix=True)


def drop(stage: Stage) -> tuple[Intent, Callable[[], object]] | None:
    """The folder of notes leaves the store."""
    return {}, lambda: stage.remem.drop(stage.vault.name)


DEEDS: dict[str, Deed] = {
    deed.__name__: deed
    for deed in (
        store, store_batch, update, remove, bring_back, relate, compile_notes, compile_many, write, summarise, forget,
        roll_back, purge, pin, discover, back_up, repair, drop,
    )
}  # fmt: skip
CHANGES: dict[str, set[str]] = {
    "store": {"memories", "snapshots", "history"},
    "store_batch": {"memories", "snapshots", "history"},
    "update": {"memories", "snapshots", "history"},
    "relate": {"relations"},
    "pin": {"pins"},
    "purge": {"history"},
    "discover": set(),
    "back_up": set(),
}
"""What a call may change of an imprint (all of it where it is not named)."""
PREPARES = {"purge": CHANGES["store"], "discover": CHANGES["store"]}
"""What is changed before the call itself."""
EDITS = frozenset({"write", "summarise", "forget", "roll_back"})
"""After these the store need not be what a compile of its texts gives: links are kept, files are held."""
