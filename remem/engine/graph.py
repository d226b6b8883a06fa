"""The calls of class `Remem` on the graph: walks, relations, what waits. It knows no SQL and no face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_choice, check_weight, check_words
from remem.clock import read_clock
from remem.engine.work import WorkCalls
from remem.reading.cursors import check_page
from remem.records import RELATIONSHIP_TYPES

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.graph.memory.walker import Walker
    from remem.records import (
        Direction,
        GraphFigures,
        Neighbourhood,
        Page,
        PendingEdge,
        Rank,
        Related,
        RelatedPage,
        Relation,
        Scope,
        Unrelated,
    )
    from remem.writing.relations import Target


class GraphCalls(WorkCalls):
    """What `Remem` does with the graph. All methods raise subclasses of `remem.errors.RememError`."""

    async def related(
        self, anchor: str, direction: Direction = "both", depth: int = 1, weight_min: float = 0,
        types: Sequence[str] | None = None, origins: Sequence[str] | None = None, kinds: Sequence[str] | None = None,
        scope: Scope = "section", rank: Rank = "sum", limit: int = 100, budget: int | None = None,
        cursor: str | None = None, *, touch: bool = True, texts: bool = True,
    ) -> RelatedPage:  # fmt: skip
        """What is reached from a node in at most `depth` (1 to 5) hops, best first, each with its path; without
        `texts`, nodes come without their content.

        `rank` "sum" scores by the weight of the heaviest simple path, "strength" by the best product of weights. The
        nodes in the answer become a little warmer, unless `touch` is false; temperatures are those before the call.
        Raises NotFoundError, AmbiguousError, InvalidInputError.
        """
        from remem.reading import related

        filters = _check_filter("types", types), _check_filter("origins", origins), _check_filter("kinds", kinds)
        request = records.TraversalRequest(0, direction, depth, weight_min, *filters, scope, rank, limit)
        page, heats = check_page(budget, cursor), self.usage.read_heats

        def read(connection: Connection, walker: Walker) -> tuple[RelatedPage, list[int]]:
            walk = partial(walker.walk, thermometer=heats, texts=texts)
            return related.walk_from(connection, anchor, request, page, walk, self.shown)

        found, keys = await self._walk(read)
        self.usage.note_listed(keys if touch else ())
        return found

    async def path(self, source: str, target: str, rank: Rank = "strength") -> Related | None:
        """The best path of at most five hops from one node to another; None where there is none."""
        from remem.reading import find

        heats = self.usage.read_heats

        def read(connection: Connection, walker: Walker) -> Related | None:
            start, end = find.get_node(connection, source, "source"), find.get_node(connection, target, "target")
            return walker.find_path(connection, start.key, end.key, rank, heats)

        return await self._walk(read)

    async def neighbourhood(self, nodes: Sequence[str], depth: int = 1, limit: int = 200) -> Neighbourhood:
        """The sections and memories within `depth` (0 to 5) hops of some nodes, nearest first, and their edges."""
        return await self._look(lambda veil: self.graph.view_around(nodes, depth, limit, veil))

    async def overview(self, limit: int = 200) -> Neighbourhood:
        """The `limit` (1 to 10 000) sections and memories of the whole store with most edges, and the edges between
        them."""
        return await self._look(lambda veil: self.graph.view_most(limit, veil))

    async def relate(
        self,
        source: str,
        target: str | None = None,
        *,
        target_label: str | None = None,
        target_source: str | None = None,
        type: str = "related_to",
        weight: float = 1.0,
    ) -> Relation:
        """Makes or updates a manual edge. `target` is a node that exists; `target_label` (with `target_source`) is
        resolved as a link in the source's text would be, and waits where it finds nothing. A discovered edge of that
        type between the two gives way to it.

        Raises NotFoundError for an unknown node, InvalidInputError for a wrong type or weight.
        """
        from remem.writing import authoring

        kind = check_choice("type", type, RELATIONSHIP_TYPES)
        number = check_weight("weight", weight)
        wanted = self._check_target(target, target_label, target_source)
        return await self._write(authoring.relate_nodes, source, wanted, kind, number, read_clock())

    async def unrelate(
        self,
        source: str,
        target: str | None = None,
        *,
        target_label: str | None = None,
        target_source: str | None = None,
        type: str | None = None,
    ) -> Unrelated:
        """Removes the edges from one node to another that a call made, of one type or of all, and mentioned and
        discovered ones, which stay away until one of the two texts changes; or, with `target_label`, those that
        wait for it.

        Raises NotFoundError where there is none, ConflictError where only the text could take the edge away.
        """
        from remem.writing import authoring

        kind = None if type is None else check_choice("type", type, RELATIONSHIP_TYPES)
        wanted = self._check_target(target, target_label, target_source)
        return await self._write(authoring.unrelate_nodes, source, wanted, kind, read_clock())

    def _check_target(self, target: str | None, label: str | None, source: str | None) -> Target:
        """What a call says of the target, its label without secrets."""
        from remem.writing import authoring

        wanted, redactor = authoring.check_target(target, label, source), self.redactor
        if redactor is None or target is not None:
            return wanted
        return replace(wanted, label=redactor.clean(wanted.label), source=redactor.clean(wanted.source))

    async def pending(
        self, budget: int | None = None, cursor: str | None = None, *, suggest: bool = True
    ) -> Page[PendingEdge]:
        """Links and relations whose target does not exist yet, with names that may be meant."""
        from remem.reading import pending

        page = check_page(budget, cursor)
        return await self._read(lambda c: pending.page_pending(c, page, suggest=suggest))

    async def graph_figures(self) -> GraphFigures:
        """How the graph hangs together: groups of documents that edges join, nodes with most edges."""
        return await self._look(self.graph.read_figures)


def _check_filter(field: str, values: object) -> tuple[str, ...] | None:
    """A list of words to choose by; an empty one filters nothing, as None does."""
    return None if values is None else check_words(field, values) or None
