"""The operations of the service, a module for each family. A new family is one module and one line here."""

from __future__ import annotations

from remem.faces.rest.operations import Operation
from remem.faces.rest.routes import (
    connections,
    edits,
    graph,
    memories,
    notes,
    pictures,
    search,
    store,
    tasks,
    versions,
)

OPERATIONS: tuple[Operation, ...] = (
    *memories.OPERATIONS,
    *search.OPERATIONS,
    *connections.OPERATIONS,
    *graph.OPERATIONS,
    *pictures.OPERATIONS,
    *notes.OPERATIONS,
    *edits.OPERATIONS,
    *versions.OPERATIONS,
    *tasks.OPERATIONS,
    *store.OPERATIONS,
)
"""All of them, in the order of the document."""
