"""The engine: class `Remem`, one short method for each operation. It opens the store and hands work to the services and
the write path; it knows no SQL and no face."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from remem.checks import check_choice, check_int, check_weight
from remem.config import load_settings
from remem.engine_connections import ConnectionCalls
from remem.engine_memories import read_clock
from remem.errors import InvalidInputError, StoreError
from remem.reading import export, find, pending, stats, surfaced, tree, views
from remem.reading.cursors import check_page
from remem.records import (
    RELATIONSHIP_TYPES,
    ColdNode,
    Direction,
    DoctorReport,
    Export,
    GraphFigures,
    Neighbourhood,
    NodeUsage,
    NodeView,
    Page,
    PendingEdge,
    Rank,
    Related,
    Relation,
    Scope,
    Stats,
    TraversalRequest,
    TreeLine,
    Unrelated,
)
from remem.settings import Settings
from remem.storage.pool import Store
from remem.usage.service import UsageRecorder, list_cold, pin_node

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.engine_sync import RememSync
    from remem.graph.memory.keeper import GraphKeeper
    from remem.graph.memory.walker import Walker

DEEPEST_TREE = 1000
MOST_TOKENS = 1_000_000_000


class Remem(ConnectionCalls):
    """One store: notes compiled to a tree, and the graph across them.

    ::

        async with Remem.open("memory.db") as remem:
            await remem.compile("notes/")

    Wherever a method takes a node, its id or an unambiguous label will do. All methods raise subclasses of
    `remem.errors.RememError` and nothing else on purpose.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._store: Store | None = None
        self._usage: UsageRecorder | None = None
        self._graph: GraphKeeper | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str] | None = None, *, config: str | os.PathLike[str] | None = None) -> Self:
        """A store to be entered with `async with`, or awaited and closed later. The file is made where it is missing.

        `path` goes before `$REMEM_DB` and `[storage] path`; `config` is the configuration file.
        Raises ConfigError here; NotFoundError and StoreError when it is entered.
        """
        overrides = {"storage.path": None if path is None else os.fspath(path)}
        return cls(load_settings(None if config is None else Path(config), overrides=overrides))

    @staticmethod
    def open_sync(
        path: str | os.PathLike[str] | None = None, *, config: str | os.PathLike[str] | None = None
    ) -> RememSync:
        """The same methods, blocking, for scripts and notebooks."""
        from remem.engine_sync import RememSync

        return RememSync(Remem.open(path, config=config))

    # --- life --------------------------------------------------------------------------------------------------------

    async def start(self) -> Self:
        """Opens the store. Raises StoreError and its subclasses."""
        storage = self.settings.storage
        if self._store is None:
            self._store = await Store.open(
                storage.path, synchronous=storage.synchronous, busy_timeout=storage.busy_timeout
            )
            self._usage = UsageRecorder(self._store, self.settings.temperature.half_life_days, read_clock)
            self._start_work()
        return self

    async def close(self) -> None:
        """Writes how nodes were used, and closes the store. May be called again."""
        store, self._store = self._store, None
        usage, self._usage = self._usage, None
        graph, self._graph = self._graph, None
        try:
            await self._close_work()
            if graph is not None:
                await graph.close()
            await self._close_memories()
            if usage is not None:
                await usage.close()
        finally:
            if store is not None:
                await store.close()

    def __await__(self) -> Generator[None, None, Self]:
        return self.start().__await__()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def graph(self) -> GraphKeeper:
        """The graph in memory, from the first walk on. Raises StoreError where the store is not open."""
        if self._graph is None:
            from remem.graph.memory.keeper import GraphKeeper  # loads numpy, which most calls do not need

            self._graph = GraphKeeper(self.storage)
        return self._graph

    @property
    def storage(self) -> Store:
        """The open store. Raises StoreError where it is not open."""
        if self._store is None:
            raise self.closed_error()
        return self._store

    @property
    def usage(self) -> UsageRecorder:
        """How the nodes of the open store are used. Raises StoreError where it is not open."""
        if self._usage is None:
            raise self.closed_error()
        return self._usage

    @staticmethod
    def closed_error() -> StoreError:
        """What a call on a store that is not open raises."""
        return StoreError("the store is not open: use `with Remem.open_sync(path)` or `async with Remem.open(path)`")

    # --- notes -------------------------------------------------------------------------------------------------------

    async def tree(
        self, node: str | None = None, depth: int = 5, budget: int | None = None, cursor: str | None = None, *,
        blocks: bool = True,
    ) -> Page[TreeLine]:  # fmt: skip
        """The index: the whole store, or what lies below one node, down to `depth` (0 to 1000). Without `blocks`,
        documents and sections alone.

        A `budget` (tokens, at least 60) takes the upper levels first, of each the hottest branches.
        Raises NotFoundError, AmbiguousError, InvalidInputError.
        """
        depth, page = check_int("depth", depth, 0, DEEPEST_TREE), check_page(budget, cursor)
        warmth = tree.Warmth(self.usage.read_heats, self.usage.half_life, read_clock())
        return await self._read(tree.read_tree, node, depth, blocks, page, warmth)

    async def show(
        self, node: str, depth: int = 5, budget: int | None = None, cursor: str | None = None, *, touch: bool = True
    ) -> Page[NodeView]:
        """One node to read, the one item of its page: its section's text, what it lies in, what lies below, the edges
        at it. With a budget, the item holds the part that is printed, and the cursor goes on there.

        It warms the node, unless `touch` is false; temperatures are those before the call.
        """
        depth, page, usage = check_int("depth", depth, 0, DEEPEST_TREE), check_page(budget, cursor), self.usage
        key, view = await self._read(views.read_view, node, depth, page, usage.read_heats)
        if touch:
            usage.note_fetched([key])
        return view

    # --- use ---------------------------------------------------------------------------------------------------------

    async def pin(self, node: str) -> NodeUsage:
        """Keeps the temperature of a node from falling, until it is unpinned. Makes no snapshot.

        Raises NotFoundError, AmbiguousError.
        """
        return await self._set_pinned(node, True)

    async def unpin(self, node: str) -> NodeUsage:
        """Lets a node cool again, from the temperature that it has. Raises NotFoundError, AmbiguousError."""
        return await self._set_pinned(node, False)

    async def _set_pinned(self, node: str, pinned: bool) -> NodeUsage:
        usage = self.usage
        await usage.flush()

        def write(connection: Connection) -> NodeUsage:
            return pin_node(connection, find.get_node(connection, node), pinned, read_clock(), usage.half_life)

        return await self._write(write)

    async def cold(self, min_tokens: int = 400, below: float = 0.1) -> list[ColdNode]:
        """Documents, headings and memories of at least `min_tokens` tokens with all below them whose temperature is
        below `below` (0 to 1), coldest first. Pinned ones are never among them."""
        min_tokens = check_int("min_tokens", min_tokens, 0, MOST_TOKENS)
        below = check_weight("below", below, 1.0)
        return await self._read(list_cold, self.usage.read_heats, min_tokens, below)

    # --- graph -------------------------------------------------------------------------------------------------------

    async def related(
        self, anchor: str, direction: Direction = "both", depth: int = 1, weight_min: float = 0,
        types: Sequence[str] | None = None, origins: Sequence[str] | None = None, kinds: Sequence[str] | None = None,
        scope: Scope = "section", rank: Rank = "sum", limit: int = 100, budget: int | None = None,
        cursor: str | None = None, *, touch: bool = True, texts: bool = True,
    ) -> Page[Related]:  # fmt: skip
        """What is reached from a node in at most `depth` (1 to 5) hops, best first, each with its path; without
        `texts`, nodes come without their content.

        `rank` "sum" scores by the weight of the heaviest simple path, "strength" by the best product of weights. The
        nodes in the answer become a little warmer, unless `touch` is false; temperatures are those before the call.
        Raises NotFoundError, AmbiguousError, InvalidInputError.
        """
        filters = _tuple("types", types), _tuple("origins", origins), _tuple("kinds", kinds)
        request = TraversalRequest(0, direction, depth, weight_min, *filters, scope, rank, limit)
        page, heats = check_page(budget, cursor), self.usage.read_heats

        def read(connection: Connection, walker: Walker) -> tuple[Page[Related], list[int]]:
            walk = partial(walker.related, thermometer=heats, piecewise=budget is not None, texts=texts)
            return surfaced.walk_from(connection, anchor, request, page, walk)

        found, keys = await self.graph.read(self._veil(read))
        self.usage.note_listed(keys if touch else ())
        return found

    async def path(self, source: str, target: str, rank: Rank = "strength") -> Related | None:
        """The best path of at most five hops from one node to another; None where there is none."""
        heats = self.usage.read_heats

        def read(connection: Connection, walker: Walker) -> Related | None:
            ends = find.get_node(connection, source).key, find.get_node(connection, target).key
            return walker.find_path(connection, *ends, rank, heats)

        return await self.graph.read(self._veil(read))

    async def neighbourhood(self, nodes: Sequence[str], depth: int = 1, limit: int = 200) -> Neighbourhood:
        """The sections and memories within `depth` (0 to 5) hops of some nodes, nearest first, and their edges."""
        return await self.graph.view_around(nodes, depth, limit, self._veil)

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
        wanted = authoring.check_target(target, target_label, target_source)
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
        """Removes the edges from one node to another that a call made, of one type or of all, and mentions, which stay
        away until one of the two texts changes; or, with `target_label`, those that wait for it.

        Raises NotFoundError where there is none, ConflictError where only the text could take the edge away.
        """
        from remem.writing import authoring

        kind = None if type is None else check_choice("type", type, RELATIONSHIP_TYPES)
        wanted = authoring.check_target(target, target_label, target_source)
        return await self._write(authoring.unrelate_nodes, source, wanted, kind, read_clock())

    async def pending(
        self, budget: int | None = None, cursor: str | None = None, *, suggest: bool = True
    ) -> Page[PendingEdge]:
        """Links and relations whose target does not exist yet, with names that may be meant."""
        page = check_page(budget, cursor)
        return await self._read(lambda c: pending.page_pending(c, page, suggest=suggest))

    # --- the store as a whole ----------------------------------------------------------------------------------------

    async def stats(self) -> Stats:
        """Figures of the store."""
        return await self._read(stats.read_stats, self.storage.path)

    async def graph_figures(self) -> GraphFigures:
        """How the graph hangs together: groups of documents that edges join, nodes with most edges."""
        return await self.graph.read_figures(self._veil)

    async def export(self) -> Export:
        """All nodes, edges and pending edges."""
        return await self._read(export.export_all)

    async def export_markdown(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes every document's text below `folder`, a folder for each root. Raises RefusedError where it is not
        empty; returns the files."""
        texts = await self.storage.read(export.render_documents)
        return export.write_files(Path(folder), texts)

    async def doctor(self, *, fix: bool = False) -> DoctorReport:
        """Checks every invariant; with `fix`, rebuilds what follows from the nodes and checks again."""
        from remem.doctor import service as doctor

        threshold = self.settings.connections.auto_discovery_threshold
        if fix:
            return await self.storage.write_alone(doctor.repair_store, read_clock(), threshold)
        return await self.storage.read(doctor.check_store, threshold)


def _tuple(field: str, values: Sequence[str] | None) -> tuple[str, ...] | None:
    """A list of words; one alone may stand without its list, and an empty list filters nothing."""
    if values is None or isinstance(values, str):
        return None if values is None else (values,)
    if not isinstance(values, (list, tuple, set, frozenset)):
        raise InvalidInputError(f"{field} must be a list, not {type(values).__name__}", field=field)
    return tuple(values) or None
