"""Two sides of documents, old and new, as columns, and which node stands for which. It holds pairs and finds the gaps
between them; it does not decide what is alike."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from remem.matching.similarity import Bag, make_bag
from remem.records import OldNode, ParsedNode

PathTable = dict[tuple[int, str], int]
"""A path of headings, as (path above, label), and its number; 0 is the document itself."""


@dataclass(slots=True)
class Side:
    """All nodes of one side, the documents one after the other in pre-order. Each list has one entry a node: `parents`
    and `lasts` are indexes in these lists, `paths` the number of the path of headings above, `partners` the index on
    the other side or -1. `starts` has one entry a document and one more."""

    kinds: list[str] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    paths: list[int] = field(default_factory=list)
    partners: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    bags: dict[int, Bag] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)

    def find_bag(self, node: int) -> Bag:
        """The words of a node, counted when they are first asked for."""
        bag = self.bags.get(node)
        if bag is None:
            bag = self.bags[node] = make_bag(self.contents[node])
        return bag

    def list_children(self, node: int) -> Iterator[int]:
        """The children of a node in order."""
        child, last = node + 1, self.lasts[node]
        while child <= last:
            yield child
            child = self.lasts[child] + 1

    def list_free(self) -> list[int]:
        """All nodes without a partner."""
        return [node for node, partner in enumerate(self.partners) if partner < 0]

    def measure_subtree(self, node: int) -> int:
        """The length of a subtree's text in characters, and one for each node."""
        if not self.lengths:
            self.lengths = [0, *accumulate(map(len, self.contents))]
        last = self.lasts[node] + 1
        return self.lengths[last] - self.lengths[node] + last - node


@dataclass(slots=True)
class Alignment:
    """Both sides and the pairs so far. `old_documents` holds for each new document the index of its old one or -1."""

    old: Side
    new: Side
    old_documents: list[int]

    def join(self, old: int, new: int) -> None:
        """Makes two free nodes one."""
        self.old.partners[old] = new
        self.new.partners[new] = old

    def is_free(self, old: int, new: int) -> bool:
        """Whether both are without a partner."""
        return self.old.partners[old] < 0 and self.new.partners[new] < 0

    def shares_document(self, old: int, new: int) -> bool:
        """Whether the new node stands in the document that continues the old node's."""
        return self.old_documents[self.new.documents[new]] == self.old.documents[old]

    def list_free_children(self, old: int, new: int) -> tuple[list[int], list[int]]:
        """The children without a partner below either of two nodes."""
        return (
            [child for child in self.old.list_children(old) if self.old.partners[child] < 0],
            [child for child in self.new.list_children(new) if self.new.partners[child] < 0],
        )


def build_side(trees: Iterable[Sequence[OldNode] | Sequence[ParsedNode]]) -> Side:
    """Lays trees out as columns. The paths are numbered later, with those of the other side."""
    side = Side()
    for number, nodes in enumerate(trees):
        start = side.starts[-1]
        side.kinds += [node.kind for node in nodes]
        side.contents += [node.content for node in nodes]
        side.labels += [node.label for node in nodes]
        side.parents += [start + max(node.parent, 0) for node in nodes]
        side.lasts += [start + node.last for node in nodes]
        side.documents += [number] * len(nodes)
        side.starts.append(start + len(nodes))
        if nodes:
            side.parents[start] = -1
    side.partners = [-1] * len(side.kinds)
    return side


def find_title(side: Side, document: int) -> int | None:
    """The heading that is its document's only child but front matter: the name of the whole, whatever it says."""
    if side.starts[document] == side.starts[document + 1]:
        return None
    children = (child for child in side.list_children(side.starts[document]) if side.kinds[child] != "kv")
    first = next(children, None)
    return first if first is not None and side.kinds[first] == "heading" and next(children, None) is None else None


def _number_paths(side: Side, table: PathTable, labels: Sequence[str]) -> list[int]:
    paths: list[int] = []
    inner: list[int] = []
    for parent, kind, label in zip(side.parents, side.kinds, labels, strict=True):
        path = inner[parent] if parent >= 0 else 0
        paths.append(path)
        inner.append(table.setdefault((path, label), len(table) + 1) if kind == "heading" else path)
    return paths


def align(
    old: Sequence[Sequence[OldNode]], new: Sequence[Sequence[ParsedNode]], documents: dict[int, int]
) -> Alignment:
    """Both sides, with nothing joined but the document nodes. `documents` leads from new indexes to old ones. In the
    paths, a title that was reworded counts under its old label: all below it stayed where it was."""
    befores, afters = build_side(old), build_side(new)
    labels = list(afters.labels)
    alignment = Alignment(befores, afters, [documents.get(number, -1) for number in range(len(new))])
    for after, before in documents.items():
        alignment.join(befores.starts[before], afters.starts[after])
        titles = find_title(befores, before), find_title(afters, after)
        if titles[0] is not None and titles[1] is not None:
            labels[titles[1]] = befores.labels[titles[0]]
    table: PathTable = {}
    befores.paths = _number_paths(befores, table, befores.labels)
    afters.paths = _number_paths(afters, table, labels)
    return alignment


def find_increasing(values: Sequence[int]) -> list[int]:
    """The indexes of a longest strictly increasing subsequence. O(n log n)."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, value in enumerate(values):
        place = bisect_left(tails, value)
        before.append(ends[place - 1] if place else -1)
        tails[place : place + 1] = [value]
        ends[place : place + 1] = [index]
    chain: list[int] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(index)
        index = before[index]
    return chain[::-1]


def find_gaps(alignment: Alignment, old: int, new: int) -> Iterator[tuple[list[int], list[int]]]:
    """The free children of two joined nodes between those that both kept in order; where one side has none, no gap."""
    befores = list(alignment.old.list_children(old))
    afters = list(alignment.new.list_children(new))
    places = {child: place for place, child in enumerate(befores)}
    kept = [(places[p], i) for i, child in enumerate(afters) if (p := alignment.new.partners[child]) in places]
    anchors = [kept[i] for i in find_increasing([place for place, _ in kept])]
    for (a, b), (c, d) in zip([(-1, -1), *anchors], [*anchors, (len(befores), len(afters))], strict=True):
        gone = [child for child in befores[a + 1 : c] if alignment.old.partners[child] < 0]
        came = [child for child in afters[b + 1 : d] if alignment.new.partners[child] < 0]
        if gone and came:
            yield gone, came
