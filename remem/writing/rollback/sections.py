"""Single nodes rolled back: what the document is to be in which one node, with all below it, goes back to what it was.
Reads the store, writes nothing."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from remem.errors import RefusedError
from remem.reading.past import PastDocument, load_past_documents
from remem.reading.states import find_node_state
from remem.records import NodeRow
from remem.storage import nodes as node_rows
from remem.storage import states as state_rows
from remem.writing.drafts import OldTree
from remem.writing.rollback.documents import DocumentPlan, give_up, load_trees, remove_wanted
from remem.writing.rollback.drafts import Wanted, list_ends, want_past, want_row
from remem.writing.rollback.seams import list_followed, mend_seams
from remem.writing.standing import MARKED

if TYPE_CHECKING:
    from sqlite3 import Connection


def plan_section(connection: Connection, key: int, snapshot: int) -> DocumentPlan:
    """The document of a node with that node as it was at a snapshot, where it stands now; one that is gone goes back to
    where it stood. Raises RefusedError where its document is gone, and where something was purged."""
    state = find_node_state(connection, key, snapshot)
    row = node_rows.load_nodes(connection, [key]).get(key)
    plan = DocumentPlan()
    if state.presence != "living" or state.document is None:
        if row is not None:
            tree = load_trees(connection, {row.document})[row.document]
            rest = remove_wanted(_want_tree(tree), _list_below(tree, row))
            plan.wanted[row.document] = mend_seams(rest, list_followed(node.key for node in tree.nodes))
        return plan
    (past,) = load_past_documents(connection, [state.document], snapshot)
    section = _want_section(past, key)
    home = state.document if row is None else row.document
    tree = _get_tree(connection, home, key)
    plan.wanted[home] = _replace(tree, row, section) if row is not None else _put_back(tree, past, section)
    give_up(connection, plan, {home})
    return plan


def _get_tree(connection: Connection, document: int, key: int) -> OldTree:
    trees = load_trees(connection, {document})
    if document not in trees:
        ids = state_rows.load_ids(connection, [document, key])
        raise RefusedError(
            f"the document that {ids.get(key)} stood in is gone: roll back the document, {ids.get(document)}",
            id=ids.get(key), document=ids.get(document),
        )  # fmt: skip
    return trees[document]


def _want_tree(tree: OldTree) -> list[Wanted]:
    return [want_row(row, tree.tags) for row in tree.nodes]


def _want_section(past: PastDocument, key: int) -> list[Wanted]:
    """A node as it was, with all below it. What was the title heading is a section like others: what it is by now, the
    document decides."""
    title = past.document.layout.title
    nodes = [want_past(node) for node in past.find_subtree(key)]
    return [node._replace(section=True) if node.key == title else node for node in nodes]


def _list_below(tree: OldTree, row: NodeRow) -> Set[int]:
    """A node and all below it."""
    return {node.key for node in tree.nodes[row.position : row.last + 1]}


def _replace(tree: OldTree, row: NodeRow, section: Sequence[Wanted]) -> list[Wanted]:
    gone = _list_below(tree, row) | {node.key for node in section}
    rest = remove_wanted(_want_tree(tree), gone)
    parents = {node.key: node.parent for node in tree.nodes}
    parent = row.parent
    while parent is not None and parent in gone:
        parent = parents[parent]
    before = {node.key for node in tree.nodes[: row.position]}
    index = sum(node.key in before for node in rest)
    first = section[0]._replace(parent=parent, gap=row.gap)
    followed = list_followed(node.key for node in tree.nodes) | list_followed(node.key for node in section)
    return mend_seams([*rest[:index], first, *section[1:], *rest[index:]], followed)


def _put_back(tree: OldTree, past: PastDocument, section: Sequence[Wanted]) -> list[Wanted]:
    """The section after the nearest of its former neighbours that is still there, below the nearest of what it lay
    in."""
    rest = remove_wanted(_want_tree(tree), {node.key for node in section})
    places, ends = {node.key: index for index, node in enumerate(rest)}, list_ends(rest)
    parents = {node.key: node.place.parent for node in past.nodes}
    child, parent = section[0].key, parents[section[0].key]
    while parent is not None and parent not in places:
        child, parent = parent, parents[parent]
    above = rest[0].key if parent is None else parent
    index = places[above] + 1
    for node in past.nodes:
        if node.key == child:
            break
        if node.place.parent == above and node.key in places and rest[places[node.key]].parent == above:
            index = ends[places[node.key]] + 1
    if above == rest[0].key and section[0].kind != "kv":
        index = max(index, _find_front(tree, rest))
    first = section[0]._replace(parent=above)
    back, were = {node.key for node in section}, list_followed(node.key for node in past.nodes)
    followed = list_followed(node.key for node in tree.nodes) | {key: were[key] for key in back & were.keys()}
    return mend_seams([*rest[:index], first, *section[1:], *rest[index:]], followed)


def _find_front(tree: OldTree, nodes: Sequence[Wanted]) -> int:
    """How many nodes at the top are the document itself and its front matter."""
    end = 1
    while tree.document.format in MARKED and end < len(nodes) and nodes[end].kind == "kv":
        end += 1
    return end
