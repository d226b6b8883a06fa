"""The calls of class `Remem` on connections: edges as REST and MCP name them. It knows no SQL and no face."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_choice, check_int, check_text, check_weight
from remem.clock import read_clock
from remem.engine.work import WorkCalls
from remem.errors import InvalidInputError
from remem.limits import LARGEST_OFFSET, LONGEST_REFERENCE, MOST_CONNECTIONS
from remem.reading.cursors import check_page
from remem.records import ORIGINS, RELATIONSHIP_TYPES

if TYPE_CHECKING:
    from remem.records import Edge, Page, Unrelated


class ConnectionCalls(WorkCalls):
    """What `Remem` does with connections. All methods raise subclasses of `remem.errors.RememError`."""

    async def connect(
        self, source_id: str, target_id: str, relationship_type: str = "related_to", strength: float = 1.0
    ) -> Edge:
        """Makes a manual edge of weight `strength` (0 to 1) between two nodes that exist; one that is there already is
        updated and keeps its `created_at`. `relate` takes greater weights, and names that no node has yet.

        Raises NotFoundError for an end that is unknown or archived, AmbiguousError, InvalidInputError.
        """
        from remem.writing.connections import connect_nodes

        ends = _check_node("source_id", source_id), _check_node("target_id", target_id)
        kind = check_choice("relationship_type", relationship_type, RELATIONSHIP_TYPES)
        return await self._write(connect_nodes, *ends, kind, check_weight("strength", strength, 1.0), read_clock())

    async def connections(
        self,
        limit: int = 50,
        offset: int = 0,
        node: str | None = None,
        type: str | None = None,
        origin: str | None = None,
        *,
        budget: int | None = None,
        cursor: str | None = None,
    ) -> Page[Edge]:
        """Edges of every origin, oldest first, then by the ids of their ends; at most `limit` (1 to 500) on a page, the
        first `offset` passed over. `node` takes those at a node or anything below it. Ends that are archived or have
        expired have none. Raises NotFoundError, AmbiguousError, InvalidInputError.
        """
        from remem.reading.connections import page_connections

        limit, offset = check_int("limit", limit, 1, MOST_CONNECTIONS), check_int("offset", offset, 0, LARGEST_OFFSET)
        if cursor is not None and offset:
            raise InvalidInputError("give a `cursor` or an `offset`, not both", field="offset")
        wanted = records.EdgeFilter(
            None if node is None else _check_node("node", node),
            None if type is None else check_choice("type", type, RELATIONSHIP_TYPES),
            None if origin is None else check_choice("origin", origin, ORIGINS),
        )
        return await self._read(page_connections, wanted, limit, offset, check_page(budget, cursor))

    async def reconnect(
        self,
        source: str,
        target: str,
        relationship_type: str | None = None,
        *,
        type: str | None = None,
        strength: float | None = None,
    ) -> Edge:
        """Changes the edge from one node to another to another `type`, another `strength` (0 to 1), or both; it is a
        manual one from then on, and keeps its `created_at`. Where edges of several types join the two,
        `relationship_type` says which is meant; those that a text makes do not count.

        Raises NotFoundError where there is none; ConflictError where several are meant, where one of the new type is
        there, and with the place where only a text could change it.
        """
        from remem.writing.connections import change_connection

        ends = _check_node("source", source), _check_node("target", target)
        if type is None and strength is None:
            raise InvalidInputError("give a `relationship_type`, a `strength`, or both", field="strength")
        which = _check_type(relationship_type)
        weight = None if strength is None else check_weight("strength", strength, 1.0)
        return await self._write(change_connection, *ends, which, _check_type(type), weight, read_clock())

    async def disconnect(self, source: str, target: str, relationship_type: str | None = None) -> Unrelated:
        """Removes the edges from one node to another, of one type or of all, but for those that a text makes. What was
        discovered or mentioned does not come back until one of the two texts changes.

        Raises NotFoundError where there is none, ConflictError with the place where only a text could take it away.
        """
        from remem.writing.authoring import unrelate_nodes
        from remem.writing.relations import Target

        start, end = _check_node("source", source), _check_node("target", target)
        kind = _check_type(relationship_type)
        return await self._write(unrelate_nodes, start, Target(id=end), kind, read_clock())


def _check_node(field: str, value: object) -> str:
    return check_text(field, value, longest=LONGEST_REFERENCE)


def _check_type(value: object) -> str | None:
    return None if value is None else check_choice("relationship_type", value, RELATIONSHIP_TYPES)
