"""Singles: nodes that are documents of their own, as memories and entities are. Puts one in its place, changes it,
takes it out, with its passage, names, links and relations. What a memory is, and when it comes and goes, is decided
elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from remem.ids import text_hash
from remem.keys import name_key, strict_key
from remem.records import ChangeRow, LinkRow, NodeRow, ParsedLink
from remem.search.passages import make_passages
from remem.storage import links as link_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.storage import versions
from remem.storage.links import LinkPlace
from remem.storage.lists import json_list
from remem.storage.names import NameRow
from remem.writing import history
from remem.writing.linking import Concern, make_link, write_links
from remem.writing.mentions import owe_mentions
from remem.writing.naming import EARLIER_KINDS
from remem.writing.passages import replace_passages
from remem.writing.relations import settle_relations

if TYPE_CHECKING:
    from sqlite3 import Connection


class Single(NamedTuple):
    """A node that is a document of its own, as it is or is to be. `tags` are as written, one for each key; `context` is
    what helps a search to find it without being part of it."""

    row: NodeRow
    tags: tuple[str, ...] = ()
    links: tuple[ParsedLink, ...] = ()
    context: str = ""

    @property
    def names(self) -> list[NameRow]:
        """What links can call it: its label, where it has one."""
        row = self.row
        return [NameRow(name_key(row.label), row.kind, row.key, row.label)] if row.label else []

    def tree(self, *, archived: bool = False) -> history.Tree:
        """Its state for the history."""
        return history.Tree([self.row], {self.row.key: self.tags} if self.tags else {}, archived=archived)


@dataclass(slots=True)
class Work:
    """One write to singles: the connection, the instant, and what has changed so far. `finish` makes the snapshot."""

    connection: Connection
    now: int
    changes: history.Changes = field(default_factory=history.Changes)
    described: set[int] = field(default_factory=set)

    def finish(self, message: str, open_id: int | None = None) -> int | None:
        """Writes the history of all changes under one snapshot, the unfinished `open_id` if that is the newest; its id,
        None where nothing changed."""
        return history.save_changes(self.connection, self.changes, message, self.now, open_id=open_id)

    def describe(self, old: Single, op: str) -> None:
        """Notes what a node was before: once in a write, the first time."""
        row = old.row
        if row.key in self.described:
            return
        self.described.add(row.key)
        content = text_hash(row.content)
        self.changes.contents[content] = row.content
        tags = None if not old.tags else json_list(old.tags)
        self.changes.rows.append(
            ChangeRow(0, row.key, op, row.kind, row.label, content, None, None, row.document, tags)
        )

    def move_state(self, old: history.Tree | None, new: history.Tree | None) -> None:
        """Moves the state hash from one state of a node to another; None: it is not there."""
        before, after = (0 if tree is None else history.tree_digest(tree) for tree in (old, new))
        self.changes.state = history.add_states(self.changes.state, after - before)


# --- rows -------------------------------------------------------------------------------------------------------------


def put_single(work: Work, new: Single, *, is_known: bool = False) -> None:
    """Puts a node in its place. `is_known`: the store knew it before, so what hangs on it comes back."""
    connection, row = work.connection, new.row
    node_rows.insert_nodes(connection, [row])
    _write_tags(connection, new, ())
    write_passage(connection, new, is_new=True)
    name_rows.insert_names(connection, new.names)
    names = name_rows.load_node_names(connection, [row.key]) if is_known else new.names
    concern = Concern(keys={name.key for name in names} | {name_key(row.id)}, ids=[row.id])
    write_links(connection, draft_links(connection, new), (), concern, work.now)
    settle_relations(connection, (), [row.key] if is_known else (), concern.keys, [row.id])
    owe_mentions(connection, [row.key], concern.keys)


def change_single(work: Work, old: Single, new: Single) -> None:
    """Gives a living node other content, label or tags. Nothing is written where it says the same."""
    connection, row = work.connection, new.row
    if row != old.row:
        node_rows.update_nodes(connection, [row])
    if new.tags != old.tags:
        _write_tags(connection, new, [row.key])
    write_passage(connection, new)
    earlier = _rename(connection, old, new)
    keys = {name.key for name in earlier}
    if row.content != old.row.content:
        write_links(connection, draft_links(connection, new), [row.key], Concern(keys=keys), work.now)
    elif keys:
        write_links(connection, (), (), Concern(keys=keys), work.now)
    if keys:
        settle_relations(connection, (), (), keys, ())
    if row.content != old.row.content or keys:
        owe_mentions(connection, [row.key], keys)


def rewrite_single(connection: Connection, new: Single, now: int) -> None:
    """Writes all of a living node anew, whatever stands in the store."""
    key = new.row.key
    node_rows.update_nodes(connection, [new.row])
    _write_tags(connection, new, [key])
    standing = [name for name in name_rows.load_node_names(connection, [key]) if name.kind not in EARLIER_KINDS]
    name_rows.delete_names(connection, standing)
    name_rows.insert_names(connection, new.names)
    concern = Concern(keys={name.key for name in [*standing, *new.names]})
    write_links(connection, draft_links(connection, new), [key], concern, now)


def take_single(work: Work, old: Single) -> None:
    """Takes a node out of its place. Its relations are kept aside, links to it look for another target."""
    connection, row = work.connection, old.row
    node_rows.delete_nodes(connection, [row.key])
    replace_passages(connection, [row.key], ())
    names = name_rows.load_node_names(connection, [row.key])
    name_rows.delete_names(connection, [name for name in names if name.kind not in EARLIER_KINDS])
    keys = {name.key for name in names} | {name_key(row.id)}
    write_links(connection, (), [row.key], Concern(keys=keys, ids=[row.id], gone=[row.key]), work.now)
    settle_relations(connection, [row.key], (), keys, [row.id])
    owe_mentions(connection, [row.key], keys)


def bury_single(work: Work, old: Single) -> None:
    """Remembers a node that was taken out, with its text. Where it makes no snapshot, it is that of the newest one."""
    row = old.row
    newest = versions.find_newest_snapshot(work.connection)
    content = text_hash(row.content)
    versions.keep_contents(work.connection, [(content, row.content)])
    versions.insert_removed(work.connection, [history.make_grave(old.tree(), newest.id if newest else 0)])


def write_passage(connection: Connection, new: Single, *, is_new: bool = False) -> None:
    """Brings the passage of a node up to date; one whose text stays is not indexed again."""
    row = new.row
    passages = make_passages([row], {row.key: new.tags} if new.tags else {}, context=new.context)
    replace_passages(connection, () if is_new else [row.key], [passages])


def _write_tags(connection: Connection, new: Single, stale: Sequence[int]) -> None:
    if new.tags or stale:
        tags = [(new.row.key, strict_key(tag), tag) for tag in new.tags]
        node_rows.replace_tags(connection, stale, tags)


def _rename(connection: Connection, old: Single, new: Single) -> list[NameRow]:
    """Replaces the name of a node whose label changed; all names that this concerns."""
    if old.row.label == new.row.label:
        return []
    earlier = [NameRow(name.key, "old_label", name.node, name.text) for name in old.names]
    name_rows.delete_names(connection, old.names)
    name_rows.insert_names(connection, [*new.names, *earlier])
    return [*old.names, *new.names]


def draft_links(connection: Connection, new: Single) -> list[tuple[LinkRow, LinkPlace]]:
    """The link rows of a node, not resolved yet, with the place of each."""
    if not new.links:
        return []
    row = new.row
    first = link_rows.last_link(connection) + 1
    return [
        (make_link(first + ordinal, row.key, ordinal, link), LinkPlace(first + ordinal, "", "", row.key, 0))
        for ordinal, link in enumerate(new.links)
    ]
