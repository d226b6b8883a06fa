"""What texts name: which names count, which of them a text uses, which node each means there. Reads the store only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from remem.graph.mentions import Matcher, can_name, is_single, is_strong, make_pattern
from remem.graph.prose import Prose
from remem.graph.resolve import Catalog, Hint, Place, resolve
from remem.reading.catalog import load_catalog
from remem.search.scripts import fold_text, is_unspaced, split_run, split_tokens
from remem.storage import mentions as mention_rows
from remem.storage import nodes as node_rows
from remem.storage.mentions import MentionName, MentionUse
from remem.writing.naming import EARLIER_KINDS

if TYPE_CHECKING:
    from sqlite3 import Connection

FORM = "mention"
"""The form of a hint that stands for a name in a text: no bare id, unlike a wiki-link's label."""


def list_names(connection: Connection, keys: Iterable[str]) -> dict[str, str]:
    """The names under the name keys that texts may use, as they are looked for, each with its name key."""
    kinds: dict[str, set[str]] = {}
    name_keys: dict[str, str] = {}
    for key, kind, text in mention_rows.load_kinds(connection, keys):
        pattern = make_pattern(text)
        kinds.setdefault(pattern, set()).add(kind)
        name_keys[pattern] = key
    return {pattern: name_keys[pattern] for pattern, of in kinds.items() if pattern and can_name(pattern, of)}


def make_phrase(name: str) -> str:
    """A phrase that the full-text index finds in every text that uses the name."""
    words: list[str] = []
    for token in split_tokens(fold_text(name)):
        words += split_run(token) if is_unspaced(token) else [token]
    return f'"{" ".join(words)}"' if words else ""


# --- uses ------------------------------------------------------------------------------------------------------------


def find_uses(
    connection: Connection, documents: Iterable[int], choose: Callable[[Sequence[Prose]], Matcher]
) -> list[MentionUse]:
    """The names that the documents use, but for those that they have themselves. `choose` gives what finds all names
    that the texts may use; what is named is left open."""
    documents = list(documents)
    nodes: dict[int, list[tuple[int, str, str]]] = {}
    for row in mention_rows.load_prose(connection, documents):
        nodes.setdefault(row[0], []).append(row[2:])
    own: dict[int, set[str]] = {}
    for document, text in mention_rows.load_own_names(connection, documents):
        own.setdefault(document, set()).add(make_pattern(text))
    proses = {document: Prose(read) for document, read in nodes.items()}
    matcher = choose(list(proses.values()))
    return [
        MentionUse(document, use.name, use.node, use.spelling, None)
        for document, prose in proses.items()
        for use in matcher.find_uses(prose, own.get(document, set()))
    ]


# --- targets ---------------------------------------------------------------------------------------------------------


def find_targets(connection: Connection, uses: Sequence[MentionUse], max_texts: int) -> list[MentionUse]:
    """The uses with the node that each means: by the rules of links, where they leave no doubt. A name that more than
    `max_texts` texts use means none. Uses in documents that are gone stay as they are: they go when these are read."""
    names = {row.key: row for row in mention_rows.load_names(connection, {use.name for use in uses})}
    places = node_rows.load_places(connection, {use.document for use in uses})
    asked = [use for use in uses if names[use.name].texts <= max_texts and use.document in places]
    hints = {(use.name, use.spelling): Hint(use.spelling, form=FORM) for use in asked}
    everywhere = [(hints[use.name, use.spelling], places[use.document]) for use in asked]
    finder = _Finder(names, _drop_earlier(load_catalog(connection, everywhere)))
    found = {
        (use.document, use.name): finder.find(use, hint, place)
        for use, (hint, place) in zip(asked, everywhere, strict=True)
    }
    return [use._replace(target=found.get((use.document, use.name))) if use.document in places else use for use in uses]


def _drop_earlier(catalog: Catalog) -> Catalog:
    """The catalog without what nodes were called before: mentions follow from the names of now alone."""
    names = {key: [name for name in of if name.kind not in EARLIER_KINDS] for key, of in catalog.names.items()}
    return Catalog(names, catalog.ids, catalog.outlines, catalog.title_heading)


class _Finder:
    """Finds what names mean. Where all nodes of a name lie in one document, that is the same from everywhere."""

    def __init__(self, names: dict[int, MentionName], catalog: Catalog) -> None:
        self._names = names
        self._catalog = catalog
        self._known: dict[tuple[int, str], tuple[int, int] | None] = {}
        self._owners: dict[int, set[int]] = {}

    def find(self, use: MentionUse, hint: Hint, place: Place) -> int | None:
        """The key of the node that is meant, None where there is none or doubt."""
        if len(self._list_owners(use.name)) > 1:
            found = self._resolve(use.name, hint, place)
        else:
            key = (use.name, use.spelling)
            if key not in self._known:
                self._known[key] = self._resolve(use.name, hint, place)
            found = self._known[key]
        return None if found is None or found[1] == use.document else found[0]

    def _list_owners(self, name: int) -> set[int]:
        """The documents in which nodes of the name lie."""
        owners = self._owners.get(name)
        if owners is None:
            rows = self._catalog.names.get(self._names[name].name_key, ())
            owners = self._owners[name] = {row.document for row in rows}
        return owners

    def _resolve(self, name: int, hint: Hint, place: Place) -> tuple[int, int] | None:
        """(node, document) that the name means there."""
        found = resolve(hint, place, self._catalog)
        if found.state != "edge" or found.ambiguous or found.stale or found.target is None or found.document is None:
            return None
        row = self._names[name]
        if is_single(row.name) and not self._is_strong(row, found.document):
            return None
        return found.target, found.document

    def _is_strong(self, row: MentionName, document: int) -> bool:
        """Whether a single word is the title, alias or entity that was found, not just its file's name."""
        rows = self._catalog.names.get(row.name_key, ())
        return any(
            name.document == document and is_strong(name.kind) and make_pattern(name.text) == row.name for name in rows
        )
