"""Personalised PageRank: how much of what starts at some nodes arrives at each, along edges of either direction and
the structure of the texts. Reads nothing; knows numbers of nodes only.

Reference: Page, Brin, Motwani, Winograd, "The PageRank citation ranking" (1999), with the walk taken both ways.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from remem.graph.csr import FORWARD, HopTable
from remem.graph.forest import Forest
from remem.graph.kinship import Ties
from remem.graph.matrix import Matrix, build_matrix
from remem.graph.stations import BoolArray, FloatArray, IntArray
from remem.records import DISCOVERED, MICRO

Float32Array: TypeAlias = NDArray[np.float32]

MOST_STEPS = 100


class Structure(NamedTuple):
    """Weights of what is always there: a node and its parent; neighbours in a document; those one further. `most` is
    the most that the weight of an edge counts, `alike` the share of it that counts where the edge was discovered."""

    parent: float = 1.0
    near: float = 1.0
    next: float = 0.5
    most: float = 5.0
    alike: float = 1.0


@dataclass(frozen=True, slots=True)
class Families:
    """Parents and children. `parent` has a parent for every number (any one where it has none) and `lift` the weight
    of that (0 there); `children` are ordered by parent, those of `parents[i]` from `begin[i]` on."""

    parent: IntArray
    lift: Float32Array
    children: IntArray
    parents: IntArray
    begin: IntArray

    def add_product(self, values: Float32Array, product: Float32Array) -> None:
        """Adds to a product what comes from parents and from children: O(nodes)."""
        if not len(self.children):
            return
        down = values.take(self.parent)
        down *= self.lift
        product += down
        rise = values.take(self.children)
        rise *= self.lift.take(self.children)
        product[self.parents] += np.add.reduceat(rise, self.begin)


@dataclass(frozen=True, slots=True)
class SpreadGraph:
    """A symmetric matrix over all numbers: of edges, of families, and of structure as shifts. `shift1` and `shift2` are
    the weights between a number and the next, or the one after; `inverse` is 1 / degree."""

    edges: Matrix
    families: Families
    shift1: Float32Array
    shift2: Float32Array
    inverse: Float32Array

    @property
    def size(self) -> int:
        """The numbers of nodes."""
        return len(self.inverse)

    def multiply(self, values: Float32Array) -> Float32Array:
        """The matrix times a vector: O(edges + nodes)."""
        product = self.edges.multiply(values)
        for distance, shift in ((1, self.shift1), (2, self.shift2)):
            if len(shift):
                product[:-distance] += shift * values[distance:]
                product[distance:] += shift * values[:-distance]
        self.families.add_product(values, product)
        return product


def build_spread_graph(
    table: HopTable, forest: Forest, structure: Structure | None = None, ties: Ties | None = None
) -> SpreadGraph:
    """The matrix of all living nodes. `table` holds the hops of scope `node`; `ties` are further pairs of keys."""
    structure = structure or Structure()
    living = forest.mark_living()
    nodes: IntArray = np.flatnonzero(living & (table.rows.total > 0))
    counts, at = table.list_row(nodes)
    weight = np.minimum(table.columns.weight[at], structure.most * MICRO).astype(np.float32) / np.float32(MICRO)
    if structure.alike != 1.0:
        weight[table.columns.code[at] % FORWARD % 4 == DISCOVERED] *= np.float32(structure.alike)
    ones = np.ones(forest.size, np.float32)
    rows, columns = np.repeat(nodes, counts), table.columns.far[at].astype(np.int64)
    if ties is not None and ties.size:
        rows, columns, weight = _add_ties(forest, ties, rows, columns, weight)
        nodes, counts = np.unique(rows, return_counts=True)
    graph = SpreadGraph(
        build_matrix(forest.size, nodes, counts, columns, weight),
        _find_families(forest, living, structure.parent),
        _mark_shift(forest, living, 1, structure.near),
        _mark_shift(forest, living, 2, structure.next),
        ones,
    )
    degree = graph.multiply(ones)
    return replace(graph, inverse=np.divide(ones, degree, out=np.zeros_like(ones), where=degree > 0))


def _add_ties(
    forest: Forest, ties: Ties, rows: IntArray, columns: IntArray, weight: Float32Array
) -> tuple[IntArray, IntArray, Float32Array]:
    """The entries of a matrix with those of ties between living nodes, both ways, row by row."""
    one, other = forest.find_all(ties.one), forest.find_all(ties.other)
    known = (one >= 0) & (other >= 0)
    one, other, tied = one[known], other[known], ties.weight[known]
    rows, columns = np.concatenate((rows, one, other)), np.concatenate((columns, other, one))
    order = np.argsort(rows, kind="stable")
    return rows[order], columns[order], np.concatenate((weight, tied, tied))[order]


def _find_families(forest: Forest, living: BoolArray, weight: float) -> Families:
    parent = forest.parent.values.astype(np.int64)
    is_child = living & (parent >= 0) & (weight > 0)
    children = np.flatnonzero(is_child)
    children = children[np.argsort(parent[children], kind="stable")]
    parents, begin = np.unique(parent[children], return_index=True)
    return Families(
        np.where(is_child, parent, 0), is_child.astype(np.float32) * np.float32(weight), children, parents, begin
    )


def _mark_shift(forest: Forest, living: BoolArray, distance: int, weight: float) -> Float32Array:
    document = forest.document.values
    together = (document[:-distance] == document[distance:]) & living[:-distance]
    if not weight or not together.any():
        return np.zeros(0, np.float32)
    shift: Float32Array = together.astype(np.float32) * np.float32(weight)
    return shift


def spread(
    graph: SpreadGraph, seeds: IntArray, shares: FloatArray, restart: float = 0.4, tolerance: float = 2e-3
) -> FloatArray:
    """The share of a random walk's time at each node (they sum to 1), where a step begins again at a seed with the
    chance `restart` (0 to 1, neither), else follows an edge in proportion to its weight.

    `shares` (positive, one for each seed) say how often each seed is begun at. What stands at a node without edges
    begins again. The walk is reversible, so the equation is solved by Chebyshev's semi-iteration, whose error falls by
    (1 - sqrt(1 - d^2)) / d a step, d = 1 - restart: a third for 0.4, where plain iteration has 0.6. `tolerance` is the
    sum of absolute residuals at the end (twelve plain steps leave as much). Time O(edges + nodes) a step, about 7.
    """
    damping = 1.0 - restart
    start = np.zeros(graph.size, np.float32)
    np.add.at(start, seeds, (shares / shares.sum()).astype(np.float32))
    ranks, residual = start * np.float32(restart), start
    residual = _residue(graph, ranks, start, restart)
    step, move = 1.0, residual.copy()
    for number in range(MOST_STEPS):
        if float(np.abs(residual).sum()) <= tolerance:
            break
        if number:
            turn = (damping * step / 2) ** 2 if number > 1 else damping**2 / 2
            step = 1.0 / (1.0 - turn / step)
            move *= np.float32(turn)
            move += residual
        ranks += np.float32(step) * move
        residual = _residue(graph, ranks, start, restart)
    shares = np.maximum(ranks.astype(np.float64), 0)
    shares /= shares.sum()
    return shares


def _residue(graph: SpreadGraph, ranks: Float32Array, start: Float32Array, restart: float) -> Float32Array:
    moved = graph.multiply(ranks * graph.inverse)
    residual: Float32Array = np.float32(restart) * start - ranks + np.float32(1 - restart) * moved
    return residual
