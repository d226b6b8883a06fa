"""Finds the node that is gone which a caller means by what it was called, or by where its file stood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.errors import AmbiguousError
from remem.keys import strict_key
from remem.storage.gone import GoneNode, list_named

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_CANDIDATES = 10


def find_gone(connection: Connection, text: str) -> int | None:
    """The key of a removed node of that place (`source` or `root/source`), else of that label or file name; None where
    there was none. A document goes before its headings. Reads all names of what is gone.

    Raises AmbiguousError with the ids of several that may be meant.
    """
    key = strict_key(text)
    places, documents, others = list[GoneNode](), list[GoneNode](), list[GoneNode]()
    for node in list_named(connection):
        if node.kind == "document" and text in (node.source, f"{node.root}/{node.source}"):
            places.append(node)
        elif key in (strict_key(node.label or ""), *_key_file(node)):
            (documents if node.kind == "document" else others).append(node)
    found = places or documents or others
    if len(found) > 1:
        told = ", ".join(f"{node.id} ({node.kind} of {node.root}/{node.source})" for node in found[:MOST_CANDIDATES])
        told += f" and {len(found) - MOST_CANDIDATES} more" if len(found) > MOST_CANDIDATES else ""
        raise AmbiguousError(
            f"{text} named several nodes that are gone, give an id: {told}", candidates=[node.id for node in found]
        )
    return found[0].key if found else None


def _key_file(node: GoneNode) -> tuple[str, ...]:
    name = node.source.rpartition("/")[2]
    return (strict_key(name), strict_key(name.rpartition(".")[0])) if node.kind == "document" else ()
