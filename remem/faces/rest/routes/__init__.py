"""The operations of the service, a module for each family. A new family is one module and one line here."""

from __future__ import annotations

from remem.faces.rest.operations import Operation
from remem.faces.rest.routes import connections, graph, memories, notes, pictures, search, store, tasks

OPERATIONS: tuple[Operation, ...] = (
    *memories.OPERATIONS,
    *search.OPERATIONS,
    *connections.OPERATIONS,
    *graph.OPERATIONS,
    *pictures.OPERATIONS,
    *notes.OPERATIONS,
    *tasks.OPERATIONS,
    *store.OPERATIONS,
)
"""All of them, in the order of the document."""
