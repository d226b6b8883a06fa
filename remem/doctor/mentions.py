"""Mentions in the doctor: are names, their uses and the edges what follows from the texts? All can be made again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remem.graph.mentions import Matcher, find_head
from remem.records import MENTIONED, Finding
from remem.storage import checking, mention_work, outline
from remem.storage import mentions as mention_rows
from remem.storage.mentions import MentionUse
from remem.writing.mention_edges import REFERENCES, derive_edges
from remem.writing.mention_texts import find_targets, find_uses, list_names
from remem.writing.mentions import MentionOptions, Settler, read_options, rebuild

if TYPE_CHECKING:
    from sqlite3 import Connection

CHUNK = 500
"""So many texts are held at a time."""


def check_mentions(connection: Connection) -> Iterator[Finding]:
    """Matches all texts with all names again. What is owed is a finding, no fault."""
    state = mention_work.find_state(connection)
    options = read_options(state)
    if not options.enabled:
        return
    if mention_work.has_work(connection) or state != options.state:
        yield Finding("mentions", False, "what texts mention is not up to date; compile again")
        return
    wanted = list_names(connection, mention_work.list_name_keys(connection))
    names = mention_rows.load_every_name(connection)
    expected = {(name, key, find_head(name)) for name, key in wanted.items()}
    if set(mention_rows.load_name_heads(connection)) != expected:
        yield Finding("mentions", True, "the names that texts are searched for are not those of the nodes")
        return
    uses = _find_all_uses(connection, options)
    if set(uses) != set(mention_rows.load_every_use(connection)):
        yield Finding("mentions", True, "the names that texts use are not those that stand in them")
    elif {row.key: row.texts for row in names if row.texts} != Counter(use.name for use in uses):
        yield Finding("mentions", True, "it is not counted right how many texts use a name")
    else:
        yield from _check_edges(connection)


def repair_mentions(connection: Connection, now: int) -> None:
    """Makes all mentions again, under the settings under which they were made. Must run inside a write transaction."""
    options = read_options(mention_work.find_state(connection))
    mention_work.clear_misshapen(connection)
    rebuild(connection, options)
    settler = Settler(options)
    while settler.run_step(connection, now):
        pass


def _find_all_uses(connection: Connection, options: MentionOptions) -> list[MentionUse]:
    matcher = Matcher((row.key, row.name) for row in mention_rows.load_every_name(connection))
    documents = list(outline.iterate_documents(connection))
    found: list[MentionUse] = []
    for start in range(0, len(documents), CHUNK):
        uses = find_uses(connection, documents[start : start + CHUNK], lambda proses: matcher)
        found += find_targets(connection, uses, options.max_texts)
    return found


def _check_edges(connection: Connection) -> Iterator[Finding]:
    derived = derive_edges(connection, outline.iterate_documents(connection))
    wanted = {(*ends, REFERENCES, MENTIONED, weight, 1, 0) for ends, weight in derived.wanted.items()}
    stored = {row[:7] for row in checking.load_edges_of(connection, MENTIONED)}
    if stored - wanted:
        yield Finding("mentions", True, f"{len(stored - wanted)} mentioned edges do not follow from the texts")
    if wanted - stored:
        yield Finding("mentions", True, f"{len(wanted - stored)} mentioned edges are missing")
