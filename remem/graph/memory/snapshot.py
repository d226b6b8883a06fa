"""The graph in memory, as it was at one number of the log of changes, and its way to later ones. Ranks no paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from remem.graph.csr import EdgeColumns, HopTable, build_table
from remem.graph.forest import Forest, NodeColumns, build_forest, rank_afresh, rank_between
from remem.graph.kinship import RARE, Ties, join_ties, tie_names, tie_neighbours
from remem.graph.overlay import Patch, patch_table
from remem.graph.pagerank import SpreadGraph, Structure, build_spread_graph
from remem.graph.stations import IntArray
from remem.records import Scope
from remem.storage import adjacency, embedded, kinship

if TYPE_CHECKING:
    from sqlite3 import Connection

ALIKE = 0.1
"""The share of a discovered edge's weight that counts when activation spreads: that two texts are alike is what found
both of them already."""
MOST_CHANGES = 4000
"""Rows of the log that are followed; after more, everything is read again."""
MOST_NODES = 20_000
MOST_EDGES = 50_000
"""What is read again of nodes and edges at most, before it is quicker to read everything."""


class Snapshot:
    """Nodes, and the hop tables of the scopes asked for. One thread at a time may `follow` or `get_table`; what a walk
    took before stays as it was."""

    def __init__(self, connection: Connection, scopes: Sequence[Scope] = ("section",)) -> None:
        _, self.seq = adjacency.find_log_ends(connection)
        columns = NodeColumns(*adjacency.load_node_columns(connection))
        self.forest = build_forest(columns, adjacency.load_keys_by_id(connection))
        self.tables: dict[Scope, HopTable] = {}
        self.edges = 0
        self._spread: SpreadGraph | None = None
        self._spread_seq = 0
        self._names: Ties | None = None
        self._names_seen = 0
        for scope in scopes:
            self.load_table(connection, scope)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        tables = {id(table): table for table in self.tables.values()}
        return self.forest.nbytes + sum(table.nbytes for table in tables.values())

    @property
    def is_worn(self) -> bool:
        """Whether so much was patched that it had better be read afresh."""
        if self.forest.size - self.forest.living > 1000 + self.forest.size // 4:
            return True
        return any(table.garbage > 200_000 + 2 * len(table.hops[0]) for table in self.tables.values())

    def load_table(self, connection: Connection, scope: Scope) -> HopTable:
        """The table of a scope, built where it is not there yet. The connection must see the snapshot's state."""
        known = self.tables.get(scope) or self._find_equal(scope)
        if known is None:
            edges = _load_edges(self.forest, adjacency.load_edge_columns(connection))
            self.edges = len(edges.source)
            known = build_table(edges, self.forest, scope)
        self.tables[scope] = known
        return known

    def load_spread_graph(self, connection: Connection) -> SpreadGraph:
        """The matrix for spreading, made again after each change: O(edges)."""
        if self._spread is None or self._spread_seq != self.seq:
            ties = join_ties([self._load_names(connection), tie_neighbours(*kinship.load_consecutive(connection))])
            self._spread = build_spread_graph(
                self.load_table(connection, "node"), self.forest, Structure(alike=ALIKE), ties
            )
            self._spread_seq = self.seq
        return self._spread

    def _load_names(self, connection: Connection) -> Ties:
        """The ties of rare names, read again where vectors came: names come with them."""
        newest = embedded.find_newest(connection)
        if self._names is None or self._names_seen != newest:
            self._names = tie_names(*kinship.load_rare_names(connection, RARE))
            self._names_seen = newest
        return self._names

    def _find_equal(self, scope: Scope) -> HopTable | None:
        """The table of another scope where every node is a station of its own in both."""
        own = np.arange(self.forest.size)
        if not (self.forest.document.values == own).all():
            return None
        return next(iter(self.tables.values()), None)

    def find_hidden(self, connection: Connection) -> IntArray:
        """The numbers of memories that have expired, which the connection does not see."""
        numbers = self.forest.find_all(np.array(adjacency.load_hidden(connection), np.int64))
        return numbers[numbers >= 0]

    def follow(self, connection: Connection) -> bool:
        """Brings the snapshot to the state that the connection sees. False where that takes reading everything, or
        where the connection sees an earlier state."""
        oldest, newest = adjacency.find_log_ends(connection)
        if newest == self.seq:
            return True
        if newest < self.seq or oldest > self.seq + 1 or newest - self.seq > MOST_CHANGES:
            return False
        changes = adjacency.load_changes(connection, self.seq)
        documents = adjacency.load_nodes_of(connection, changes.documents)
        if len(documents[0]) > MOST_NODES:
            return False
        edges = adjacency.load_edges_of(connection, documents[0].tolist(), changes.pairs, MOST_EDGES)
        if len(edges[0]) >= MOST_EDGES:
            return False
        self._apply(connection, changes, NodeColumns(*documents), edges)
        self.seq = newest
        return True

    def _apply(
        self,
        connection: Connection,
        changes: adjacency.Changes,
        nodes: NodeColumns,
        edges: tuple[IntArray, ...],
    ) -> None:
        self._part_tables()
        runs = [self.forest.bury(document) for document in changes.documents]
        if len(nodes.key):
            self._append_nodes(connection, nodes)
        ends = np.array(changes.pairs, np.int64).reshape(-1, 2)
        source, target = self.forest.find_all(ends[:, 0]), self.forest.find_all(ends[:, 1])
        known = (source >= 0) & (target >= 0)
        columns = _load_edges(self.forest, edges)
        patch = Patch(tuple(run for run in runs if run), source[known], target[known], columns)
        for table in self.tables.values():
            patch_table(table, self.forest, patch)

    def _part_tables(self) -> None:
        """Keeps one of the scopes that shared a table: what comes may tell them apart."""
        if len(set(map(id, self.tables.values()))) < len(self.tables):
            self.tables = {table.scope: table for table in self.tables.values()}

    def _append_nodes(self, connection: Connection, nodes: NodeColumns) -> None:
        found = adjacency.load_neighbours_by_id(connection, nodes.key.tolist())
        new = set(nodes.key.tolist())
        rank = self.forest.rank.values

        def rank_of(key: int | None) -> int | None:
            return None if key is None or key in new else int(rank[self.forest.find(key)])

        ranks = rank_between([rank_of(row[1]) for row in found], [rank_of(row[2]) for row in found])
        by_key = dict(zip((row[0] for row in found), ranks if ranks is not None else [0] * len(found), strict=True))
        self.forest.append(nodes, np.array([by_key[key] for key in nodes.key.tolist()], np.int64))
        if ranks is None:
            rank_afresh(self.forest, adjacency.load_keys_by_id(connection))


def _load_edges(forest: Forest, columns: tuple[IntArray, ...]) -> EdgeColumns:
    """Edges by number instead of by key. Those without two living ends are left out."""
    source, target, code, weight = columns
    source, target = forest.find_all(source), forest.find_all(target)
    known = (source >= 0) & (target >= 0)
    if not known.all():
        source, target, code, weight = source[known], target[known], code[known], weight[known]
    return EdgeColumns(source, target, code, weight)
