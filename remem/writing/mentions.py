"""Mentions: follows the texts and names, so that the mentioned edges are at each moment a function of both. Work is
recorded with the change that makes it (`owe_mentions`) and done afterwards (`settle_mentions`), in time proportional to
the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from remem.clock import read_clock
from remem.graph.mentions import RULES, Matcher, find_head, list_heads
from remem.graph.prose import Prose
from remem.storage import mention_work
from remem.storage import mentions as mention_rows
from remem.storage import nodes as node_rows
from remem.storage.mention_work import EDGES, NAME, TEXT
from remem.storage.mentions import MentionUse
from remem.storage.pool import Store
from remem.writing.mention_edges import save_edges
from remem.writing.mention_texts import find_targets, find_uses, list_names, make_phrase

if TYPE_CHECKING:
    from sqlite3 import Connection

OFF = "off"
FEW = 20
"""Up to so many texts, the names that they may use are looked up; for more, all names are loaded."""
CHUNK = 1000
"""So many texts are read in one transaction."""
MOST_NAMES = 400
"""So many names are followed in one transaction: each new one is looked for in all texts that were read before."""


@dataclass(frozen=True, slots=True)
class MentionOptions:
    """The settings: whether texts are searched for names, and how many texts may use one before it names nothing."""

    enabled: bool = True
    max_texts: int = 50

    @property
    def state(self) -> str:
        """What the mentions follow from besides texts and names. Another one has all of them made again."""
        return f"{RULES}/{self.max_texts}" if self.enabled else OFF


DEFAULT_MENTIONS = MentionOptions()


def read_options(state: str | None) -> MentionOptions:
    """The settings under which the mentions of a store were made."""
    if state is None or state == OFF:
        return MentionOptions(enabled=False)
    return MentionOptions(True, int(state.partition("/")[2]))


def owe_mentions(connection: Connection, documents: Iterable[int], keys: Iterable[str]) -> None:
    """Records, within the transaction of a change, which texts changed, came or went, and under which name keys names
    did. A memory is a text of its own: its node's key."""
    if mention_work.find_state(connection) not in (None, OFF):
        mention_work.owe_documents(connection, TEXT, documents)
        mention_work.owe_names(connection, keys)


def is_owed(connection: Connection, options: MentionOptions) -> bool:
    """Whether `settle_mentions` has anything to do."""
    return mention_work.find_state(connection) != options.state or mention_work.has_work(connection)


async def settle_mentions(store: Store, options: MentionOptions) -> None:
    """Does what is owed, in transactions of bounded size; what another process did meanwhile is not done again."""
    if await store.read(is_owed, options):
        settler = Settler(options)
        while await store.write_alone(partial(settler.run_step, now=read_clock())):
            pass


@dataclass(slots=True)
class _Change:
    """What one step changes: uses whose target is to be found, with what they were (None: new); documents whose edges
    are to be derived; nodes that another number of texts may name."""

    uses: dict[tuple[int, int], tuple[MentionUse, MentionUse | None]] = field(default_factory=dict)
    documents: set[int] = field(default_factory=set)
    targets: set[int] = field(default_factory=set)

    def drop(self, uses: Iterable[MentionUse]) -> None:
        """Notes uses that are gone, or name nothing any more."""
        for use in uses:
            if use.target is not None:
                self.targets.add(use.target)
                self.documents.add(use.document)

    def ask(self, uses: Iterable[MentionUse]) -> None:
        """Notes uses that may name something else."""
        for use in uses:
            self.uses.setdefault((use.document, use.name), (use, use))


class Settler:
    """Brings mentions up to date step by step; between the steps the store is whole, and what is left is recorded."""

    def __init__(self, options: MentionOptions) -> None:
        self._options = options
        self._matcher: Matcher | None = None
        self._version: int | None = None  # of the names in the matcher

    def run_step(self, connection: Connection, now: int) -> bool:
        """Does a part of what is owed; returns whether more is left. Must run inside a write transaction."""
        adopt_state(connection, self._options)
        if not self._options.enabled:
            return False
        change = _Change()
        followed = self._follow_names(connection, change)
        # Texts are read when all names are known.
        documents = mention_work.load_documents_owed(connection, TEXT, CHUNK) if followed < MOST_NAMES else []
        if documents:
            self._read_texts(connection, documents, change)
        self._find_targets(connection, change)
        more = followed == MOST_NAMES or len(documents) == CHUNK
        # Only when all texts were read is it known which edges do not follow any more.
        moved = [] if more else mention_work.load_documents_owed(connection, EDGES)
        save_edges(connection, change.documents.union(moved), change.targets, now)
        mention_work.delete_work(connection, TEXT, documents)
        mention_work.delete_work(connection, EDGES, moved)
        return more

    # --- names -------------------------------------------------------------------------------------------------------

    def _follow_names(self, connection: Connection, change: _Change) -> int:
        """Follows the names that come first; how many these were."""
        keys = mention_work.load_names_owed(connection, MOST_NAMES)
        if not keys:
            return 0
        wanted = list_names(connection, keys)
        standing = {name.name: name for name in mention_rows.load_names_by_key(connection, keys)}
        new = [name for name in wanted if name not in standing]
        gone = [row.key for name, row in standing.items() if name not in wanted]
        kept = [row.key for name, row in standing.items() if name in wanted and self._is_rare(row.texts)]
        change.ask(mention_rows.load_uses_of_names(connection, kept))
        if gone:
            uses = mention_rows.load_uses_of_names(connection, gone)
            change.drop(uses)
            change.documents |= _list_holders(connection, uses)
            mention_rows.delete_uses(connection, uses)
            mention_rows.delete_names(connection, gone)
            # A shorter name that stood within one that is gone counts now.
            mention_work.owe_documents(connection, TEXT, {use.document for use in uses})
        if new:
            mention_rows.insert_names(connection, [(name, wanted[name], find_head(name)) for name in new])
            self._find_texts(connection, new)
        mention_work.delete_work(connection, NAME, keys)
        return len(keys)

    def _find_texts(self, connection: Connection, names: Iterable[str]) -> None:
        """Has the texts read again that may use new names."""
        if mention_work.has_settled_text(connection):
            found: set[int] = set()
            for phrase in filter(None, map(make_phrase, names)):
                found.update(mention_rows.find_documents_of_phrase(connection, phrase))
            mention_work.owe_documents(connection, TEXT, found)

    # --- texts -------------------------------------------------------------------------------------------------------

    def _read_texts(self, connection: Connection, documents: Sequence[int], change: _Change) -> None:
        found = find_uses(connection, documents, partial(self._choose_matcher, connection))
        uses = {(use.document, use.name): use for use in found}
        standing = {(use.document, use.name): use for use in mention_rows.load_uses(connection, documents)}
        gone = [use for place, use in standing.items() if place not in uses]
        change.documents |= {document for document, _ in uses} | mention_rows.find_refusing(connection, documents)
        change.documents |= _list_holders(connection, standing.values())
        change.drop(gone)
        mention_rows.delete_uses(connection, gone)
        for use in gone:
            change.uses.pop((use.document, use.name), None)
        for place, use in uses.items():
            change.uses[place] = use, standing.get(place)
        counts = Counter(name for document, name in uses if (document, name) not in standing)
        counts.subtract(use.name for use in gone)
        self._count_texts(connection, {name: number for name, number in counts.items() if number}, change)

    def _choose_matcher(self, connection: Connection, proses: Sequence[Prose]) -> Matcher:
        if len(proses) <= FEW:
            heads = set().union(*map(list_heads, proses))
            return Matcher((row.key, row.name) for row in mention_rows.load_names_by_head(connection, heads))
        version = mention_rows.find_version(connection)
        if self._matcher is None or self._version != version:
            self._matcher = Matcher((row.key, row.name) for row in mention_rows.load_every_name(connection))
            self._version = version
        return self._matcher

    def _count_texts(self, connection: Connection, counts: Mapping[int, int], change: _Change) -> None:
        """Counts how many texts use the names, and follows those that become too common or rare enough."""
        before = mention_rows.load_names(connection, counts)
        mention_rows.add_texts(connection, counts.items())
        turned = [row.key for row in before if self._is_rare(row.texts) != self._is_rare(row.texts + counts[row.key])]
        change.ask(mention_rows.load_uses_of_names(connection, turned))

    def _is_rare(self, texts: int) -> bool:
        return texts <= self._options.max_texts

    def _find_targets(self, connection: Connection, change: _Change) -> None:
        asked = [use for use, _ in change.uses.values()]
        found = find_targets(connection, asked, self._options.max_texts)
        fresh: list[MentionUse] = []
        for use, (_, was) in zip(found, change.uses.values(), strict=True):
            if use == was:
                continue
            fresh.append(use)
            before = None if was is None else was.target
            if use.target != before:
                change.documents.add(use.document)
                change.targets |= {target for target in (use.target, before) if target is not None}
        mention_rows.save_uses(connection, fresh)


def _list_holders(connection: Connection, uses: Iterable[MentionUse]) -> set[int]:
    """The documents that hold the edges of these uses now: a node may have moved with its edge."""
    nodes = {use.node for use in uses if use.target is not None}
    return {use.document for use in uses} | {span.document for span in node_rows.load_spans(connection, nodes).values()}


def adopt_state(connection: Connection, options: MentionOptions) -> None:
    """Has everything made again where the mentions were made under other rules or settings."""
    if mention_work.find_state(connection) != options.state:
        rebuild(connection, options)


def rebuild(connection: Connection, options: MentionOptions) -> None:
    """Records all texts and names as work, as if none had been read. Edges that follow again stay as they are."""
    mention_work.clear_mentions(connection)
    if options.enabled:
        mention_work.owe_everything(connection)
    else:
        mention_work.clear_edges(connection)
    mention_work.save_state(connection, options.state)
